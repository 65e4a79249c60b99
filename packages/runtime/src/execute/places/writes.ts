/**
 * What a walk writes to, and reads parts of, too. Which parts of such a tensor are equal must be known: a write in place of what is read needs
 * the read to be at the very place of the write.
 */
import type { Node } from "@fuseau/ir";
import type { Value } from "../../value.ts";

/** What updates write to, beneath movements, and from which position on, in the order of the walk. Reused by the next walk. */
const writes = new Map<Value, number>();
/** The position of the first write. */
let first = Number.POSITIVE_INFINITY;

export function resetWrites(): void {
  first = Number.POSITIVE_INFINITY;
  // Only if it has entries: V8 allocates whenever a map is cleared, even an empty one.
  if (writes.size > 0) writes.clear();
}

/** To be called when the walk meets an update, whose operands come at this position and behind it. */
export const noteWrite = (update: Value, position: number): void =>
  noteWriteTo(wholeOf(update.inputs[0] as Value), position);

/** The same, given what is written to. */
export function noteWriteTo(whole: Value, position: number): void {
  if (position < first) first = position;
  if (!writes.has(whole)) writes.set(whole, position);
}

export interface Write {
  /** Positions. */
  readonly whole: number;
  readonly from: number;
}

/** What {@link noteWriteTo} was told in this walk. */
export const writesIn = (): readonly Write[] =>
  [...writes].map(([whole, from]) => ({ whole: whole.position, from }));

export const hasWrites = (): boolean => writes.size > 0;

/** True once the walk has met a write. */
export const isBehindWrite = ({ position }: Value): boolean => position >= first;

/** True of a part of what was written, or will be in this walk. */
export function readsWritten(part: Value): boolean {
  if (writes.size === 0) return false;
  const whole = wholeOf(part.inputs[0] as Value);
  return (
    (whole.storage === null && whole.node.op === "update") ||
    (writes.get(whole) ?? Number.POSITIVE_INFINITY) <= part.position
  );
}

/** What the value is a part of: the value itself, beneath movements. */
function wholeOf(value: Value): Value {
  let whole = value;
  while (whole.storage === null && isMovement(whole.node)) whole = whole.inputs[0] as Value;
  return whole;
}

/** True of a movement that shows elements of its input, and no others. */
export function isMovement({ op }: Node): boolean {
  switch (op) {
    case "reshape":
    case "permute":
    case "expand":
    case "slice":
    case "diagonal":
    case "asStrided":
      return true;
    default:
      return false;
  }
}
