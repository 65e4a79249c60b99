/** What every case prepares: the expression, computed fused and eagerly, and loops written by hand beside it. */
import type { AnyTensor } from "fuseau";
import type { Case, Prepared, Variant } from "../case.ts";
import { letEscape } from "../measure/escape.ts";
import { computeTogether, explainTogether } from "../measure/runtime.ts";
import { fuseauVariants } from "../measure/variants.ts";

export interface PreparedExpression extends Prepared {
  /** Records the expression, one tensor or several. */
  readonly record: () => AnyTensor | readonly AnyTensor[];
}

export interface ExpressionCase extends Case {
  readonly prepare: () => PreparedExpression;
}

export const prepared = (
  record: PreparedExpression["record"],
  loops: readonly Variant[],
  peers?: Prepared["peers"],
): PreparedExpression => ({
  record,
  variants: [...fuseauVariants(record), ...scriptVariants(record), ...loops],
  ...(peers === undefined ? {} : { peers }),
});

/** What the loops written by hand are matched with: fused, as JavaScript too. */
export const SCRIPT = "fused, JavaScript";

/** Fused as JavaScript, where something else runs when nothing is asked for. */
const scriptVariants = (record: PreparedExpression["record"]): Variant[] =>
  explainTogether([record()].flat()).emitter === "js" ? [] : [scriptVariant(record)];

export function scriptVariant(record: PreparedExpression["record"]): Variant {
  const computed = (): readonly AnyTensor[] => {
    const results = [record()].flat();
    computeTogether(results, { emitter: "js" });
    return results;
  };
  const disposed = (results: readonly AnyTensor[]): void => {
    for (const result of results) result.dispose();
  };
  return {
    name: SCRIPT,
    role: "other",
    run() {
      const results = computed();
      letEscape(results);
      disposed(results);
    },
    result() {
      const results = computed();
      const elements = results.flatMap((tensor) => Array.from(tensor.toTypedArray(), Number));
      disposed(results);
      return elements;
    },
  };
}
