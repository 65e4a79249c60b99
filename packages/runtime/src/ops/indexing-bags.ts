/** Sums, means and maxima of rows of a table, for bags of indexes. PyTorch: `embedding_bag`. */
import { DTypeError, isInt, ShapeError, showShape } from "@fuseau/ir";
import * as record from "../record.ts";
import { detached } from "../tape/detached.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { full } from "./creation.ts";
import { renorm } from "./distance.ts";
import { alongAxis, checkWhole, flat, slicesAt } from "./indexing.ts";
import { narrowed, withShape } from "./movement.ts";
import { div, eq, maximum, mul, ne, not, or, sub, where } from "./pointwise.ts";
import { extremeAndPosition } from "./reduction.ts";
import { scattered } from "./scatter.ts";

export type BagMode = "sum" | "mean" | "max";

export interface Bags {
  readonly mode: BagMode;
  /** Where each bag begins in a list of indexes; null if the bags are the rows of a matrix of indexes. */
  readonly offsets: Value | null;
  /** True if the last offset is the end of the last bag, and begins none. */
  readonly includeLastOffset: boolean;
  /** A factor for each index. */
  readonly perSampleWeights: Value | null;
  /** A row that is left out of its bags. */
  readonly paddingIdx: number | null;
  /** Divides the gradient of a row by how often it is taken. */
  readonly scaleGradByFreq: boolean;
}

/** Rows taken at `index`, each of whose gradients is divided by how often its index is among them. */
export function byFrequency(taken: Value, index: Value, rows: number): Value {
  const shares = (_: Value, gradient: Value): Value[] => {
    const places = record.cast(flat(index), "int64");
    const { shape } = places.node;
    const counts = scattered(full([rows], 0, "int64"), 0, places, full(shape, 1, "int64"), "sum");
    return [div(gradient, withShape(slicesAt(counts, 0, places), [...index.node.shape, 1]))];
  };
  return withRule("embedding", [taken], () => taken, shares);
}

/** A table whose rows at `index` are scaled down to a norm of at most `maxNorm`. */
export function renormed(weight: Value, index: Value, maxNorm: number, normType: number): Value {
  const places = flat(index);
  const rows = renorm(slicesAt(weight, 0, places), normType, 0, maxNorm);
  return scattered(weight, 0, alongAxis(places, rows.node.shape, 0), rows, "set");
}

/** One row for each bag; zeros for a bag without indexes. {@link checkBags} has been called. */
export function embeddingBag(index: Value, weight: Value, bags: Bags): Value {
  const { shape } = index.node;
  const { mode, offsets, paddingIdx, perSampleWeights } = bags;
  const [rows, width] = weight.node.shape as [number, number];
  const column = (value: Value): Value => withShape(value, [...shape, 1]);
  const padding = paddingIdx === null ? null : eq(index, paddingIdx < 0 ? paddingIdx + rows : paddingIdx);
  const given = withShape(slicesAt(weight, 0, flat(index)), [...shape, width]);
  const taken = bags.scaleGradByFreq ? byFrequency(given, index, rows) : given;
  // What a row of padding holds must not reach the gradient of its factor, were it NaN.
  const kept = padding === null ? taken : where(column(padding), 0, taken);
  const scaled = perSampleWeights === null ? taken : mul(kept, column(perSampleWeights));
  const padded = (by: number): Value => (padding === null ? scaled : where(column(padding), by, scaled));
  const counted = padding === null ? full(shape, 1, "int32") : record.cast(not(padding), "int32");
  const fold = offsets === null ? alongRows : intoBags(offsetBags(offsets, shape[0]!, bags));
  if (mode === "sum") return fold.sum(padded(0));
  const sizes = record.cast(fold.sum(column(counted)), weight.node.dtype);
  if (mode === "mean") return div(fold.sum(padded(0)), maximum(sizes, 1));
  if (shape.includes(0) || width === 0) return fold.sum(padded(0));
  return where(eq(sizes, 0), 0, fold.max(padded(-Infinity)));
}

/** Combines the rows of each bag, which are along the same axis. The gradient of a maximum goes to the first index that has it. */
interface Fold {
  sum(places: Value): Value;
  max(places: Value): Value;
}

/** Bags that are the rows of a matrix of indexes. */
const alongRows: Fold = {
  sum: (places) => record.reduce("sum", places, [1]),
  max: (places) => extremeAndPosition("max", places, 1, false).values,
};

/** Bags that are pieces of a list of indexes. For a bag without indexes a sum is zeros, and a maximum is undefined. */
const intoBags = ([bagOf, bagCount]: readonly [Value, number]): Fold => {
  const into = (start: Value, places: Value, combine: "sum" | "max" | "min" | "set"): Value =>
    scattered(start, 0, alongAxis(bagOf, places.node.shape, 0), places, combine);
  const none = ({ node: { dtype, shape } }: Value, value: number): Value =>
    full([bagCount, shape[1]!], value, dtype);
  return {
    sum: (places) => into(none(places, 0), places, "sum"),
    max: (places) => {
      const { shape } = places.node;
      const known = detached(places);
      const largest = into(into(none(known, 0), known, "set"), known, "max");
      const isIt = or(eq(known, slicesAt(largest, 0, bagOf)), ne(known, known));
      const last = shape[0]! - 1;
      const place = where(isIt, alongAxis(record.iota("int64", shape[0]!), shape, 0), last);
      return record.pick(places, 0, into(none(place, last), place, "min"));
    },
  };
};

export function checkBags(
  index: Value,
  weight: Value,
  { mode, offsets, perSampleWeights, scaleGradByFreq }: Bags,
): void {
  const { shape } = index.node;
  if (weight.node.shape.length !== 2)
    throw new ShapeError(`'weight' must be 2-D (shape ${showShape(weight.node.shape)})`);
  checkWhole(
    index,
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int;",
  );
  if (!["sum", "mean", "max"].includes(mode))
    throw new TypeError(`mode has to be one of sum, mean or max (got ${String(mode)})`);
  if (mode === "max" && scaleGradByFreq)
    throw new TypeError("max mode does not support scaling the gradient by the frequency");
  if (shape.length === 2 && offsets !== null)
    throw new ShapeError(
      `if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences.`,
    );
  if (shape.length === 1 && offsets === null)
    throw new ShapeError(`offsets has to be a 1D Tensor but got None`);
  if (shape.length !== 1 && shape.length !== 2)
    throw new ShapeError(`input has to be 1D or 2D Tensor, but got Tensor of dimension ${shape.length}`);
  if (offsets !== null) {
    if (offsets.node.shape.length !== 1) throw new ShapeError(`offsets has to be a 1D Tensor`);
    if (!isInt(offsets.node.dtype))
      throw new DTypeError(`offsets are int64 or int32 (got ${offsets.node.dtype})`);
  }
  if (perSampleWeights === null) return;
  if (mode !== "sum")
    throw new TypeError(
      `embeddingBag: embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='${mode}').`,
    );
  if (showShape(perSampleWeights.node.shape) !== showShape(shape))
    throw new ShapeError(
      `embeddingBag: embedding_bag: If per_sample_weights (${showShape(perSampleWeights.node.shape)}) is not None, then it must have the same shape as the input (${showShape(shape)})`,
    );
}

/** [the bag of each index, the number of bags]. The bag is the number of offsets up to the index, less one. */
function offsetBags(offsets: Value, count: number, { includeLastOffset }: Bags): [Value, number] {
  const given = offsets.node.shape[0]!;
  const bagCount = includeLastOffset ? Math.max(0, given - 1) : given;
  const begins = includeLastOffset ? narrowed(offsets, 0, 0, bagCount) : offsets;
  const marks = scattered(
    full([count + 1], 0, "int64"),
    0,
    record.cast(begins, "int64"),
    full([bagCount], 1, "int64"),
    "sum",
  );
  const begun = record.scan("sum", narrowed(marks, 0, 0, count), 0);
  return [sub(begun, 1), bagCount];
}
