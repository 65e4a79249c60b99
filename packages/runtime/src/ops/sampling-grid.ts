/**
 * Images read between their places, where a grid says. Source: torch.nn.functional.grid_sample. Each result is a weighted sum of gathers,
 * one for each corner (with two axes four, or sixteen for bicubic).
 */
import { DTypeError, elementCount, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { cubicWeights } from "./interpolation.ts";
import { select } from "./movement.ts";
import { onlyFloat } from "./operand.ts";
import { add, and, eq, ge, le, lt, map, maximum, minimum, mul, neg, or, sub, where } from "./pointwise.ts";

export type GridMode = "bilinear" | "nearest" | "bicubic";
export type GridPadding = "zeros" | "border" | "reflection";

/** Along each spatial axis a place [N, P], whole numbers as floats; and the weight of the element there, null for 1. */
interface Corner {
  readonly places: readonly Value[];
  readonly weight: Value | null;
}

/** Reads x [N, C, ...sizes] where grid [N, ...results, axes] says: coordinates from −1 to 1, the last axis of x first. */
export function sampleGrid(
  x: Value,
  grid: Value,
  mode: GridMode,
  padding: GridPadding,
  corners: boolean,
): Value {
  onlyFloat(x);
  const [size, channels, ...sizes] = x.node.shape as [number, number, ...number[]];
  const rank = sizes.length;
  check(x, grid, rank, mode);
  const results = grid.node.shape.slice(1, -1);
  const count = elementCount(results);
  const flat = record.reshape(x, [size, channels, elementCount(sizes)]);
  /** Along each axis the coordinate to read, in places, [N, P]. */
  const wanted = sizes.map((length, axis) => {
    const along = record.reshape(select(grid, -1, rank - 1 - axis), [size, count]);
    const scaled = mul(add(along, 1), corners ? (length - 1) / 2 : length / 2);
    return corners ? scaled : sub(scaled, 0.5);
  });
  const padded = (place: Value, axis: number): Value =>
    padding === "zeros" ? place : within(place, sizes[axis] as number, padding, corners);
  const found = cornersOf(wanted, mode, padded);
  let sum: Value | null = null;
  for (const { places, weight } of found) {
    const [inside, index] = indexOf(places, sizes);
    const whole = record.expand(record.reshape(index, [size, 1, count]), [size, channels, count]);
    const read = record.pick(flat, 2, whole);
    const kept = where(record.reshape(inside, [size, 1, count]), read, 0);
    const share = weight === null ? kept : mul(kept, record.reshape(weight, [size, 1, count]));
    sum = sum === null ? share : add(sum, share);
  }
  const read = record.reshape(sum as Value, [size, channels, ...results]);
  return mode === "nearest" ? withoutSlope("gridSample", [grid], read) : read;
}

function check(x: Value, grid: Value, rank: number, mode: GridMode): void {
  const [own, other] = [x.node.shape, grid.node.shape];
  const shapes = `(shapes ${showShape(own)} and ${showShape(other)})`;
  if (x.node.dtype !== grid.node.dtype)
    throw new DTypeError(
      `expected input and grid to have same dtype, but input has ${x.node.dtype} and grid has ${grid.node.dtype}`,
    );
  if ((rank !== 2 && rank !== 3) || own.length !== other.length)
    throw new ShapeError(
      `expected 4D or 5D input and grid with same number of dimensions, but got input with sizes ${showShape(own)} and grid with sizes ${showShape(other)}`,
    );
  if (own[0] !== other[0]) throw new ShapeError(`expected grid and input to have same batch size ${shapes}`);
  if (other.at(-1) !== rank)
    throw new ShapeError(
      `expected grid to have size ${rank} in last dimension, but got grid with sizes ${showShape(other)}`,
    );
  if (own.slice(2).includes(0))
    throw new ShapeError(
      `expected input to have non-empty spatial dimensions, but input has sizes ${showShape(own)}`,
    );
  if (mode === "bicubic" && rank !== 2)
    throw new ShapeError(`bicubic interpolation only supports 4D input ${shapes}`);
}

/** Whether all coordinates exist, and the positions among the elements of an image, as int32. */
function indexOf(places: readonly Value[], sizes: readonly number[]): [Value, Value] {
  let inside: Value | null = null;
  let index: Value | null = null;
  for (const [axis, place] of places.entries()) {
    const size = sizes[axis] as number;
    const is = and(ge(place, 0), le(place, size - 1));
    inside = inside === null ? is : and(inside, is);
    const own = record.cast(where(is, place, 0), "int32");
    index = index === null ? own : add(mul(index, size), own);
  }
  return [inside as Value, index as Value];
}

/** Brings coordinates back into [0, size − 1]: to the border, or as if mirrored there. At the border the gradient is 0. */
function within(place: Value, size: number, padding: GridPadding, corners: boolean): Value {
  const inner = padding === "border" ? place : mirrored(place, size, corners);
  const last = size - 1;
  return withRule(
    "gridSample",
    [inner],
    () => minimum(maximum(inner, 0), last),
    (_, g) => [where(or(le(inner, 0), ge(inner, last)), 0, g)],
  );
}

/** The mirrors are at the centres of the first and the last place, or at their outer edges. */
function mirrored(place: Value, size: number, corners: boolean): Value {
  const [low, span] = corners ? [0, size - 1] : [-0.5, size];
  if (span === 0) return mul(place, 0);
  const from = sub(place, low);
  const distance = where(lt(from, 0), neg(from), from);
  const turns = map("floor", record.binary("div", distance, like(distance, span)));
  const rest = sub(distance, mul(turns, span));
  const isEven = eq(record.binary("fmod", turns, like(turns, 2)), 0);
  return add(where(isEven, rest, sub(span, rest)), low);
}

const like = (x: Value, number: number): Value => record.constant(x.node.dtype, number);

/** In PyTorch's order: along the last axis first. */
function cornersOf(
  wanted: readonly Value[],
  mode: GridMode,
  padded: (place: Value, axis: number) => Value,
): readonly Corner[] {
  if (mode === "nearest")
    return [{ places: wanted.map((place, axis) => map("round", padded(place, axis))), weight: null }];
  const choices = wanted.map((place, axis) =>
    mode === "bicubic"
      ? cubics(place).map(([at, weight]) => [padded(at, axis), weight] as const)
      : lines(padded(place, axis)),
  );
  let found: readonly Corner[] = [{ places: [], weight: null }];
  for (const own of choices)
    found = found.flatMap(({ places, weight }) =>
      own.map(([at, share]) => ({
        places: [...places, at],
        weight: weight === null ? share : mul(weight, share),
      })),
    );
  return found;
}

/** The places on either side, and their weights. */
function lines(place: Value): readonly (readonly [at: Value, weight: Value])[] {
  const before = map("floor", place);
  const after = add(before, 1);
  return [
    [before, sub(after, place)],
    [after, sub(place, before)],
  ];
}

/** The two places on either side, and their weights. */
function cubics(place: Value): readonly (readonly [at: Value, weight: Value])[] {
  const before = map("floor", place);
  const places = [sub(before, 1), before, add(before, 1), add(before, 2)];
  return cubicWeights(sub(place, before)).map((weight, k) => [places[k] as Value, weight]);
}
