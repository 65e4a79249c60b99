/**
 * Computes small results that nobody has read yet, where large ones are needed for them. A loop that logs
 * `history.push(x.square().sum())`, and reads the history at its end, would keep the x of every step until then, or compute them again. PyTorch
 * computes at once what this computes some steps later, while what it reads is still in linear memory.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import { bytesLeft, bytesMade } from "../storage.ts";
import type { Value } from "../value.ts";
import { isUnread } from "./lately.ts";
import { isMovement } from "./writes.ts";

/** When so many bytes of results have left linear memory, values of new tensors are gathered. */
const MUCH_LEFT = 2 ** 24;
/** From then on it is looked, whenever results of so many bytes have been made, which of them need large results. */
const MUCH_MADE = 2 ** 22;
/** If none does so often in a row, gathering ends; and it begins again when twice as much has left. */
const IN_VAIN = 8;
/** A result of at most so many bytes is small. One of at least so many is large. */
const [SMALL, LARGE] = [4_096, 16_384];
/** A result beneath which there are more values than this is left to its reader. */
const MOST_BENEATH = 256;
/** So many values are gathered before those are left out that something reads. */
const MOST_GATHERED = 4_096;

let leftBefore = 0;
let madeBefore = 0;
let much = MUCH_LEFT;
let inVain = 0;
let isGathering = false;
const gathered = new Set<Value>();

/** To be called with the value of every tensor that is made. */
export function gather(value: Value): void {
  // What takes part in derivatives is left to its backward pass.
  if (!isGathering || value.storage !== null || value.inputs.length === 0 || value.step !== null) return;
  if (!isSmall(value)) return;
  gathered.add(value);
  if (gathered.size < MOST_GATHERED) return;
  for (const each of gathered) if (!isUnread(each)) gathered.delete(each);
  // Nobody can say which of so many are ever read.
  if (gathered.size >= MOST_GATHERED) gathered.clear();
}

/** The small results that need large ones: of views, what they are views of. */
export function holders(): readonly Value[] {
  if (!isGathering) {
    if (bytesLeft() - leftBefore < much) return none;
    [madeBefore, inVain, isGathering] = [bytesMade(), 0, true];
    return none;
  }
  const made = bytesMade();
  if (made - madeBefore < MUCH_MADE) return none;
  madeBefore = made;
  const bases = [...gathered].filter(isUnread).map(baseOf);
  const found = [...new Set(bases)].filter(
    (base) => base.storage === null && isSmall(base) && isHolding(base),
  );
  gathered.clear();
  inVain = found.length > 0 ? 0 : inVain + 1;
  if (inVain === IN_VAIN) {
    const next = 2 * much;
    clearGathered();
    much = next;
  }
  return found;
}

export function clearGathered(): void {
  gathered.clear();
  [isGathering, leftBefore, much] = [false, bytesLeft(), MUCH_LEFT];
}

const none: readonly Value[] = [];

function baseOf(value: Value): Value {
  let base = value;
  while (base.storage === null && isMovement(base.node)) base = base.inputs[0] as Value;
  return base;
}

const bytesOf = ({ node: { shape, dtype } }: Value): number => elementCount(shape) * dtypes[dtype].bytes;

const isSmall = (value: Value): boolean => bytesOf(value) <= SMALL;

/** True if a large result is among what it is made of. */
function isHolding(root: Value): boolean {
  const beneath = new Set([root]);
  let holds = false;
  for (const value of beneath) {
    if (beneath.size > MOST_BENEATH) return false;
    if (value.storage === null) for (const input of value.inputs) beneath.add(input);
    else holds ||= bytesOf(value) >= LARGE;
  }
  return holds;
}
