/**
 * Resampling of the last axes: one axis after another, each result is a weighted sum of a few gathers. Source of the coordinates:
 * https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
 */
import { ShapeError, showArgument, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { adaptiveAveragePool } from "./adaptive.ts";
import { onlyFloat } from "./operand.ts";
import { add, map, maximum, minimum, mul, sub } from "./pointwise.ts";

export type InterpolationMode =
  | "nearest"
  | "nearest-exact"
  | "linear"
  | "bilinear"
  | "trilinear"
  | "bicubic"
  | "area";

/** Exactly one of `size` and `scaleFactor` is given: a number for every spatial axis, or a list. */
export interface InterpolateOptions {
  readonly size?: number | readonly number[] | null;
  readonly scaleFactor?: number | readonly number[] | null;
  /** "nearest" for any number of axes; linear, bilinear and trilinear for one, two and three, bicubic for two. */
  readonly mode?: InterpolationMode;
  /** Keeps the centres of the corner places, and not their outer edges; for the linear and cubic modes. */
  readonly alignCorners?: boolean | null;
  /** Computes the scale from the sizes, although a factor is given. */
  readonly recomputeScaleFactor?: boolean | null;
}

/** The options with their defaults. */
type Interpolation = Required<InterpolateOptions>;

/** How many axes a mode resamples; 0 for any number. */
const ranks: { readonly [Mode in InterpolationMode]: number } = {
  nearest: 0,
  "nearest-exact": 0,
  area: 0,
  linear: 1,
  bilinear: 2,
  trilinear: 3,
  bicubic: 2,
};

export function interpolate(x: Value, given: InterpolateOptions): Value {
  const { size = null, scaleFactor = null, mode = "nearest" } = given;
  const { alignCorners = null, recomputeScaleFactor = null } = given;
  const options: Interpolation = { size, scaleFactor, mode, alignCorners, recomputeScaleFactor };
  const rank = x.node.shape.length - 2;
  const sizes = targetSizes(x, rank, options);
  if (mode === "area") return adaptiveAveragePool(rank, x, sizes);
  const corners = options.alignCorners ?? false;
  let result = mode === "nearest" || mode === "nearest-exact" ? x : onlyFloat(x);
  for (let k = rank - 1; k >= 0; k--) {
    const axis = k + 2;
    const from = x.node.shape[axis]!;
    const to = sizes[k]!;
    if (from === to && mode !== "nearest" && mode !== "nearest-exact") continue;
    const scale = scaleOf(from, to, k, rank, options);
    if (mode === "nearest" || mode === "nearest-exact") {
      const place = nearestPlace(from, to, scale, mode === "nearest-exact" ? 0.5 : 0);
      result = along(result, axis, place);
    } else if (mode !== "bicubic" && !corners && isWhole(from, to, scale)) {
      result = betweenEven(result, axis, scale, to);
    } else {
      const kind = result.node.dtype === "float64" ? "float64" : "float32";
      const place = sourcePlace(kind, to, scale, corners, mode === "bicubic");
      result = (mode === "bicubic" ? cubic : linear)(result, axis, from, place);
    }
  }
  return result;
}

/** The size of the input divided by that of the result. */
function scaleOf(from: number, to: number, k: number, rank: number, options: Interpolation): number {
  const { scaleFactor, recomputeScaleFactor, alignCorners, mode } = options;
  if (alignCorners && ranks[mode] > 0) return to > 1 ? (from - 1) / (to - 1) : 0;
  if (scaleFactor === null || recomputeScaleFactor) return from / to;
  return 1 / (typeof scaleFactor === "number" ? scaleFactor : scaleFactor[rank === 1 ? 0 : k]!);
}

/** Up to here, float32 holds coordinates with halves. */
const HALVES = 2 ** 22;

/** True if each result covers equally many places, all of which exist. */
const isWhole = (from: number, to: number, scale: number): boolean =>
  Number.isInteger(scale) && scale > 1 && scale * to <= from && from <= HALVES;

/**
 * {@link linear} if places are a whole number apart: both neighbours are slices with constant weights, whose elements are read
 * contiguously. A gather reads element by element.
 */
function betweenEven(x: Value, axis: number, step: number, to: number): Value {
  const place = (step - 1) / 2;
  const low = Math.floor(place);
  const weight = place - low;
  const every = (start: number): Value =>
    record.slice(
      x,
      x.node.shape.map((_, other) => (other === axis ? start : 0)),
      x.node.shape.map((_, other) => (other === axis ? step : 1)),
      x.node.shape.map((size, other) => (other === axis ? to : size)),
    );
  return add(mul(every(low), 1 - weight), mul(every(low + 1), weight));
}

function nearestPlace(from: number, to: number, scale: number, shift: number): Value {
  const place = record.iota("float32", to);
  const source = mul(shift === 0 ? place : add(place, shift), scale);
  return minimum(record.cast(map("floor", source), "int32"), from - 1);
}

/** Where each result is between the input's places. Place i has its centre at i + ½, unless corners are aligned. */
function sourcePlace(
  dtype: "float32" | "float64",
  to: number,
  scale: number,
  corners: boolean,
  cubic: boolean,
): Value {
  const place = record.iota(dtype, to);
  if (corners) return mul(place, scale);
  const middle = sub(mul(add(place, 0.5), scale), 0.5);
  return cubic ? middle : maximum(middle, 0);
}

/** The elements of an axis at the places of `index` (int32, one axis). */
function along(x: Value, axis: number, index: Value): Value {
  const { shape } = x.node;
  const result = shape.map((size, other) => (other === axis ? index.node.shape[0]! : size));
  const aligned = record.reshape(
    index,
    result.slice(axis).map((size, k) => (k === 0 ? size : 1)),
  );
  return record.pick(x, axis, record.expand(aligned, result));
}

/** A weight for each place along an axis, in a shape that broadcasts, in x's dtype. */
const weighing = (weight: Value, x: Value, axis: number): Value =>
  record.cast(
    record.reshape(weight, [weight.node.shape[0]!, ...x.node.shape.slice(axis + 1).map(() => 1)]),
    x.node.dtype,
  );

function linear(x: Value, axis: number, from: number, place: Value): Value {
  const low = record.cast(map("floor", place), "int32");
  const first = minimum(low, from - 1);
  const high = minimum(add(low, 1), from - 1);
  const weight = sub(place, record.cast(first, place.node.dtype));
  const near = mul(along(x, axis, first), weighing(sub(1, weight), x, axis));
  return add(near, mul(along(x, axis, high), weighing(weight, x, axis)));
}

/** The coefficient of cubic convolution. */
const A = -0.75;

/** Four neighbours; beyond an edge, the edge itself. */
function cubic(x: Value, axis: number, from: number, place: Value): Value {
  const whole = map("floor", place);
  const terms = cubicWeights(sub(place, whole)).map((weight, k) => {
    const index = maximum(minimum(add(record.cast(whole, "int32"), k - 1), from - 1), 0);
    return mul(along(x, axis, index), weighing(weight, x, axis));
  });
  return terms.reduce(add);
}

/** The weights of the two places before and the two after a place that is `t` behind the nearer one before. */
export const cubicWeights = (t: Value): readonly Value[] => [
  outerCubic(add(t, 1)),
  innerCubic(t),
  innerCubic(sub(1, t)),
  outerCubic(sub(2, t)),
];

/** ((A + 2)t − (A + 3))t² + 1, for |t| ≤ 1 */
const innerCubic = (t: Value): Value => add(mul(mul(sub(mul(t, A + 2), A + 3), t), t), 1);

/** ((At − 5A)t + 8A)t − 4A, for 1 < |t| < 2 */
const outerCubic = (t: Value): Value => sub(mul(add(mul(sub(mul(t, A), 5 * A), t), 8 * A), t), 4 * A);

function targetSizes(x: Value, rank: number, options: Interpolation): number[] {
  const { size, scaleFactor, mode, alignCorners, recomputeScaleFactor } = options;
  const wanted = ranks[mode];
  if (wanted === undefined) throw new TypeError(`unknown mode ${showArgument(mode)}`);
  if (rank < 1 || rank > 3 || (wanted > 0 && wanted !== rank))
    throw new ShapeError(
      `Input Error: Only 3D, 4D and 5D input Tensors supported (got ${x.node.shape.length}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got ${mode})`,
    );
  if (alignCorners !== null && wanted === 0)
    throw new TypeError(
      "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
    );
  if ((size === null) === (scaleFactor === null))
    throw new TypeError(
      size === null
        ? "either size or scale_factor should be defined"
        : "only one of size or scale_factor should be defined",
    );
  if (size !== null && recomputeScaleFactor)
    throw new TypeError("recompute_scale_factor is not meaningful with an explicit size (leave one out)");
  const given = (size ?? scaleFactor) as number | readonly number[];
  const list = typeof given === "number" ? new Array<number>(rank).fill(given) : given;
  if (list.length !== rank)
    throw new ShapeError(
      `Input and ${size === null ? "scale_factor" : "output"} must have the same number of spatial dimensions, but got input with spatial dimensions of ${showShape(x.node.shape.slice(2))} and ${size === null ? "scale_factor" : "output size"} of ${showShape(list)}.`,
    );
  const sizes =
    size === null ? list.map((factor, k) => Math.floor(x.node.shape[k + 2]! * factor)) : [...list];
  if (sizes.some((to) => !(to > 0)) || x.node.shape.slice(mode === "area" ? 2 : 1).includes(0))
    throw new ShapeError(
      `Input and output sizes should be greater than 0, but got input (${x.node.shape.slice(2).join(", ")}) output (${sizes.join(", ")})`,
    );
  return sizes;
}
