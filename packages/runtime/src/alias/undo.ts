/**
 * Remembers what to go back to if a write fails. Elements are checked when they are computed (an integer divided by zero, an index out of
 * range), so a write may fail after it was recorded, when anything that was made of it is computed. Then it is undone, with the writes that
 * followed it, where the tensor is next used.
 */
import { computeValues } from "../execute/compute.ts";
import type { Options } from "../options.ts";
import { type Cell, restoreCell } from "../tensor/cell.ts";
import { aliasKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { tracing } from "../tracing.ts";
import type { Value } from "../value.ts";

/** The most values that are remembered. Of more, the first and the last are. */
const LIMIT = 64;

/** To be called before `value` is written to a cell, to all of it or to a part. */
export function rememberEarlier({ value: old, earlier }: Cell, value: Value, isAll: boolean): void {
  const safe = cannotFail(value);
  if (old.storage !== null || (safe && isAll)) earlier.length = 0;
  if (safe) return;
  if (earlier.length === LIMIT) earlier.splice(1, 1);
  earlier.push(old);
}

function cannotFail(value: Value): boolean {
  const source = value.node.op === "expand" ? (value.inputs[0] as Value) : value;
  return source.storage !== null || source.node.op === "constant";
}

/** Computes tensors. */
export function computeTensors(tensors: readonly AnyTensor[], options: Options): void {
  if (tracing !== null) {
    tracing.defer(tensors, [], options);
    return;
  }
  computeValues(tensors.map(unwrap), options);
  forgetEarlier(tensors);
}

/**
 * Computes tensors, and other values with them. If anything fails, all of the tensors are as they were when they were last computed; but what
 * nobody has read may fail.
 */
export function computeAllOrNone(
  tensors: readonly AnyTensor[],
  others: readonly Value[],
  unread: readonly Value[],
  options: Options,
): void {
  if (tracing !== null) {
    tracing.defer(tensors, others, options);
    return;
  }
  try {
    computeValues([...tensors.map(unwrap), ...others], options, unread);
  } catch (error) {
    for (const tensor of tensors) undoPending(tensor);
    throw error;
  }
  forgetEarlier(tensors);
}

function forgetEarlier(tensors: readonly AnyTensor[]): void {
  for (const tensor of tensors) {
    const cell = tensor[aliasKey]?.cell;
    if (cell !== undefined && cell.value.storage !== null) cell.earlier.length = 0;
  }
}

function undoPending(tensor: AnyTensor): void {
  const cell = tensor[aliasKey]?.cell;
  const [first] = cell?.earlier ?? [];
  if (cell === undefined || first === undefined || cell.value.storage !== null) return;
  restoreCell(cell, first);
  cell.version++;
  cell.earlier.length = 0;
}
