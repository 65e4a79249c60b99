/**
 * Many tensors of few structures in any combination: a batch of images, each turned or not. As one program the whole would be another for each
 * combination, so what is combined is computed one by one.
 */
import { hashOperation, hashShape, mix } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import type { Value } from "../value.ts";
import { startsOfForm } from "./choices.ts";
import { Recurring } from "./recurring.ts";
import { isScalar } from "./scalars.ts";

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
  const hashes = hashesOf(values);
  if (recurring.comesAgain(hashes)) return false;
  if (combinations.size < MOST_SEEN) {
    combinations.add(hashes.reduce(mix, hashes.length));
    for (const hash of hashes) structures.add(hash);
  }
  return combinations.size >= LEAST_SEEN && combinations.size >= structures.size * FOR_EACH;
}

/** What each value computes of what is stored, wherever slices begin and whatever numbers are bound. */
function hashesOf(values: readonly Value[]): readonly number[] {
  const hashes = new Map<Value, number>();
  const left = [...values];
  for (let value = left.at(-1); value !== undefined; value = left.at(-1)) {
    const { node, storage } = value;
    const inputs = storage === null ? value.inputs : [];
    const missing = hashes.has(value) ? [] : inputs.filter((input) => !hashes.has(input));
    if (missing.length > 0) {
      left.push(...missing);
      continue;
    }
    left.pop();
    if (hashes.has(value)) continue;
    const isPlain = storage !== null || isScalar(value);
    const own = isPlain ? hashShape(node) : hashOperation(node, startsOfForm(node) === undefined);
    hashes.set(
      value,
      inputs.reduce((hash, input) => mix(hash, hashes.get(input) as number), own),
    );
  }
  return values.map((value) => hashes.get(value) as number);
}
