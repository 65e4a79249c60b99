/** Scatters: elements written where an index says, one after another in row-major order of the index, so that the last wins. */
import {
  type Combiner,
  DTypeError,
  elementCount,
  isFloat,
  isInt,
  type Scalar,
  scatterAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { divideWhole } from "./arithmetic.ts";
import { checkLong, withAxis } from "./indexing.ts";
import { expand, withShape } from "./movement.ts";
import { as, checkHolds, checkTerm, isFloatScalar, type Term } from "./operand.ts";
import { div, eq, where } from "./pointwise.ts";

/** How `scatterReduce` folds. */
export type Reduction = "sum" | "prod" | "mean" | "amax" | "amin";

/** `value` as an element of x's dtype. @throws RangeError when an integer dtype does not hold it. */
export function elementLike(x: Value, value: Scalar): Value {
  checkTerm(value);
  const { dtype } = x.node;
  if (isInt(dtype)) checkHolds(dtype, isFloatScalar(value) ? value.float : value, "");
  return as(dtype, value);
}

/** Bools have no sum: one of them is true when any is, and their product when all are. */
function combinerOf(x: Value, combine: Combiner): Combiner {
  if (x.node.dtype !== "bool") return combine;
  return combine === "sum" ? "max" : combine === "prod" ? "min" : combine;
}

/** The scatter itself, of operands that are known to fit; ranks of 0 count as 1. */
export function scattered(x: Value, axis: number, index: Value, source: Value, combine: Combiner): Value {
  if (elementCount(index.node.shape) === 0) return x;
  // Nothing runs for an empty target, so that no kernel would find this out.
  if (withAxis(x).node.shape[axis] === 0) {
    throw new RangeError(
      `index is out of bounds for dimension ${axis} with size 0 (there are no places; ${elementCount(index.node.shape)} were given)`,
    );
  }
  return withShape(
    record.scatter(withAxis(x), axis, withAxis(index), withAxis(source), combinerOf(x, combine)),
    x.node.shape,
  );
}

/** The wrapped axis and the source as a value; a scalar is repeated. Checked in PyTorch's order. */
function checked(x: Value, dim: number, index: Value, source: Term): [number, Value] {
  const { shape } = index.node;
  if (elementCount(shape) > 0) checkLong(index, "scatter(): Expected dtype int64 for index");
  if (!(source instanceof Value)) {
    const axis = scatterAxis(x.node.shape, dim, shape, null);
    return [axis, expand(elementLike(x, source), shape)];
  }
  if (source.node.dtype !== x.node.dtype) {
    throw new DTypeError(
      `scatter(): Expected self.dtype to be equal to src.dtype (self ${x.node.dtype}, src ${source.node.dtype}; cast one of them)`,
    );
  }
  return [scatterAxis(x.node.shape, dim, shape, source.node.shape), source];
}

/** @throws TypeError for a reduction of another name. */
export function scatter(
  x: Value,
  dim: number,
  index: Value,
  source: Term,
  reduce: "add" | "multiply" | null,
): Value {
  const [axis, values] = checked(x, dim, index, source);
  return scattered(x, axis, index, values, scatterCombiner(reduce));
}

function scatterCombiner(reduce: "add" | "multiply" | null): Combiner {
  switch (reduce) {
    case null:
      return "set";
    case "add":
      return "sum";
    case "multiply":
      return "prod";
    default:
      throw new TypeError(
        `reduce argument must be either add or multiply. (got ${String(reduce)}; scatterReduce has more)`,
      );
  }
}

export function scatterAdd(x: Value, dim: number, index: Value, source: Value): Value {
  const [axis] = checked(x, dim, index, source);
  return scattered(x, axis, index, source, "sum");
}

/** @throws TypeError for a reduction of another name. */
export function scatterReduce(
  x: Value,
  dim: number,
  index: Value,
  source: Value,
  reduce: Reduction,
  includeSelf: boolean,
): Value {
  const [axis] = checked(x, dim, index, source);
  if (!["sum", "prod", "mean", "amax", "amin"].includes(reduce)) {
    throw new TypeError(
      `reduce argument must be either sum, prod, mean, amax or amin. (got ${String(reduce)})`,
    );
  }
  return reduced(x, axis, index, source, reduce, includeSelf);
}

/** Cells that nothing is scattered to keep what they have, whether the others start from it or not. */
export function reduced(
  x: Value,
  axis: number,
  index: Value,
  source: Value,
  reduce: Reduction,
  includeSelf: boolean,
): Value {
  if (elementCount(index.node.shape) === 0) return x;
  const startingFrom = (identity: number): Value =>
    includeSelf ? x : scattered(x, axis, index, repeated(identity, x, index), "set");
  switch (reduce) {
    case "sum":
      return scattered(startingFrom(0), axis, index, source, "sum");
    case "prod":
      return scattered(startingFrom(1), axis, index, source, "prod");
    case "mean":
      return mean(scattered(startingFrom(0), axis, index, source, "sum"), axis, index, includeSelf);
    case "amax":
    case "amin": {
      // The extreme of a set of integers is that of the set and one of its own members: they have no infinity.
      const start = isFloat(x.node.dtype)
        ? startingFrom(reduce === "amax" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
        : includeSelf
          ? x
          : scattered(x, axis, index, source, "set");
      return scattered(start, axis, index, source, reduce === "amax" ? "max" : "min");
    }
    default:
      return reduce satisfies never;
  }
}

/** A number in x's dtype at every place of `like`. */
const repeated = (value: number, x: Value, like: Value): Value =>
  expand(as(x.node.dtype, value), like.node.shape);

/** Sums by how many they are of; integers rounded down, as PyTorch does. */
function mean(sums: Value, axis: number, index: Value, includeSelf: boolean): Value {
  const { dtype } = sums.node;
  const start = repeated(includeSelf ? 1 : 0, sums, sums);
  const counts = scattered(start, axis, index, repeated(1, sums, index), "sum");
  const divisor = where(eq(counts, 0), as(dtype, 1), counts);
  return isInt(dtype) ? divideWhole("floorDivide", sums, divisor) : div(sums, divisor);
}
