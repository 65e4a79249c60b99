/**
 * Many tensors whose sizes or structures change independently, and are joined to one or written into one, as sequences are that are padded to a
 * batch. As one program they would be another for each combination of sizes, and for each set of sizes that are equal. So what is joined is
 * computed one by one, as instances of programs of few sizes, and copied; and writes are computed one after another. What reads the whole has
 * its size alone.
 */
import { hashOperation, hashStructure, mix, sameNumbers } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import { isFew, isJoinable, isStoredBeneath, isWithin, leavesOf } from "../../joined.ts";
import type { Value } from "../../value.ts";
import type { Extraction } from "../extract/extract.ts";
import { lineAmong } from "../sizes/lines.ts";
import { planeAmong } from "../sizes/planes.ts";
import { Recurring } from "../sizes/recurring.ts";
import { areCombined } from "./combined.ts";

/** Fewer tensors have no more sizes than a program may have that are free. */
const FEWEST = 4;
/** The most tensors in concats that go on with one another. */
const MOST = 4_096;
/** So many lists of sizes must have been seen before it is clear that they are on no line and no plane. */
const LEAST_SEEN = 12;

export interface Ragged {
  /** To be computed before, in this order: what several of the joined values read, then each of these; or one write after another. */
  readonly parts: readonly (readonly Value[])[];
  readonly joins: readonly Value[];
}

/** What is known of joins, or of writes, that are alike. */
interface Seen {
  /** How many sizes each list has. */
  readonly length: number;
  /** Different sizes of those for which no program was found, the latest first. */
  readonly lists: (readonly number[])[];
  readonly recurring: Recurring;
  isRagged: boolean;
}

const seen = new LruCache<number, Seen>();
seen.setLimits(1_024, 2 ** 22);
const [BYTES, BYTES_PER_SIZE] = [8_192, 8 * LEAST_SEEN];

export const clearRagged = (): void => seen.clear();

/** The first such tensors of a recording for which there is no program; null if there are none. */
export const raggedIn = ({ order, wanted }: Extraction): Ragged | null =>
  raggedJoinIn(order) ?? raggedWritesIn(order) ?? combinedResultsIn(wanted);

function raggedJoinIn(order: readonly Value[]): Ragged | null {
  // `cat([all, next])` in a loop joins what all of them do.
  const goneOn = new Set(order.flatMap((list) => list.inputs.filter((input) => isWithin(input, list))));
  const lists = order.filter((value) => isConcat(value) && !goneOn.has(value) && isLong(value));
  const join = lists.find(isJoinable) ?? lists[0];
  if (join === undefined) return null;
  const { node } = join;
  const joined = leavesOf(join, MOST);
  const sizes: number[] = [];
  const readers = readersOf(joined, (given) => sizes.push(...given.node.shape));
  const parts = oneByOne(joined, readers);
  if (isJoinable(join) && areRagged(joined, sizes)) return { parts, joins: [join] };
  // A join of what is stored already has no parts, and is a part itself if it can be copied.
  if ((parts.length === 0 && !isJoinable(join)) || !areApart(readers)) return null;
  return areCombined(hashOperation(node), joined) ? { parts, joins: [join] } : null;
}

/** Results that are asked for together, as many tensors are that were written before something reads them. */
function combinedResultsIn(wanted: readonly Value[]): Ragged | null {
  if (wanted.length < FEWEST) return null;
  const readers = readersOf(wanted);
  if (!areApart(readers) || !areCombined(0, wanted)) return null;
  return { parts: oneByOne(wanted, readers), joins: [] };
}

/** Uncomputed values, and which of some values reads each of them, or null if several do. */
type Readers = ReadonlyMap<Value, Value | null>;

/** Each of the values by itself, after what several of them read. */
function oneByOne(values: readonly Value[], readers: Readers): readonly (readonly Value[])[] {
  const shared = new Set<Value>();
  for (const [value, reader] of readers)
    if (reader !== null) for (const input of value.inputs) if (readers.get(input) === null) shared.add(input);
  const own = values.filter((value) => !isStoredBeneath(value)).map((value) => [value]);
  return shared.size > 0 ? [[...shared], ...own] : own;
}

/** True if most of what is computed is for one of the values alone. What they share would be another program for each combination, too. */
function areApart(readers: Readers): boolean {
  let shared = 0;
  for (const reader of readers.values()) if (reader === null) shared++;
  return 2 * shared <= readers.size;
}

const isConcat = ({ node, storage }: Value): boolean => storage === null && node.op === "concat";

const isLong = (list: Value): boolean => leavesOf(list, MOST).length >= FEWEST;

/** The longest chain of writes into what was written before. */
function raggedWritesIn(order: readonly Value[]): Ragged | null {
  const lengths = new Map<Value, number>();
  let last: Value | undefined;
  const sizes: number[] = [];
  for (const value of order) {
    const { node, inputs, storage } = value;
    if (storage !== null || node.op !== "update" || !isFew(value)) continue;
    sizes.push(...node.attributes.view.shape);
    const length = 1 + (lengths.get(inputs[0] as Value) ?? 0);
    lengths.set(value, length);
    if (last === undefined || length > (lengths.get(last) as number)) last = value;
  }
  const writes: Value[] = [];
  for (let value = last; value !== undefined && lengths.has(value); value = value.inputs[0])
    writes.unshift(value);
  if (writes.length < FEWEST) return null;
  const written = writes.map(({ inputs }) => inputs[1] as Value);
  if (!areRagged(writes, sizes) && !areCombined(hashOperation((writes[0] as Value).node, false), written))
    return null;
  return { parts: writes.slice(0, -1).map((write) => [write]), joins: [] };
}

/** True if the sizes of such values have been seen to lie on no line and no plane. */
function areRagged(values: readonly Value[], sizes: readonly number[]): boolean {
  const key = values.reduce(
    (hash, { node }) => mix(mix(hash, hashStructure(node)), node.shape.length),
    mix(values.length, sizes.length),
  );
  let known = seen.find(key, ({ length }) => length === sizes.length);
  if (known === undefined) {
    known = { length: sizes.length, lists: [], recurring: new Recurring(), isRagged: false };
    seen.add(key, known, BYTES + BYTES_PER_SIZE * sizes.length);
  }
  const { lists, recurring } = known;
  if (recurring.comesAgain(sizes)) return false;
  if (lists.some((list) => sameNumbers(list, sizes))) return known.isRagged;
  if (!known.isRagged && lists.length >= LEAST_SEEN)
    known.isRagged = lineAmong(sizes, lists, []) === null && planeAmong(sizes, lists, [], []) === null;
  lists.unshift(sizes);
  if (lists.length > LEAST_SEEN) lists.pop();
  return known.isRagged;
}

/** What is uncomputed beneath the values. `meet` is called with what is stored beneath them. */
function readersOf(joined: readonly Value[], meet: (value: Value) => void = () => {}): Readers {
  const readers = new Map<Value, Value | null>();
  for (const input of joined) {
    const left = [input];
    for (let value = left.pop(); value !== undefined; value = left.pop()) {
      if (value.storage !== null) meet(value);
      if (value.storage !== null || value.inputs.length === 0) continue;
      const known = readers.get(value);
      if (known === null || known === input) continue;
      readers.set(value, known === undefined ? input : null);
      left.push(...value.inputs);
    }
  }
  return readers;
}
