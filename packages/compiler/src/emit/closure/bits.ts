/**
 * The emitter whose last bits closures compute. By default they are the bits of JavaScript text. A program that begins in
 * closures and goes on in WebAssembly needs the bits of WebAssembly from the start: its approximated functions, float32 sums and
 * products differ in the last bits (docs/accumulation-order.md).
 */
import {
  type AccumulationOrder,
  type Accumulator,
  type DType,
  isFloat,
  type LoopKernel,
  type PointwiseOp,
  pointwiseOps,
} from "@fuseau/ir";
import { callsFunction, DOT_BLOCK, isChunked, isFloatDot } from "../../lower/accumulators.ts";
import { allFolds, type Held, heldAs, isOneChunk, SINGLES } from "../shared/bits-of-lanes.ts";
import type { Numbers } from "./columns.ts";
import { dotInLanes, type Fold, sumOfSingles } from "./folds.ts";
import { type Loop, pointwiseLoop, wrapped } from "./pointwise.ts";

export interface Bits {
  /** The loop of one op; the signature is that of `pointwiseLoop`. */
  readonly loopOf: (op: PointwiseOp, from: DType, to: DType) => Loop;
  /** Null when the accumulator folds as in JavaScript text. */
  readonly chunksOf: (accumulator: Accumulator, order: AccumulationOrder) => Chunks | null;
}

/**
 * How lanes fold in chunks. Elements join partial results in lanes, each sum rounded to the dtype. At the end of a chunk the
 * lanes are added to running totals, which are stored behind the lanes, lane-major too.
 */
export interface Chunks {
  readonly elements: number;
  readonly lanes: number;
  /** Cells of lanes and running totals together. */
  readonly cells: number;
  readonly fold: Fold;
  join(partial: Numbers, width: number): void;
  /** The value of a cell after all its chunks have ended. */
  read(partial: Numbers, width: number, cell: number): number;
}

export const ownBits: Bits = { loopOf: pointwiseLoop, chunksOf: () => null };

/** The loop that computes a function as WebAssembly does. */
export type LaneFunctions = (op: PointwiseOp, from: Held, to: Held) => Loop;

/** The bits of WebAssembly without relaxed SIMD. */
export const bitsOfLanes = (functions: LaneFunctions): Bits => ({
  loopOf(op, from, to) {
    if (!isFloat(from) || !isFloat(to) || !pointwiseOps[op].approximated) return pointwiseLoop(op, from, to);
    const loop = functions(op, heldAs(from), heldAs(to));
    return to === "float16" ? wrapped("float16", loop) : loop;
  },
  chunksOf(accumulator, { chunk }) {
    const { from, row } = accumulator;
    if (isFloatDot(accumulator))
      return row === null
        ? productsIn(from === "float64" ? same : fround, dotInLanes(from))
        : oneChunk(dotInLanes(from));
    return isChunked(accumulator) ? { ...singles, elements: chunk } : null;
  },
});

/**
 * Whether closures can compute the bits that WebAssembly computes for a kernel. Three things they cannot: a fold that calls an
 * approximated function; a multiply-add that the host rounds once (relaxed SIMD); more than one chunk in a row of accumulators.
 */
export const canHaveBitsOfLanes = (kernel: LoopKernel, sizes: readonly number[], relaxed: boolean): boolean =>
  allFolds(kernel, (accumulator, loop) => {
    const { row } = accumulator;
    if (callsFunction(accumulator)) return false;
    if (isFloatDot(accumulator)) return !relaxed && (row === null || isOneChunk(loop, sizes));
    return row === null || !isChunked(accumulator) || loop.scan;
  });

const { fround } = Math;
const same = (x: number): number => x;

const singles: Omit<Chunks, "elements"> = {
  lanes: SINGLES,
  cells: SINGLES + 2,
  fold: sumOfSingles,
  join(p, width) {
    const four = (cell: number): number =>
      fround(fround(p[cell]! + p[cell + 4 * width]!) + fround(p[cell + 8 * width]! + p[cell + 12 * width]!));
    for (let cell = 0; cell < width; cell++) {
      const [first, second] = [cell + SINGLES * width, cell + (SINGLES + 1) * width];
      p[first] = p[first]! + (four(cell) + four(cell + 2 * width));
      p[second] = p[second]! + (four(cell + width) + four(cell + 3 * width));
    }
    p.fill(0, 0, SINGLES * width);
  },
  read: (p, width, cell) => p[cell + SINGLES * width]! + p[cell + (SINGLES + 1) * width]!,
};

const productsIn = (round: (x: number) => number, fold: Fold): Chunks => ({
  elements: DOT_BLOCK,
  lanes: 1,
  cells: 2,
  fold,
  join(p, width) {
    for (let cell = 0; cell < width; cell++) p[cell + width] = round(p[cell + width]! + p[cell]!);
    p.fill(0, 0, width);
  },
  read: (p, width, cell) => p[cell + width]!,
});

const oneChunk = (fold: Fold): Chunks => ({
  elements: Number.POSITIVE_INFINITY,
  lanes: 1,
  cells: 1,
  fold,
  join() {},
  read: (p, _, cell) => p[cell]!,
});
