/** Repeats and combines elements: pairs, choices, blocks, powers. */
import {
  checkInteger,
  checkIntegers,
  elementCount,
  isFloat,
  promoteTypes,
  type Shape,
  ShapeError,
  sameNumbers,
  showShape,
  wrapAxis,
} from "@fuseau/ir";
import * as record from "../record.ts";
import { Value } from "../value.ts";
import { full, meshgrid } from "./creation.ts";
import { numbersNow } from "./host.ts";
import { placesValue } from "./indexing-masks.ts";
import { atLeast, flip, narrowed, stack, withShape } from "./movement.ts";
import { as, torchName } from "./operand.ts";
import { running } from "./scan.ts";

/** Each place repeated, with its copies next to it: by one count, or by one for each place. Without an axis, x is flattened first. */
export function repeatInterleave(
  x: Value,
  repeats: number | readonly number[] | Value,
  dim: number | null,
): Value {
  const op = "repeatInterleave";
  const flat = dim === null ? withShape(x, [elementCount(x.node.shape)]) : x;
  const { shape } = flat.node;
  const axis = wrapAxis(dim ?? 0, shape);
  if (shape.length === 0) return repeatInterleave(withShape(x, [1]), repeats, 0);
  const counts = countsOf(op, repeats, shape[axis]!);
  if (typeof counts === "number") {
    const apart = [...shape.slice(0, axis + 1), 1, ...shape.slice(axis + 1)];
    const repeated = apart.map((size, at) => (at === axis + 1 ? counts : size));
    return record.reshape(
      record.expand(record.reshape(flat, apart), repeated),
      shape.map((size, at) => (at === axis ? size * counts : size)),
    );
  }
  return indexed(flat, axis, repeatedPlaces(counts));
}

/** Each place as often as its count says. */
function repeatedPlaces(counts: readonly number[]): Int32Array {
  const places = new Int32Array(counts.reduce((total, count) => total + count, 0));
  let end = 0;
  for (let place = 0; place < counts.length; place++) {
    const begin = end;
    end += counts[place]!;
    places.fill(place, begin, end);
  }
  return places;
}

function countsOf(
  op: string,
  repeats: number | readonly number[] | Value,
  size: number,
): number | readonly number[] {
  if (repeats instanceof Value) checkRepeats(repeats);
  const counts = repeats instanceof Value ? numbersNow(op, repeats) : repeats;
  if (typeof counts === "number") checkInteger("repeats", counts);
  else checkIntegers("repeats", counts);
  const list = typeof counts === "number" ? [counts] : counts;
  if (list.some((count) => count < 0)) throw new RangeError(`repeats can not be negative`);
  if (list.length === 1) return list[0]!;
  if (list.length === size) return list;
  throw new ShapeError(
    `repeats must have the same size as input along dim (${list.length} repeats, ${size} places)`,
  );
}

function checkRepeats(repeats: Value): void {
  const { shape, dtype } = repeats.node;
  if (shape.length > 1)
    throw new ShapeError(`repeats must be 0-dim or 1-dim tensor (shape ${showShape(shape)})`);
  if (dtype !== "int64" && dtype !== "int32")
    throw new TypeError(`repeats has to be Long or Int tensor (got ${torchName[dtype]})`);
}

/** The places of one axis (wrapped) that are listed. */
function indexed(x: Value, axis: number, places: Int32Array): Value {
  const { shape } = x.node;
  const result = shape.map((size, at) => (at === axis ? places.length : size));
  const index = record.reshape(
    placesValue(places),
    shape.map((_, at) => (at === axis ? places.length : 1)),
  );
  return record.pick(x, axis, sameNumbers(index.node.shape, result) ? index : record.expand(index, result));
}

/** Every combination of one element of each vector, as rows; of a single vector the vector itself. */
export function cartesianProd(values: readonly Value[]): Value {
  for (const { node } of values) checkVector(node.shape);
  if (values.length === 1) return values[0]!;
  const flat = meshgrid(values, "ij").map((grid) => withShape(grid, [elementCount(grid.node.shape)]));
  return stack(flat, 1);
}

/** All ways to choose `r` elements of a vector in order, as rows. */
export function combinations(x: Value, r: number, withReplacement: boolean): Value {
  checkVector(x.node.shape);
  checkInteger("r", r);
  if (r < 0) throw new RangeError(`Expect a non-negative number, but got ${r}`);
  if (r === 0) return narrowed(x, 0, 0, 0);
  const places = choices(x.node.shape[0]!, r, withReplacement ? 0 : 1);
  return withShape(indexed(x, 0, places), [places.length / r, r]);
}

/**
 * All ascending lists of `r` places, at least one, with neighbours at least `apart` from each other, in lexicographic order, one after another.
 */
function choices(size: number, r: number, apart: 0 | 1): Int32Array {
  // How many ways there are to choose r of so many without replacement.
  const among = apart === 1 ? size : size + r - 1;
  let count = 1;
  for (let k = 1; k <= r; k++) count = (count * Math.max(0, among - r + k)) / k;
  const places = new Int32Array(count * r);
  const list = Int32Array.from({ length: r }, (_, k) => k * apart);
  for (let at = 0; at < places.length; at += r) {
    places.set(list, at);
    // The last place that can move on; those after it follow as closely as they may.
    let k = r - 1;
    while (k > 0 && list[k]! >= size - 1 - (r - 1 - k) * apart) k--;
    list[k]!++;
    for (k++; k < r; k++) list[k] = list[k - 1]! + apart;
  }
  return places;
}

function checkVector(shape: Shape): void {
  if (shape.length === 1) return;
  throw new ShapeError(`Expect a 1D vector, but got shape ${showShape(shape)}`);
}

/** Matrices along the diagonal, zeros elsewhere; a vector is a row, and dtypes are promoted. */
export function blockDiag(values: readonly Value[]): Value {
  // PyTorch's result for no tensors.
  if (values.length === 0) return full([1, 0], 0, "float32");
  values.forEach(({ node: { shape } }, i) => {
    if (shape.length <= 2) return;
    throw new ShapeError(
      `blockDiag: torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ${i} has ${shape.length} dimensions`,
    );
  });
  const dtype = values.map((value) => value.node.dtype).reduce((a, b) => promoteTypes(a, b));
  const blocks = values.map((value) => record.cast(atLeast(2, value), dtype));
  const width = blocks.reduce((total, block) => total + block.node.shape[1]!, 0);
  let left = 0;
  const rows = blocks.map((block) => {
    const columns = block.node.shape[1]!;
    const before = left;
    left += columns;
    return record.pad(block, [0, before], [0, width - columns - before], as(dtype, 0));
  });
  return rows.length === 1 ? rows[0]! : record.concat(rows, 0);
}

/** Powers of every element of a vector, as a row: from n − 1 down to 0, or the other way round. */
export function vander(x: Value, n: number | null, increasing: boolean): Value {
  const { shape } = x.node;
  if (shape.length !== 1)
    throw new ShapeError(`x must be a one-dimensional tensor. (shape ${showShape(shape)})`);
  const count = n ?? shape[0]!;
  checkInteger("N", count);
  if (count < 0) throw new RangeError("N must be non-negative.");
  return increasing ? powers(x, count) : flip(powers(x, count), [1]);
}

/** The powers 0 to count − 1 of every element, along a new last axis. They are products, so that integers stay exact. */
export function powers(x: Value, count: number): Value {
  const { shape } = x.node;
  const dtype = isFloat(x.node.dtype) ? x.node.dtype : "int64";
  const one = record.expand(as(dtype, 1), [...shape, Math.min(1, count)]);
  if (count < 2) return one;
  const factors = record.expand(record.reshape(record.cast(x, dtype), [...shape, 1]), [...shape, count - 1]);
  return record.concat([one, running("cumprod", factors, -1, null)], shape.length);
}
