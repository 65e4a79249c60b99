/** Gathers: elements read where an index says. The kernel that reads looks the index up, and checks it. */
import {
  checkInteger,
  DTypeError,
  dtypes,
  elementCount,
  gatherAxis,
  type Shape,
  ShapeError,
  showShape,
  takeAlongShapes,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { detached } from "../tape/detached.ts";
import { withoutSlope } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { expand, withShape } from "./movement.ts";
import { as, torchName } from "./operand.ts";
import { add, and, eq, ge, lt, where } from "./pointwise.ts";

/** @throws DTypeError with `message` unless `index` is int64. */
export function checkLong(index: Value, message: string): void {
  if (index.node.dtype === "int64") return;
  throw new DTypeError(`${message} (got ${index.node.dtype}; cast it, e.g. index.to("int64"))`);
}

/** @throws DTypeError with `message` unless `index` is int64 or int32. */
export function checkWhole(index: Value, message: string): void {
  if (index.node.dtype === "int64" || index.node.dtype === "int32") return;
  throw new DTypeError(`${message} (got ${index.node.dtype}; cast it, e.g. index.to("int64"))`);
}

/** A value without elements. */
const nothing = (x: Value, shape: Shape): Value =>
  withoutSlope("gather", [x], expand(as(x.node.dtype, 0), shape));

/**
 * Places counted from the front, where negative ones count from the end. A place that does not exist stays as it is, so that the error
 * names it.
 */
export const fromFront = (index: Value, size: number): Value =>
  where(and(lt(index, 0), ge(index, -size)), add(index, size), index);

/** The value itself; with one axis if it is 0-d. */
export const withAxis = (x: Value): Value => (x.node.shape.length === 0 ? record.reshape(x, [1]) : x);

/** All elements along one axis. */
export const flat = (x: Value): Value => withShape(x, [elementCount(x.node.shape)]);

export function gather(x: Value, dim: number, index: Value): Value {
  const { shape } = index.node;
  const axis = gatherAxis(x.node.shape, dim, shape);
  if (elementCount(shape) === 0) return nothing(x, shape);
  checkLong(index, "gather(): Expected dtype int64 for index");
  return withShape(record.gather(withAxis(x), axis, withAxis(index)), shape);
}

/** The slices of `x` along an axis (wrapped) that a list of places selects. `known` says that all of them exist. */
export function slicesAt(x: Value, axis: number, places: Value, known = false): Value {
  const [length] = places.node.shape as [number];
  const index = alongAxis(places, resized(x.node.shape, axis, length), axis);
  return known ? record.pick(x, axis, index) : record.gather(x, axis, index);
}

/** A list of places along one axis of `shape`, repeated along the others. */
export function alongAxis(places: Value, shape: Shape, axis: number): Value {
  const laid = withShape(
    places,
    shape.map((size, at) => (at === axis ? size : 1)),
  );
  return expand(laid, shape);
}

/** The shape with another size at an axis. */
export const resized = (shape: Shape, axis: number, size: number): Shape =>
  shape.map((old, at) => (at === axis ? size : old));

export function indexSelect(x: Value, dim: number, index: Value): Value {
  const { shape } = x.node;
  const axis = wrapAxis(dim, shape);
  const places = elementCount(index.node.shape);
  if (index.node.shape.length > 1)
    throw new ShapeError(
      `index_select(): Index is supposed to be a vector (shape ${showShape(index.node.shape)}; x.index takes any)`,
    );
  checkWhole(index, "index_select(): Expected dtype int32 or int64 for index");
  if (shape.length === 0 && places !== 1)
    throw new ShapeError(`index_select(): Index to scalar can have only 1 value, got ${places} value(s)`);
  const selected = slicesAt(withAxis(x), axis, flat(index));
  return shape.length === 0 ? withShape(selected, []) : selected;
}

/** Elements by their position in row-major order; −1 is the last. */
export function take(x: Value, index: Value): Value {
  checkLong(index, `take(): Expected a long tensor for index, but got ${torchName[index.node.dtype]}`);
  const { shape } = index.node;
  if (elementCount(shape) === 0) return nothing(x, shape);
  const elements = flat(x);
  const [size] = elements.node.shape as [number];
  if (size === 0) throw new RangeError("take(): tried to take from an empty tensor");
  return withShape(record.gather(elements, 0, fromFront(flat(index), size)), shape);
}

/** `gather` of operands that broadcast to each other first. Without an axis, both are flattened. */
export function takeAlongDim(x: Value, index: Value, dim: number | null): Value {
  if (dim === null) {
    checkLong(index, "gather(): Expected dtype int64 for index");
    return record.gather(flat(x), 0, flat(index));
  }
  const { axis, shape, index: indices } = takeAlongShapes(x.node.shape, index.node.shape, dim);
  checkLong(
    index,
    `torch.take_along_dim(): dtype of indices should be Long but got ${torchName[index.node.dtype]}`,
  );
  return gather(expand(x, shape), axis, expand(index, indices));
}

/** @throws unless indexes are whole numbers, `weight` is a matrix and `paddingIdx` is one of its rows. */
export function checkTable(index: Value, weight: Value, paddingIdx: number | null): void {
  const { shape } = weight.node;
  if (shape.length !== 2) throw new ShapeError(`'weight' must be 2-D (shape ${showShape(shape)})`);
  checkWhole(
    index,
    `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.${torchName[index.node.dtype]}Tensor instead (while checking arguments for embedding)`,
  );
  const [rows] = shape as [number];
  if (paddingIdx !== null && !(paddingIdx >= -rows && paddingIdx < rows))
    throw new RangeError(`Padding_idx must be within num_embeddings (${paddingIdx} of ${rows})`);
}

/** The row of `weight` at each index. {@link checkTable} has been called. */
export function embedding(index: Value, weight: Value, paddingIdx: number | null): Value {
  const [rows, width] = weight.node.shape as [number, number];
  const result = withShape(slicesAt(weight, 0, flat(index)), [...index.node.shape, width]);
  if (paddingIdx === null || result.step === null) return result;
  const isPadding = eq(record.cast(index, "int64"), paddingIdx < 0 ? paddingIdx + rows : paddingIdx);
  const mask = record.expand(record.reshape(isPadding, [...index.node.shape, 1]), result.node.shape);
  return where(mask, detached(result), result);
}

/** For each axis of a shape: the coordinates of row-major places. */
export function unravelled(places: Value, shape: Shape): Value[] {
  const { dtype } = places.node;
  if (dtypes[dtype].category !== "int")
    throw new DTypeError(`expected 'indices' to be integer dtype, but got torch.${dtype}`);
  for (const size of shape) {
    checkInteger("shape", size);
    if (size < 0) throw new RangeError(`'shape' cannot have negative values, but got ${showShape(shape)}`);
  }
  const whole = record.cast(places, "int64");
  const found: Value[] = [];
  let row = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    const rows = record.binary("floorDivide", whole, as("int64", row));
    found.unshift(record.binary("remainder", rows, as("int64", size)));
    row *= size;
  }
  return found;
}
