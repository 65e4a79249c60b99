/**
 * Text that computes the bits of WebAssembly, for programs too small to run there. Approximated functions are WebAssembly's own, called
 * for one element; sums of singles gather in its lanes and chunks, and products round as its multiply-adds do.
 */
import {
  type Accumulator,
  type DType,
  type FloatDType,
  isFloat,
  type LoopKernel,
  mapStatements,
  type PointwiseOp,
  pointwiseOps,
  type ReduceStatement,
} from "@fuseau/ir";
import { callsFunction, isChunked, isFloatDot } from "../../lower/accumulators.ts";
import { allFolds, type Held, heldAs, isOneChunk, SINGLES } from "../shared/bits-of-lanes.ts";
import { jsPointwise } from "./pointwise.ts";

/** A function of one element of each operand. */
export type Scalar = (...operands: number[]) => number;

/** WebAssembly's functions of single elements. */
export interface LaneCalls {
  pointwise(op: PointwiseOp, from: Held, to: Held): Scalar;
  /** a·b + c, rounded once; null where the host's WebAssembly rounds twice. */
  multiplyAdd(dtype: Held): Scalar | null;
}

/** True if text can compute the bits that WebAssembly computes for a kernel with these sizes. */
export const canBeTextInLanes = (kernel: LoopKernel, sizes: readonly number[]): boolean =>
  allFolds(kernel, (accumulator, loop) => {
    if (callsFunction(accumulator)) return false;
    if (isFloatDot(accumulator)) return isOneChunk(loop, sizes);
    return !isChunked(accumulator) || accumulator.row === null || loop.scan;
  });

/** True if a kernel sums products of floats. */
export const hasFloatProducts = (kernel: LoopKernel): boolean =>
  !allFolds(kernel, (accumulator) => !isFloatDot(accumulator));

/** The kernel with WebAssembly's lanes in the accumulators of its sums of singles. */
export const withLanes = (kernel: LoopKernel): LoopKernel => ({
  ...kernel,
  body: mapStatements(kernel.body, (statement) =>
    statement.kind === "reduce" && statement.accumulators.some(isChunked) ? widened(statement) : statement,
  ),
});

const widened = (loop: ReduceStatement): ReduceStatement => {
  const extent = loop.axes.at(-1)?.extent;
  return {
    ...loop,
    accumulators: loop.accumulators.map((each) => (isChunked(each) ? { ...each, lanes: SINGLES } : each)),
    aligned: loop.aligned && extent?.kind === "literal" && extent.value % SINGLES === 0,
  };
};

/** The elements of a chunk of a loop's sums; null if there is only one chunk. */
export function chunkOf({ axes, accumulators, scan }: ReduceStatement, chunk: number): number | null {
  if (scan || !accumulators.some(isChunked)) return null;
  const count = axes.reduce(
    (product, { extent }) => product * (extent.kind === "literal" ? extent.value : Number.POSITIVE_INFINITY),
    1,
  );
  return count <= chunk ? null : chunk;
}

/** The text of an op on argument texts, as `jsPointwise` has it. */
export function pointwiseText(
  op: PointwiseOp,
  args: readonly string[],
  from: DType,
  to: DType,
  calls: LaneCalls | null,
): string {
  if (calls === null || !pointwiseOps[op].approximated || !isFloat(from) || !isFloat(to))
    return jsPointwise[op](args, from, to);
  const [held, result] = [heldAs(from), heldAs(to)];
  const call = `${op}_${held}_${result}(${args.join(", ")})`;
  return to === "float16" ? `roundToFloat16(${call})` : call;
}

/** The statement that adds the product of two floats to a sum. */
export function productText(from: DType, sum: string, x: string, y: string, calls: LaneCalls): string {
  const held = heldAs(from as FloatDType);
  if (calls.multiplyAdd(held) !== null) return `${sum} = multiplyAdd_${held}(${x}, ${y}, ${sum});`;
  return held === "float64" ? `${sum} += ${x} * ${y};` : `${sum} = fround(${sum} + fround(${x} * ${y}));`;
}

/** The two running sums of a chunk of singles, from its lanes. */
export function chunkTexts(lanes: readonly string[]): readonly [string, string] {
  const four = (lane: number): string =>
    `fround(fround(${lanes[lane]} + ${lanes[lane + 4]}) + fround(${lanes[lane + 8]} + ${lanes[lane + 12]}))`;
  return [`(${four(0)} + ${four(2)})`, `(${four(1)} + ${four(3)})`];
}

/** The functions that a text calls by the names that {@link pointwiseText} and {@link productText} give. */
export function laneImports(text: string, calls: LaneCalls): Record<string, Scalar> {
  const found: Record<string, Scalar> = {};
  for (const [name, op, from, to] of text.matchAll(
    /\b([a-z]\w*?)_(float32|float64)(?:_(float32|float64))?(?=\()/g,
  )) {
    const scalar =
      to === undefined
        ? calls.multiplyAdd(from as Held)
        : calls.pointwise(op as PointwiseOp, from as Held, to as Held);
    if (scalar !== null) found[name] = scalar;
  }
  return found;
}

export type Gathering = "singles" | "products" | null;

/** How text in lanes gathers an accumulator, if in another way than text does by itself. */
export const gatheringOf = (accumulator: Accumulator): Gathering =>
  isFloatDot(accumulator) ? "products" : isChunked(accumulator) ? "singles" : null;
