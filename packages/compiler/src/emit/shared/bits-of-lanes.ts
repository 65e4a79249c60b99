/**
 * What decides whether text or closures can compute the bits that WebAssembly computes for a kernel (docs/accumulation-order.md says
 * where its folds differ).
 */
import {
  type Accumulator,
  type FloatDType,
  type Integer,
  type LoopKernel,
  type ReduceStatement,
  statementsIn,
} from "@fuseau/ir";
import { DOT_BLOCK } from "../../lower/accumulators.ts";

/** The lanes in which WebAssembly gathers sums of float32 and float16. */
export const SINGLES = 16;

/** What WebAssembly's functions and multiply-adds compute in. */
export type Held = "float32" | "float64";

/** float16 is computed in float32. */
export const heldAs = (dtype: FloatDType): Held => (dtype === "float64" ? "float64" : "float32");

/** True if the test is true of each fold of a kernel. */
export const allFolds = (
  { body }: LoopKernel,
  test: (accumulator: Accumulator, loop: ReduceStatement) => boolean,
): boolean =>
  statementsIn(body).every(
    (statement) =>
      statement.kind !== "reduce" || statement.accumulators.every((each) => test(each, statement)),
  );

/** True if the products of a fold are summed in a single chunk. */
export const isOneChunk = ({ axes }: ReduceStatement, sizes: readonly number[]): boolean =>
  axes.reduce((count, { extent }) => count * extentAt(extent, sizes), 1) <= DOT_BLOCK;

/** The extent of a strip is known only when its loop is reached. */
const extentAt = (extent: Integer, sizes: readonly number[]): number =>
  extent.kind === "literal"
    ? extent.value
    : extent.kind === "size"
      ? (sizes[extent.slot] as number)
      : Number.POSITIVE_INFINITY;
