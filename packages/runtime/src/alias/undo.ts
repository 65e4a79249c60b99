/**
 * Undoes writes that fail. Elements are checked when they are computed (an integer divided by zero, an index out of range), so a write may
 * fail after it was recorded. Then it is undone, with the writes that followed it.
 */
import { computeValues } from "../execute/compute.ts";
import type { Options } from "../options.ts";
import { type Cell, restoreCell } from "../tensor/cell.ts";
import { aliasKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { tracing } from "../tracing.ts";
import type { Value } from "../value.ts";

/** The most writes that can be undone. If more were recorded without being computed, the oldest stay. */
const LIMIT = 64;

/** To be called before `value` is written to a cell, to all of it or to a part. */
export function rememberEarlier({ value: old, earlier }: Cell, value: Value, isAll: boolean): void {
  const safe = cannotFail(value);
  if (old.storage !== null || (safe && isAll)) earlier.length = 0;
  if (safe) return;
  if (earlier.length === LIMIT) earlier.shift();
  earlier.push(old);
}

function cannotFail(value: Value): boolean {
  const source = value.node.op === "expand" ? (value.inputs[0] as Value) : value;
  return source.storage !== null || source.node.op === "constant";
}

/** Computes tensors. If a write fails, its target is left as it was before the write. */
export function computeTensors(tensors: readonly AnyTensor[], options: Options): void {
  if (tracing !== null) {
    tracing.defer(tensors, [], options);
    return;
  }
  try {
    computeValues(tensors.map(unwrap), options);
  } catch (error) {
    if (isOfElements(error)) for (const tensor of tensors) undoFailed(tensor, options);
    throw error;
  }
  forgetEarlier(tensors);
}

/** Computes tensors, and other values with them. If anything fails, all of the tensors are as they were when they were last computed. */
export function computeAllOrNone(
  tensors: readonly AnyTensor[],
  others: readonly Value[],
  options: Options,
): void {
  if (tracing !== null) {
    tracing.defer(tensors, others, options);
    return;
  }
  try {
    computeValues([...tensors.map(unwrap), ...others], options);
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

/** True for errors about elements, such as an index out of range; false when memory is out. */
const isOfElements = (error: unknown): boolean =>
  error instanceof RangeError && !error.message.startsWith("compute:");

function undoFailed(tensor: AnyTensor, options: Options): void {
  const cell = tensor[aliasKey]?.cell;
  if (cell === undefined || cell.earlier.length === 0 || computes(cell.value, options)) return;
  const { earlier } = cell;
  for (let k = earlier.length - 1; k >= 0; k--) {
    const value = earlier[k] as Value;
    if (!computes(value, options)) continue;
    restoreCell(cell, value);
    cell.version++;
    earlier.length = k;
    return;
  }
}

function computes(value: Value, options: Options): boolean {
  try {
    computeValues([value], options);
    return true;
  } catch {
    return false;
  }
}
