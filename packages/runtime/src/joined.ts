/**
 * Joins small stored values by copying them. A list that grows by one in each step of a loop (`stack(history)`) would otherwise be another
 * program in each; the copy is one operand, whose size may differ.
 */
import { elementCount } from "@fuseau/ir";
import { takeArray } from "./pool.ts";
import { Storage } from "./storage.ts";
import type { Value } from "./value.ts";

/** The most elements of a value that is copied. Of larger ones a kernel has so much to do that it need not be shared. */
const MOST_COPIED = 4_096;
/** The same where another concat reads what is joined: each round of a loop would be another program, whose making takes longer than the copy. */
const MOST_SETTLED = 2 ** 18;

/**
 * Gives a concat of small stored values its elements, if another concat is to read it: `ids = cat([ids, next])` in a loop would be a chain
 * that is longer in each round.
 */
export function settleJoined(value: Value): void {
  if (value.storage === null && value.step === null)
    settleFrom(value, value.inputs, (input) => storedBeneath(input, MOST_SETTLED));
}

/** True of a value of so few elements that copying them takes less than to compile a program. */
export const isFew = ({ node: { shape } }: Value): boolean => elementCount(shape) <= MOST_SETTLED;

/** True of a concat that {@link joinList} will give its elements once its inputs are computed. */
export const isJoinable = (value: Value): boolean => isFew(value) && leavesOf(value).every(isJoinableLeaf);

const isJoinableLeaf = (input: Value): boolean =>
  input.inputs.length > 0 || input.node.op === "iota" || isStoredBeneath(input);

/** The fewest values of a list. */
const LIST = 6;

/**
 * What a concat joins, where concats of many values are concats of concats, or go on with one another. If that is more than `most` values, as
 * `x = cat([x, x])` in a loop has, the concats are given.
 */
export function leavesOf(list: Value, most = MOST_SETTLED): readonly Value[] {
  if (!list.inputs.some((input) => isWithin(input, list))) return list.inputs;
  const leaves: Value[] = [];
  const left = [...list.inputs];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isWithin(value, list)) left.push(...value.inputs);
    else leaves.push(value);
    if (leaves.length + left.length > most) return list.inputs;
  }
  return leaves.reverse();
}

/** False for a concat of few slices, as a roll is: they have no elements of their own to be copied. */
export const mayBeJoined = ({ node, inputs }: Value): boolean =>
  node.op === "concat" && (inputs.length >= LIST || inputs.every((input) => input.node.op !== "slice"));

/** True of a concat that another one goes on with. */
export const isWithin = (value: Value, list: Value): boolean =>
  value.storage === null &&
  value.node.op === "concat" &&
  list.node.op === "concat" &&
  value.node.attributes.axis === list.node.attributes.axis;

/**
 * Joins a list of stored values. If few of them are not stored, `compute` is called with these before, and returns false if it could not.
 */
export function joinList(value: Value, compute: (missing: readonly Value[]) => boolean): void {
  if (!isFew(value)) return;
  const leaves = leavesOf(value);
  if (leaves.length >= LIST && leaves.every(isJoinableLeaf)) {
    const missing = leaves.filter((leaf) => !isStoredBeneath(leaf)).map(beneathReshapes);
    if (missing.length > 0 && (missing.length * 3 > leaves.length || !compute(missing))) return;
  }
  settleFrom(value, leaves, storedUnder);
}

/** True of a value whose elements can be copied now. */
export function isStoredBeneath(value: Value): boolean {
  const moved = beneathReshapes(value);
  return moved.storage === null ? constantIn(moved) !== null : !moved.storage.isGone;
}

/** `parts` are what the value joins. */
function settleFrom(value: Value, parts: readonly Value[], storageOf: (part: Value) => Storage | null): void {
  const { node } = value;
  if (node.op !== "concat") return;
  const storages = parts.map(storageOf);
  if (storages.every((known) => known !== null)) value.settle(copied(parts, storages, node.attributes.axis));
}

/** The elements of a value that can be copied now, and has no derivative; null for any other, and for one of more elements than `most`. */
export function storedBeneath(value: Value, most = MOST_COPIED): Storage | null {
  if (value.step !== null || elementCount(value.node.shape) > most) return null;
  return storedUnder(value);
}

/** The same of any value, whatever its size, and whether it has a derivative. */
function storedUnder(value: Value): Storage | null {
  const moved = beneathReshapes(value);
  if (moved.storage === null) return filledBy(moved);
  return moved.storage.isGone ? null : moved.storage;
}

function beneathReshapes(value: Value): Value {
  let moved = value;
  while (moved.storage === null && moved.node.op === "reshape") moved = moved.inputs[0] as Value;
  return moved;
}

/** The elements of a value that is one constant everywhere; null for any other. */
function filledBy(value: Value): Storage | null {
  const { dtype, shape } = value.node;
  const constant = constantIn(value);
  if (constant === null) return null;
  return new Storage(dtype, takeArray(dtype, elementCount(shape)).fill(constant as never));
}

function constantIn({ node, inputs }: Value): number | bigint | boolean | null {
  const from = node.op === "expand" ? (inputs[0] as Value).node : node;
  return from.op !== "constant" || node.dtype === "float16" ? null : from.attributes.value;
}

/** Stored elements one after the other along an axis. `values` has the shapes and the dtype, `storages` the elements. */
export function copied(values: readonly Value[], storages: readonly Storage[], axis: number): Storage {
  const { dtype } = (values[0] as Value).node;
  const widths = values.map(({ node }) => elementCount(node.shape.slice(axis)));
  const rows = elementCount((values[0] as Value).node.shape.slice(0, axis));
  const width = widths.reduce((sum, own) => sum + own, 0);
  const array = takeArray(dtype, rows * width);
  let start = 0;
  for (const [k, own] of widths.entries()) {
    const storage = storages[k] as Storage;
    const from = storage.peek() ?? storage.copy();
    for (let row = 0; row < rows; row++)
      array.set(from.subarray(row * own, (row + 1) * own) as never, row * width + start);
    start += own;
  }
  return new Storage(dtype, array);
}
