/** Folds of pieces of an axis. Source: torch.segment_reduce. */
import { DTypeError, isFloat, isInt, type Nested, ShapeError } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { full } from "../ops/creation.ts";
import { fromNested } from "../ops/elements.ts";
import { numbersNow } from "../ops/host.ts";
import { alongAxis } from "../ops/indexing.ts";
import { narrowed, withShape } from "../ops/movement.ts";
import { torchName } from "../ops/operand.ts";
import { div, eq, sub, where } from "../ops/pointwise.ts";
import { reduced } from "../ops/scatter.ts";
import { searchsorted } from "../ops/search.ts";
import * as record from "../record.ts";
import { type ShapeKey, Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

export interface SegmentReduceOptions {
  /** How many rows each segment has. */
  readonly lengths?: AnyTensor | readonly number[] | null;
  /** In the place of lengths: where each segment begins, and at last where the last one ends. */
  readonly offsets?: AnyTensor | null;
  /** What each fold starts from. By default a segment without rows gives 0, 1, NaN, -Infinity or Infinity. */
  readonly initial?: number | null;
}

const folds = {
  sum: ["sum", 0],
  mean: ["sum", 0],
  prod: ["prod", 1],
  max: ["amax", Number.NEGATIVE_INFINITY],
  min: ["amin", Number.POSITIVE_INFINITY],
} as const;

/** The sizes of segments, checked: they are computed now. */
function lengthsOf(rows: number, { lengths, offsets }: SegmentReduceOptions): Value {
  const given = lengths ?? offsets ?? null;
  if (given === null) throw new TypeError("Either lengths or offsets must be defined.");
  const value =
    given instanceof Tensor
      ? unwrap(given)
      : fromNested("segmentReduce", given as Nested, undefined, "int64");
  const { dtype, shape } = value.node;
  if (!isInt(dtype)) throw new DTypeError(`lengths and offsets are integers (got ${dtype})`);
  if (shape.length !== 1)
    throw new ShapeError(`lengths and offsets have one axis, for the first of data (got ${shape.length})`);
  const whole = record.cast(value, "int64");
  const count = shape[0]! - 1;
  const sizes = lengths == null ? sub(narrowed(whole, 0, 1, count), narrowed(whole, 0, 0, count)) : whole;
  const known = numbersNow("segmentReduce", sizes);
  if (known.some((size) => size < 0)) throw new RangeError("lengths contains negative value!");
  const first = lengths == null ? numbersNow("segmentReduce", narrowed(whole, 0, 0, 1))[0]! : 0;
  const total = known.reduce((sum, size) => sum + size, first);
  if (first !== 0 || total !== rows)
    throw new RangeError(
      `Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe. (they cover ${first} to ${total} of ${rows} rows)`,
    );
  return sizes;
}

/**
 * Folds consecutive rows of floats, so many for each segment, by "sum", "mean", "prod", "max" or "min". Lengths are computed at the call,
 * since they are checked; which they are makes no other program.
 * @throws DTypeError for integers, RangeError unless the segments are all rows.
 */
export const segmentReduce = declareFunction(
  "segmentReduce(data, reduce, { lengths, offsets, initial })",
  <T extends AnyTensor>(
    data: T,
    reduce: keyof typeof folds,
    options: SegmentReduceOptions = {},
  ): Tensor<
    T[ShapeKey] extends [number, ...infer Rest extends number[]] ? [number, ...Rest] : number[],
    T["dtype"]
  > => {
    const x = unwrap(data);
    const { dtype, shape } = x.node;
    if (!Object.hasOwn(folds, reduce))
      throw new TypeError(`unsupported reduction given! ${String(reduce)} (sum, mean, prod, max or min)`);
    if (!isFloat(dtype))
      throw new DTypeError(`"_segment_reduce_cpu" not implemented for '${torchName[dtype]}'`);
    if (shape.length === 0) throw new ShapeError("data has at least one axis");
    const [fold, identity] = folds[reduce];
    const [rows, ...rest] = shape as [number, ...number[]];
    const sizes = lengthsOf(rows, options);
    const initial = options.initial ?? null;
    const ends = record.scan("sum", sizes, 0);
    const segments = searchsorted(ends, record.iota("int64", rows), {
      right: true,
      sorter: null,
      dtype: "int64",
    });
    const start = full([sizes.node.shape[0]!, ...rest], initial ?? identity, dtype);
    const found = reduced(start, 0, alongAxis(segments, shape, 0), x, fold, true);
    if (reduce !== "mean") return wrap(found);
    const counts = withShape(sizes, [sizes.node.shape[0]!, ...rest.map(() => 1)]);
    const none = eq(counts, 0);
    return wrap(where(none, initial ?? Number.NaN, div(found, where(none, 1, record.cast(counts, dtype)))));
  },
);
