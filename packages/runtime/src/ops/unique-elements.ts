/**
 * Distinct elements of a flat value. Only their number is read at the call. Everything else is recorded, and computed when it is needed.
 * Integers in a narrow range are counted. Others are sorted, and an element is distinct if it differs from the one before.
 */
import { elementCount, isFloat } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { full } from "./creation.ts";
import { flat } from "./indexing.ts";
import { counted, extentNow } from "./indexing-counts.ts";
import { placesValue, truePlaces } from "./indexing-masks.ts";
import { concat, narrowed, withShape } from "./movement.ts";
import { add, ne, sub } from "./pointwise.ts";
import type { Distinct } from "./unique.ts";

/** A table of counts may have so many entries for each element. */
const PLACES = 4;
/** The elements in order: which of them begin a run of equal ones, and the positions of those (int32). */
interface Runs {
  readonly sequence: Value;
  readonly begins: Value;
  readonly starts: Value;
}

/** In ascending order, NaNs last and each distinct; or in the order of their first positions. */
export function uniqueElements(op: string, x: Value, sorted: boolean): Distinct {
  const elements = flat(x);
  const found = countedElements(op, elements) ?? sortedElements(op, elements);
  const { inverse } = found;
  const shaped = { ...found, inverse: () => withShape(inverse(), x.node.shape) };
  return sorted ? shaped : inOrderOfAppearance(shaped);
}

/** The first of every run of equal elements. */
export function uniqueRuns(op: string, x: Value): Distinct {
  const runs = runsOf(op, flat(x));
  return {
    ...ofRuns(runs),
    inverse: () => withShape(runNumbers(runs), x.node.shape),
    indices: () => long(runs.starts),
  };
}

const long = (x: Value): Value => record.cast(x, "int64");

/** Null unless elements are integers in a narrow range. */
function countedElements(op: string, x: Value): Distinct | null {
  if (isFloat(x.node.dtype)) return null;
  const count = elementCount(x.node.shape);
  const integers = x.node.dtype === "int64" ? x : record.cast(x, "int32");
  const [least, most] = extentNow(op, integers);
  const range = most - least + 1;
  if (!(Number.isSafeInteger(least) && Number.isSafeInteger(most) && range <= PLACES * count)) return null;
  const lowest = integers.node.dtype === "int64" ? BigInt(least) : least;
  const index = record.cast(sub(integers, record.constant(integers.node.dtype, lowest)), "int32");
  const counts = counted(range, index, null);
  const kept = truePlaces(op, counts);
  const places = placesValue(kept);
  const inverse = (): Value => {
    const rank = sub(record.scan("sum", long(ne(counts, 0)), 0), 1);
    return record.pick(rank, 0, index);
  };
  return {
    values: record.cast(
      add(record.cast(places, integers.node.dtype), lowestOf(integers, lowest)),
      x.node.dtype,
    ),
    inverse,
    counts: long(record.pick(counts, 0, places)),
    indices: () => firstPlaces(inverse(), kept.length),
  };
}

const lowestOf = (x: Value, lowest: number | bigint): Value => record.constant(x.node.dtype, lowest);

/** The first position of each distinct element. */
function firstPlaces(inverse: Value, count: number): Value {
  const length = elementCount(inverse.node.shape);
  const none = full([count], length, "int64");
  return record.scatter(none, 0, flat(inverse), record.iota("int64", length), "min");
}

function sortedElements(op: string, x: Value): Distinct {
  const order = record.argsort(x, 0, false);
  const runs = runsOf(op, record.pick(x, 0, order));
  return {
    ...ofRuns(runs),
    inverse: () => record.scatter(full(x.node.shape, 0, "int64"), 0, order, runNumbers(runs), "set"),
    // The sort is stable, so equal elements are in their own order.
    indices: () => record.pick(order, 0, runs.starts),
  };
}

function runsOf(op: string, sequence: Value): Runs {
  const length = sequence.node.shape[0]!;
  const differs = ne(narrowed(sequence, 0, 1, length - 1), narrowed(sequence, 0, 0, length - 1));
  const begins = concat(op, [record.expand(record.constant("bool", 1), [1]), differs], 0);
  return { sequence, begins, starts: placesValue(truePlaces(op, begins)) };
}

const runNumbers = ({ begins }: Runs): Value => sub(record.scan("sum", long(begins), 0), 1);

function ofRuns({ sequence, starts }: Runs): Pick<Distinct, "values" | "counts"> {
  const count = starts.node.shape[0]!;
  const end = record.expand(record.constant("int32", sequence.node.shape[0]!), [1]);
  const ends = concat("unique", [narrowed(starts, 0, 1, count - 1), end], 0);
  return { values: record.pick(sequence, 0, starts), counts: long(sub(ends, starts)) };
}

function inOrderOfAppearance({ values, inverse, counts, indices }: Distinct): Distinct {
  const first = indices();
  const order = record.argsort(first, 0, false);
  const turned = (x: Value): Value => record.pick(x, 0, order);
  return {
    values: turned(values),
    inverse: () => {
      const rank = record.argsort(order, 0, false);
      const placed = inverse();
      return withShape(record.pick(rank, 0, flat(placed)), placed.node.shape);
    },
    counts: turned(counts),
    indices: () => turned(first),
  };
}
