/** Values that an update of parameters is computed together with, so that the forward pass runs once. */
import { hasStandIns } from "../tracing.ts";
import { Value } from "../value.ts";
import { isMadeOfFailed } from "./failed.ts";

/** A cell that was written in place. */
interface Written {
  readonly value: Value;
}

/** The most entries of a list. A value that is dropped from it is computed when somebody asks for it. */
const MOST = 16;
/** The same for tensors that modules keep: a deep network has three for each batch norm. */
const MOST_KEPT = 1_024;

const outputs = new Set<Value>();
const written = new Set<Written>();
/** Those of `written` whose tensors modules keep. */
const keptWritten = new Set<Written>();
const kept = new WeakSet<object>();

/** Notes that a backward pass began at `value`. Within `vmap` values have no elements, and nothing is noted. */
export function noteOutput(value: Value): void {
  if (hasStandIns()) return;
  for (const earlier of outputs) if (earlier.storage !== null) outputs.delete(earlier);
  add(outputs, value, MOST);
}

/** Notes that a module keeps `tensor` from step to step. Whatever is written to it is state, however many such tensors there are. */
export const markKept = (tensor: object): void => void kept.add(tensor);

/** Notes that `target`, for example a running mean, was written in place while gradients were recorded. */
export function noteState(target: object, cell: Written): void {
  if (hasStandIns()) return;
  if (kept.has(target)) add(keptWritten, cell, MOST_KEPT);
  else add(written, cell, MOST);
}

function add<T>(set: Set<T>, item: T, most: number): void {
  set.add(item);
  if (set.size > most) for (const oldest of set) return void set.delete(oldest);
}

/** How many values had failed when pending values were last taken. */
let failures = 0;

/** All that was noted, is not computed yet, and can be: who asked for what has failed was told. The lists are cleared. */
export function takePending(): Value[] {
  const found = [...outputs, ...[...written, ...keptWritten].map(({ value }) => value)];
  outputs.clear();
  written.clear();
  keptWritten.clear();
  const pending = found.filter(({ storage }) => storage === null);
  if (failures === Value.failures) return pending;
  failures = Value.failures;
  return pending.filter((value) => !isMadeOfFailed(value));
}
