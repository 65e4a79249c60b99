import { showArgument } from "@fuseau/ir";
import { baseOf, disposeTensor } from "../alias/alias.ts";
import { computeTensors } from "../alias/undo.ts";
import { trimmed } from "../messages/stack.ts";
import { optionsOf } from "../options.ts";
import { recording } from "../tape/step.ts";
import type { Cell } from "../tensor/cell.ts";
import { aliasKey, Tensor, unwrap } from "../tensor/handle.ts";
import { enterScope, leaveScope, noteMade, noteWritten, type Scope } from "../tensor/scope.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/**
 * Calls `fn` and returns its result. Every other tensor that was made and computed in it is disposed of. The tensors in the result stay,
 * anywhere in nested arrays, objects, maps and sets, and so does the base of a returned view.
 * Results stay lazy, except those that read what is disposed of: they are computed first. So are tensors from outside that were written in
 * place. A tensor that `fn` stored elsewhere, say in a variable, is disposed of too.
 * If `state` is given, `fn` is called with it and takes it over: its tensors are disposed of as well, unless they, or views of them, are in
 * the result. So a loop gives its old values back: `state = tidy((s) => step(s), state)`. If `fn` throws, or
 * what it returned cannot be computed, they stay, and the step may be tried again.
 * @throws TypeError when `fn` returns a promise: it would go on with tensors that are gone.
 */
export function tidy<T>(fn: () => T): T;
export function tidy<S, T>(fn: (state: S) => T, state: S): T;
export function tidy<S, T>(fn: (state: S) => T, ...states: [] | [S]): T {
  if (typeof fn !== "function")
    throw trimmed(new TypeError(`tidy: fn must be a function, but got ${showArgument(fn)}`), tidy);
  const taken = tensorsIn(states);
  const scope = enterScope();
  let outcome: Outcome = { returned: new Set(), taken: new Set() };
  try {
    const result = fn(...(states as [S]));
    if (result instanceof Promise)
      throw trimmed(
        new TypeError("tidy: fn must not be async (dispose of its tensors with `using` instead)"),
        tidy,
      );
    outcome = { returned: tensorsIn(result), taken };
    return result;
  } finally {
    leaveScope(scope);
    disposeRest(scope, outcome);
  }
}

interface Outcome {
  readonly returned: ReadonlySet<AnyTensor>;
  /** Tensors from outside that do not outlive the call unless they are returned. */
  readonly taken: ReadonlySet<AnyTensor>;
}

/** The tensors in nested arrays, objects, maps and sets. */
function tensorsIn(result: unknown): ReadonlySet<AnyTensor> {
  const found = new Set<AnyTensor>();
  const seen = new Set<unknown>();
  const pending = [result];
  while (pending.length > 0) {
    const item = pending.pop();
    if (typeof item !== "object" || item === null || seen.has(item) || ArrayBuffer.isView(item)) continue;
    seen.add(item);
    if (item instanceof Tensor) found.add(item);
    else for (const inner of partsOf(item)) pending.push(inner);
  }
  return found;
}

const partsOf = (item: object): Iterable<unknown> =>
  item instanceof Map ? [...item].flat() : item instanceof Set ? item : Object.values(item);

function disposeRest({ made, written }: Scope, { returned, taken }: Outcome): void {
  const own = new Set([...made, ...taken]);
  const staying = new Set(returned);
  for (const tensor of outliving(own, written)) staying.add(tensor);
  const cells = cellsOf(staying);
  const overwritten = new Set(written);
  const isNeeded = (tensor: AnyTensor): boolean => {
    const alias = tensor[aliasKey];
    return staying.has(tensor) || (alias !== null && cells.has(alias.cell));
  };
  // A tensor that was written in place has memory even before it is computed again.
  const hasMemory = (tensor: AnyTensor): boolean =>
    unwrap(tensor).storage !== null || overwritten.has(tensor);
  const rest = [...own].filter((tensor) => !isNeeded(tensor));
  const emptied = new Set(rest.filter(hasMemory));
  const doomed = new Set(rest.filter((tensor) => emptied.has(tensor) || taken.has(tensor)));
  // If a result cannot be computed the state stays, as if `fn` had thrown.
  let isComputed = false;
  try {
    computeReadersOf(emptied, staying);
    isComputed = true;
  } finally {
    const saved = savedFor(staying);
    for (const tensor of doomed) {
      if (saved.has(unwrap(tensor))) doomed.delete(tensor);
      else if (isComputed || !taken.has(tensor)) disposeTensor(tensor);
    }
    // The outer scope takes care of the others.
    for (const tensor of made) if (!doomed.has(tensor)) noteMade(tensor);
    for (const tensor of written) noteWritten(tensor);
  }
}

/** What a backward pass from what stays may read. */
function savedFor(staying: ReadonlySet<AnyTensor>): ReadonlySet<Value> {
  const saved = new Set<Value>();
  if (!recording.isUsed) return saved;
  const found = new Set([...staying].map(unwrap));
  for (const { storage, inputs, step } of found)
    for (const input of [...(storage === null ? inputs : []), ...(step?.inputs ?? [])]) {
      found.add(input);
      saved.add(input);
    }
  return saved;
}

/** Written tensors that can be read afterwards: those from outside, and views of them. */
function outliving(own: ReadonlySet<AnyTensor>, written: readonly AnyTensor[]): readonly AnyTensor[] {
  const ownCells = cellsOf([...own].filter((tensor) => tensor[aliasKey]?.isBase));
  return written.filter((tensor) => {
    const alias = tensor[aliasKey];
    return !own.has(tensor) || (alias !== null && !ownCells.has(alias.cell));
  });
}

function cellsOf(tensors: Iterable<AnyTensor>): ReadonlySet<Cell> {
  const cells = new Set<Cell>();
  for (const tensor of tensors) {
    const alias = tensor[aliasKey];
    if (alias !== null) cells.add(alias.cell);
  }
  return cells;
}

/** Computes what could not be computed afterwards: tensors that stay, and their bases, if they read one of `doomed`. */
function computeReadersOf(doomed: ReadonlySet<AnyTensor>, staying: ReadonlySet<AnyTensor>): void {
  if (doomed.size === 0) return;
  const bases = [...staying].filter((tensor) => tensor[aliasKey] !== null).map(baseOf);
  const values = new Set([...doomed].map(unwrap));
  const readers = [...staying, ...bases].filter((tensor) => reads(unwrap(tensor), values));
  try {
    computeTogetherOrEach(readers);
  } finally {
    for (const base of bases) disposeTensor(base);
  }
}

/** True if computing `value` reads one of `values`. Iterative, since chains may be 100,000 long. */
function reads(value: Value, values: ReadonlySet<Value>): boolean {
  const seen = new Set([value]);
  for (const step of seen) {
    if (values.has(step)) return true;
    if (step.storage === null) for (const input of step.inputs) seen.add(input);
  }
  return false;
}

/** A write that fails leaves its target as it was, and does not keep other tensors from being computed. */
function computeTogetherOrEach(tensors: readonly AnyTensor[]): void {
  const options = optionsOf("tidy", undefined);
  try {
    computeTensors(tensors, options);
  } catch (error) {
    for (const tensor of tensors) {
      try {
        computeTensors([tensor], options);
      } catch {
        // As above: the first error is the one that is thrown.
      }
    }
    throw error;
  }
}
