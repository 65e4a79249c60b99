/**
 * x with elements written where an index says; methods that end in `_` write into x itself. Values are written one after another in
 * row-major order of the index, so if several go to one place, the last stays. docs/gather-scatter.md has the rules with examples. An index
 * out of range throws a RangeError when the result is computed, and then nothing is written.
 * @throws ShapeError for shapes that do not fit, DTypeError for a source or an index of another dtype, RangeError for an axis that does not
 * exist.
 */
import {
  type Combiner,
  copyAxis,
  DTypeError,
  elementCount,
  type Scalar,
  ShapeError,
  type SliceIndex,
  sameNumbers,
  scatterAxis,
  showShape,
  sliceAxis,
  wrapAxis,
} from "@fuseau/ir";
import { copyInto, takeValue } from "../alias/alias.ts";
import { type Alike, alike, sameUnary } from "../declare/families.ts";
import { scatterOf, sliceScatterOf } from "../declare/scatters.ts";
import { alongAxis, checkLong, checkWhole, flat, fromFront, resized, withAxis } from "../ops/indexing.ts";
import { expand, withShape } from "../ops/movement.ts";
import { as, exactly, type Term, torchName } from "../ops/operand.ts";
import { checkAlpha, mul, where } from "../ops/pointwise.ts";
import { elementLike, fillElement, type Reduction, reduced, scattered } from "../ops/scatter.ts";
import { checkedTerm, term, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, Operand } from "../tensor/types.ts";
import { Value } from "../value.ts";
import type { AccumulateOptions } from "./indexing.ts";
import { diagonal } from "./movement.ts";
import { select } from "./pieces.ts";
import { asStrided } from "./view.ts";

export interface ScatterOptions {
  /** How a value is combined with the element at its place. By default it replaces it. */
  readonly reduce?: "add" | "multiply" | null;
}

export interface ScatterReduceOptions {
  /** Includes the element that is at a place in the fold of what is scattered to it. Default true. */
  readonly includeSelf?: boolean;
}

export interface IndexAddOptions<V extends Scalar = Scalar> {
  /** A factor for what is added. */
  readonly alpha?: V;
}

const combiners = new Map<unknown, Combiner>([
  [null, "set"],
  ["add", "sum"],
  ["multiply", "prod"],
]);

/** The wrapped axis, and the source as a value; a scalar is repeated. Checks are in PyTorch's order. */
function checked(x: Value, dim: number, index: Value, source: Term): [number, Value] {
  const { shape } = index.node;
  if (elementCount(shape) > 0) checkLong(index, "scatter(): Expected dtype int64 for index");
  if (!(source instanceof Value)) {
    const axis = scatterAxis(x.node.shape, dim, shape, null);
    return [axis, expand(elementLike(x, source), shape)];
  }
  if (source.node.dtype !== x.node.dtype)
    throw new DTypeError(
      `scatter(): Expected self.dtype to be equal to src.dtype (self ${x.node.dtype}, src ${source.node.dtype}; cast one of them)`,
    );
  return [scatterAxis(x.node.shape, dim, shape, source.node.shape), source];
}

/**
 * For each place of `index` (int64), writes the source's element at that place to the same place of x, but along `dim` to the place that
 * the index names. With three axes and dim 0, `out[index[i][j][k]][j][k] = source[i][j][k]`. `source` is a number, or a tensor of x's dtype
 * that may be larger than the index. Along other axes than `dim`, the index is no longer than x.
 */
export const scatter = scatterOf<"operand", [options?: ScatterOptions]>(
  "scatter(dim, index, source, { reduce })",
  (x, dim, index, source, options) => {
    const [axis, values] = checked(x, dim, index, checkedTerm(source));
    const combine = combiners.get(options?.reduce ?? null);
    if (combine !== undefined) return scattered(x, axis, index, values, combine);
    throw new TypeError(
      `reduce argument must be either add or multiply. (got ${String(options?.reduce)}; scatterReduce has more)`,
    );
  },
);

/** {@link scatter} that adds to what is there. */
export const scatterAdd = scatterOf<"tensor">("scatterAdd(dim, index, source)", (x, dim, index, source) => {
  const [axis, values] = checked(x, dim, index, unwrap(source));
  return scattered(x, axis, index, values, "sum");
});

/**
 * {@link scatter} that folds everything that goes to one place: `"sum"`, `"prod"`, `"mean"` (rounded down for integers), `"amax"` or
 * `"amin"`; with the element there, unless `includeSelf` is false. Places that nothing goes to keep their elements.
 */
export const scatterReduce = scatterOf<"tensor", [reduce: Reduction, options?: ScatterReduceOptions]>(
  "scatterReduce(dim, index, source, reduce, { includeSelf })",
  (x, dim, index, source, reduce, options) => {
    const [axis, from] = checked(x, dim, index, unwrap(source));
    if (!["sum", "prod", "mean", "amax", "amin"].includes(reduce))
      throw new TypeError(
        `reduce argument must be either sum, prod, mean, amax or amin. (got ${String(reduce)})`,
      );
    return reduced(x, axis, index, from, reduce, options?.includeSelf ?? true);
  },
);

/** The list of places as an index of the source's shape. */
const spread = (index: Value, source: Value, axis: number): Value =>
  alongAxis(flat(index), source.node.shape, axis);

function checkSlices(torchOp: string, index: Value, x: Value, source: Value): void {
  const { dtype } = index.node;
  checkWhole(index, `${torchOp}_(): Expected dtype int32/int64 for index but got: ${torchName[dtype]}`);
  if (x.node.dtype === source.node.dtype) return;
  throw new DTypeError(
    `${torchOp}_(): self (${torchName[x.node.dtype]}) and source (${torchName[source.node.dtype]}) must have the same scalar type`,
  );
}

/** Adds the slices of `source` along `dim` to the slices of x that a list of places (int64 or int32) names. */
export const indexAdd = sliceScatterOf<[source: AnyTensor, options?: IndexAddOptions]>(
  "indexAdd(dim, index, source, { alpha })",
  (x, dim, index, given, options) => {
    const source = unwrap(given);
    const alpha = options?.alpha ?? 1;
    const axis = sliceAxis("index_add", x.node.shape, dim, index.node.shape, source.node.shape);
    checkSlices("index_add", index, x, source);
    checkAlpha(x.node.dtype, alpha);
    const slices = withAxis(alpha === 1 ? source : mul(source, exactly(x.node.dtype, alpha)));
    return scattered(x, axis, spread(index, slices, axis), slices, "sum");
  },
);

/** Replaces the slices of x along `dim` that a list of places (int64) names by those of `source`. */
export const indexCopy = sliceScatterOf<[source: AnyTensor]>(
  "indexCopy(dim, index, source)",
  (x, dim, index, given) => {
    const source = unwrap(given);
    const axis = copyAxis(x.node.shape, dim, index.node.shape, source.node.shape);
    checkLong(
      index,
      `index_copy_(): Expected a long tensor for index, but got ${torchName[index.node.dtype]}`,
    );
    if (x.node.dtype !== source.node.dtype)
      throw new DTypeError(
        `index_copy_(): self and source expected to have the same dtype, but got (self) ${torchName[x.node.dtype]} and (source) ${torchName[source.node.dtype]}`,
      );
    const slices = withAxis(source);
    return scattered(x, axis, spread(index, slices, axis), slices, "set");
  },
);

/** Fills the slices of x along `dim` that a list of places (int64, −1 is the last) names with a number or a 0-d tensor. */
export const indexFill = sliceScatterOf<[value: Operand]>(
  "indexFill(dim, index, value)",
  (x, dim, index, value) => {
    checkLong(index, "index_fill_(): Expected dtype int64 for index.");
    const axis = wrapAxis(dim, x.node.shape);
    if (index.node.shape.length > 1)
      throw new ShapeError(`Index has to be a vector/scalar (shape ${showShape(index.node.shape)})`);
    const element = fillElement("index_fill_", x, term(value));
    const target = withAxis(x);
    const places = flat(index);
    const shape = resized(target.node.shape, axis, places.node.shape[0]!);
    const from = fromFront(places, target.node.shape[axis]!);
    const put = (into: Value, value: Value): Value =>
      scattered(into, axis, alongAxis(from, shape, axis), expand(value, shape), "set");
    // A place that is named twice is filled once, and counts once in the gradient of the element.
    const filled =
      element.step === null
        ? put(target, element)
        : where(put(expand(as("bool", false), target.node.shape), as("bool", true)), element, target);
    return withShape(filled, x.node.shape);
  },
);

/** {@link scatterReduce} of whole slices, selected as in {@link indexAdd}. */
export const indexReduce = sliceScatterOf<
  [source: AnyTensor, reduce: Exclude<Reduction, "sum">, options?: ScatterReduceOptions]
>("indexReduce(dim, index, source, reduce, { includeSelf })", (x, dim, index, given, reduce, options) => {
  const source = unwrap(given);
  if (!["prod", "mean", "amax", "amin"].includes(reduce))
    throw new TypeError(
      `index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ${String(reduce)}.`,
    );
  const axis = sliceAxis("index_reduce", x.node.shape, dim, index.node.shape, source.node.shape);
  checkSlices("index_reduce", index, x, source);
  const slices = withAxis(source);
  const target = withAxis(x);
  return withShape(
    reduced(target, axis, spread(index, slices, axis), slices, reduce, options?.includeSelf ?? true),
    x.node.shape,
  );
});

/** Writes (with `accumulate` adds) the elements of `source` at positions in row-major order (int64, −1 is the last). */
export const put = sameUnary<[index: AnyTensor, source: AnyTensor, options?: AccumulateOptions]>(
  "put(index, source, { accumulate })",
  (x, places, values, options) => {
    const [index, source] = [unwrap(places), unwrap(values)];
    checkLong(index, `put_(): Expected a long tensor for index, but got ${torchName[index.node.dtype]}`);
    if (x.node.dtype !== source.node.dtype)
      throw new DTypeError(
        `put_(): self and source expected to have the same dtype, but got self.dtype = ${torchName[x.node.dtype]} and source.dtype = ${torchName[source.node.dtype]}`,
      );
    const [size, count, given] = [x, index, source].map(({ node }) => elementCount(node.shape)) as [
      number,
      number,
      number,
    ];
    if (count !== given)
      throw new ShapeError(
        `put_(): Expected source and index to have the same number of elements, but got source.numel() = ${given}, index.numel() = ${count}`,
      );
    if (size === 0 && count > 0) throw new RangeError(`put_(): Tried to put elements into an empty tensor`);
    const combine: Combiner = options?.accumulate ? "sum" : "set";
    return withShape(
      scattered(flat(x), 0, fromFront(flat(index), size), flat(source), combine),
      x.node.shape,
    );
  },
);

// The types of the three below are written by hand: inferred ones would need members of Tensor, which these become.

/**
 * x with a view of it replaced by the source.
 * @throws ShapeError unless the source has the view's shape.
 */
function replaced(op: string, x: Value, source: AnyTensor, viewOf: (copy: AnyTensor) => AnyTensor): Value {
  const copy = wrap(x);
  const view = viewOf(copy);
  const value = unwrap(source);
  if (!sameNumbers(value.node.shape, view.shape))
    throw new ShapeError(
      `expected src to have a size equal to the slice of self. src size = ${showShape(value.node.shape)}, slice size = ${showShape(view.shape)}`,
    );
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

/** x with `source` in place of what {@link asStrided} would read (PyTorch: `as_strided_scatter`). */
export const asStridedScatter: Alike<
  [source: AnyTensor, size: readonly number[], stride: readonly number[], storageOffset?: number]
> = alike("asStridedScatter(source, size, stride, storageOffset)", (x, source, size, stride, storageOffset) =>
  replaced("asStridedScatter", x, source, (copy) => asStrided(copy, size, stride, storageOffset)),
);
