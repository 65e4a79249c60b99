/** What an update of parameters is to be computed with, so that the forward pass runs once. */
import { hasStandIns } from "../tracing.ts";
import type { Value } from "../value.ts";

/** What is written in place: a cell. */
interface Written {
  readonly value: Value;
}

/** No list keeps more than this alive; what is dropped is merely computed by whoever asks. */
const MOST = 16;
/** Of what modules keep: three tensors for each batch norm of a deep network. */
const MOST_KEPT = 1_024;

const outputs = new Set<Value>();
const written = new Set<Written>();
/** Those of `written` that are tensors which modules keep. */
const keptWritten = new Set<Written>();
const kept = new WeakSet<object>();

/** A backward pass began at `value`. One of a function that is mapped has no elements, and none is computed. */
export function noteOutput(value: Value): void {
  if (hasStandIns()) return;
  for (const earlier of outputs) if (earlier.storage !== null) outputs.delete(earlier);
  add(outputs, value, MOST);
}

/** A module keeps `tensor` from step to step, so that whatever is written to it is state, however much there is of it. */
export const markKept = (tensor: object): void => void kept.add(tensor);

/** `target` was written in place while gradients were recorded, such as a running mean. */
export function noteState(target: object, cell: Written): void {
  if (hasStandIns()) return;
  if (kept.has(target)) add(keptWritten, cell, MOST_KEPT);
  else add(written, cell, MOST);
}

function add<T>(set: Set<T>, item: T, most: number): void {
  set.add(item);
  if (set.size > most) for (const oldest of set) return void set.delete(oldest);
}

/** What of these has not been computed; they are forgotten here. */
export function takePending(): Value[] {
  const found = [...outputs, ...[...written, ...keptWritten].map(({ value }) => value)];
  outputs.clear();
  written.clear();
  keptWritten.clear();
  return found.filter(({ storage }) => storage === null);
}
