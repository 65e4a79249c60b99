/** Counts the elements in each of a row of intervals. */
import {
  checkInteger,
  DTypeError,
  elementCount,
  isFloat,
  type Scalar,
  ShapeError,
  sameNumbers,
  showShape,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { full, linspace, numberOf } from "./creation.ts";
import { flat } from "./indexing.ts";
import { counted, extentNow } from "./indexing-counts.ts";
import { narrowed } from "./movement.ts";
import { as, torchName } from "./operand.ts";
import { and, div, ge, le, minimum, mul, sub, where } from "./pointwise.ts";
import { sum } from "./reduction.ts";
import { scattered } from "./scatter.ts";
import { searchsorted } from "./search.ts";

/**
 * How many elements are in each of `bins` equal intervals from `min` to `max`, both included; others are not counted. If min and max are
 * equal, the extremes of the data are computed now.
 */
export function histc(x: Value, bins: number, min: Scalar, max: Scalar): Value {
  const { dtype } = x.node;
  if (!isFloat(dtype)) throw new DTypeError(`"histogram_cpu" not implemented for '${torchName[dtype]}'`);
  checkInteger("bins", bins);
  if (bins <= 0) throw new RangeError(`torch.histogram(): bins must be > 0, but got ${bins} for dimension 0`);
  const [low, high] = edges(x, numberOf(min), numberOf(max));
  const elements = flat(x);
  const width = sub(as(dtype, high), as(dtype, low));
  const place = minimum(div(mul(sub(elements, low), bins), width), bins - 1);
  const inside = and(ge(elements, low), le(elements, high));
  return record.cast(counted(bins, record.cast(where(inside, place, 0), "int32"), inside), dtype);
}

function edges(x: Value, min: number, max: number): readonly [number, number] {
  let [low, high] = [min, max];
  if (low === high && elementCount(x.node.shape) > 0) [low, high] = extentNow("histc", x);
  if (low === high) [low, high] = [low - 1, high + 1];
  if (!Number.isFinite(low) || !Number.isFinite(high))
    throw new RangeError(`histc: torch.histc: range of [${low}, ${high}] is not finite`);
  if (low > high)
    throw new RangeError(`histc: torch.histc: max must be larger than min (${high} and ${low})`);
  return [low, high];
}

export interface HistogramSettings {
  /** The first and the last edge; by default the extremes of the data. */
  readonly range: readonly [number, number] | null;
  /** What each element counts; by default 1. */
  readonly weight: Value | null;
  /** Divides the counts by their sum and by the widths, so that the integral is 1. */
  readonly density: boolean;
}

/**
 * [counts, edges]. Bins are a number of equal intervals, or their edges in ascending order. An interval includes its left edge; the last
 * one includes its right edge too. Without edges or a range, the extremes of the data are computed now.
 */
export function histogram(x: Value, bins: number | Value, settings: HistogramSettings): [Value, Value] {
  const op = "histogram";
  const { dtype, shape } = x.node;
  const { weight, density } = settings;
  if (!isFloat(dtype)) throw new DTypeError(`"histogram_cpu" not implemented for '${torchName[dtype]}'`);
  if (weight !== null && !sameNumbers(weight.node.shape, shape))
    throw new ShapeError(
      `histogram: torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost dimension, but got input with shape ${showShape(shape)} and weight with shape ${showShape(weight.node.shape)}`,
    );
  for (const [name, given] of [
    ["bins tensors", bins],
    ["weight tensor", weight],
  ] as const) {
    if (!(given instanceof Value) || given.node.dtype === dtype) continue;
    throw new DTypeError(
      `histogram: torch.histogramdd: input tensor and ${name} should have the same dtype, but got input with dtype ${dtype} and ${given.node.dtype}`,
    );
  }
  const edges = bins instanceof Value ? givenEdges(bins) : evenEdges(op, x, bins, settings.range);
  const count = edges.node.shape[0]! - 1;
  const elements = flat(x);
  const behind = searchsorted(edges, elements, { right: true, sorter: null, dtype: "int32" });
  const first = narrowed(edges, 0, 0, 1);
  const last = narrowed(edges, 0, count, 1);
  const inside = and(ge(elements, first), le(elements, last));
  const place = where(inside, minimum(sub(behind, 1), count - 1), 0);
  const none = full([count], 0, dtype);
  const hist =
    weight === null
      ? record.cast(counted(count, place, inside), dtype)
      : scattered(none, 0, place, where(inside, flat(weight), 0), "sum");
  if (!density) return [hist, edges];
  const widths = sub(narrowed(edges, 0, 1, count), narrowed(edges, 0, 0, count));
  return [div(div(hist, sum(hist, null, false, null)), widths), edges];
}

function givenEdges(bins: Value): Value {
  const { shape } = bins.node;
  if (shape.length === 1 && shape[0]! > 1) return bins;
  throw new ShapeError(
    `histogram: torch.histogramdd: bins tensor should have one dimension, but got ${shape.length} dimensions in the bins tensor for dimension 0 (at least 2 edges, shape ${showShape(shape)})`,
  );
}

function evenEdges(op: string, x: Value, bins: number, range: readonly [number, number] | null): Value {
  checkInteger("bins", bins);
  if (bins <= 0) throw new RangeError(`torch.histogram(): bins must be > 0, but got ${bins} for dimension 0`);
  let [low, high] = range ?? (elementCount(x.node.shape) === 0 ? [0, 1] : extentNow(op, x));
  if (!Number.isFinite(low) || !Number.isFinite(high))
    throw new RangeError(`histogram: torch.histogramdd: dimension 0's range [${low}, ${high}] is not finite`);
  if (low > high)
    throw new RangeError(
      `histogram: torch.histogramdd: min should not exceed max, but got min ${low} max ${high} for dimension 0`,
    );
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return linspace(low, high, bins + 1, x.node.dtype);
}
