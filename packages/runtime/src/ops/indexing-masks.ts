/** Filling, selecting and scattering where a mask is true. Ops that must count the true places compute the mask at the call. */
import { type Axes, DTypeError, elementCount, isFloat, ShapeError } from "@fuseau/ir";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { withoutSlope } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { readNow } from "./host.ts";
import { flat, withAxis } from "./indexing.ts";
import { broadcastAll, expand, withShape } from "./movement.ts";
import { as, type Term, torchName } from "./operand.ts";
import { ne, sub, where } from "./pointwise.ts";
import { sum } from "./reduction.ts";
import { fillElement } from "./scatter.ts";
import { coordinatesOf, placesOf } from "./true-places.ts";

/** The row-major positions where `x` is not 0, computed now. */
export const truePlaces = (op: string, x: Value): Int32Array => readTruth(op, x, placesOf);

function readTruth<T>(op: string, x: Value, read: (truth: Uint8Array) => T): T {
  const truth = record.cast(x, "bool");
  const result = readNow(op, truth, (elements) => read(elements as Uint8Array));
  // Nobody else has the copy.
  if (truth !== x) truth.dispose();
  return result;
}

/** A value of a list of positions; it owns the list from now on. */
export const placesValue = (places: Int32Array): Value =>
  record.stored("int32", [places.length], new Storage("int32", places));

/** The places of nonzero elements: a row of `rank` numbers for each. */
export function nonzero(op: string, x: Value): Value {
  const { shape } = x.node;
  const { rows, count } = readTruth(op, x, (truth) => coordinatesOf(truth, shape));
  return record.stored("int64", [count, shape.length], new Storage("int64", rows));
}

/** The columns of {@link nonzero}; a 0-d value counts as one axis. */
export function nonzeroColumns(op: string, x: Value): Value[] {
  const rows = nonzero(op, withAxis(x));
  const [count, rank] = rows.node.shape as [number, number];
  return Array.from({ length: rank }, (_, axis) =>
    record.reshape(record.slice(rows, [0, axis], [1, 1], [count, 1]), [count]),
  );
}

export const countNonzero = (x: Value, dims: Axes): Value => sum(ne(x, 0), dims, false, null);

/**
 * A mask as bools.
 * @throws DTypeError with `message` for floats, and for integers unless they count as bools.
 */
function truths(mask: Value, message: string, integers: boolean): Value {
  const { dtype } = mask.node;
  if (dtype === "bool" || dtype === "uint8" || (integers && !isFloat(dtype)))
    return record.cast(mask, "bool");
  throw new DTypeError(`${message} (got ${dtype}; compare first, e.g. mask.ne(0))`);
}

/** `value` where the mask is true. Both broadcast; the result has x's dtype. */
export function maskedFill(x: Value, mask: Value, value: Term): Value {
  const message = `masked_fill_ only supports boolean masks, but got mask with dtype ${torchName[mask.node.dtype]}`;
  const truth = truths(mask, message, true);
  return where(truth, fillElement("masked_fill_", x, value), x);
}

/** The elements where the mask is true, row-major. */
export function maskedSelect(x: Value, mask: Value): Value {
  const truth = truths(
    mask,
    "maskedSelect: masked_select: expected BoolTensor or ByteTensor for mask",
    false,
  );
  const [values, wanted] = broadcastAll([x, truth]) as [Value, Value];
  const places = truePlaces("maskedSelect", wanted);
  if (places.length === 0) return withoutSlope("maskedSelect", [x], expand(as(x.node.dtype, 0), [0]));
  return record.pick(flat(values), 0, placesValue(places));
}

/**
 * The elements of `source` in order, where the mask is true: the n-th true place gets the n-th. If the source has too few, it fails when it
 * runs.
 */
export function maskedScatter(op: string, x: Value, mask: Value, source: Value): Value {
  const { dtype } = x.node;
  if (dtype !== source.node.dtype)
    throw new DTypeError(
      `maskedScatter: masked_scatter: expected self and source to have same dtypes but got${torchName[dtype]} and ${torchName[source.node.dtype]}`,
    );
  const truth = truths(
    mask,
    "maskedScatter: masked_scatter: expected BoolTensor or ByteTensor for mask",
    false,
  );
  const [values, wanted] = broadcastAll([x, truth]) as [Value, Value];
  const { shape } = values.node;
  if (elementCount(shape) === 0) return values;
  const elements = flat(source);
  if (elements.node.shape[0] === 0) return scatterNothing(op, values, wanted, source);
  const before = sub(record.scan("sum", record.cast(flat(wanted), "int64"), 0), 1);
  const places = where(flat(wanted), before, 0);
  return where(wanted, withShape(record.gather(elements, 0, places), shape), values);
}

function scatterNothing(op: string, x: Value, wanted: Value, source: Value): Value {
  if (truePlaces(op, wanted).length === 0)
    return source.step === null ? x : withoutSlope("maskedScatter", [source], x);
  throw new ShapeError(`source.numel() must not be less than the number of ones in mask (it is 0)`);
}
