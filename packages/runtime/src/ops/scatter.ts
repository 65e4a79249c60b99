/** Scatters: elements written where an index says, one after another in row-major order of the index, so that the last stays. */
import { type Combiner, elementCount, isFloat, isInt, type Scalar, ShapeError } from "@fuseau/ir";
import * as record from "../record.ts";
import { withoutSlope } from "../tape/rule.ts";
import { Value } from "../value.ts";
import { divideWhole } from "./arithmetic.ts";
import { withAxis } from "./indexing.ts";
import { expand, withShape } from "./movement.ts";
import { as, checkTerm, exactly, type Term } from "./operand.ts";
import { div, eq, where } from "./pointwise.ts";

/** How `scatterReduce` combines values. */
export type Reduction = "sum" | "prod" | "mean" | "amax" | "amin";

/**
 * `value` as an element of x's dtype.
 * @throws RangeError when an integer dtype does not hold it.
 */
export function elementLike(x: Value, value: Scalar): Value {
  checkTerm(value);
  return exactly(x.node.dtype, value);
}

/** Bools have no sum: it is true if any is, and the product is true if all are. */
function combinerOf(x: Value, combine: Combiner): Combiner {
  if (x.node.dtype !== "bool") return combine;
  return combine === "sum" ? "max" : combine === "prod" ? "min" : combine;
}

/** Nothing is put anywhere, so what would have been has a gradient of zeros. */
const untouched = (x: Value, source: Value): Value =>
  source.step === null ? x : withoutSlope("scatter", [source], x);

/** The scatter itself, of operands that are known to fit; ranks of 0 count as 1. */
export function scattered(x: Value, axis: number, index: Value, source: Value, combine: Combiner): Value {
  if (elementCount(index.node.shape) === 0) return untouched(x, source);
  // For an empty target nothing runs, so no kernel would find an index out of range.
  if (withAxis(x).node.shape[axis] === 0)
    throw new RangeError(
      `index is out of bounds for dimension ${axis} with size 0 (there are no places; ${elementCount(index.node.shape)} were given)`,
    );
  return withShape(
    record.scatter(withAxis(x), axis, withAxis(index), withAxis(source), combinerOf(x, combine)),
    x.node.shape,
  );
}

/** A scatter that folds. Places that nothing goes to keep their elements, whether or not the fold includes those at the others. */
export function reduced(
  x: Value,
  axis: number,
  index: Value,
  source: Value,
  reduce: Reduction,
  includeSelf: boolean,
): Value {
  if (elementCount(index.node.shape) === 0) return untouched(x, source);
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
      // The extreme of a set of integers starts from one of its own members, since integers have no infinity.
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

/** Divides sums by their counts; integers are rounded down, as in PyTorch. */
function mean(sums: Value, axis: number, index: Value, includeSelf: boolean): Value {
  const { dtype } = sums.node;
  const start = repeated(includeSelf ? 1 : 0, sums, sums);
  const counts = scattered(start, axis, index, repeated(1, sums, index), "sum");
  const divisor = where(eq(counts, 0), as(dtype, 1), counts);
  return isInt(dtype) ? divideWhole("floorDivide", sums, divisor) : div(sums, divisor);
}

/** A scalar, or a 0-d tensor, as an element of x's dtype. */
export function fillElement(torchOp: string, x: Value, value: Term): Value {
  if (!(value instanceof Value)) return elementLike(x, value);
  if (value.node.shape.length === 0) return record.cast(value, x.node.dtype);
  throw new ShapeError(
    `${torchOp} only supports a 0-dimensional value tensor, but got tensor with ${value.node.shape.length} dimension(s).`,
  );
}
