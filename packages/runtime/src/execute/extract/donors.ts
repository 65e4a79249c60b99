/** Decides which inputs a program overwrites, and what is computed besides so that it may. */
import { dtypes, elementCount, mix } from "@fuseau/ir";
import type { Storage } from "../../storage.ts";
import { READINGS, type Value } from "../../value.ts";
import type { Extraction } from "./extract.ts";
import { isSmallWindow } from "./held-values.ts";

let mayDonate = true;

/** Calls `fn` without donation. While something is being recorded, it is unknown what will still be read. */
export function withoutDonation<R>(fn: () => R): R {
  const before = mayDonate;
  mayDonate = false;
  try {
    return fn();
  } finally {
    mayDonate = before;
  }
}

/** True when no tensor or cell holds the value and all its readers are in this walk. */
export const isMetAlone = ({ strongHandles, cells, uses, met }: Value): boolean =>
  strongHandles === 0 && cells === 0 && uses === met;

export const mayBeDonated = (value: Value): boolean =>
  mayDonate && isMetAlone(value) && !value.isView && (value.storage as Storage).isPrivate;

/** True for what a tensor holds, if a write of that tensor had to copy (`noteCopied`), and it has not been read often since the last one. */
export const isWrittenByCopy = ({ cells, keepsReaders }: Value): boolean => keepsReaders > 0 && cells > 0;

/** True for what is overwritten here, or by the next write, unless something that may be computed later reads it. */
export const isToBeOverwritten = (value: Value): boolean =>
  (value.storage !== null && mayBeDonated(value)) || isWrittenByCopy(value);

/**
 * Intermediates that a tensor still refers to, perhaps one that nobody uses any more. If such a value is computed later, it reads values
 * that could not be overwritten therefore, here or by the next write of the tensor that holds them. They are made results instead if they
 * have less than half the bytes of what they block: they are written and read for that. Activations, for example, have fewer than the
 * parameters of a training step.
 */
export function inTheWay({ order, wanted }: Extraction): readonly number[] {
  const roots = new Set(wanted);
  /** By position: 1 if computing the value later would read what might be overwritten. */
  const reads = new Uint8Array(order.length);
  const found: Value[] = [];
  for (const value of order) {
    if (isToBeOverwritten(value)) reads[value.position] = 1;
    else if (value.storage !== null || roots.has(value)) continue;
    else if (value.inputs.some(({ position }) => reads[position] === 1)) {
      if (isMetAlone(value)) reads[value.position] = 1;
      else found.push(value);
    }
  }
  if (found.length === 0) return NONE;
  const blocked = new Set<Value>();
  const beneath = new Set(found.flatMap(({ inputs }) => inputs));
  for (const value of beneath) {
    if (reads[value.position] !== 1) continue;
    if (isToBeOverwritten(value)) blocked.add(value);
    else for (const input of value.inputs) beneath.add(input);
  }
  return 2 * bytesOf(found) < bytesOf(blocked) ? found.map(({ position }) => position) : NONE;
}

const NONE: readonly number[] = [];

function bytesOf(values: Iterable<Value>): number {
  let bytes = 0;
  for (const { node } of values) bytes += elementCount(node.shape) * dtypes[node.dtype].bytes;
  return bytes;
}

/**
 * Finds the inputs that cannot be read again, neither themselves nor by values that are still uncomputed: an intermediate that a tensor
 * holds may be computed from its inputs later. Returns a hash of which inputs they are.
 */
export function donate(extraction: Extraction, donatable: ReadonlySet<Value> | null): number {
  const { order, wanted, given, donated } = extraction;
  const roots = new Set(wanted);
  const needed = new Set<Value>();
  for (let k = order.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    if (value.storage !== null || roots.has(value)) continue;
    if (!needed.has(value) && isMetAlone(value)) continue;
    for (const input of value.inputs) needed.add(input);
  }
  let code = 7;
  given.forEach((value, k) => {
    if (needed.has(value) || !mayBeDonated(value) || donatable?.has(value) === false) return;
    donated.push(k);
    code = mix(code, k);
  });
  return code;
}

/**
 * Notes that a write through a small window, or at places, has to copy what it would overwrite, since something reads that which was
 * recorded and is not computed here.
 */
export function noteCopied(value: Value, wanted: readonly Value[]): void {
  const { strongHandles, cells, uses, met } = value;
  if (!mayDonate || strongHandles > 0 || cells > 0 || uses <= met) return;
  for (const written of wanted) {
    const { node, inputs } = written;
    if (written.cells === 0 || inputs[0] !== value) continue;
    if (node.op === "scatter" || isSmallWindow(node)) written.keepsReaders = READINGS;
  }
}
