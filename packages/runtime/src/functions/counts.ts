/** How many elements there are of each kind. PyTorch's functions of the same name. */
import type { DType, Scalar } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { byName } from "../entry/inspect.ts";
import * as ops from "../ops/indexing-counts.ts";
import * as histograms from "../ops/indexing-histogram.ts";
import { checkedTerm, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, Operand, ShapeOf } from "../tensor/types.ts";

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

/** {@link bincount}'s arguments by name. */
export interface BincountOptions {
  readonly weights?: AnyTensor | null;
  readonly minlength?: number;
}

/** float32 weights are summed as they are, others as float64; without weights it is a count. */
export type BincountDType<W> = W extends AnyTensor
  ? W["dtype"] extends "float32"
    ? "float32"
    : "float64"
  : W extends { readonly weights: infer Named }
    ? BincountDType<Named>
    : "int64";

/**
 * How often each integer from 0 on comes in a list of integers, or the sum of its weights; at least `minlength` long. The largest
 * is looked for at the call. `{ weights, minlength }` says the same by name.
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
 * How many elements fall into each of equal intervals; those outside are left out. When `min` and `max` are equal (both are 0
 * by default), those of the data are computed at the call.
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
 * How many elements fall into each interval, and the edges of the intervals, each of which includes its left one, and the last
 * its right one too. Without edges or a range, those of the data are computed at the call.
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

/** Whether each element is one of `tests`. Every pair is compared. */
export const isin = declare(
  "isin(tests, { invert })",
  <const B extends Operand>(input: B, tests: Operand, options?: IsinOptions): Tensor<ShapeOf<B>, "bool"> =>
    wrap(ops.isin(checkedTerm(input), checkedTerm(tests), options?.invert ?? false)),
);
