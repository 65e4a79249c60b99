/**
 * x with elements written where an index says; the methods that end in `_` write into x itself. Values are written one after
 * another in row-major order of the index, so that of several for one place the last stays. docs/gather-scatter.md has the
 * rules with examples. An index out of range is found out when the result is computed, and then nothing is written.
 * @throws ShapeError for shapes that do not fit, DTypeError for a source or an index of another dtype, RangeError for an axis that does not exist.
 */
import { type Scalar, ShapeError, type SliceIndex, sameNumbers, showShape, wrapAxis } from "@fuseau/ir";
import { copyInto, takeValue } from "../alias/alias.ts";
import { type Alike, alike, sameUnary } from "../declare/families.ts";
import { scatterOf, sliceScatterOf } from "../declare/scatters.ts";
import * as ops from "../ops/scatter.ts";
import * as slices from "../ops/scatter-slices.ts";
import { checkedTerm, term, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Operand } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { AccumulateOptions } from "./indexing.ts";
import { diagonal } from "./movement.ts";
import { select } from "./pieces.ts";

export interface ScatterOptions {
  /** How a value meets what stands at its place; without it, it takes the place. */
  readonly reduce?: "add" | "multiply" | null;
}

export interface ScatterReduceOptions {
  /** Whether what stands at a place is folded with what is scattered to it. Default true. */
  readonly includeSelf?: boolean;
}

export interface IndexAddOptions<V extends Scalar = Scalar> {
  /** A factor for what is added. */
  readonly alpha?: V;
}

/**
 * For each place of `index` (int64), the source's element at that place is written where the index says along `dim`: of three axes
 * and dim 0, `out[index[i][j][k]][j][k] = source[i][j][k]`. `source` is a number, or a tensor of x's dtype that may be larger than
 * the index. The index is no longer than x along axes other than `dim`.
 */
export const scatter = scatterOf<"operand", [options?: ScatterOptions]>(
  "scatter(dim, index, source, { reduce })",
  (x, dim, index, source, options) =>
    ops.scatter(x, dim, index, checkedTerm(source), options?.reduce ?? null),
);

/** {@link scatter} that adds to what is there. */
export const scatterAdd = scatterOf<"tensor">("scatterAdd(dim, index, source)", (x, dim, index, source) =>
  ops.scatterAdd(x, dim, index, unwrap(source)),
);

/**
 * {@link scatter} that folds what comes to one place: `"sum"`, `"prod"`, `"mean"` (of integers rounded down), `"amax"` or `"amin"`,
 * with what stands there unless `includeSelf` is false. Places that nothing comes to keep what they have.
 */
export const scatterReduce = scatterOf<"tensor", [reduce: ops.Reduction, options?: ScatterReduceOptions]>(
  "scatterReduce(dim, index, source, reduce, { includeSelf })",
  (x, dim, index, source, reduce, options) => {
    const from = unwrap(source);
    return ops.scatterReduce(x, dim, index, from, reduce, options?.includeSelf ?? true);
  },
);

/** Adds the slices of `source` along `dim` to the slices of x that a list of places (int64 or int32) names. */
export const indexAdd = sliceScatterOf<[source: AnyTensor, options?: IndexAddOptions]>(
  "indexAdd(dim, index, source, { alpha })",
  (x, dim, index, source, options) => {
    const from = unwrap(source);
    return slices.indexAdd(x, dim, index, from, options?.alpha ?? 1);
  },
);

/** Replaces the slices of x along `dim` that a list of places (int64) names by those of `source`. */
export const indexCopy = sliceScatterOf<[source: AnyTensor]>(
  "indexCopy(dim, index, source)",
  (x, dim, index, source) => slices.indexCopy(x, dim, index, unwrap(source)),
);

/** Fills the slices of x along `dim` that a list of places (int64, −1 is the last) names with a number or a 0-d tensor. */
export const indexFill = sliceScatterOf<[value: Operand]>(
  "indexFill(dim, index, value)",
  (x, dim, index, value) => slices.indexFill(x, dim, index, term(value)),
);

/** {@link scatterReduce} of whole slices, as {@link indexAdd} names them. */
export const indexReduce = sliceScatterOf<
  [source: AnyTensor, reduce: Exclude<ops.Reduction, "sum">, options?: ScatterReduceOptions]
>("indexReduce(dim, index, source, reduce, { includeSelf })", (x, dim, index, source, reduce, options) => {
  const from = unwrap(source);
  return slices.indexReduce(x, dim, index, from, reduce, options?.includeSelf ?? true);
});

/** Writes (or with `accumulate` adds) the elements of `source` at places in row-major order (int64, −1 is the last). */
export const put = sameUnary<[index: AnyTensor, source: AnyTensor, options?: AccumulateOptions]>(
  "put(index, source, { accumulate })",
  (x, index, source, options) => {
    const places = unwrap(index);
    return slices.put(x, places, unwrap(source), options?.accumulate ?? false);
  },
);

// The types of the three below are explicit: what they are made of asks for members of Tensor, which these become.

/** x with a view of it replaced. @throws ShapeError unless the source has the view's shape. */
function replaced(op: string, x: Value, source: AnyTensor, viewOf: (copy: AnyTensor) => AnyTensor): Value {
  const copy = wrap(x);
  const view = viewOf(copy);
  const value = unwrap(source);
  if (!sameNumbers(value.node.shape, view.shape)) {
    throw new ShapeError(
      `expected src to have a size equal to the slice of self. src size = ${showShape(value.node.shape)}, slice size = ${showShape(view.shape)}`,
    );
  }
  copyInto(op, view, value);
  return takeValue(copy);
}

/** `[start, end, step]` of one axis and the whole of those before it. */
function rangeAlong(
  x: AnyTensor,
  dim: number,
  range: readonly [number | null, number | null, number],
): SliceIndex[] {
  const axis = wrapAxis(dim, x.shape);
  return [...Array.from({ length: axis }, () => ":" as const), range];
}

/** x with `source` in place of one of its slices (PyTorch: `select_scatter`). */
export const selectScatter: Alike<[source: AnyTensor, dim: number, index: number]> = alike(
  "selectScatter(source, dim, index)",
  (x, source, dim, index) => replaced("selectScatter", x, source, (copy) => select(copy, dim, index)),
);

/** x with `source` in place of the places `start` up to and without `end` of an axis, by `step` (PyTorch: `slice_scatter`). */
export const sliceScatter: Alike<
  [source: AnyTensor, dim?: number, start?: number | null, end?: number | null, step?: number]
> = alike(
  "sliceScatter(source, dim, start, end, step)",
  (x, source, dim = 0, start = null, end = null, step = 1) =>
    replaced("sliceScatter", x, source, (copy) => copy.index(rangeAlong(copy, dim, [start, end, step]))),
);

/** x with `source` in place of one of its diagonals (PyTorch: `diagonal_scatter`). */
export const diagonalScatter: Alike<[source: AnyTensor, offset?: number, dim1?: number, dim2?: number]> =
  alike("diagonalScatter(source, offset, dim1, dim2)", (x, source, offset = 0, dim1 = 0, dim2 = 1) =>
    replaced("diagonalScatter", x, source, (copy) => diagonal(copy, offset, dim1, dim2)),
  );
