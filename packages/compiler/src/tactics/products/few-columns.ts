/**
 * What follows the sums of rows of few columns: a bias, an activation, a residual. A row has few whole steps, or none. Where rows are
 * contiguous, those of a block are walked as one row, in which what the rows share is repeated.
 */
import {
  definitionsOf,
  type ForStatement,
  type Integer,
  localsDefinedIn,
  mentionsOf,
  printInteger,
  type Statement,
} from "@fuseau/ir";
import { times } from "../integers.ts";
import { type Given, keptOf, type Result, repeated, sharedBy, valuesIn, withKept } from "../repeated-rows.ts";
import type { Nest, Product } from "./nest.ts";

export interface BlockAsRow {
  /** Once, in front of all blocks: fills the memory in which the shared values are repeated. */
  readonly filled: readonly Statement[];
  /** What a block computes first, for its first row. */
  readonly before: readonly Statement[];
  /** The elements of as many rows as a block has, each of so many columns. */
  readonly elements: ForStatement;
  readonly columns: Integer;
}

/** Null where the rows of `body` are not such rows; `rows` are those of a block, whose sums are those of the products. */
export function blockAsRow(
  { dependence, row }: Nest,
  products: readonly Product[],
  body: readonly Statement[],
  rows: Integer,
  given: Given,
): BlockAsRow | null {
  const elements = body.at(-1);
  const before = body.slice(0, -1);
  if (row === null || elements?.kind !== "for" || elements.ordered) return null;
  if (!before.every(({ kind }) => kind === "integer")) return null;
  const { axis, extent } = elements.axis;
  const columns = dependence.inline(extent);
  const isOwn = ({ accumulator: read, cell }: Result): boolean =>
    products.some(
      ({ accumulator, cells, column, width }) =>
        read === accumulator.accumulator &&
        printInteger(width) === printInteger(columns) &&
        (cells ? cell.kind === "axis" && cell.axis === axis : axis === column?.axis),
    );
  const block: ForStatement = { kind: "for", axis: row, ordered: false, body };
  const shared = sharedBy(block, elements, isOwn);
  if (shared === null) return null;
  const values = valuesIn(elements, shared);
  const definitions = definitionsOf(
    values.map(({ local }) => local),
    body.flatMap((each) => (each === elements ? elements.body : [each])),
  );
  // They are repeated once for all blocks: they depend on nothing in the loops around.
  const { locals, axes } = mentionsOf(definitions);
  const own = new Set(localsDefinedIn(definitions));
  if ([...locals].some((local) => !own.has(local)) || [...axes].some((each) => each !== axis)) return null;
  const kept = keptOf(values, times(rows, columns), given);
  const filled = kept.length === 0 ? [] : [repeated(block, elements, rows, kept, given)];
  return {
    filled,
    before,
    columns,
    elements: {
      kind: "for",
      axis: { axis, extent: times(rows, columns) },
      ordered: false,
      body: withKept(elements, { shared, kept }),
    },
  };
}
