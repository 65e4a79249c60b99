/** What an update of parameters is to be computed with, so that the forward pass runs once. */
import { hasStandIns } from "../tracing.ts";
import type { Value } from "../value.ts";

/** What is written in place: a cell. */
interface Written {
  readonly value: Value;
}

/** Neither list keeps more than this alive; what is dropped is merely computed by whoever asks. */
const MOST = 16;

const outputs = new Set<Value>();
const written = new Set<Written>();

/** A backward pass began at `value`. One of a function that is mapped has no elements, and none is computed. */
export function noteOutput(value: Value): void {
  if (hasStandIns()) return;
  for (const earlier of outputs) if (earlier.storage !== null) outputs.delete(earlier);
  add(outputs, value);
}

/** Something was written in place while gradients were recorded, such as a running mean. */
export function noteState(cell: Written): void {
  if (!hasStandIns()) add(written, cell);
}

function add<T>(set: Set<T>, item: T): void {
  set.add(item);
  if (set.size > MOST) for (const oldest of set) return void set.delete(oldest);
}

/** What of these has not been computed; they are forgotten here. */
export function takePending(): Value[] {
  const found = [...outputs, ...[...written].map(({ value }) => value)];
  outputs.clear();
  written.clear();
  return found.filter(({ storage }) => storage === null);
}
