/**
 * Columns that are reduced: consecutive elements join consecutive accumulators. Several rows are jammed, so that a row of accumulators is
 * read and written once for all of them.
 */
import {
  type ForStatement,
  isDefinition,
  localsDefinedIn,
  mapStatements,
  type ReduceStatement,
  type Run,
  type Statement,
  someInteger,
} from "@fuseau/ir";
import { laneMatters } from "../lower/accumulators.ts";
import { hasLoopCarriedDependence } from "./dependence.ts";
import type { Tactic } from "./tactic.ts";

/** Rows that are jammed. */
export const JAMMED_ROWS = 4;

/** The same for machines without lanes. */
export const columns: Tactic = {
  name: "columns",
  schedule: (statement) =>
    mapStatements([statement], (each) =>
      each.kind === "reduce"
        ? (jamRows(each, () => ({ kind: "vector", lanes: 1, copies: 1 })) ?? each)
        : each,
    ),
};

/**
 * The loop with jammed rows and columns in lanes; null where there are none. The law: only definitions precede one loop over cells, which
 * is as long in every row. Each cell takes its elements in order. Lookups fail in order too, so there are none in the inner loop.
 */
export function jamRows(
  statement: ReduceStatement,
  vectorOf: (inner: ForStatement, before: readonly Statement[]) => (Run & { readonly kind: "vector" }) | null,
): ReduceStatement | null {
  const { accumulators, axes, scan, run, row, body } = statement;
  const inner = body.at(-1);
  const before = [...row, ...body.slice(0, -1)];
  if (scan || run !== undefined || inner?.kind !== "for" || inner.ordered || inner.run !== undefined)
    return null;
  if (accumulators.some((each) => each.row === null || laneMatters(each))) return null;
  if (!before.every(isDefinition) || !inner.body.every(isPlain)) return null;
  const { axis } = axes.at(-1)!;
  if (hasLoopCarriedDependence([...before, ...inner.body], axis)) return null;
  const own = localsDefinedIn(before);
  const isOwn = someInteger(inner.axis.extent, (leaf) => leaf.kind === "local" && own.includes(leaf.local));
  const vector = isOwn ? null : vectorOf(inner, before);
  if (vector === null) return null;
  const jammed = { ...inner, run: vector };
  return { ...statement, run: { kind: "jam", copies: JAMMED_ROWS }, body: [...body.slice(0, -1), jammed] };
}

const isPlain = ({ kind }: Statement): boolean =>
  kind === "integer" || kind === "let" || kind === "store" || kind === "accumulate";
