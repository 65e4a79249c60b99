/** Whole slices of an axis written where a list of places says; and elements by their place in row-major order. */
import {
  type Combiner,
  copyAxis,
  DTypeError,
  isFloat,
  type Scalar,
  ShapeError,
  showShape,
  sliceAxis,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { alongAxis, checkLong, checkWhole, flat, fromFront, resized, withAxis } from "./indexing.ts";
import { expand, withShape } from "./movement.ts";
import { as, checkTerm, scalarDType, type Term, torchName } from "./operand.ts";
import { mul } from "./pointwise.ts";
import { elementLike, type Reduction, reduced, scattered } from "./scatter.ts";

/** The list of places as an index of the source's shape. */
const spread = (index: Value, source: Value, axis: number): Value =>
  alongAxis(flat(index), source.node.shape, axis);

function checkSlices(torchOp: string, index: Value, x: Value, source: Value): void {
  const { dtype } = index.node;
  checkWhole(index, `${torchOp}_(): Expected dtype int32/int64 for index but got: ${torchName[dtype]}`);
  if (x.node.dtype === source.node.dtype) return;
  throw new DTypeError(
    `${torchOp}_(): self (${torchName[x.node.dtype]}) and source (${torchName[source.node.dtype]}) must have the same scalar type`,
  );
}

export function indexAdd(x: Value, dim: number, index: Value, source: Value, alpha: Scalar): Value {
  const axis = sliceAxis("index_add", x.node.shape, dim, index.node.shape, source.node.shape);
  checkSlices("index_add", index, x, source);
  checkAlpha(x, alpha);
  const slices = withAxis(alpha === 1 ? source : mul(source, as(x.node.dtype, alpha)));
  return scattered(x, axis, spread(index, slices, axis), slices, "sum");
}

function checkAlpha(x: Value, alpha: Scalar): void {
  checkTerm(alpha);
  const spoken = scalarDType(alpha);
  if (isFloat(spoken) && !isFloat(x.node.dtype)) {
    throw new DTypeError(
      `For integral input tensors, argument alpha must not be a floating point number. (self is ${x.node.dtype})`,
    );
  }
  if (spoken === "bool" && x.node.dtype !== "bool") {
    throw new DTypeError(`Boolean alpha only supported for Boolean results. (self is ${x.node.dtype})`);
  }
}

export function indexCopy(x: Value, dim: number, index: Value, source: Value): Value {
  const axis = copyAxis(x.node.shape, dim, index.node.shape, source.node.shape);
  checkLong(index, `index_copy_(): Expected a long tensor for index, but got ${torchName[index.node.dtype]}`);
  if (x.node.dtype !== source.node.dtype) {
    throw new DTypeError(
      `index_copy_(): self and source expected to have the same dtype, but got (self) ${torchName[x.node.dtype]} and (source) ${torchName[source.node.dtype]}`,
    );
  }
  const slices = withAxis(source);
  return scattered(x, axis, spread(index, slices, axis), slices, "set");
}

/** Negative places count from the end. */
export function indexFill(x: Value, dim: number, index: Value, value: Term): Value {
  checkLong(index, "index_fill_(): Expected dtype int64 for index.");
  const axis = wrapAxis(dim, x.node.shape);
  if (index.node.shape.length > 1)
    throw new ShapeError(`Index has to be a vector/scalar (shape ${showShape(index.node.shape)})`);
  const element = fillElement("index_fill_", x, value);
  const target = withAxis(x);
  const places = flat(index);
  const shape = resized(target.node.shape, axis, places.node.shape[0]!);
  const from = fromFront(places, target.node.shape[axis]!);
  const filled = scattered(target, axis, alongAxis(from, shape, axis), expand(element, shape), "set");
  return withShape(filled, x.node.shape);
}

/** A scalar, or a tensor of no axes, as an element of x's dtype. */
export function fillElement(torchOp: string, x: Value, value: Term): Value {
  if (!(value instanceof Value)) return elementLike(x, value);
  if (value.node.shape.length === 0) return record.cast(value, x.node.dtype);
  throw new ShapeError(
    `${torchOp} only supports a 0-dimensional value tensor, but got tensor with ${value.node.shape.length} dimension(s).`,
  );
}

/** @throws TypeError for a reduction of another name. */
export function indexReduce(
  x: Value,
  dim: number,
  index: Value,
  source: Value,
  reduce: Exclude<Reduction, "sum">,
  includeSelf: boolean,
): Value {
  if (!["prod", "mean", "amax", "amin"].includes(reduce)) {
    throw new TypeError(
      `index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got ${String(reduce)}.`,
    );
  }
  const axis = sliceAxis("index_reduce", x.node.shape, dim, index.node.shape, source.node.shape);
  checkSlices("index_reduce", index, x, source);
  const slices = withAxis(source);
  const target = withAxis(x);
  return withShape(
    reduced(target, axis, spread(index, slices, axis), slices, reduce, includeSelf),
    x.node.shape,
  );
}

/** Elements by their place in row-major order; −1 is the last. */
export function put(x: Value, index: Value, source: Value, accumulate: boolean): Value {
  checkLong(index, `put_(): Expected a long tensor for index, but got ${torchName[index.node.dtype]}`);
  if (x.node.dtype !== source.node.dtype) {
    throw new DTypeError(
      `put_(): self and source expected to have the same dtype, but got self.dtype = ${torchName[x.node.dtype]} and source.dtype = ${torchName[source.node.dtype]}`,
    );
  }
  const target = flat(x);
  const places = flat(index);
  const values = flat(source);
  const [size, count, given] = [target, places, values].map((value) => value.node.shape[0]!) as [
    number,
    number,
    number,
  ];
  if (count !== given) {
    throw new ShapeError(
      `put_(): Expected source and index to have the same number of elements, but got source.numel() = ${given}, index.numel() = ${count}`,
    );
  }
  if (size === 0 && count > 0) throw new RangeError(`put_(): Tried to put elements into an empty tensor`);
  const combine: Combiner = accumulate ? "sum" : "set";
  return withShape(scattered(target, 0, fromFront(places, size), values, combine), x.node.shape);
}
