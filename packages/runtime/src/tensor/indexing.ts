import type {
  Accept,
  Axes,
  CheckAxes,
  DType,
  Gather,
  GatherOrFail,
  IndexSelect,
  IndexSelectOrFail,
  Reduce,
  Scalar,
  TakeAlong,
  TakeAlongOrFail,
} from "@fuseau/ir";
import { wrapView, writeInto } from "../alias/alias.ts";
import * as ops from "../ops/indexing.ts";
import * as advanced from "../ops/indexing-advanced.ts";
import { bincount, isin } from "../ops/indexing-counts.ts";
import { histc, histogram } from "../ops/indexing-histogram.ts";
import * as masks from "../ops/indexing-masks.ts";
import { slice } from "../ops/movement.ts";
import type { Value } from "../value.ts";
import { checkedTerm, type ShapeKey, Tensor, tensorArgument, term, unwrap, wrap } from "./handle.ts";
import type { CheckIndices, Indexed, IndexItem } from "./indexing-types.ts";
import type { AnyTensor, Erased, Fits, Operand, PairShape } from "./types.ts";

/** Whether what is written adds to what stands there. */
export interface AccumulateOptions {
  readonly accumulate?: boolean;
}

export interface HistogramOptions {
  /** How many equal intervals, or their edges. Default 100. */
  readonly bins?: number | AnyTensor;
  /** The first and the last edge of equal intervals. */
  readonly range?: readonly [number, number] | null;
  /** What each element counts. */
  readonly weight?: AnyTensor | null;
  /** Whether the area under the counts is made 1. */
  readonly density?: boolean;
}

export interface Histogram<D extends DType> {
  readonly hist: Tensor<[number], D>;
  readonly binEdges: Tensor<[number], D>;
}

/** Whether places come as one list for each axis. */
export interface NonzeroOptions<Tuple extends boolean = boolean> {
  readonly asTuple?: Tuple;
}

export interface HistcOptions<N extends number = number> {
  /** How many intervals. Default 100. */
  readonly bins?: N;
  /** Where the first one begins. */
  readonly min?: Scalar;
  /** Where the last one ends, which includes it. */
  readonly max?: Scalar;
}

export interface IsinOptions {
  readonly invert?: boolean;
}

/** float32 weights are summed as they are, others as float64; without weights it is a count. */
export type BincountDType<W> = W extends AnyTensor
  ? W["dtype"] extends "float32"
    ? "float32"
    : "float64"
  : "int64";

/** A row of places for each element, or a list for each axis. */
export type NonzeroResult<T extends AnyTensor, Tuple extends boolean> = Tuple extends true
  ? Tensor<[number], "int64">[]
  : Tensor<[number, T[ShapeKey]["length"]], "int64">;

/**
 * Elements read where an index says, with x's dtype. docs/gather-scatter.md has the rules with examples. An index out of
 * range is found out when the result is computed.
 * @throws ShapeError for shapes that do not fit, DTypeError for an index of another dtype, RangeError for an axis that does not exist.
 */
export interface IndexingMethods {
  /**
   * At each place of `index` (int64), the element whose place along `dim` stands there: of three axes and dim 0,
   * `out[i][j][k] = x[index[i][j][k]][j][k]`. No broadcast: `index` has x's rank and is no longer off `dim`.
   */
  gather<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<GatherOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
  ): Tensor<Gather<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]>;
  /** {@link gather} with x and `index` broadcast to each other off `dim`; without `dim`, of all elements in row-major order. */
  takeAlongDim<T extends AnyTensor, I extends AnyTensor, const A extends number | null = null>(
    this: T,
    index: I,
    dim?: Accept<TakeAlongOrFail<T[ShapeKey], I[ShapeKey], A>, A>,
  ): Tensor<TakeAlong<T[ShapeKey], I[ShapeKey], A>, T["dtype"]>;
  /** Whole slices along `dim`: `index` is a list of places, int64 or int32. */
  indexSelect<T extends AnyTensor, const A extends number, I extends AnyTensor>(
    this: T,
    dim: Accept<IndexSelectOrFail<T[ShapeKey], A, I[ShapeKey]>, A>,
    index: I,
  ): Tensor<IndexSelect<T[ShapeKey], A, I[ShapeKey]>, T["dtype"]>;
  /** Elements by their place in row-major order, in the index's shape; −1 is the last. */
  take<T extends AnyTensor, I extends AnyTensor>(this: T, index: I): Tensor<I[ShapeKey], T["dtype"]>;
  /**
   * Python's `x[...]`: numbers, ranges `[start, stop, step]`, `":"`, `"..."`, `null` for a new axis, tensors of integers
   * (negative ones count from the end) and masks. Without tensors the result is a view, as `slice` gives, else a copy. Tensors
   * broadcast to one shape, which stands where they stood, or in front when something stands between them. The true places
   * of a mask are found at the call, so that sizes made by one are not known to the type checker.
   */
  index<T extends AnyTensor, const R extends readonly IndexItem[]>(
    this: T,
    indices: CheckIndices<T[ShapeKey], R>,
  ): Tensor<Indexed<T[ShapeKey], R>, T["dtype"]>;
  /**
   * x with `values` at the indices, which are those of {@link index}; values broadcast and have x's dtype. Of places that are
   * named twice the last value stays; with `accumulate` all are added to what is there.
   */
  indexPut<T extends AnyTensor, const R extends readonly IndexItem[]>(
    this: T,
    indices: CheckIndices<T[ShapeKey], R>,
    values: Operand,
    options?: AccumulateOptions,
  ): Tensor<T[ShapeKey], T["dtype"]>;
  /** {@link indexPut} in place. */
  indexPut_<T extends AnyTensor, const R extends readonly IndexItem[]>(
    this: T,
    indices: CheckIndices<T[ShapeKey], R>,
    values: Operand,
    options?: AccumulateOptions,
  ): T;
  /** Python's `x[...] = value`: {@link indexPut_} that casts the value to x's dtype and drops its leading axes of size 1. */
  assign_<T extends AnyTensor, const R extends readonly IndexItem[]>(
    this: T,
    indices: CheckIndices<T[ShapeKey], R>,
    value: Operand,
  ): T;

  /** `value`, a number or a 0-d tensor, where the mask is true. Both broadcast; x keeps its dtype. */
  maskedFill<T extends AnyTensor, M extends AnyTensor>(
    this: T,
    mask: Fits<T, M>,
    value: Operand,
  ): Tensor<PairShape<T, M>, T["dtype"]>;
  /** {@link maskedFill} in place. */
  maskedFill_<T extends AnyTensor, M extends AnyTensor>(this: T, mask: Fits<T, M>, value: Operand): T;
  /** The elements where the mask is true, row-major, x and the mask broadcast. How many is found out at the call. */
  maskedSelect<T extends AnyTensor, M extends AnyTensor>(
    this: T,
    mask: Fits<T, M>,
  ): Tensor<[number], T["dtype"]>;
  /** The elements of `source` one after another where the mask is true. Too few are found out when it is computed. */
  maskedScatter<T extends AnyTensor, M extends AnyTensor>(
    this: T,
    mask: Fits<T, M>,
    source: AnyTensor,
  ): Tensor<PairShape<T, M>, T["dtype"]>;
  /** {@link maskedScatter} in place. */
  maskedScatter_<T extends AnyTensor, M extends AnyTensor>(this: T, mask: Fits<T, M>, source: AnyTensor): T;

  /** The places that are not 0, found at the call: a row for each, or with `asTuple` a list for each axis, as `index` takes them. */
  nonzero<T extends AnyTensor, const Tuple extends boolean = false>(
    this: T,
    options?: NonzeroOptions<Tuple>,
  ): NonzeroResult<T, Tuple>;
  /** {@link nonzero}: a row for each place. */
  argwhere<T extends AnyTensor>(this: T): Tensor<[number, T[ShapeKey]["length"]], "int64">;
  /** How many elements are not 0, of all or along axes. */
  countNonzero<T extends AnyTensor, const A extends Axes = null>(
    this: T,
    dim?: CheckAxes<T[ShapeKey], A>,
  ): Tensor<Reduce<T[ShapeKey], A>, "int64">;

  /**
   * How often each integer from 0 on comes in a list of integers, or the sum of its weights; at least `minlength` long. The largest
   * is looked for at the call.
   * @throws DTypeError for floats, ShapeError for negative integers or more than one axis.
   */
  bincount<W extends AnyTensor | null = null>(
    this: AnyTensor,
    weights?: W,
    minlength?: number,
  ): Tensor<[number], BincountDType<W>>;
  /**
   * How many elements fall into each of equal intervals; those outside are left out. When `min` and `max` are equal (both are 0
   * by default), those of the data are computed at the call.
   */
  histc<T extends AnyTensor, const N extends number = 100>(
    this: T,
    options?: HistcOptions<N>,
  ): Tensor<[N], T["dtype"]>;
  /**
   * How many elements fall into each interval, and the edges of the intervals, each of which includes its left one, and the last
   * its right one too. Without edges or a range, those of the data are computed at the call.
   */
  histogram<T extends AnyTensor>(this: T, options?: HistogramOptions): Histogram<T["dtype"]>;
  /** Whether each element is one of `tests`. Every pair is compared. */
  isin<T extends AnyTensor>(this: T, tests: Operand, options?: IsinOptions): Tensor<T[ShapeKey], "bool">;
}

/** The indices with values in place of tensors. */
const itemsOf = (indices: readonly IndexItem[]): readonly advanced.AnyIndex[] =>
  Array.isArray(indices)
    ? indices.map((item: IndexItem) => (item instanceof Tensor ? unwrap(item) : item))
    : (indices as readonly []);

/** Writes through the view that the slices among the indices give; what tensors name of it is `toWrite`'s affair. */
function write<T extends AnyTensor>(
  op: string,
  target: T,
  indices: readonly IndexItem[],
  toWrite: (x: Value) => Value,
  accumulate: boolean,
): T {
  const { shape } = unwrap(target).node;
  const resolved = advanced.resolveIndices(op, shape, advanced.withoutNumbers(op, itemsOf(indices)));
  const view = wrapView(target, slice(unwrap(target), resolved.basic));
  const x = unwrap(view);
  writeInto(op, view, advanced.written(op, x, resolved.tensors, toWrite(x), accumulate));
  return target;
}

const putter =
  (op: string, values: Operand) =>
  (x: Value): Value =>
    advanced.putValue(op, x, checkedTerm(op, values));

export const indexingMethods: Erased<IndexingMethods> = {
  gather(dim, index) {
    return wrap(ops.gather(unwrap(this), dim, tensorArgument("gather", "index", index)));
  },
  takeAlongDim(index, dim = null) {
    return wrap(ops.takeAlongDim(unwrap(this), tensorArgument("takeAlongDim", "indices", index), dim));
  },
  indexSelect(dim, index) {
    return wrap(ops.indexSelect(unwrap(this), dim, tensorArgument("indexSelect", "index", index)));
  },
  take(index) {
    return wrap(ops.take(unwrap(this), tensorArgument("take", "index", index)));
  },
  index(indices) {
    const x = unwrap(this);
    const items = itemsOf(indices);
    const resolved = advanced.resolveIndices("index", x.node.shape, items);
    return advanced.isBasic(resolved)
      ? wrapView(this, slice(x, resolved.basic))
      : wrap(advanced.index(x, resolved));
  },
  indexPut(indices, values, options) {
    const op = "indexPut";
    return write(op, wrap(unwrap(this)), indices, putter(op, values), options?.accumulate ?? false);
  },
  indexPut_(indices, values, options) {
    const op = "indexPut_";
    return write(op, this, indices, putter(op, values), options?.accumulate ?? false);
  },
  assign_(indices, value) {
    const given = checkedTerm("assign_", value);
    return write("assign_", this, indices, (x) => advanced.assignedValue(x, given), false);
  },
  maskedFill(mask, value) {
    const op = "maskedFill";
    return wrap(masks.maskedFill(op, unwrap(this), tensorArgument(op, "mask", mask), term(value)));
  },
  maskedFill_(mask, value) {
    const op = "maskedFill_";
    const filled = masks.maskedFill(op, unwrap(this), tensorArgument(op, "mask", mask), term(value));
    return writeInto(op, this, filled);
  },
  maskedSelect(mask) {
    return wrap(masks.maskedSelect(unwrap(this), tensorArgument("maskedSelect", "mask", mask)));
  },
  maskedScatter(mask, source) {
    const op = "maskedScatter";
    const from = tensorArgument(op, "source", source);
    return wrap(masks.maskedScatter(op, unwrap(this), tensorArgument(op, "mask", mask), from));
  },
  maskedScatter_(mask, source) {
    const op = "maskedScatter_";
    const from = tensorArgument(op, "source", source);
    return writeInto(op, this, masks.maskedScatter(op, unwrap(this), tensorArgument(op, "mask", mask), from));
  },
  nonzero(options) {
    if (options?.asTuple === true) return masks.nonzeroColumns("nonzero", unwrap(this)).map(wrap);
    return wrap(masks.nonzero("nonzero", unwrap(this)));
  },
  argwhere() {
    return wrap(masks.nonzero("argwhere", unwrap(this)));
  },
  countNonzero(dim = null) {
    return wrap(masks.countNonzero(unwrap(this), dim));
  },
  bincount(weights, minlength = 0) {
    const weighed =
      weights === null || weights === undefined ? null : tensorArgument("bincount", "weights", weights);
    return wrap(bincount(unwrap(this), weighed, minlength));
  },
  histc({ bins = 100, min = 0, max = 0 } = {}) {
    return wrap(histc(unwrap(this), bins, min, max));
  },
  histogram({ bins = 100, range = null, weight = null, density = false } = {}) {
    const [hist, binEdges] = histogram(
      unwrap(this),
      typeof bins === "number" ? bins : tensorArgument("histogram", "bins", bins),
      { range, weight: weight === null ? null : tensorArgument("histogram", "weight", weight), density },
    );
    return { hist: wrap(hist), binEdges: wrap(binEdges) };
  },
  isin(tests, options) {
    return wrap(isin(unwrap(this), checkedTerm("isin", tests), options?.invert ?? false));
  },
};
