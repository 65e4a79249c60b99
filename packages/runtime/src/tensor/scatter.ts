import {
  type Accept,
  type IndexSelectOrFail,
  type Scalar,
  ShapeError,
  type SliceIndex,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import { copyInto, writeInto } from "../alias/alias.ts";
import * as ops from "../ops/scatter.ts";
import * as slices from "../ops/scatter-slices.ts";
import { checkedTerm, type ShapeKey, tensorArgument, term, unwrap, wrap } from "./handle.ts";
import type { AccumulateOptions } from "./indexing.ts";
import type { CheckScatter } from "./indexing-types.ts";
import type { AnyTensor, Erased, Operand, Same } from "./types.ts";

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
 * x with elements written where an index says; the methods that end in `_` write into x itself. Values are written one after
 * another in row-major order of the index, so that of several for one place the last stays. docs/gather-scatter.md has the
 * rules with examples. An index out of range is found out when the result is computed, and then nothing is written.
 * @throws ShapeError for shapes that do not fit, DTypeError for a source or an index of another dtype, RangeError for an axis that does not exist.
 */
export interface ScatterMethods {
  /**
   * For each place of `index` (int64), the source's element at that place is written where the index says along `dim`: of three
   * axes and dim 0, `out[index[i][j][k]][j][k] = source[i][j][k]`. `source` is a tensor of x's dtype that may be larger than
   * the index, or a number; the index is no longer than x off `dim`.
   */
  scatter<T extends AnyTensor, const A extends number, I extends AnyTensor, const B extends Operand>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
    options?: ScatterOptions,
  ): Same<T>;
  /** {@link scatter} in place. */
  scatter_<T extends AnyTensor, const A extends number, I extends AnyTensor, const B extends Operand>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
    options?: ScatterOptions,
  ): T;
  /** {@link scatter} that adds to what is there. */
  scatterAdd<T extends AnyTensor, const A extends number, I extends AnyTensor, B extends AnyTensor>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
  ): Same<T>;
  /** {@link scatterAdd} in place. */
  scatterAdd_<T extends AnyTensor, const A extends number, I extends AnyTensor, B extends AnyTensor>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
  ): T;
  /**
   * {@link scatter} that folds what comes to one place: `"sum"`, `"prod"`, `"mean"` (of integers rounded down), `"amax"` or `"amin"`,
   * with what stands there unless `includeSelf` is false. Places that nothing comes to keep what they have.
   */
  scatterReduce<T extends AnyTensor, const A extends number, I extends AnyTensor, B extends AnyTensor>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
    reduce: ops.Reduction,
    options?: ScatterReduceOptions,
  ): Same<T>;
  /** {@link scatterReduce} in place. */
  scatterReduce_<T extends AnyTensor, const A extends number, I extends AnyTensor, B extends AnyTensor>(
    this: T,
    dim: A,
    index: I,
    source: CheckScatter<T, A, I, B>,
    reduce: ops.Reduction,
    options?: ScatterReduceOptions,
  ): T;

  /** Adds the slices of `source` along `dim` to the slices of x that a list of places (int64 or int32) names. */
  indexAdd<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
    options?: IndexAddOptions,
  ): Same<T>;
  /** {@link indexAdd} in place. */
  indexAdd_<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
    options?: IndexAddOptions,
  ): T;
  /** Replaces the slices of x along `dim` that a list of places (int64) names by those of `source`. */
  indexCopy<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
  ): Same<T>;
  /** {@link indexCopy} in place. */
  indexCopy_<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
  ): T;
  /** Fills the slices of x along `dim` that a list of places (int64, −1 is the last) names with a number or a 0-d tensor. */
  indexFill<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    value: Operand,
  ): Same<T>;
  /** {@link indexFill} in place. */
  indexFill_<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    value: Operand,
  ): T;
  /** {@link scatterReduce} of whole slices, as {@link indexAdd} names them. */
  indexReduce<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
    reduce: Exclude<ops.Reduction, "sum">,
    options?: ScatterReduceOptions,
  ): Same<T>;
  /** {@link indexReduce} in place. */
  indexReduce_<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
    source: AnyTensor,
    reduce: Exclude<ops.Reduction, "sum">,
    options?: ScatterReduceOptions,
  ): T;
  /** Writes (or with `accumulate` adds) the elements of `source` at places in row-major order (int64, −1 is the last). */
  put<T extends AnyTensor>(
    this: T,
    index: AnyTensor,
    source: AnyTensor,
    options?: AccumulateOptions,
  ): Same<T>;
  /** {@link put} in place. */
  put_<T extends AnyTensor>(this: T, index: AnyTensor, source: AnyTensor, options?: AccumulateOptions): T;

  /** x with `source` in place of one of its slices (PyTorch: `select_scatter`). */
  selectScatter<T extends AnyTensor>(this: T, source: AnyTensor, dim: number, index: number): Same<T>;
  /** x with `source` in place of the places `start` up to and without `end` of an axis, by `step` (PyTorch: `slice_scatter`). */
  sliceScatter<T extends AnyTensor>(
    this: T,
    source: AnyTensor,
    dim?: number,
    start?: number | null,
    end?: number | null,
    step?: number,
  ): Same<T>;
  /** x with `source` in place of one of its diagonals (PyTorch: `diagonal_scatter`). */
  diagonalScatter<T extends AnyTensor>(
    this: T,
    source: AnyTensor,
    offset?: number,
    dim1?: number,
    dim2?: number,
  ): Same<T>;
}

/** The values that both forms of a method give: `op` is the form's name. */
const results = {
  scatter: (
    op: string,
    x: AnyTensor,
    dim: number,
    index: AnyTensor,
    source: Operand,
    options?: ScatterOptions,
  ) =>
    ops.scatter(
      op,
      unwrap(x),
      dim,
      tensorArgument(op, "index", index),
      checkedTerm(op, source),
      options?.reduce ?? null,
    ),
  scatterAdd: (op: string, x: AnyTensor, dim: number, index: AnyTensor, source: AnyTensor) =>
    ops.scatterAdd(op, unwrap(x), dim, tensorArgument(op, "index", index), tensorArgument(op, "src", source)),
  scatterReduce: (
    op: string,
    x: AnyTensor,
    dim: number,
    index: AnyTensor,
    source: AnyTensor,
    reduce: ops.Reduction,
    options?: ScatterReduceOptions,
  ) =>
    ops.scatterReduce(
      op,
      unwrap(x),
      dim,
      tensorArgument(op, "index", index),
      tensorArgument(op, "src", source),
      reduce,
      options?.includeSelf ?? true,
    ),
  indexAdd: (
    op: string,
    x: AnyTensor,
    dim: number,
    index: AnyTensor,
    source: AnyTensor,
    options?: IndexAddOptions,
  ) =>
    slices.indexAdd(
      op,
      unwrap(x),
      dim,
      tensorArgument(op, "index", index),
      tensorArgument(op, "source", source),
      options?.alpha ?? 1,
    ),
  indexCopy: (op: string, x: AnyTensor, dim: number, index: AnyTensor, source: AnyTensor) =>
    slices.indexCopy(
      op,
      unwrap(x),
      dim,
      tensorArgument(op, "index", index),
      tensorArgument(op, "source", source),
    ),
  indexFill: (op: string, x: AnyTensor, dim: number, index: AnyTensor, value: Operand) =>
    slices.indexFill(op, unwrap(x), dim, tensorArgument(op, "index", index), term(value)),
  indexReduce: (
    op: string,
    x: AnyTensor,
    dim: number,
    index: AnyTensor,
    source: AnyTensor,
    reduce: Exclude<ops.Reduction, "sum">,
    options?: ScatterReduceOptions,
  ) =>
    slices.indexReduce(
      op,
      unwrap(x),
      dim,
      tensorArgument(op, "index", index),
      tensorArgument(op, "source", source),
      reduce,
      options?.includeSelf ?? true,
    ),
  put: (op: string, x: AnyTensor, index: AnyTensor, source: AnyTensor, options?: AccumulateOptions) =>
    slices.put(
      op,
      unwrap(x),
      tensorArgument(op, "index", index),
      tensorArgument(op, "source", source),
      options?.accumulate ?? false,
    ),
};

/** x with a view of it replaced. @throws ShapeError unless the source has the view's shape. */
function replaced(
  op: string,
  x: AnyTensor,
  source: AnyTensor,
  viewOf: (copy: AnyTensor) => AnyTensor,
): AnyTensor {
  const copy = wrap(unwrap(x));
  const view = viewOf(copy);
  const value = tensorArgument(op, "src", source);
  if (!sameNumbers(value.node.shape, view.shape)) {
    throw new ShapeError(
      `${op}: expected src to have a size equal to the slice of self. src size = ${showShape(value.node.shape)}, slice size = ${showShape(view.shape)}`,
    );
  }
  copyInto(op, view, value);
  return copy;
}

/** `[start, end, step]` of one axis and the whole of those before it. */
function rangeAlong(
  x: AnyTensor,
  dim: number,
  range: readonly [number | null, number | null, number],
): SliceIndex[] {
  const axis = wrapAxis("sliceScatter", dim, x.shape);
  return [...Array.from({ length: axis }, () => ":" as const), range];
}

export const scatterMethods: Erased<ScatterMethods> = {
  scatter(...list) {
    return wrap(results.scatter("scatter", this, ...list));
  },
  scatter_(...list) {
    return writeInto("scatter_", this, results.scatter("scatter_", this, ...list));
  },
  scatterAdd(...list) {
    return wrap(results.scatterAdd("scatterAdd", this, ...list));
  },
  scatterAdd_(...list) {
    return writeInto("scatterAdd_", this, results.scatterAdd("scatterAdd_", this, ...list));
  },
  scatterReduce(...list) {
    return wrap(results.scatterReduce("scatterReduce", this, ...list));
  },
  scatterReduce_(...list) {
    return writeInto("scatterReduce_", this, results.scatterReduce("scatterReduce_", this, ...list));
  },
  indexAdd(...list) {
    return wrap(results.indexAdd("indexAdd", this, ...list));
  },
  indexAdd_(...list) {
    return writeInto("indexAdd_", this, results.indexAdd("indexAdd_", this, ...list));
  },
  indexCopy(...list) {
    return wrap(results.indexCopy("indexCopy", this, ...list));
  },
  indexCopy_(...list) {
    return writeInto("indexCopy_", this, results.indexCopy("indexCopy_", this, ...list));
  },
  indexFill(...list) {
    return wrap(results.indexFill("indexFill", this, ...list));
  },
  indexFill_(...list) {
    return writeInto("indexFill_", this, results.indexFill("indexFill_", this, ...list));
  },
  indexReduce(...list) {
    return wrap(results.indexReduce("indexReduce", this, ...list));
  },
  indexReduce_(...list) {
    return writeInto("indexReduce_", this, results.indexReduce("indexReduce_", this, ...list));
  },
  put(...list) {
    return wrap(results.put("put", this, ...list));
  },
  put_(...list) {
    return writeInto("put_", this, results.put("put_", this, ...list));
  },
  selectScatter(source, dim, index) {
    return replaced("selectScatter", this, source, (copy) => copy.select(dim, index));
  },
  sliceScatter(source, dim = 0, start = null, end = null, step = 1) {
    return replaced("sliceScatter", this, source, (copy) =>
      copy.index(rangeAlong(copy, dim, [start, end, step])),
    );
  },
  diagonalScatter(source, offset = 0, dim1 = 0, dim2 = 1) {
    return replaced("diagonalScatter", this, source, (copy) => copy.diagonal(offset, dim1, dim2));
  },
};
