/** One-hot rows of integers, and how often each integer occurs. */
import { checkInteger, checkShape, DTypeError, elementCount, isInt, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { full } from "./creation.ts";
import { numbersNow } from "./host.ts";
import { checkLong, flat } from "./indexing.ts";
import { concat, withShape } from "./movement.ts";
import { type Term, torchName } from "./operand.ts";
import { eq, not } from "./pointwise.ts";
import { extreme, truth } from "./reduction.ts";
import { scattered } from "./scatter.ts";

/**
 * A new last axis with a 1 at each class. Without a number of classes, the largest class is computed now. With it, classes are checked now
 * if they are stored, otherwise when they are looked up.
 */
export function oneHot(x: Value, numClasses: number): Value {
  const op = "oneHot";
  checkLong(x, "one_hot is only applicable to index tensor.");
  checkInteger("numClasses", numClasses);
  const { shape } = x.node;
  if (elementCount(shape) === 0) {
    if (numClasses <= 0) throw new ShapeError(`Can not infer total number of classes from empty tensor.`);
    return full([...shape, numClasses], 0, "int64");
  }
  const classes = numClasses === -1 || x.storage !== null ? checkedClasses(op, x, numClasses) : numClasses;
  if (classes <= 0)
    throw new RangeError(`Class values must be smaller than num_classes. (${classes} classes)`);
  const numbers = record.iota("int32", classes);
  const place = record.gather(numbers, 0, flat(x));
  return record.cast(eq(withShape(place, [...shape, 1]), numbers), "int64");
}

function checkedClasses(op: string, x: Value, numClasses: number): number {
  const [smallest, largest] = extentNow(op, x);
  if (smallest < 0) throw new RangeError(`Class values must be non-negative. (the smallest is ${smallest})`);
  if (numClasses === -1) return largest + 1;
  if (largest < numClasses) return numClasses;
  throw new RangeError(
    `Class values must be smaller than num_classes. (the largest is ${largest}, num_classes ${numClasses})`,
  );
}

/** How often each integer from 0 on occurs, or the sum of its weights. The length depends on the largest integer, which is computed now. */
export function bincount(x: Value, weights: Value | null, minlength: number): Value {
  const op = "bincount";
  const { dtype, shape } = x.node;
  checkInteger("minlength", minlength);
  if (!isInt(dtype))
    throw new DTypeError(
      `"bincount_cpu" not implemented for '${torchName[dtype]}' (it counts integers: x.to("int64"))`,
    );
  if (minlength < 0) throw new RangeError(`minlength should be >= 0 (got ${minlength})`);
  if (shape.length === 1 && shape[0] === 0) return full([minlength], 0, "int64");
  const [smallest, largest] = shape.length === 1 ? extentNow(op, x) : [-1, -1];
  if (smallest < 0)
    throw new ShapeError(
      `bincount only supports 1-d non-negative integral inputs. (shape ${showShape(shape)}${shape.length === 1 ? `, smallest ${smallest}` : ""})`,
    );
  const length = Math.max(minlength, largest + 1);
  checkShape([length]);
  const index = record.cast(x, "int32");
  if (weights === null) return record.cast(counted(length, index, null), "int64");
  if (weights.node.shape.length !== 1 || weights.node.shape[0] !== shape[0])
    throw new ShapeError(
      `input and weights should have the same length (input ${showShape(shape)}, weights ${showShape(weights.node.shape)})`,
    );
  const kept = weights.node.dtype === "float32" ? weights : record.cast(weights, "float64");
  return scattered(full([length], 0, kept.node.dtype), 0, index, kept, "sum");
}

/** How often each position below `length` occurs in `index`, as int32. `wanted` says which occurrences count. */
export function counted(length: number, index: Value, wanted: Value | null): Value {
  const ones = wanted === null ? full(index.node.shape, 1, "int32") : record.cast(wanted, "int32");
  return scattered(full([length], 0, "int32"), 0, index, ones, "sum");
}

/** True where the element is among `tests`: every pair is compared, in one kernel. */
export function isin(elements: Term, tests: Term, invert: boolean): Value {
  const among = elements instanceof Value ? elements : null;
  const shape = among === null ? [] : among.node.shape;
  const left = among === null ? elements : withShape(among, [...shape, 1]);
  const right = tests instanceof Value ? flat(tests) : tests;
  const pairs = eq(left, right);
  const found =
    pairs.node.shape.length > shape.length ? truth("any", pairs, pairs.node.shape.length - 1, false) : pairs;
  const result = withShape(found, shape);
  return invert ? not(result) : result;
}

/** The smallest and the largest element, computed now. */
export function extentNow(op: string, x: Value): readonly [smallest: number, largest: number] {
  const both = [extreme(op, "min", x, null, false), extreme(op, "max", x, null, false)];
  const rows = both.map((value) => record.reshape(value, [1]));
  const [smallest, largest] = numbersNow(op, concat(op, rows, 0)) as [number, number];
  return [smallest, largest];
}
