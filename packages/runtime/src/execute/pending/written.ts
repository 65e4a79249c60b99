/**
 * Finds pending in-place writes, and losses that nobody has read yet, that read what is being computed, so that they are computed together with
 * it. A training step by hand records its update, then reads its loss. As one program, activations live only until they are read. As two,
 * activations would be results for the backward pass to read later, and nobody could know when they become garbage.
 */
import { getOptions, type Options } from "../../options.ts";
import { hasStandIns, tracing } from "../../tracing.ts";
import type { Value } from "../../value.ts";
import type { Extraction } from "../extract/extract.ts";
import { leastWorkOf } from "../extract/held-values.ts";
import { isPending, isUnread } from "../extract/lately.ts";

/** A cell that was written in place, or what a backward pass began at. */
interface Pending {
  readonly value: Value;
  readonly isOutput?: true;
}

/** The most that are remembered. */
const MOST = 256;
/**
 * What is asked for must take at least so many additions of elements, and so must the writes. A smaller program might run on another
 * backend than both together, and last bits would depend on what else was written.
 */
const LEAST_WORK = 16_384;
/**
 * The work of the writes may be at most so many times that of what is asked for. A backward pass with its update is two or three times the
 * forward pass.
 */
const MOST_WORK = 8;

/** Cells with pending writes, and what backward passes began at, in the order of recording. */
const waiting = new Set<Pending>();

/**
 * Notes that a cell is about to be written, or that a backward pass begins. Not while `jit` or `vmap` records: their callers compute what was
 * recorded.
 */
export function notePending(pending: Pending): void {
  if (tracing !== null || hasStandIns()) return;
  waiting.add(pending);
  if (waiting.size > MOST) for (const oldest of waiting) return void waiting.delete(oldest);
}

export const clearWritten = (): void => waiting.clear();

/** True while a write waits to be computed. */
export function doWritesWait(): boolean {
  for (const { value, isOutput } of waiting) if (isOutput !== true && isPending(value)) return true;
  return false;
}

const none: readonly Value[] = [];

let unread: readonly Value[] = none;

/** Tells what else was made since the first write that waits, and nothing has read. In the next computation the same goes for it. */
export function withUnread(values: readonly Value[]): void {
  unread = values;
}

/** What is pending and not wanted anyway, if the options of this computation are the usual ones. */
export function writtenValues(
  { emitter, fusion = "on", limits, profile }: Options,
  wanted: readonly Value[],
): readonly Value[] {
  if (waiting.size === 0) return none;
  for (const each of waiting) if (!isPending(each.value)) waiting.delete(each);
  const found = new Set<Value>();
  for (const { value } of waiting) found.add(value);
  for (const value of unread) if (isUnread(value)) found.add(value);
  for (const value of wanted) found.delete(value);
  if (found.size === 0) return none;
  const usual = getOptions();
  const isUsual =
    emitter === usual.emitter &&
    fusion === (usual.fusion ?? "on") &&
    limits === usual.limits &&
    profile !== true;
  return isUsual ? [...found] : none;
}

/**
 * The values in `written` to compute with the extraction: those that read what would be kept for them, if they are not much more work. The
 * other writes are no longer pending here; they are computed when they are asked for. Losses stay: rounds are computed some at a time, and each
 * loss with its own.
 */
export function readersOfKept(
  { order, outputs }: Extraction,
  asked: number,
  written: readonly Value[],
): readonly Value[] {
  for (const each of waiting) if (each.isOutput !== true) waiting.delete(each);
  const here = new Set(order);
  const own = workOf(here);
  if (own < LEAST_WORK) return none;
  const reads = new Map<Value, boolean>();
  for (const value of here) reads.set(value, false);
  for (let k = asked; k < outputs.length; k++) reads.set(order[outputs[k] as number] as Value, true);
  // What nobody has read yet may read whatever is computed: if that is not kept, all that it is made of would be.
  const shared = new Map([...reads].map(([value, isKept]) => [value, isKept || inputsOf(value).length > 0]));
  const others = new Set(unread);
  const found = written.filter(
    (value) => !here.has(value) && doesRead(value, others.has(value) ? shared : reads),
  );
  const besides = workOf(beneath(found, here));
  return besides >= LEAST_WORK && besides <= MOST_WORK * own ? found : none;
}

/** True if the value is made of one for which `known` is true. */
function doesRead(root: Value, known: Map<Value, boolean>): boolean {
  const stack = [root];
  for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
    const unknown = known.has(value) ? undefined : inputsOf(value).find((input) => !known.has(input));
    if (unknown !== undefined) {
      stack.push(unknown);
      continue;
    }
    if (!known.has(value))
      known.set(
        value,
        inputsOf(value).some((input) => known.get(input)),
      );
    stack.pop();
  }
  return known.get(root) === true;
}

/** The values and all they are made of, except those in `others`. */
function beneath(values: readonly Value[], others: ReadonlySet<Value>): ReadonlySet<Value> {
  const found = new Set(values);
  for (const value of found) for (const input of inputsOf(value)) if (!others.has(input)) found.add(input);
  return found;
}

const inputsOf = ({ storage, inputs }: Value): readonly Value[] => (storage === null ? inputs : none);

function workOf(values: Iterable<Value>): number {
  let work = 0;
  for (const { node, storage } of values) if (storage === null) work += leastWorkOf(node);
  return work;
}
