/** Pools with a given number of results: window i of n covers the places from ⌊i·size/n⌋ up to ⌈(i + 1)·size/n⌉. */
import { elementCount, isFloat, type Scalar, ShapeError, showArgument, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { onlyFloat, wide } from "./operand.ts";
import { div, eq, lt, minimum, mul, where } from "./pointwise.ts";
import { lowest } from "./pooling.ts";

/** null keeps the size of an axis. */
export type AdaptiveSize = number | null | readonly (number | null)[];

interface Window {
  /** True if all windows are equally long, and lie side by side. */
  readonly areEqual: boolean;
  /** The number of elements in each window, [n]; of equal ones [1]. */
  readonly lengths: Value;
  /** The longest window. */
  readonly longest: number;
  /** The places of each window, [n, longest]; what is beyond a shorter window is not used. */
  readonly places: Value;
}

const int64 = (value: number): Value => record.constant("int64", BigInt(value));

function windowsOf(size: number, count: number): Window {
  const bound = (i: number): number => Math.floor((i * size) / count);
  const end = (i: number): number => Math.ceil(((i + 1) * size) / count);
  let longest = 0;
  for (let i = 0; i < count; i++) longest = Math.max(longest, end(i) - bound(i));
  const place = record.iota("int64", count);
  const starts = record.binary("floorDivide", mul(place, size), int64(count));
  // ⌈a / b⌉ is −⌊−a / b⌋
  const stops = record.unary(
    "neg",
    record.binary("floorDivide", mul(record.binary("add", place, int64(1)), -size), int64(count)),
  );
  const within = record.iota("int64", longest);
  const areEqual = size % count === 0;
  return {
    areEqual,
    lengths: areEqual ? record.reshape(int64(longest), [1]) : record.binary("sub", stops, starts),
    longest,
    places: record.binary("add", record.reshape(starts, [count, 1]), within),
  };
}

/** The windows of the last axes as [...leading, ...counts, ...longest], with `fill` beyond the end of a shorter window. */
function adaptiveWindows(x: Value, windows: readonly Window[], fill: Scalar): Value {
  const leading = x.node.shape.length - windows.length;
  let view = x;
  windows.forEach((window, k) => {
    const axis = leading + k;
    const { shape } = view.node;
    const apart = [...shape.slice(0, axis), ...window.places.node.shape, ...shape.slice(axis + 1)];
    const kept = record.reshape(window.areEqual ? view : foundAlong(axis, view, window, fill), apart);
    // The new axis moves to the end, after those of earlier windows.
    const order = apart.map((_, from) => from).filter((from) => from !== axis + 1);
    view = record.permute(kept, [...order, axis + 1]);
  });
  return view;
}

/** The elements of windows that overlap or have different lengths, one window behind the other. */
function foundAlong(axis: number, x: Value, { lengths, longest, places }: Window, fill: Scalar): Value {
  const { shape } = x.node;
  const [count] = places.node.shape as [number];
  const behind = new Array<number>(shape.length - 1 - axis).fill(1);
  const flat = [...shape.slice(0, axis), count * longest, ...shape.slice(axis + 1)];
  const inside = minimum(places, shape[axis]! - 1);
  const index = record.expand(record.reshape(inside, [count * longest, ...behind]), flat);
  const covered = lt(record.iota("int64", longest), record.reshape(lengths, [count, 1]));
  return where(record.reshape(covered, [count * longest, ...behind]), record.pick(x, axis, index), fill);
}

function resultSizes(rank: number, x: Value, asked: AdaptiveSize): number[] {
  const { shape } = x.node;
  if ((shape.length !== rank + 1 && shape.length !== rank + 2) || shape.slice(-rank).includes(0))
    throw new ShapeError(
      `Expected ${rank + 1}D or ${rank + 2}D tensor with non-zero spatial sizes, but got ${showShape(shape)}`,
    );
  const list =
    asked === null || typeof asked === "number" ? new Array<number | null>(rank).fill(asked) : asked;
  if (!Array.isArray(list))
    throw new TypeError(
      `outputSize must be an integer, null or an array of them, but got ${showArgument(asked)}`,
    );
  if (list.length !== 1 && list.length !== rank)
    throw new ShapeError(`output_size must be ${rank} (got ${list.length} sizes)`);
  return shape.slice(-rank).map((size, axis) => {
    const wanted = (list.length === 1 ? list[0] : list[axis]) ?? size;
    if (!Number.isInteger(wanted) || wanted < 0)
      throw new RangeError(
        `elements of output_size must be greater than or equal to 0 but received ${wanted}`,
      );
    return wanted;
  });
}

const lastAxes = (x: Value, rank: number): number[] =>
  Array.from({ length: rank }, (_, axis) => x.node.shape.length + axis);

export function adaptiveAveragePool(rank: number, x: Value, asked: AdaptiveSize): Value {
  const sizes = resultSizes(rank, onlyFloat(x), asked);
  const windows = sizes.map((count, axis) => windowsOf(x.node.shape.at(axis - rank)!, count));
  const sums = record.reduce("sum", adaptiveWindows(wide(x), windows, 0), lastAxes(x, rank));
  // Divided axis by axis, as PyTorch does.
  const means = windows.reduce((result, { lengths }, axis) => {
    const along = [...lengths.node.shape, ...new Array<number>(rank - 1 - axis).fill(1)];
    return div(result, record.cast(record.reshape(lengths, along), result.node.dtype));
  }, sums);
  return record.cast(means, x.node.dtype);
}

/** [the largest element of each window, its position in the flattened spatial axes if asked for]. */
export function adaptiveMaxPool(
  rank: number,
  x: Value,
  asked: AdaptiveSize,
  wantIndices: boolean,
): [Value, Value | null] {
  const sizes = resultSizes(rank, isFloat(x.node.dtype) ? x : onlyFloat(x), asked);
  const windows = sizes.map((count, axis) => windowsOf(x.node.shape.at(axis - rank)!, count));
  const axes = lastAxes(x, rank);
  const view = adaptiveWindows(x, windows, lowest(x));
  const values = largestOf(view, axes);
  if (!wantIndices) return [values, null];
  let rest = record.reduce("argmax", view, axes);
  let flat: Value | null = null;
  let stride = 1;
  for (let axis = rank - 1; axis >= 0; axis--) {
    const { longest, places } = windows[axis]!;
    const within = record.binary("remainder", rest, int64(longest));
    rest = record.binary("floorDivide", rest, int64(longest));
    const starts = record.slice(places, [0, 0], [1, 1], [sizes[axis]!, 1]);
    const along = [sizes[axis]!, ...new Array<number>(rank - 1 - axis).fill(1)];
    const place = mul(record.binary("add", within, record.reshape(starts, along)), stride);
    flat = flat === null ? place : record.binary("add", flat, place);
    stride *= x.node.shape.at(axis - rank)!;
  }
  return [values, flat];
}

/** The largest element of the last axes. Of several, the first has the whole gradient, since a pool selects an element. */
const largestOf = (view: Value, axes: readonly number[]): Value =>
  withRule(
    "adaptiveMaxPool",
    [view],
    () => record.reduce("max", view, axes),
    (_, g) => {
      const sizes = axes.map((axis) => view.node.shape[axis] as number);
      const kept = [...g.node.shape, ...sizes.map(() => 1)];
      const places = record.reshape(record.iota("int64", elementCount(sizes)), sizes);
      const found = record.reshape(record.reduce("argmax", view, axes), kept);
      return [withoutSlope("adaptiveMaxPool", [view], where(eq(places, found), record.reshape(g, kept), 0))];
    },
  );
