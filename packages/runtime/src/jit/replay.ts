/** A later call: binds a recording to present values, runs it, and leaves what the function would have left. */
import { sameNumbers } from "@fuseau/ir";
import { detachedView, overwrite, wrapWindow } from "../alias/alias.ts";
import { gradientAt, replaceGradient } from "../autograd/leaf.ts";
import { computeMade, computeValues } from "../execute/compute.ts";
import { watchBetweenUpdates } from "../execute/pending/made-meanwhile.ts";
import type { Executable } from "../execute/programs/executable.ts";
import { run } from "../execute/programs/run.ts";
import { elementOf } from "../ops/operand.ts";
import { Storage } from "../storage.ts";
import { type Leaf, Step } from "../tape/step.ts";
import type { Cell } from "../tensor/cell.ts";
import { aliasKey, Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { Value, weakenViews } from "../value.ts";
import type { Entry, From, Known, Made, Part } from "./entry.ts";
import { type Given, kindOf } from "./signature.ts";
import type { Slot, Source } from "./trace.ts";
import { treeWith } from "./tree.ts";

const nothing: readonly Value[] = [];

/** What a recording is bound to. */
export interface Bound {
  readonly tensors: readonly AnyTensor[];
  /** By input: what was copied out of a view for this call alone. */
  readonly copies: ReadonlyMap<number, Value>;
}

const noCopies: ReadonlyMap<number, Value> = new Map();

/** Checks that a recording holds for these arguments. Returns what it is bound to; null if it does not hold. */
export function bindable(entry: Entry, given: Given): Bound | null {
  const tensors = inputsOf(entry, given);
  if (tensors === null) return null;
  if (entry.writes.length > 0) computeMade();
  const copies = computePending(entry, tensors);
  return areFree(entry, tensors) ? { tensors, copies } : null;
}

/** True if a call with these arguments is one of the recording, as far as that is seen without computing anything. */
export function isHeld(entry: Entry, given: Given): boolean {
  const tensors = inputsOf(entry, given);
  return tensors !== null && areFree(entry, tensors);
}

/** By input, its tensor; null if the recording does not hold for these. */
function inputsOf(entry: Entry, { tensors }: Given): readonly AnyTensor[] | null {
  const { inputs, order } = entry;
  const bound: AnyTensor[] = [];
  for (let k = 0; k < order.length; k++) {
    const input = order[k] as number;
    const tensor = tensors[k] as AnyTensor;
    if (input < bound.length) {
      if (bound[input] !== tensor) return null;
    } else bound.push(tensor);
  }
  const own = bound.length;
  for (let k = own; k < inputs.length; k++) {
    const known = inputs[k] as Known;
    const tensor = known.tensor ?? gradientAt(leafOf(bound[known.of] as AnyTensor))?.tensor;
    if (tensor === undefined) return null;
    bound.push(tensor);
  }
  for (let k = 0; k < inputs.length; k++) {
    const known = inputs[k] as Known;
    if (k >= own && !isAsKnown(known, unwrap(bound[k]))) return null;
    if (known.window !== null && !shows(bound[k] as AnyTensor, known)) return null;
  }
  for (const k of entry.withoutGradient) if (gradientAt(leafOf(bound[k] as AnyTensor)) !== null) return null;
  for (const { read, value } of entry.guards) if (!Object.is(read(), value)) return null;
  return entry.isAliasing && !shareAsRecorded(inputs, bound) ? null : bound;
}

/** True if nobody else needs what is computed and will be written over. */
function areFree(entry: Entry, bound: readonly AnyTensor[]): boolean {
  if (entry.donors.length === 0) return true;
  weakenViews();
  const owners = ownersOf(entry, bound);
  return entry.donors.every((source) => {
    const value = valueAt(source, bound);
    if (value.storage === null) return true;
    const isReadElsewhere = owners.has(value.storage) && owners.get(value.storage) !== source;
    return isFree(value, bound[source.input]) && !isReadElsewhere;
  });
}

const leafOf = (tensor: AnyTensor): Leaf => unwrap(tensor).step?.leaf ?? { isLeaf: false };

/** True of a value with the dtype, the shape and the kind that a recording was made for. */
export function isAsKnown(
  { dtype, shape, kind }: Pick<Known, "dtype" | "shape" | "kind">,
  value: Value,
): boolean {
  const { node } = value;
  return (
    node.dtype === dtype && (node.shape === shape || sameNumbers(node.shape, shape)) && kindOf(value) === kind
  );
}

function shows(tensor: AnyTensor, { window }: Known): boolean {
  unwrap(tensor);
  const own = tensor[aliasKey]?.window;
  if (own === undefined || window === null) return false;
  return (
    own === window ||
    (own.offset === window.offset &&
      sameNumbers(own.shape, window.shape) &&
      sameNumbers(own.strides, window.strides))
  );
}

/** True if the same inputs share elements as when it was recorded, and no others. */
function shareAsRecorded(inputs: readonly Known[], bound: readonly AnyTensor[]): boolean {
  const leaders = new Map<Cell | AnyTensor, number>();
  for (let k = 0; k < inputs.length; k++) {
    const { leader, window, isCopied } = inputs[k] as Known;
    const tensor = bound[k] as AnyTensor;
    const alias = tensor[aliasKey];
    if (window === null && !isCopied && alias !== null && unwrap(tensor) !== alias.cell.value) return false;
    const key = alias?.cell ?? tensor;
    const known = leaders.get(key);
    if (known === undefined) leaders.set(key, k);
    if ((known ?? k) !== leader) return false;
  }
  return true;
}

function valueAt({ input, of }: Source, bound: readonly AnyTensor[]): Value {
  const tensor = bound[input] as AnyTensor;
  const value = unwrap(tensor);
  return of === "base" ? (tensor[aliasKey]?.cell.value ?? value) : value;
}

/**
 * Computes what the program needs and is not computed yet, all at once. A view whose elements are copied is usually a minibatch, which
 * nobody reads again, so its copy is dropped after the call. If a view is given a second time, it keeps its elements.
 */
function computePending(
  { inputs, needed, options }: Entry,
  bound: readonly AnyTensor[],
): ReadonlyMap<number, Value> {
  let pending: Value[] | null = null;
  let copies: Map<number, Value> | null = null;
  for (let k = 0; k < needed.length; k++) {
    const source = needed[k] as Source;
    let value = valueAt(source, bound);
    if (value.storage !== null) continue;
    const { input, of } = source;
    const tensor = bound[input] as AnyTensor;
    if (inputs[input]?.isCopied && of !== "base" && !givenBefore.has(tensor)) {
      givenBefore.add(tensor);
      value = new Value(value.node, value.inputs, null);
      copies ??= new Map();
      copies.set(input, value);
    }
    pending ??= [];
    pending.push(value);
  }
  if (pending !== null) computeValues(pending, options);
  return copies ?? noCopies;
}

const givenBefore = new WeakSet<AnyTensor>();

/** True if nobody but the tensor that is written will ask for these elements. */
function isFree(
  { strongHandles, cells, uses, isView, storage }: Value,
  tensor: AnyTensor | undefined,
): boolean {
  const isAlone = tensor?.[aliasKey] === null;
  return (
    strongHandles === (isAlone ? 1 : 0) &&
    cells === (isAlone ? 0 : 1) &&
    uses === 0 &&
    !isView &&
    storage?.isPrivate === true
  );
}

/**
 * By memory, the source that has it; null if several have it. What were two computed values when it was recorded, a tensor and a view, may be
 * one by now.
 */
function ownersOf({ needed }: Entry, bound: readonly AnyTensor[]): Map<Storage | null, Source | null> {
  const owners = new Map<Storage | null, Source | null>();
  for (const source of needed) {
    const { storage } = valueAt(source, bound);
    owners.set(storage, owners.has(storage) ? null : source);
  }
  return owners;
}

/** Runs the call, with what it is bound to. */
export function replay(entry: Entry, { tensors: bound, copies }: Bound, numbers: number[]): unknown {
  for (const { read } of entry.thunks) numbers.push(...read());
  const { executable } = entry;
  const kept = entry.writes.length > 0 || entry.made.length > 0 ? sharesOf(entry, bound) : null;
  for (const one of entry.made) if (one.is === "input" || one.is === "view") show(entry, one.input, bound);
  const storages = executable === null ? [] : computeWith(entry, executable, bound, copies, numbers);
  for (const k of entry.unused) storages[k]?.release();
  const values: Value[] = [];
  const give = (from: From): Value => {
    if (from.is !== "output") return madeOf(from, storages, kept);
    // The same source in two places is one value.
    values[from.index] ??= madeOf(from, storages, kept);
    return values[from.index] as Value;
  };
  for (const { input, from } of entry.writes) overwrite(bound[input] as AnyTensor, give(from));
  const cells = entry.cells.map((from): AnyTensor => new Tensor(give(from)));
  const made = entry.made.map((one) => tensorOf(one, bound, cells, give));
  for (const { input, made: place, isShown } of entry.gradients) {
    const tensor = place === null ? null : (made[place] as AnyTensor);
    replaceGradient(leafOf(bound[input] as AnyTensor), tensor === null ? null : { tensor, isShown });
  }
  if (entry.writes.length > 0) watchBetweenUpdates();
  return treeWith(entry.results, made);
}

/** A gradient that is returned belongs to somebody, so it is not disposed of when another replaces it. */
function show({ inputs }: Entry, input: number, bound: readonly AnyTensor[]): void {
  const { where, of } = inputs[input] as Known;
  if (where.is !== "gradient") return;
  const sum = gradientAt(leafOf(bound[of] as AnyTensor));
  if (sum !== null) sum.isShown = true;
}

/** Makes the results. Copies are given back in any case. */
function computeWith(...given: Parameters<typeof compute>): Storage[] {
  const [, , , copies] = given;
  try {
    return compute(...given);
  } finally {
    for (const { storage } of copies.values()) storage?.release();
  }
}

function compute(
  { given, scalars, numbers }: Entry,
  executable: Executable,
  bound: readonly AnyTensor[],
  copies: ReadonlyMap<number, Value>,
  slots: readonly number[],
): Storage[] {
  const storages: Storage[] = [];
  for (let k = 0; k < given.length; k++) {
    const source = given[k] as Source | Storage;
    if (source instanceof Storage) storages.push(source);
    else storages.push((copies.get(source.input) ?? valueAt(source, bound)).storage as Storage);
  }
  const numbersNow: (number | bigint)[] = [];
  for (let k = 0; k < scalars.length; k++) {
    const scalar = scalars[k] as number | bigint | Slot;
    numbersNow.push(
      typeof scalar === "object" ? elementOf(scalar.dtype, slots[scalar.slot] as number) : scalar,
    );
  }
  return run(executable, { given: storages, scalars: numbersNow, numbers });
}

/** Adds an owner to inputs that are returned as they are, since their tensors may be written before they are returned. */
function sharesOf(
  { writes, made, cells }: Entry,
  bound: readonly AnyTensor[],
): ReadonlyMap<From, Storage> | null {
  let shares: Map<From, Storage> | null = null;
  const look = (from: From): void => {
    if (from.is !== "input") return;
    shares ??= new Map();
    shares.set(from, (valueAt(from, bound).storage as Storage).share());
  };
  for (const { from } of writes) look(from);
  for (const one of made) if (one.is === "fresh") look(one.from);
  for (const from of cells) look(from);
  return shares;
}

function madeOf(from: From, storages: readonly Storage[], shares: ReadonlyMap<From, Storage> | null): Value {
  if (from.is === "output") return computedValue(from, storages[from.index] as Storage);
  const { node } = from;
  if (from.is === "constant") return new Value(node, nothing, from.storage.share());
  return new Value(node, nothing, shares?.get(from) as Storage);
}

/** The values that a program has computed. */
export function computedValue({ node, isFreed }: Extract<From, { is: "output" }>, storage: Storage): Value {
  const value = new Value(node, nothing, storage);
  storage.watch(value);
  if (isFreed) {
    const step = new Step(node, nothing, null, null);
    step.isFreed = true;
    value.setStep(step);
  }
  return value;
}

function partOf(of: AnyTensor, { window, isDetached }: Part): AnyTensor {
  if (window === null) return of;
  const view = wrapWindow(of, window);
  return isDetached ? detachedView(view) : view;
}

function tensorOf(
  one: Made,
  bound: readonly AnyTensor[],
  cells: readonly AnyTensor[],
  give: (from: From) => Value,
): AnyTensor {
  switch (one.is) {
    case "input":
      return bound[one.input] as AnyTensor;
    case "view":
      return partOf(bound[one.input] as AnyTensor, one);
    case "part":
      return partOf(cells[one.cell] as AnyTensor, one);
    case "fresh":
      return new Tensor(give(one.from));
    default:
      return one satisfies never;
  }
}
