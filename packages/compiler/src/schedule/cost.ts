/**
 * What work costs on the backend that will run it, on one thread: each target has its own. docs/schedule.md tells where each number
 * is from. They decide where values are kept, never what they are.
 */
import type { PointwiseOp } from "@fuseau/ir";
import type { ProductLoops } from "../tactics/products/loops.ts";

export interface Costs {
  /** Nanoseconds of one unit of cost, an addition, in a loop over memory. */
  readonly unit: number;
  /** Units of operations that cost more here than the table of operations says. */
  readonly ops: Partial<Readonly<Record<PointwiseOp, number>>>;
  /** How many times as much a random word costs that is not of the block of the word before it. */
  readonly wordsApart: number;
  /** Nanoseconds of one byte written to memory and read again. */
  readonly byte: number;
  /** Nanoseconds of one kernel more. */
  readonly kernel: number;
  /** Nanoseconds of one multiplication of a product: in loops of their own, and in any others. */
  readonly product: number;
  readonly productApart: number;
  /** Null where products have no tiles. */
  readonly tiles: Tiles | null;
  /** How many elements a step of a loop works on, and what a shorter step costs as a part of it. */
  readonly step: number;
  readonly shortStep: number;
  /** How much slower elements are one by one: in a scan, or beside the only row or column of a product. */
  readonly serial: number;
  /** Elements that a short loop within others has at most. */
  readonly short: number;
  /** How much slower such a loop is: it has no whole step, or its elements are apart in memory. */
  readonly unrolled: number;
  /** How much slower where each joins one of a row of sums in memory. */
  readonly beside: number;
  /** How much slower where each is a key of a sort. */
  readonly keyed: number;
  /** Units of an element that is folded across the order of memory. */
  readonly across: number;
  /** Units of a quotient or a rest, as part of the place of a load, that changes from element to element. */
  readonly quotient: number;
  /** Units of a load of every second element, of one whose neighbours are further apart, at a quotient or at an index from data; and of a test. */
  readonly everySecond: number;
  readonly apart: number;
  readonly scattered: number;
  readonly test: number;
  /** What part of computing an element once more counts, within the sweep's limit. */
  readonly again: number;
}

/** Nanoseconds. */
interface Tiles {
  readonly rows: number;
  readonly columns: number;
  /** One element of an operand that is brought into the order of tiles. */
  readonly pack: number;
  /** One multiplication and one sum of a GEMV: of no more than `gemvLimit` rows or columns, so that nothing is packed. */
  readonly gemv: number;
  readonly gemvSum: number;
  readonly gemvLimit: number;
  /** One product, however small. */
  readonly start: number;
}

/** How long products take that have loops of their own, in nanoseconds. */
export function productTime(
  { count, rows, columns, depth }: ProductLoops,
  { product, productApart, tiles }: Costs,
): number {
  if (tiles === null)
    // A single sum has none beside it.
    return count * rows * columns * depth * (rows * columns === 1 ? productApart : product);
  const upTo = (size: number, tile: number): number => Math.ceil(size / tile) * tile;
  if (Math.min(rows, columns) <= tiles.gemvLimit)
    return count * (tiles.start + rows * columns * (depth * tiles.gemv + tiles.gemvSum));
  const multiplications = upTo(rows, tiles.rows) * upTo(columns, tiles.columns) * depth;
  return count * (tiles.start + multiplications * product + (rows + columns) * depth * tiles.pack);
}

/** What computing a node among its readers' loops is estimated to cost, and what storing it does: nanoseconds. */
export interface Comparison {
  readonly fused: number;
  readonly stored: number;
}
