/**
 * What was written in place, reads what is being computed, and would be computed later from what is kept for it. A step of training by
 * hand reads its loss when the update has been recorded: together they are one program, in which activations live as long as they are
 * read. Apart, they are results that a backward pass reads later, and that nobody knows to be garbage then.
 */
import { getOptions, type Options } from "../options.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import type { Value } from "../value.ts";
import type { Extraction } from "./extract.ts";
import { leastWorkOf } from "./held-values.ts";

/** What is written in place: a cell. */
interface Written {
  readonly value: Value;
}

/** The most cells that are remembered. */
const MOST = 256;
/**
 * Additions of elements that what is asked for is at least, and what was written too. A small program might run on another backend than
 * both together, and last bits would depend on what else was written.
 */
const LEAST_WORK = 16_384;
/** Times the work asked for that is done besides, at most: a backward pass with its update is two or three times the forward pass. */
const MOST_WORK = 8;

/** Cells with pending writes, in the order of the writes. */
const waiting = new Set<Written>();

/** A cell is about to be written. What a jitted or mapped function records is computed by whoever called it. */
export function noteWrite(cell: Written): void {
  if (tracing !== null || hasStandIns()) return;
  waiting.add(cell);
  if (waiting.size > MOST) for (const oldest of waiting) return void waiting.delete(oldest);
}

export const clearWritten = (): void => waiting.clear();

const none: readonly Value[] = [];

/** What is still to be computed of what was written, if nobody asked for another way to compute than the usual one. */
export function writtenValues({ emitter, fusion = "on", limits, profile }: Options): readonly Value[] {
  if (waiting.size === 0) return none;
  let found: Value[] | null = null;
  for (const cell of waiting) {
    const { value } = cell;
    if (value.storage === null && value.inputs.length > 0) {
      found ??= [];
      found.push(value);
    } else waiting.delete(cell);
  }
  if (found === null) return none;
  const usual = getOptions();
  const isUsual =
    emitter === usual.emitter &&
    fusion === (usual.fusion ?? "on") &&
    limits === usual.limits &&
    profile !== true;
  return isUsual ? found : none;
}

/**
 * Those of `written` that are to be computed with what was extracted: they read what would be kept for them, and are not much more work.
 * The others wait no longer, and are computed when they are asked for.
 */
export function readersOfKept(
  { order, outputs }: Extraction,
  asked: number,
  written: readonly Value[],
): readonly Value[] {
  waiting.clear();
  const here = new Set(order);
  const own = workOf(here);
  if (own < LEAST_WORK) return none;
  const reads = new Map<Value, boolean>();
  for (const value of here) reads.set(value, false);
  for (let k = asked; k < outputs.length; k++) reads.set(order[outputs[k] as number] as Value, true);
  const found = written.filter((value) => !here.has(value) && doesRead(value, reads));
  const besides = workOf(beneath(found, here));
  return besides >= LEAST_WORK && besides <= MOST_WORK * own ? found : none;
}

/** Whether it is made of one that is known to. */
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

/** What they are made of, and they themselves, but for what is in `others`. */
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
