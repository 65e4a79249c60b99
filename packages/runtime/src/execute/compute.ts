/** Computes values that have not been, together, so that what they share is done once. */
import type { Options } from "../options.ts";
import type { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { extract, forget, noteComputed } from "./extract.ts";
import { blamed, isOfElements } from "./failure.ts";
import { executableFor } from "./programs.ts";
import { boundTo, run } from "./run.ts";

/** @throws RangeError where an index is out of range or an integer is divided by zero, with the op that recorded it and its line. */
export function computeValues(values: readonly Value[], options: Options): void {
  try {
    computeTogether(values, options);
  } catch (error) {
    if (!isOfElements(error)) throw error;
    throw blamed(error, values, (value) => {
      computeTogether([value], options);
      return (value.storage as Storage).array;
    });
  }
}

function computeTogether(values: readonly Value[], options: Options): void {
  const pending = values.length === 1 ? values : [...new Set(values)];
  if (pending.every((value) => value.storage !== null)) return;
  const wanted = pending.length === 1 ? pending : pending.filter((value) => value.storage === null);
  try {
    const extraction = extract(wanted);
    const results = run(executableFor(extraction, options), boundTo(extraction));
    noteComputed();
    extraction.wanted.forEach((value, k) => {
      value.settle(results[k] as Storage);
    });
  } finally {
    forget();
  }
}

/** The elements of a value, computed first if need be. */
export function storageOf(value: Value, options: Options): Storage {
  if (value.storage === null) computeValues([value], options);
  return value.storage as Storage;
}
