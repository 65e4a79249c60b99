/** Quantiles: elements at ranks of the sorted order, and interpolations between them. */
import {
  DTypeError,
  elementCount,
  reducedShape,
  type Shape,
  ShapeError,
  showArgument,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { lerp } from "./arithmetic.ts";
import { fromNested } from "./elements.ts";
import { numbersNow } from "./host.ts";
import { withShape } from "./movement.ts";
import { torchName } from "./operand.ts";
import { eq, map, maximum, mul, ne, sub, where } from "./pointwise.ts";
import { sum, truth } from "./reduction.ts";
import { sort } from "./sort.ts";

/** How to interpolate between the elements around a rank. */
export type Interpolation = "linear" | "lower" | "higher" | "midpoint" | "nearest";

const interpolations: readonly unknown[] = ["linear", "lower", "higher", "midpoint", "nearest"];

export interface QuantileSettings {
  readonly keepdim: boolean;
  readonly interpolation: Interpolation;
}

/**
 * The quantiles `q` along an axis, or of all elements. If q has an axis, it comes in front. A NaN makes them NaN, unless NaNs are left out
 * (`nanquantile`).
 * @throws RangeError for a q outside [0, 1]; a tensor of them is read at the call.
 */
export function quantile(
  op: "quantile" | "nanquantile",
  x: Value,
  q: number | readonly number[] | Value,
  dim: number | null,
  { keepdim, interpolation }: QuantileSettings,
): Value {
  const { shape } = x.node;
  check(x, interpolation);
  const ranks = quantilesOf(op, q, x);
  const axis = dim === null ? null : wrapAxis(dim, shape);
  const flat = axis === null || shape.length === 0;
  const last = flat ? withShape(x, [elementCount(shape)]) : toLast(x, axis);
  const result = alongLast(op, last, withShape(ranks, [elementCount(ranks.node.shape)]), interpolation);
  const rank = result.node.shape.length;
  const order = [rank - 1, ...Array.from({ length: rank - 1 }, (_, at) => at)];
  const axes = flat ? shape.map((_, at) => at) : [axis];
  return withShape(record.permute(result, order), [
    ...ranks.node.shape,
    ...reducedShape(shape, axes, keepdim),
  ]);
}

function toLast(x: Value, axis: number): Value {
  const order = x.node.shape.map((_, at) => at);
  return record.permute(x, [...order.filter((at) => at !== axis), axis]);
}

/** The quantiles along the last axis, as a new last axis. The steps are PyTorch's, with the same roundings. */
function alongLast(op: string, x: Value, q: Value, interpolation: Interpolation): Value {
  const sorted = sort(x, -1, false).values;
  const exact = ranksOf(op, sorted, q);
  const below = map(
    interpolation === "higher" ? "ceil" : interpolation === "nearest" ? "round" : "floor",
    exact,
  );
  const at = (places: Value): Value =>
    record.gather(sorted, x.node.shape.length - 1, record.cast(places, "int64"));
  if (interpolation !== "linear" && interpolation !== "midpoint") return at(below);
  const weight = interpolation === "midpoint" ? 0.5 : sub(exact, below);
  return lerp(at(below), at(map("ceil", exact)), weight);
}

/** The rank of every quantile in every row, in x's dtype. For a row with a NaN it is the last place, where NaN is sorted. */
function ranksOf(op: string, sorted: Value, q: Value): Value {
  if (op === "nanquantile") {
    const numbers = sum(eq(sorted, sorted), -1, true, null);
    return maximum(mul(q, sub(numbers, 1)), 0);
  }
  const last = sorted.node.shape[sorted.node.shape.length - 1]! - 1;
  return where(truth("any", ne(sorted, sorted), -1, true), last, mul(q, last));
}

function quantilesOf(op: string, q: number | readonly number[] | Value, x: Value): Value {
  if (!(q instanceof Value)) {
    const list: readonly unknown[] = Array.isArray(q) ? q : [q];
    for (const each of list) {
      if (typeof each === "number" && each >= 0 && each <= 1) continue;
      throw new RangeError(`() q must be in the range [0, 1] but got ${showArgument(each)}`);
    }
    return fromNested(op, q, undefined, x.node.dtype);
  }
  const { shape, dtype } = q.node;
  if (shape.length > 1)
    throw new ShapeError(`() q must be a scalar or 1D tensor (shape ${showShape(shape)})`);
  if (dtype !== x.node.dtype)
    throw new DTypeError(`() q tensor must be same dtype as the input tensor (${dtype} and ${x.node.dtype})`);
  if (numbersNow(op, q).some((each) => !(each >= 0 && each <= 1)))
    throw new RangeError(`() q values must be in the range [0, 1]`);
  return q;
}

function check(x: Value, interpolation: Interpolation): void {
  const { dtype, shape }: { dtype: string; shape: Shape } = x.node;
  if (elementCount(shape) === 0)
    throw new ShapeError(`() input tensor must be non-empty (shape ${showShape(shape)})`);
  if (dtype !== "float32" && dtype !== "float64")
    throw new DTypeError(
      `() input tensor must be either float or double dtype (got ${torchName[x.node.dtype]})`,
    );
  if (!interpolations.includes(interpolation))
    throw new TypeError(
      `() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ${String(interpolation)}`,
    );
}
