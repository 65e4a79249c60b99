/**
 * Costs on the target, on one thread; each target has its own. docs/schedule.md says where each number is from. Costs decide where values
 * are kept, never the results.
 */
import type { PointwiseOp } from "@fuseau/ir";
import type { ProductLoops } from "../tactics/products/loops.ts";
import { SHORT_NEST, SHORTEST_ROW } from "./rows.ts";

/** Units from which an op is expensive: the latency of a loop hides cheaper ones. */
export const EXPENSIVE = 16;

export interface Costs {
  /** Nanoseconds of one unit, an addition, in a loop over memory. */
  readonly unit: number;
  /** Units of operations that cost more here than the table says. */
  readonly ops: Partial<Readonly<Record<PointwiseOp, number>>>;
  /** How many times as expensive a random word is that is not in the block of the word before it. */
  readonly scatteredWords: number;
  /** How many times as much random words cost in a row that begins amid a block: steps along it have no whole blocks. */
  readonly wordsAmid: number;
  /** Nanoseconds of one byte written to memory and read again, and of one that is still in a cache then. */
  readonly byte: number;
  readonly cachedByte: number;
  /** Nanoseconds of one kernel more. */
  readonly kernel: number;
  /** Nanoseconds of one multiplication of a product: in loops of its own, and in any others. */
  readonly product: number;
  readonly productSingle: number;
  /** Null where products have no tiles. */
  readonly tiles: Tiles | null;
  /** Elements in one step of a loop, and the cost of a shorter step as a fraction of that of a whole one. */
  readonly step: number;
  readonly shortStep: number;
  /** How many times as slow elements are one by one: in a scan, or beside the only row or column of a product. */
  readonly serial: number;
  /** The most elements of a short inner loop. */
  readonly short: number;
  /** How many times as slow such a loop is: it has no whole step, or its elements are not contiguous. */
  readonly unrolled: number;
  /** How many times as slow an element is that is added to one of a row of sums in memory. */
  readonly beside: number;
  /** How many times as slow an element is that is a key of a sort. */
  readonly keyed: number;
  /** Units that a walk along a row begins with, for each of its statements, where it cannot go on into the next row; 0 if it always can. */
  readonly walk: number;
  /** Units of an element that is folded across memory order. */
  readonly across: number;
  /** Units of a quotient or a remainder in the index of a load, if it changes from element to element. */
  readonly quotient: number;
  /** Units of a load of every second element, of one at a larger stride, at a quotient or at an index from data; and of a test. */
  readonly everySecond: number;
  readonly strided: number;
  readonly scattered: number;
  readonly test: number;
  /** The fraction of recomputation that counts towards the sweep's limit. */
  readonly again: number;
}

/** Nanoseconds. */
export interface Tiles {
  readonly rows: number;
  readonly columns: number;
  /** Packing one element of an operand. */
  readonly pack: number;
  /** One multiplication and addition of a GEMV: at most `gemvLimit` rows or columns, so that nothing is packed. */
  readonly gemv: number;
  readonly gemvSum: number;
  readonly gemvLimit: number;
  /** A fixed cost of each product. */
  readonly start: number;
  /** A small product whose loops are unrolled: a fixed cost, and one multiplication and addition. */
  readonly smallStart: number;
  readonly small: number;
  /** One of a sum that is unrolled in a loop over columns, in any kernel: one row is walked after the other. */
  readonly smallByRow: number;
}

/**
 * The time of products in a kernel of their own, in nanoseconds: that of tiles, or of unrolled loops over the depth of a small one and its
 * columns, with rows in lanes, or its rows, with columns in lanes.
 */
export function productTimeAlone(loops: ProductLoops, costs: Costs): number {
  const { count, rows, columns, depth } = loops;
  const tiled = productTime(loops, costs);
  if (costs.tiles === null || !hasRowsInLanes(Math.min(rows, columns), depth, costs)) return tiled;
  const { small, smallByRow, smallStart } = costs.tiles;
  const each = columns <= rows ? small : smallByRow;
  return Math.min(tiled, count * (smallStart + rows * columns * depth * each));
}

/** True of a product whose loops over columns and depth are both unrolled: its rows are in lanes. */
export const hasRowsInLanes = (columns: number, depth: number, { short }: Costs): boolean =>
  Math.max(columns, depth) <= short && (columns < SHORTEST_ROW || columns * depth <= SHORT_NEST);

/** The time of products that have loops of their own, in nanoseconds. */
export function productTime(loops: ProductLoops, { product, productSingle, tiles }: Costs): number {
  const { count, rows, columns, depth } = loops;
  if (tiles === null)
    // A single sum has none to interleave with.
    return count * rows * columns * depth * (rows * columns === 1 ? productSingle : product);
  if (Math.min(rows, columns) <= tiles.gemvLimit)
    return count * (tiles.start + rows * columns * (depth * tiles.gemv + tiles.gemvSum));
  const packed = count * (rows + columns) * depth;
  return count * tiles.start + multiplications(loops, tiles) * product + packed * tiles.pack;
}

/** Those of whole tiles: rows and columns are padded. */
export function multiplications({ count, rows, columns, depth }: ProductLoops, tiles: Tiles): number {
  const upTo = (size: number, tile: number): number => Math.ceil(size / tile) * tile;
  return count * upTo(rows, tiles.rows) * upTo(columns, tiles.columns) * depth;
}

/** The part of its bytes that storing what is gathered or joined costs: it is copied row by row, and read again in order. */
export const COPIED: number = 1 / 4;

/** The estimated cost of computing a node in its readers' loops, and that of storing it: nanoseconds. */
export interface Comparison {
  readonly fused: number;
  readonly stored: number;
}
