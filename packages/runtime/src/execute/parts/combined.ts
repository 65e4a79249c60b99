/**
 * Many tensors of few structures in any combination: a batch of images, each turned or not; samples that are drawn, some of them twice. As one
 * program the whole would be another for each combination, so what is combined is computed one by one.
 */
import { hashOperation, hashShape, mix } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import { startsOfForm } from "../places/choices.ts";
import { isScalar } from "../places/scalars.ts";
import { Recurring } from "../sizes/recurring.ts";

/** So many combinations must have been seen, for each structure in them so many. */
const [LEAST_SEEN, FOR_EACH] = [6, 2];
/** More are not kept. */
const MOST_SEEN = 256;

/** What is known of values that are combined alike. */
interface Seen {
  readonly combinations: Set<number>;
  readonly structures: Set<number>;
  readonly recurring: Recurring;
}

const seen = new LruCache<number, Seen>();
seen.setLimits(256, 2 ** 22);
const BYTES = 16_384;

export const clearCombined = (): void => seen.clear();

/** True if the values, for which no program was found, are of few structures and come in ever other combinations. `use` says what for. */
export function areCombined(use: number, values: readonly Value[]): boolean {
  const key = mix(use, values.length);
  let known = seen.find(key);
  if (known === undefined) {
    known = { combinations: new Set(), structures: new Set(), recurring: new Recurring() };
    seen.add(key, known, BYTES);
  }
  const { combinations, structures, recurring } = known;
  const own = structuresOf(values);
  const combination = [...own, ...originsOf(values)];
  if (recurring.comesAgain(combination)) return false;
  if (combinations.size < MOST_SEEN) {
    combinations.add(combination.reduce(mix, own.length));
    for (const structure of own) structures.add(structure);
  }
  return combinations.size >= LEAST_SEEN && combinations.size >= structures.size * FOR_EACH;
}

/** What each value computes of what is stored, wherever slices begin and whatever numbers are bound. */
const structuresOf = (values: readonly Value[]): readonly number[] =>
  hashesOf(values, (value) => {
    const { node, storage } = value;
    if (storage !== null || isScalar(value)) return hashShape(node);
    return hashOperation(node, startsOfForm(node) === undefined);
  });

/** Which of the values are made of the same stored ones. */
function originsOf(values: readonly Value[]): readonly number[] {
  let count = 0;
  return hashesOf(values, ({ storage }) => (storage === null ? 0 : ++count));
}

/** By value: what `hashOf` gives for it and for all beneath. It is called once for each of these, in the order in which they are met. */
function hashesOf(values: readonly Value[], hashOf: (value: Value) => number): readonly number[] {
  const hashes = new Map<Value, number>();
  const left = [...values].reverse();
  for (let value = left.at(-1); value !== undefined; value = left.at(-1)) {
    const inputs = value.storage === null ? value.inputs : none;
    const missing = hashes.has(value) ? none : inputs.filter((input) => !hashes.has(input));
    if (missing.length > 0) {
      left.push(...missing);
      continue;
    }
    left.pop();
    if (hashes.has(value)) continue;
    let hash = hashOf(value);
    for (const input of inputs) hash = mix(hash, hashes.get(input) as number);
    hashes.set(value, hash);
  }
  return values.map((value) => hashes.get(value) as number);
}

const none: readonly Value[] = [];
