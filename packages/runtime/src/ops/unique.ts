/** Distinct elements and slices, and runs of equal ones. Their number depends on the elements, so they are computed at the call. */
import {
  type DType,
  elementCount,
  type Shape,
  ShapeError,
  showShape,
  type TypedArray,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { elementsNow } from "./host.ts";
import { uniqueElements, uniqueRuns } from "./unique-elements.ts";

/** The distinct elements (or slices), which of them is at each place, how often each occurs, and the first position of each. */
export interface Distinct {
  readonly values: Value;
  readonly inverse: () => Value;
  readonly counts: Value;
  readonly indices: () => Value;
}

/** The distinct rows of a matrix, one after another; which of them each row is; and how often each occurs. */
interface Rows {
  readonly rows: TypedArray;
  readonly inverse: () => BigInt64Array;
  readonly counts: readonly number[];
}

type Find = (elements: TypedArray, count: number, width: number) => Rows;

/** For so few elements, to search on the host is quicker than to run programs. */
const FEW = 4096;

const areMany = (x: Value, dim: number | null): boolean => dim === null && elementCount(x.node.shape) > FEW;

/**
 * The distinct elements in ascending order (NaNs last, each distinct), or in the order of their first positions. Slices along `dim` are in
 * lexicographic order whether or not they are to be sorted, as in PyTorch.
 */
export function unique(x: Value, dim: number | null, sorted: boolean): Distinct {
  if (areMany(x, dim)) return uniqueElements("unique", x, sorted);
  return distinct("unique", x, dim, (elements, count, width) => {
    const found =
      width === 1 ? distinctNumbers(elements) : runs(elements, width, sortedOrder(elements, count, width));
    return sorted || dim !== null ? found : inOrderOfAppearance(found);
  });
}

/** The first of every run of equal elements, or of equal slices along `dim`, in their order. */
export const uniqueConsecutive = (x: Value, dim: number | null): Distinct =>
  areMany(x, dim)
    ? uniqueRuns("uniqueConsecutive", x)
    : distinct("uniqueConsecutive", x, dim, (elements, count, width) => runs(elements, width, upTo(count)));

function distinct(op: string, x: Value, dim: number | null, find: Find): Distinct {
  const { dtype, shape } = x.node;
  const axis = dim === null ? null : wrapAxis(dim, shape);
  const slices = axis !== null && shape.length > 0;
  if (slices) checkSlices(shape, axis);
  const count = slices ? shape[axis]! : elementCount(shape);
  const slice = slices ? others(shape, axis).map((other) => shape[other]!) : [];
  const whole = elementsNow(op, x);
  const elements = slices ? elementsNow(op, record.permute(x, [axis, ...others(shape, axis)])) : whole;
  const { rows, inverse, counts } = find(elements, count, elementCount(slice));
  const read: DType = dtype === "float16" ? "float32" : dtype;
  const values = record.cast(stored(read, [counts.length, ...slice], rows), dtype);
  const back = shape.map((_, at) => (axis !== null && at < axis ? at + 1 : at === axis ? 0 : at));
  return {
    values: slices ? record.permute(values, back) : values,
    inverse: () => stored("int64", axis === null ? shape : [count], inverse()),
    counts: stored("int64", [counts.length], BigInt64Array.from(counts, BigInt)),
    indices: () => stored("int64", [counts.length], firstPlaces(inverse(), counts.length)),
  };
}

/** The first position of each distinct row. */
function firstPlaces(inverse: BigInt64Array, count: number): BigInt64Array {
  const places = new BigInt64Array(count);
  for (let k = inverse.length - 1; k >= 0; k--) places[Number(inverse[k]!)] = BigInt(k);
  return places;
}

function inOrderOfAppearance({ rows, inverse, counts }: Rows): Rows {
  const placed = inverse();
  const first = firstPlaces(placed, counts.length);
  const order = upTo(counts.length).sort((a, b) => (first[a]! < first[b]! ? -1 : 1));
  const turned = new BigInt64Array(counts.length);
  const moved = rows.slice();
  for (const [to, from] of order.entries()) {
    turned[from] = BigInt(to);
    moved[to] = rows[from]!;
  }
  return {
    rows: moved,
    inverse: () => placed.map((place) => turned[Number(place)]!),
    counts: Array.from(order, (from) => counts[from]!),
  };
}

const stored = (dtype: DType, shape: Shape, array: TypedArray): Value =>
  record.stored(dtype, shape, new Storage(dtype, array));

const others = (shape: Shape, axis: number): number[] =>
  shape.map((_, other) => other).filter((other) => other !== axis);

function checkSlices(shape: Shape, axis: number): void {
  if (!others(shape, axis).some((other) => shape[other] === 0)) return;
  throw new ShapeError(
    `There are 0 sized dimensions, and they aren't selected, so unique cannot be applied (shape ${showShape(shape)}, dim ${axis})`,
  );
}

const upTo = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, place) => place);

/** Runs of equal rows of `width` elements, in the order given. */
function runs(elements: TypedArray, width: number, order: Uint32Array): Rows {
  const inverse = new BigInt64Array(order.length);
  const starts: number[] = [];
  const counts: number[] = [];
  for (let k = 0; k < order.length; k++) {
    const row = order[k]!;
    if (k === 0 || !equalRows(elements, width, order[k - 1]!, row)) {
      starts.push(row);
      counts.push(0);
    }
    counts[counts.length - 1]!++;
    inverse[row] = BigInt(starts.length - 1);
  }
  const rows = elements.slice(0, starts.length * width);
  for (const [k, row] of starts.entries()) {
    rows.set(elements.subarray(row * width, (row + 1) * width) as never, k * width);
  }
  return { rows, inverse: () => inverse, counts };
}

function equalRows(elements: TypedArray, width: number, a: number, b: number): boolean {
  for (let i = 0; i < width; i++) if (elements[a * width + i] !== elements[b * width + i]) return false;
  return true;
}

/** The same as runs of the sorted rows of one element each. An array sorts its elements many times as quickly as it sorts places. */
function distinctNumbers(elements: TypedArray): Rows {
  const sorted = elements.slice().sort();
  const counts: number[] = [];
  let found = 0;
  for (let k = 0; k < sorted.length; k++) {
    if (k > 0 && sorted[k] === sorted[k - 1]) counts[found - 1]!++;
    else {
      sorted[found++] = sorted[k]!;
      counts.push(1);
    }
  }
  const rows = sorted.slice(0, found);
  // -0 and 0 are one, and the first of them stands for both.
  const zero = rows.indexOf(0 as never);
  if (zero >= 0) rows[zero] = elements[elements.indexOf(0 as never)]!;
  return { rows, inverse: () => placesOf(elements, rows), counts };
}

/** Which of the ascending rows each element is. Every NaN has a row of its own, behind all others. */
function placesOf(elements: TypedArray, rows: TypedArray): BigInt64Array {
  let numbers = rows.length;
  while (numbers > 0 && Number.isNaN(rows[numbers - 1])) numbers--;
  let nans = numbers;
  const places = new BigInt64Array(elements.length);
  for (let k = 0; k < elements.length; k++) {
    const element = elements[k]!;
    let [low, high] = [0, numbers];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle]! < element) low = middle + 1;
      else high = middle;
    }
    places[k] = BigInt(Number.isNaN(element) ? nans++ : low);
  }
  return places;
}

/** The rows in lexicographic order, NaN after everything; equal rows keep their order. */
function sortedOrder(elements: TypedArray, count: number, width: number): Uint32Array {
  return upTo(count).sort((a, b) => {
    for (let i = 0; i < width; i++) {
      const [x, y] = [elements[a * width + i]!, elements[b * width + i]!];
      if (x < y) return -1;
      if (x > y) return 1;
      if (x !== y && Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    }
    return a - b;
  });
}
