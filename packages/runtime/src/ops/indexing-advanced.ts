/**
 * Advanced indexing. Slices are applied first, which gives a view. What is left are tensors, each for one axis of the view. A mask is for
 * several axes: these are merged, and the mask becomes the list of its true places along the merged axis. If there are several tensors,
 * their axes are merged too: each tensor is checked against its own axis, and together they give positions along the merged one.
 */
import {
  areAdjacent,
  checkMask,
  DTypeError,
  elementCount,
  indexShape,
  isInt,
  type Shape,
  ShapeError,
  type SliceIndex,
  showArgument,
  showShape,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { numbersNow } from "./host.ts";
import { alongAxis, flat, fromFront, resized, slicesAt } from "./indexing.ts";
import { placesValue, truePlaces } from "./indexing-masks.ts";
import { expand, slice, withShape } from "./movement.ts";
import { as, type Term, torchName } from "./operand.ts";
import { add, mul, where } from "./pointwise.ts";
import { elementLike, scattered } from "./scatter.ts";

/** One index of `x.index(...)`: that of a slice, a tensor, or a boolean, which is a mask without axes. */
export type AnyIndex = SliceIndex | Value | boolean;

/** A tensor that indexes axes of the view from `axis` on: one axis, or for a mask as many as it has. */
interface At {
  readonly axis: number;
  readonly index: Value;
}

/** The indices in parts: the slice, and the tensors with their axes in the result of the slice. */
export interface ResolvedIndices {
  readonly basic: readonly SliceIndex[];
  readonly tensors: readonly At[];
}

const isMask = (index: Value): boolean => index.node.dtype === "bool" || index.node.dtype === "uint8";

/**
 * @throws TypeError for an invalid index, DTypeError for a tensor of floats, RangeError for too many indices, ShapeError for a mask that
 * does not fit.
 */
export function resolveIndices(shape: Shape, indices: readonly AnyIndex[]): ResolvedIndices {
  if (!Array.isArray(indices))
    throw new TypeError(
      `the indices are an array with one for each axis, e.g. [":", tensor], but got ${showArgument(indices)}`,
    );
  const basic: SliceIndex[] = [];
  const tensors: At[] = [];
  const named = indices.reduce<number>((count, index) => count + axesOf(index), 0);
  if (named > shape.length)
    throw new RangeError(
      `too many indices for tensor of dimension ${shape.length} (${named} indices, shape ${showShape(shape)}${bytesAmong(indices)})`,
    );
  // How many axes of x, and how many of the slice's result, earlier indices are for.
  let from = 0;
  let to = 0;
  for (const given of indices as readonly AnyIndex[]) {
    const index = typeof given === "boolean" ? as("bool", given) : given;
    if (index === "...") {
      basic.push(index);
      to += shape.length - named;
      from += shape.length - named;
    } else if (!(index instanceof Value)) {
      basic.push(index);
      if (typeof index !== "number") to++;
      if (index !== null) from++;
    } else {
      const axes = checkTensor(shape, from, index);
      tensors.push({ axis: to, index });
      if (axes === 0) basic.push(null);
      for (let k = 0; k < axes; k++) basic.push(":");
      from += axes;
      to += Math.max(1, axes);
    }
  }
  return { basic, tensors };
}

/**
 * For a write with other tensors among the indices: a 0-d tensor of integers becomes the number that it is, computed now, since it selects
 * before the others are broadcast.
 */
export function withoutNumbers(op: string, indices: readonly AnyIndex[]): readonly AnyIndex[] {
  if (!Array.isArray(indices)) return indices;
  const tensors = indices.filter((index) => index instanceof Value).length;
  return indices.map((index: AnyIndex) =>
    tensors > 1 &&
    index instanceof Value &&
    index.node.shape.length === 0 &&
    isInt(index.node.dtype) &&
    !isMask(index)
      ? numbersNow(op, index)[0]!
      : index,
  );
}

/** How many axes an index is for, apart from `"..."`. */
function axesOf(index: AnyIndex): number {
  if (index === null || index === "..." || typeof index === "boolean") return 0;
  if (!(index instanceof Value) || !isMask(index)) return 1;
  return index.node.shape.length;
}

/** What bytes among too many indices are taken for. */
const bytesAmong = (indices: readonly AnyIndex[]): string =>
  indices.some((index) => index instanceof Value && index.node.dtype === "uint8")
    ? "; uint8 is a mask of as many axes as it has: index.long() makes places of it"
    : "";

function checkTensor(shape: Shape, axis: number, index: Value): number {
  if (isMask(index)) {
    checkMask(shape, axis, index.node.shape);
    return index.node.shape.length;
  }
  if (isInt(index.node.dtype)) return 1;
  throw new DTypeError(
    `tensors used as indices must be long, byte or bool tensors (got ${index.node.dtype}; cast it, e.g. index.to("int64"))`,
  );
}

/** True when the indices are those of a slice alone, so that the result is a view. */
export const isBasic = ({ tensors }: ResolvedIndices): boolean => tensors.length === 0;

export function index(x: Value, { basic, tensors }: ResolvedIndices): Value {
  const [view, left] = selectPlaces(slice(x, basic), tensors);
  if (left.length === 0) return view;
  const { target, axis, places, isKnown, shape, before } = arrange("index", view, left);
  const taken = slicesAt(target, axis, places, isKnown);
  const { shape: sizes } = target.node;
  return withShape(taken, [...sizes.slice(0, before), ...shape, ...sizes.slice(axis + 1)]);
}

/** A 0-d tensor of integers is a number that is not known yet: it removes its axis, and is not broadcast with the others. */
function selectPlaces(view: Value, tensors: readonly At[]): [view: Value, left: readonly At[]] {
  let result = view;
  const left: At[] = [];
  let dropped = 0;
  for (const { axis, index: place } of tensors) {
    const at = axis - dropped;
    if (place.node.shape.length > 0 || isMask(place)) {
      left.push({ axis: at, index: place });
      continue;
    }
    const { shape } = result.node;
    const taken = slicesAt(result, at, fromFront(flat(place), shape[at]!));
    result = withShape(
      taken,
      shape.filter((_, other) => other !== at),
    );
    dropped++;
  }
  return [result, left];
}

/** An index along one merged axis: `places` along `axis` of `target`, a list that stands for `shape`. */
interface Arrangement {
  readonly target: Value;
  readonly axis: number;
  readonly places: Value;
  /** True if all places are known to exist: those of masks. */
  readonly isKnown: boolean;
  readonly shape: Shape;
  /** How many axes of the target come before the merged one; the others come after it. */
  readonly before: number;
  /** Brings a value of the target's shape into the shape and order of the view. */
  readonly restore: (value: Value) => Value;
}

function arrange(op: string, view: Value, tensors: readonly At[]): Arrangement {
  const masked = withoutMasks(op, view, tensors);
  const shape = indexShape(masked.lists.map(({ index: { node } }) => node.shape));
  const { shape: sizes } = masked.view.node;
  const axes = masked.lists.map(({ axis }) => axis);
  if (elementCount(shape) > 0 && axes.some((axis) => sizes[axis] === 0))
    throw new RangeError(`index is out of bounds for dimension with size 0`);
  const order = areAdjacent(axes)
    ? sizes.map((_, axis) => axis)
    : [...axes, ...sizes.map((_, axis) => axis).filter((axis) => !axes.includes(axis))];
  const moved = areAdjacent(axes) ? masked.view : record.permute(masked.view, order);
  const first = areAdjacent(axes) ? axes[0]! : 0;
  const { shape: movedSizes } = moved.node;
  const indexed = movedSizes.slice(first, first + axes.length);
  const target = withShape(moved, [
    ...movedSizes.slice(0, first),
    elementCount(indexed),
    ...movedSizes.slice(first + axes.length),
  ]);
  return {
    target,
    axis: first,
    places: linearPlaces(masked.lists, sizes, shape),
    isKnown: masked.lists.every(({ known }) => known),
    shape,
    before: first,
    restore(value) {
      const back = withShape(value, movedSizes);
      const inOrder = areAdjacent(axes)
        ? back
        : record.permute(
            back,
            order.map((_, axis) => order.indexOf(axis)),
          );
      return withShape(inOrder, view.node.shape);
    },
  };
}

/** A list of places along one axis. `known` is true if all of them are known to exist. */
interface List extends At {
  readonly known: boolean;
}

/** Replaces each mask by the list of its true places along its merged axes. The axes of the others move up. */
function withoutMasks(op: string, view: Value, tensors: readonly At[]): { view: Value; lists: List[] } {
  let sizes = [...view.node.shape];
  const lists: List[] = [];
  let gone = 0;
  for (const { axis, index: given } of tensors) {
    const at = axis - gone;
    if (!isMask(given)) {
      lists.push({ axis: at, index: given, known: false });
      continue;
    }
    const rank = given.node.shape.length;
    lists.push({ axis: at, index: placesValue(truePlaces(op, given)), known: true });
    if (rank < 2) continue;
    const merged = elementCount(sizes.slice(at, at + rank));
    sizes = [...sizes.slice(0, at), merged, ...sizes.slice(at + rank)];
    gone += rank - 1;
  }
  return { view: withShape(view, sizes), lists };
}

/** The positions along all merged axes, as a list. */
function linearPlaces(lists: readonly List[], sizes: Shape, shape: Shape): Value {
  const count = elementCount(shape);
  const all = ({ index }: List): Value => withShape(expand(index, shape), [count]);
  if (lists.length === 1) {
    const [only] = lists as [List];
    return only.known ? all(only) : fromFront(placesOf(all(only)), sizes[only.axis]!);
  }
  return lists
    .map((list) => {
      const size = sizes[list.axis]!;
      return list.known ? all(list) : existing(fromFront(placesOf(all(list)), size), size, list.axis);
    })
    .reduce((place, next, k) => add(mul(place, sizes[lists[k]!.axis]!), next));
}

/** Converts narrow integers to int32, which a gather takes. */
const placesOf = (index: Value): Value =>
  index.node.dtype === "int64" ? index : record.cast(index, "int32");

/**
 * Places along an axis of `size`, as int32. They are gathered from the numbers of the axis, so that an error about one that does not exist
 * names the axis.
 */
function existing(places: Value, size: number, axis: number): Value {
  const ones = Array.from({ length: axis }, () => 1);
  const [count] = places.node.shape as [number];
  const numbers = withShape(record.iota("int32", size), [...ones, size]);
  return withShape(record.gather(numbers, axis, withShape(places, [...ones, count])), [count]);
}

/** A write: the value of the view after it. */
export function written(
  op: string,
  view: Value,
  tensors: readonly At[],
  given: Value,
  accumulate: boolean,
): Value {
  if (tensors.length === 0) {
    const value = expand(given, view.node.shape);
    return accumulate ? add(view, value) : value;
  }
  const filled = accumulate ? null : filledByMask(view, tensors, given);
  if (filled !== null) return filled;
  const { target, axis, places, shape, before, restore } = arrange(op, view, tensors);
  const { shape: sizes } = target.node;
  const result = [...sizes.slice(0, before), ...shape, ...sizes.slice(axis + 1)];
  const source = withShape(expandedTo(given, result), resized(sizes, axis, places.node.shape[0]!));
  const index = alongAxis(places, source.node.shape, axis);
  return restore(scattered(target, axis, index, source, accumulate ? "sum" : "set"));
}

/** A write where one mask is true needs no list of places, so nothing is computed at the call. */
function filledByMask(view: Value, tensors: readonly At[], given: Value): Value | null {
  const [only, ...others] = tensors as [At, ...At[]];
  if (others.length > 0 || !isMask(only.index)) return null;
  if (elementCount(given.node.shape) !== 1) return null;
  const rank = view.node.shape.length;
  const { shape } = only.index.node;
  const after = rank - only.axis - shape.length;
  const mask = withShape(record.cast(only.index, "bool"), [
    ...shape,
    ...Array.from({ length: after }, () => 1),
  ]);
  return where(mask, withShape(given, []), view);
}

function expandedTo(given: Value, shape: Shape): Value {
  const own = given.node.shape;
  const fits =
    own.length <= shape.length &&
    own.every((size, k) => size === 1 || size === shape[shape.length - own.length + k]);
  if (fits) return expand(given, shape);
  throw new ShapeError(
    `shape mismatch: value tensor of shape ${showShape(own)} cannot be broadcast to indexing result of shape ${showShape(shape)}`,
  );
}

/** The value that `indexPut` writes: a number, or a tensor of x's dtype. */
export function putValue(x: Value, given: Term): Value {
  if (!(given instanceof Value)) return elementLike(x, given);
  if (given.node.dtype === x.node.dtype) return given;
  throw new DTypeError(
    `Index put requires the source and destination dtypes match, got ${torchName[x.node.dtype]} for the destination and ${torchName[given.node.dtype]} for the source. (assign_ casts)`,
  );
}

/**
 * The value that `assign_` writes: cast to x's dtype, without its leading axes of size 1.
 * @throws RangeError for a number that an integer dtype does not hold.
 */
export function assignedValue(x: Value, given: Term): Value {
  if (!(given instanceof Value)) return elementLike(x, given);
  const { shape } = given.node;
  const first = shape.findIndex((size) => size !== 1);
  return as(x.node.dtype, withShape(given, first === -1 ? [] : shape.slice(first)));
}
