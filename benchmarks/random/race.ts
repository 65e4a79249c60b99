/** Fused against eager on one random expression. */
import type { AnyTensor, ComputeOptions, Explanation } from "fuseau";
import { letEscape } from "../measure/escape.ts";
import { type Budget, inTurn, timed } from "../measure/processor-time.ts";
import { computeTogether, explainTogether } from "../measure/runtime.ts";
import { type Expression, inputsOf, record } from "./expression.ts";
import { generate, type Wish } from "./generate.ts";

/** Without an emitter, the one that the runtime chooses. */
export type Path = {
  readonly emitter: ComputeOptions["emitter"] | undefined;
} & Required<Pick<ComputeOptions, "fusion">>;

export interface Race {
  readonly seed: number;
  readonly expression: Expression;
  /** Milliseconds of one call. */
  readonly fused: number;
  readonly eager: number;
  /** Eager's time over the fused one's: below 1, fusing was a loss. */
  readonly ratio: number;
}

/** What emitters without lanes and tiles get of the cells of a program, so that a call takes milliseconds. */
const parts = { wasm: 1, js: 1 / 8, closure: 1 / 32 };

/** @throws Error where the two differ in a bit. */
export async function race(
  seed: number,
  wish: Wish,
  emitter: Path["emitter"],
  budget: Budget,
): Promise<Race> {
  const expression = generate(seed, wish, parts[emitter ?? "wasm"]);
  const inputs = inputsOf(expression);
  const computed = (fusion: Path["fusion"]): AnyTensor[] => {
    const outputs = record(expression, inputs);
    computeTogether(outputs, optionsOf({ emitter, fusion }));
    return outputs;
  };
  const call = (fusion: Path["fusion"]) =>
    timed(() => {
      const outputs = computed(fusion);
      letEscape(outputs);
      for (const output of outputs) output.dispose();
    });
  checkAgreement(seed, computed("on"), computed("none"));
  const [fused, eager] = await inTurn([call("on"), call("none")], budget);
  return { seed, expression, fused: fused.milliseconds, eager: eager.milliseconds, ratio: eager.ratio };
}

export const explainRace = ({ expression }: Race, path: Path): Explanation =>
  explainTogether(record(expression, inputsOf(expression)), optionsOf(path));

export const optionsOf = ({ emitter, fusion }: Path): ComputeOptions =>
  emitter === undefined ? { fusion } : { emitter, fusion };

function checkAgreement(seed: number, fused: readonly AnyTensor[], eager: readonly AnyTensor[]): void {
  for (const [output, tensor] of fused.entries()) {
    const found = tensor.toTypedArray();
    const expected = eager[output]!.toTypedArray();
    for (let k = 0; k < expected.length; k++) {
      if (Object.is(found[k], expected[k])) continue;
      throw new Error(
        `seed ${seed}, output ${output}, element ${k}: fused ${found[k]}, eager ${expected[k]}`,
      );
    }
  }
  for (const tensor of [...fused, ...eager]) tensor.dispose();
}
