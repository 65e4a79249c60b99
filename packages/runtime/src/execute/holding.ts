/**
 * Computes small results that nobody has read yet, where large ones are needed for them. A loop that logs
 * `history.push(x.square().sum())`, and reads the history at its end, would keep the x of every step until then, or compute them again. PyTorch
 * computes at once what this computes some steps later, while what it reads is still in linear memory.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import { bytesLeft, bytesMade } from "../storage.ts";
import type { Value } from "../value.ts";
import { leastWorkOf } from "./held-values.ts";
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
/** What takes more work than so many times the elements that it needs, such as a product, may be worth waiting for. */
const MOST_WORK = 16;
/** If so many values are gathered before results of {@link MUCH_MADE} bytes have been made, gathering ends too. */
const MOST_GATHERED = 8_192;

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
  if (gathered.size === MOST_GATHERED) giveUp();
}

function giveUp(): void {
  const next = 2 * much;
  clearGathered();
  much = next;
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
  if (inVain === IN_VAIN) giveUp();
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

/** True if a large result is among what it is made of, by little work. */
function isHolding(root: Value): boolean {
  const beneath = new Set([root]);
  let [work, elements] = [0, 0];
  for (const value of beneath) {
    if (beneath.size > MOST_BENEATH) return false;
    if (value.storage === null) {
      work += leastWorkOf(value.node);
      for (const input of value.inputs) beneath.add(input);
    } else if (bytesOf(value) >= LARGE) elements += elementCount(value.node.shape);
  }
  return elements > 0 && work <= MOST_WORK * elements;
}
