/**
 * Whose last bits closures give. Their own are those of JavaScript text. Those of WebAssembly are wanted of programs that begin in closures
 * and go on there: its functions, its sums of singles and its products are other ones (docs/accumulation-order.md).
 */
import {
  type AccumulationOrder,
  type Accumulator,
  type DType,
  type FloatDType,
  type Integer,
  isFloat,
  type LoopKernel,
  type PointwiseOp,
  pointwiseOps,
  type ReduceStatement,
  statementsIn,
} from "@fuseau/ir";
import { DOT_BLOCK, isFloatDot, laneMatters } from "../../lower/accumulators.ts";
import type { Numbers } from "./columns.ts";
import { dotInLanes, type Fold, sumOfSingles } from "./folds.ts";
import { type Loop, pointwiseLoop, wrapped } from "./pointwise.ts";

export interface Bits {
  /** The loop of one op, as `pointwiseLoop` has it. */
  readonly loopOf: (op: PointwiseOp, from: DType, to: DType) => Loop;
  /** Null for what is folded as text folds it. */
  readonly chunksOf: (accumulator: Accumulator, order: AccumulationOrder) => Chunks | null;
}

/**
 * Elements gather in lanes, each rounded to the dtype; at the end of a chunk the lanes join running values, which stand behind
 * them, lane-major as they are.
 */
export interface Chunks {
  readonly elements: number;
  readonly lanes: number;
  /** With the running values. */
  readonly cells: number;
  readonly fold: Fold;
  join(partial: Numbers, width: number): void;
  /** What a cell holds where all its chunks have ended. */
  read(partial: Numbers, width: number, cell: number): number;
}

export const ownBits: Bits = { loopOf: pointwiseLoop, chunksOf: () => null };

/** A function on columns as WebAssembly has it; null where it is that of JavaScript text. */
export type LaneFunctions = (
  op: PointwiseOp,
  from: "float32" | "float64",
  to: "float32" | "float64",
) => Loop | null;

/** The bits of WebAssembly without relaxed SIMD. */
export const bitsOfLanes = (functions: LaneFunctions): Bits => ({
  loopOf(op, from, to) {
    const loop =
      isFloat(from) && isFloat(to) && pointwiseOps[op].approximated
        ? functions(op, heldAs(from), heldAs(to))
        : null;
    if (loop === null) return pointwiseLoop(op, from, to);
    return to === "float16" ? wrapped("float16", loop) : loop;
  },
  chunksOf(accumulator, { chunk }) {
    const { from, row } = accumulator;
    if (isFloatDot(accumulator))
      return row === null
        ? productsIn(from === "float64" ? same : fround, dotInLanes(from))
        : oneChunk(dotInLanes(from));
    return areChunked(accumulator) ? { ...singles, elements: chunk } : null;
  },
});

/**
 * Whether closures can give the bits that WebAssembly gives of a kernel. Functions in folds are not theirs; where a host multiplies and
 * adds with one rounding no number of JavaScript does; and a row of accumulators has room for one chunk.
 */
export const canHaveBitsOfLanes = (
  { body }: LoopKernel,
  sizes: readonly number[],
  relaxed: boolean,
): boolean =>
  statementsIn(body).every(
    (statement) =>
      statement.kind !== "reduce" ||
      statement.accumulators.every((accumulator) => {
        const { fn, row } = accumulator;
        if (fn === "logaddexp") return false;
        if (isFloatDot(accumulator)) return !relaxed && (row === null || isOneChunk(statement, sizes));
        return row === null || !areChunked(accumulator) || statement.scan;
      }),
  );

const isOneChunk = ({ axes }: ReduceStatement, sizes: readonly number[]): boolean =>
  axes.reduce((count, { extent }) => count * extentAt(extent, sizes), 1) <= DOT_BLOCK;

/** The extent of a strip is known when it is reached. */
const extentAt = (extent: Integer, sizes: readonly number[]): number =>
  extent.kind === "literal"
    ? extent.value
    : extent.kind === "size"
      ? (sizes[extent.slot] as number)
      : Number.POSITIVE_INFINITY;

/** Sums of singles gather in chunks where the order knows lanes. */
const areChunked = (accumulator: Accumulator): boolean =>
  accumulator.fn === "sum" && accumulator.from !== "float64" && laneMatters(accumulator);

/** float16 computes in float32. */
const heldAs = (dtype: FloatDType): "float32" | "float64" => (dtype === "float64" ? "float64" : "float32");

const { fround } = Math;
const same = (x: number): number => x;

const LANES = 16;

const singles: Omit<Chunks, "elements"> = {
  lanes: LANES,
  cells: LANES + 2,
  fold: sumOfSingles,
  join(p, width) {
    const four = (cell: number): number =>
      fround(fround(p[cell]! + p[cell + 4 * width]!) + fround(p[cell + 8 * width]! + p[cell + 12 * width]!));
    for (let cell = 0; cell < width; cell++) {
      const [first, second] = [cell + LANES * width, cell + (LANES + 1) * width];
      p[first] = p[first]! + (four(cell) + four(cell + 2 * width));
      p[second] = p[second]! + (four(cell + width) + four(cell + 3 * width));
    }
    p.fill(0, 0, LANES * width);
  },
  read: (p, width, cell) => p[cell + LANES * width]! + p[cell + (LANES + 1) * width]!,
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
