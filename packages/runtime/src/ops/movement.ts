/** Other arrangements of the same elements. Nothing is computed here; most are index maps that the compiler folds into its readers. */
import {
  type Axes,
  broadcastShapes,
  checkInteger,
  checkIntegers,
  checkMatrix,
  checkNarrow,
  checkStack,
  concatAxis,
  diagonalAxes,
  elementCount,
  expandedShape,
  padWidths,
  permutedAxes,
  promoteTypes,
  repeatedShape,
  reshapedShape,
  resolveSlice,
  type Scalar,
  type Shape,
  ShapeError,
  type SliceIndex,
  sameNumbers,
  showShape,
  splitAxis,
  splitSizes,
  squeezedShape,
  transposedAxes,
  uniqueAxes,
  unsqueezedShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { checkTerm, exactly, torchName } from "./operand.ts";

/** `x` reshaped to `shape`, which has as many elements; `x` itself if it has that shape. */
export const withShape = (x: Value, shape: Shape): Value =>
  sameNumbers(x.node.shape, shape) ? x : record.reshape(x, shape);

export const reshape = (x: Value, sizes: readonly number[]): Value =>
  withShape(x, reshapedShape(x.node.shape, sizes));

export function expand(x: Value, sizes: readonly number[]): Value {
  const shape = expandedShape(x.node.shape, sizes, torchName[x.node.dtype]);
  return sameNumbers(x.node.shape, shape) ? x : record.expand(x, shape);
}

export const permute = (x: Value, dims: readonly number[]): Value =>
  permuted(x, permutedAxes(x.node.shape, dims));

const permuted = (x: Value, order: readonly number[]): Value =>
  order.every((from, to) => from === to) ? x : record.permute(x, order);

export const transpose = (x: Value, dim0: number, dim1: number): Value =>
  permuted(x, transposedAxes(x.node.shape, dim0, dim1));

export function t(x: Value): Value {
  checkMatrix(x.node.shape);
  return x.node.shape.length < 2 ? x : record.permute(x, [1, 0]);
}

export const squeeze = (x: Value, axes: Axes): Value => withShape(x, squeezedShape(x.node.shape, axes));

export const unsqueeze = (x: Value, axis: number): Value =>
  record.reshape(x, unsqueezedShape(x.node.shape, axis));

export function slice(x: Value, indices: readonly SliceIndex[]): Value {
  const { starts, steps, sizes, shape } = resolveSlice(x.node.shape, indices);
  return withShape(sliced(x, starts, steps, sizes), shape);
}

function sliced(x: Value, starts: readonly number[], steps: readonly number[], sizes: Shape): Value {
  const whole = sameNumbers(x.node.shape, sizes) && steps.every((step) => step === 1);
  return whole ? x : record.slice(x, starts, steps, sizes);
}

/** The places from `start` up to but without `start + length` of one axis (wrapped). */
export function narrowed(x: Value, axis: number, start: number, length: number): Value {
  const { shape } = x.node;
  return sliced(
    x,
    shape.map((_, other) => (other === axis ? start : 0)),
    shape.map(() => 1),
    shape.map((size, other) => (other === axis ? length : size)),
  );
}

/** All places of an axis (wrapped) except the first `count`, and all except the last `count`. */
export function neighbours(x: Value, axis: number): { left: Value; right: Value } {
  const size = x.node.shape[axis]!;
  return { left: narrowed(x, axis, 0, size - 1), right: narrowed(x, axis, 1, size - 1) };
}

export function narrow(x: Value, dim: number, start: number, length: number): Value {
  const axis = splitAxis(x.node.shape, dim);
  return narrowed(x, axis, checkNarrow(x.node.shape, axis, start, length), length);
}

export function select(x: Value, dim: number, index: number): Value {
  const { shape } = x.node;
  if (shape.length === 0) throw new RangeError("select() cannot be applied to a 0-dim tensor.");
  const axis = wrapAxis(dim, shape);
  const size = shape[axis]!;
  checkInteger("index", index);
  if (index < -size || index >= size)
    throw new RangeError(
      `select(): index ${index} out of range for tensor of size ${showShape(shape)} at dimension ${axis}`,
    );
  return selected(x, axis, index < 0 ? index + size : index);
}

const selected = (x: Value, axis: number, place: number): Value =>
  record.reshape(
    narrowed(x, axis, place, 1),
    x.node.shape.filter((_, other) => other !== axis),
  );

export const unbind = (x: Value, dim: number): Value[] => {
  const axis = splitAxis(x.node.shape, dim);
  return Array.from({ length: x.node.shape[axis]! }, (_, place) => selected(x, axis, place));
};

/** The pieces of `sizes` along an axis (wrapped). */
export function pieces(x: Value, axis: number, sizes: readonly number[]): Value[] {
  let start = 0;
  return sizes.map((size) => {
    const piece = narrowed(x, axis, start, size);
    start += size;
    return piece;
  });
}

export function split(x: Value, size: number | readonly number[], dim: number): Value[] {
  const axis = splitAxis(x.node.shape, dim);
  return pieces(x, axis, splitSizes(x.node.shape, axis, size));
}

/** The order reversed along `dims`. As in PyTorch it is a copy. */
export function flip(x: Value, dims: readonly number[]): Value {
  const { shape } = x.node;
  const axes = uniqueAxes(dims, shape).filter((axis) => (shape[axis] ?? 0) > 1);
  if (axes.length === 0) return x;
  return record.slice(
    x,
    shape.map((size, axis) => (axes.includes(axis) ? size - 1 : 0)),
    shape.map((_, axis) => (axes.includes(axis) ? -1 : 1)),
    shape,
  );
}

/** Elements moved along `dims`; those that leave at one end enter at the other. Without dims, x is flattened first. */
export function roll(
  x: Value,
  shifts: number | readonly number[],
  dims: number | readonly number[] | null,
): Value {
  const amounts = typeof shifts === "number" ? [shifts] : shifts;
  checkIntegers("shifts", amounts);
  const named = dims === null ? [] : typeof dims === "number" ? [dims] : dims;
  checkIntegers("dims", named);
  if (amounts.length === 0) throw new ShapeError("`shifts` required");
  if (named.length === 0 && amounts.length === 1) {
    const flat = record.reshape(x, [elementCount(x.node.shape)]);
    return withShape(rolled(flat, 0, amounts[0]!), x.node.shape);
  }
  if (named.length !== amounts.length)
    throw new ShapeError(`shifts and dimensions must align. shifts: ${amounts.length}, dims:${named.length}`);
  return named.reduce<Value>(
    (moved, dim, i) => rolled(moved, wrapAxis(dim, moved.node.shape), amounts[i]!),
    x,
  );
}

function rolled(x: Value, axis: number, amount: number): Value {
  const size = x.node.shape[axis] ?? 0;
  if (size === 0) return x;
  const start = (((size - amount) % size) + size) % size;
  if (start === 0) return x;
  return record.concat([narrowed(x, axis, start, size - start), narrowed(x, axis, 0, start)], axis);
}

/** Joins operands. Dtypes are promoted, and operands of shape `[0]` are left out. */
export function concat(op: string, values: readonly Value[], dim: number): Value {
  const axis = concatAxis(
    values.map((value) => value.node.shape),
    dim,
  );
  const dtype = values.map((value) => value.node.dtype).reduce((a, b) => promoteTypes(a, b));
  const rank = values.reduce((most, { node }) => Math.max(most, node.shape.length), 0);
  const isJoined = ({ node: { shape } }: Value): boolean =>
    shape.length === rank && (rank > 1 || shape[0] !== 0);
  const kept = values.filter(isJoined);
  const joined = (kept.length > 0 ? kept : [values[0]!]).map((value) => record.cast(value, dtype));
  const result = joined.length === 1 ? joined[0]! : record.concat(joined, axis);
  const others = values.filter((value) => !isJoined(value));
  return others.every(({ step }) => step === null) ? result : withoutSlope(op, others, result);
}

export function stack(values: readonly Value[], dim: number): Value {
  checkStack(values.map((value) => value.node.shape));
  const shape = values[0]!.node.shape;
  const axis = wrapAxis(dim, shape, shape.length + 1);
  return concat(
    "stack",
    values.map((value) => record.reshape(value, unsqueezedShape(shape, axis))),
    axis,
  );
}

/** Pads by `widths`, pairs with the last axis first; negative widths remove places. */
export function pad(x: Value, widths: readonly number[], fill: Scalar): Value {
  checkTerm(fill);
  const { before, after } = padWidths(x.node.shape, widths);
  const { shape } = x.node;
  const cut = sliced(
    x,
    before.map((width) => Math.max(0, -width)),
    shape.map(() => 1),
    shape.map((size, axis) => size + Math.min(0, before[axis]!) + Math.min(0, after[axis]!)),
  );
  const added = [...before, ...after].some((width) => width > 0);
  if (!added) return cut;
  const widen = (width: number): number => Math.max(0, width);
  return record.pad(cut, before.map(widen), after.map(widen), exactly(x.node.dtype, fill));
}

/** Each axis becomes [repeats, size], the first with stride 0, and then one axis again. */
export function repeat(x: Value, repeats: readonly number[]): Value {
  const shape = repeatedShape(x.node.shape, repeats);
  if (repeats.every((count) => count === 1)) return withShape(x, shape);
  const apart = record.reshape(
    x,
    shape.flatMap((size) => [1, size]),
  );
  const repeated = record.expand(
    apart,
    shape.flatMap((size, axis) => [repeats[axis]!, size]),
  );
  return record.reshape(
    repeated,
    shape.map((size, axis) => size * repeats[axis]!),
  );
}

export function diagonal(x: Value, offset: number, dim1: number, dim2: number): Value {
  checkInteger("offset", offset);
  const [axis1, axis2] = diagonalAxes(x.node.shape, dim1, dim2);
  return record.diagonal(x, offset, axis1, axis2);
}

/** The values, expanded to the shape that all broadcast to. */
export function broadcastAll(values: readonly Value[]): Value[] {
  const shape = values.map((value) => value.node.shape).reduce((a, b) => broadcastShapes(a, b));
  return values.map((value) => expand(value, shape));
}

/** Adds axes of size 1 until there are `rank`: in front, but the third one at the end. */
export function atLeast(rank: 1 | 2 | 3, x: Value): Value {
  const { shape } = x.node;
  if (shape.length >= rank) return x;
  if (rank === 3 && shape.length > 0)
    return withShape(x, shape.length === 1 ? [1, shape[0]!, 1] : [...shape, 1]);
  return withShape(x, [...Array.from({ length: rank - shape.length }, () => 1), ...shape]);
}
