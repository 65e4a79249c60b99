/** Counts of elements by value or interval. Each is PyTorch's function of the same name. */
import type { DType, Scalar } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { byName } from "../entry/inspect.ts";
import * as ops from "../ops/indexing-counts.ts";
import * as histograms from "../ops/indexing-histogram.ts";
import { checkedTerm, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Operand, ShapeOf } from "../tensor/types.ts";

export interface HistogramOptions {
  /** The number of equal intervals, or their edges. Default 100. */
  readonly bins?: number | AnyTensor;
  /** The first and the last edge of equal intervals. */
  readonly range?: readonly [number, number] | null;
  /** What each element counts. Default 1. */
  readonly weight?: AnyTensor | null;
  /** Normalises the counts, so that the integral over the intervals is 1. Default false. */
  readonly density?: boolean;
}

export interface Histogram<D extends DType> {
  readonly hist: Tensor<[number], D>;
  readonly binEdges: Tensor<[number], D>;
}

export interface HistcOptions<N extends number = number> {
  /** The number of intervals. Default 100. */
  readonly bins?: N;
  /** The start of the first interval. */
  readonly min?: Scalar;
  /** The end of the last interval, which belongs to it. */
  readonly max?: Scalar;
}

export interface IsinOptions {
  readonly invert?: boolean;
}

/** {@link bincount}'s arguments by name. */
export interface BincountOptions {
  readonly weights?: AnyTensor | null;
  readonly minlength?: number;
}

/** float32 weights are summed in float32, others as float64. Without weights the result is a count, int64. */
export type BincountDType<W> = W extends AnyTensor
  ? W["dtype"] extends "float32"
    ? "float32"
    : "float64"
  : W extends { readonly weights: infer Named }
    ? BincountDType<Named>
    : "int64";

/**
 * How often each integer from 0 on occurs in a list of integers, or the sum of its weights. The result has at least `minlength` elements.
 * The largest integer is found at the call. The options may also be given by name: `{ weights, minlength }`.
 * @throws DTypeError for floats, ShapeError for negative integers or more than one axis.
 */
export const bincount = declare(
  "bincount(weights, minlength)",
  <const W extends AnyTensor | BincountOptions | null = null>(
    input: AnyTensor,
    weights?: W,
    minlength?: number,
  ): Tensor<[number], BincountDType<W>> => {
    const x = unwrap(input);
    const [each, least] = byName("bincount", ["weights", "minlength"], [weights, minlength]);
    return wrap(
      ops.bincount(x, optionalTensor(each as AnyTensor | null), (least as number | undefined) ?? 0),
    );
  },
);

/**
 * How many elements are in each of `bins` equal intervals from `min` to `max`; others are not counted. If `min` and `max` are equal (both
 * are 0 by default), the extremes of the data are computed at the call.
 */
export const histc = declare(
  "histc({ bins, min, max })",
  <T extends AnyTensor, const N extends number = 100>(
    input: T,
    options: HistcOptions<N> = {},
  ): Tensor<[N], T["dtype"]> => {
    const { bins = 100, min = 0, max = 0 } = options;
    return wrap(histograms.histc(unwrap(input), bins, min, max));
  },
);

/**
 * How many elements are in each interval, and the edges of the intervals. An interval includes its left edge; the last one includes its
 * right edge too. Without edges or a range, the extremes of the data are computed at the call.
 */
export const histogram = declare(
  "histogram({ bins, range, weight, density })",
  <T extends AnyTensor>(input: T, options: HistogramOptions = {}): Histogram<T["dtype"]> => {
    const { bins = 100, range = null, weight, density = false } = options;
    const [hist, binEdges] = histograms.histogram(
      unwrap(input),
      typeof bins === "number" ? bins : unwrap(bins),
      { range, weight: optionalTensor(weight), density },
    );
    return { hist: wrap(hist), binEdges: wrap(binEdges) };
  },
);

/** True where the element is one of `tests`. Every pair is compared. */
export const isin = declare(
  "isin(tests, { invert })",
  <const B extends Operand>(input: B, tests: Operand, options?: IsinOptions): Tensor<ShapeOf<B>, "bool"> =>
    wrap(ops.isin(checkedTerm(input), checkedTerm(tests), options?.invert ?? false)),
);
