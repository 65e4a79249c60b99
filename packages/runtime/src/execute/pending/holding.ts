/**
 * Computes results that nobody has read yet, where larger ones are needed for them, or many. A loop that logs
 * `history.push(x.square().sum())`, and reads the history at its end, would keep the x of every step until then, or compute them again; and so
 * would a mean of all of them, `mean = mean.mul(0.99).add(x.mul(0.01))`. PyTorch computes at once what this computes some steps later, while
 * what it reads is still in linear memory.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import { bytesLeft, bytesMade } from "../../storage.ts";
import { later } from "../../threads/host.ts";
import type { Value } from "../../value.ts";
import { leastWorkOf } from "../extract/held-values.ts";
import { isPending, isUnread } from "../extract/lately.ts";
import { isMovement } from "../places/writes.ts";

/** When so many bytes of results have left linear memory, values of new tensors are gathered. */
const MUCH_LEFT = 2 ** 24;
/** From then on it is looked, whenever results of so many bytes have been made, which of them need larger results. */
const MUCH_MADE = 2 ** 22;
/** If none does so often in a row, gathering ends; and it begins again when twice as much has left. */
const IN_VAIN = 8;
/** A result of at most so many bytes is small. One of at least so many is large. */
const [SMALL, LARGE] = [4_096, 16_384];
/** What is not small is computed if what it is made of takes more than so many times its own bytes. */
const MANY_TIMES = 6;
/** A result beneath which there are more values than this is left to its reader. */
const MOST_BENEATH = 256;
/** What takes more work than so many times the elements that it needs, such as a product, may be worth waiting for. */
const MOST_WORK = 16;
/** Milliseconds after which what was gathered is let go of, where the program yields. */
const KEPT = 1_000;
/** If so many values are gathered before results of {@link MUCH_MADE} bytes have been made, gathering ends too. */
const MOST_GATHERED = 8_192;

/** The values of tensors that were made since it was looked last; null while too little has left. */
let gathered: Set<Value> | null = null;
let madeBefore = 0;
let inVain = 0;
let leftBefore = 0;
let much = MUCH_LEFT;
let isTimed = false;

function beginGathering(): void {
  gathered = new Set();
  [madeBefore, inVain] = [bytesMade(), 0];
  if (!isTimed) forgetLater();
}

function endGathering(next: number): void {
  gathered = null;
  [leftBefore, much] = [bytesLeft(), next];
}

/** What is gathered holds what it is made of. A program that waits for its next request must not keep that for ever. */
function forgetLater(): void {
  isTimed = true;
  later(() => {
    isTimed = false;
    if (gathered === null) return;
    if (gathered.size === 0) return endGathering(much);
    gathered.clear();
    forgetLater();
  }, KEPT);
}

export const clearGathered = (): void => endGathering(MUCH_LEFT);

/** To be called with the value of every tensor that is made. */
export function gather(value: Value): void {
  if (gathered === null || !isPending(value)) return;
  // What takes part in derivatives is left to its backward pass.
  if (value.step !== null) return;
  gathered.add(value);
  if (gathered.size === MOST_GATHERED) endGathering(2 * much);
}

/**
 * To be called before a computation: what others read is theirs. Afterwards these readers are stored, and nothing tells that they read it.
 */
export function leaveToReaders(): void {
  if (gathered === null) return;
  for (const value of gathered) if (!isUnread(value)) gathered.delete(value);
}

/** The results that it is time to compute, since they need larger ones: of views, what they are views of. */
export function takeHolders(): readonly Value[] {
  if (gathered === null) {
    if (bytesLeft() - leftBefore >= much) beginGathering();
    return none;
  }
  if (bytesMade() - madeBefore < MUCH_MADE) return none;
  madeBefore = bytesMade();
  const bases = new Set([...gathered].filter(isUnread).map(baseOf));
  const found = [...bases].filter((base) => base.storage === null && isHolding(base));
  gathered.clear();
  inVain = found.length > 0 ? 0 : inVain + 1;
  if (inVain === IN_VAIN) endGathering(2 * much);
  return found;
}

const none: readonly Value[] = [];

function baseOf(value: Value): Value {
  let base = value;
  while (base.storage === null && isMovement(base.node)) base = base.inputs[0] as Value;
  return base;
}

const bytesOf = ({ node: { shape, dtype } }: Value): number => elementCount(shape) * dtypes[dtype].bytes;

export const isSmall = (value: Value): boolean => bytesOf(value) <= SMALL;

/** True if it is small and made of a large result, or made of many as large as itself; and if it is made of them by little work. */
function isHolding(root: Value): boolean {
  const beneath = new Set([root]);
  let [work, elements, bytes] = [0, 0, 0];
  for (const value of beneath) {
    if (beneath.size > MOST_BENEATH) return false;
    if (value.storage === null) {
      work += leastWorkOf(value.node);
      for (const input of value.inputs) beneath.add(input);
    } else if (bytesOf(value) >= LARGE) {
      elements += elementCount(value.node.shape);
      bytes += bytesOf(value);
    }
  }
  return (
    elements > 0 && work <= MOST_WORK * elements && (isSmall(root) || bytes > MANY_TIMES * bytesOf(root))
  );
}
