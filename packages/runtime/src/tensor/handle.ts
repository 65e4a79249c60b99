import type { DType } from "@fuseau/ir";
import { noteUnread } from "../execute/unread.ts";
import type { Members } from "../members/declared.ts";
import { noTensor } from "../messages/given.ts";
import { trimmed } from "../messages/stack.ts";
import { checkTerm, type Term } from "../ops/operand.ts";
import * as record from "../record.ts";
import { shareRetained } from "../tape/written.ts";
import { tracing } from "../tracing.ts";
import { Value } from "../value.ts";
import { type Alias, undoFailed } from "./cell.ts";
import { readAlias } from "./read-cell.ts";
import { noteMade, noteWritten } from "./scope.ts";
import type { AnyTensor } from "./types.ts";

/** The key of the shape in the static type; no value is stored under it. */
export declare const shapeKey: unique symbol;
export type ShapeKey = typeof shapeKey;

/** The key of a tensor's alias; null while it stands alone. */
export const aliasKey: unique symbol = Symbol("fuseau.alias");

/** The key of a tensor's value, hidden from autocompletion. */
export const valueKey: unique symbol = Symbol("fuseau.value");

let wasMade: (x: object) => boolean;

const notice = Symbol("A fuseau Tensor (send x.toTransferable() instead, and read it with fromTransferable)");

/**
 * A lazy array of shape S and dtype D. Ops on it record what is to be computed, and check shapes and dtypes at once. Nothing runs until
 * `compute()` or a method that reads elements. Tensors are made by `tensor`, `zeros`, `arange` …
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: tensor.ts adds every method, and is checked to
export class Tensor<out S extends number[] = number[], out D extends DType = DType> {
  /** Private, since test libraries compare the visible properties of two objects, and the graph behind a tensor does not belong there. */
  #value: Value;
  #alias: Alias | null = null;
  /**
   * A symbol makes structuredClone and postMessage refuse the tensor, with the symbol's text. Otherwise they would make an empty object of
   * it.
   */
  protected readonly notCloned: symbol;

  constructor(value: Value) {
    if (!(value instanceof Value))
      throw trimmed(new TypeError("Tensor: tensor(data) makes one, not new Tensor(data)"), Tensor);
    this.#value = value;
    this.notCloned = notice;
    value.handles++;
    value.hold();
    noteMade(this);
    noteUnread(value);
  }

  static {
    Object.defineProperty(Tensor.prototype, valueKey, {
      get(this: Tensor): Value {
        return this.#value;
      },
      set(this: Tensor, value: Value) {
        this.#value = value;
      },
    });
    Object.defineProperty(Tensor.prototype, aliasKey, {
      get(this: Tensor): Alias | null {
        return this.#alias;
      },
      set(this: Tensor, alias: Alias | null) {
        this.#alias = alias;
      },
    });
    wasMade = (x) => #value in x;
  }

  /** The sizes, outermost first; `[]` when 0-d. It is a copy: to change it does not change the tensor. */
  get shape(): Readonly<S> {
    if (tracing !== null) tracing.use(this);
    return this[valueKey].node.shape.slice() as Readonly<number[]> as Readonly<S>;
  }

  /** The element type. */
  get dtype(): D {
    return this[valueKey].node.dtype as D;
  }

  /** The number of axes. */
  get ndim(): S["length"] {
    if (tracing !== null) tracing.use(this);
    return this[valueKey].node.shape.length;
  }
}

export interface Tensor<out S extends number[] = number[], out D extends DType = DType>
  extends Members<S, D> {
  /** The elements as PyTorch prints them, with shape and dtype. */
  toString(this: AnyTensor): string;
  /** `using x = …` disposes of x at the end of its block. */
  [Symbol.dispose](this: AnyTensor): void;
  readonly [shapeKey]: S;
  [valueKey]: Value;
  [aliasKey]: Alias | null;
}

/** True for tensors. False for Tensor.prototype, and for copies that test libraries make of a tensor. */
export const isTensor = (x: object): x is AnyTensor => wasMade(x);

/** A new tensor for a value. Its static type is what the caller promises; tests/types/promises.test.ts compares it with the result. */
export const wrap = <S extends number[] = number[], D extends DType = DType>(value: Value): Tensor<S, D> =>
  new Tensor(value.isView || value.handles > 0 ? ownOf(value) : value);

/**
 * A value with the same elements that a tensor or a cell can hold as its own. A step's hooks and gradient belong to one tensor, and a view's
 * value may be read by other views without being counted, so for those it is a new value.
 */
export const ownOf = (value: Value): Value =>
  value.isView || hasStepOfOther(value) ? record.reshape(value, value.node.shape) : value;

/** Whether a value has a step that is that of a tensor. */
export const hasStepOfOther = ({ step, handles }: Value): boolean =>
  step !== null && (step.isLeaf || handles > 0);

/** {@link wrap} for several values, in a list or by name. */
export const wrapEach = <R extends { readonly [Name in keyof R]: AnyTensor }>(
  values: NoInfer<{ readonly [Name in keyof R]: Value }>,
): R => wrapAs(values as readonly Value[] | Readonly<Record<string, Value>>);

/** {@link wrap} for one value, a list or an object, where the type checker cannot follow which it is. */
export function wrapAs<R>(made: Value | readonly Value[] | Readonly<Record<string, Value>>): R {
  if (made instanceof Value) return wrap(made) as R;
  if (Array.isArray(made)) return made.map((value: Value) => wrap(value)) as R;
  return Object.fromEntries(Object.entries(made).map(([name, value]) => [name, wrap(value)])) as R;
}

/**
 * The present value of a tensor.
 * @throws TypeError unless it is a tensor; the entry names the argument.
 */
export function unwrap(tensor: unknown): Value {
  if (!(tensor instanceof Tensor)) throw noTensor(tensor);
  if (tracing !== null) tracing.use(tensor);
  const alias = tensor[aliasKey];
  if (alias !== null) {
    const { cell } = alias;
    if (cell.failures !== Value.failures) undoFailed(cell);
    if (alias.version !== cell.version) reread(tensor, alias);
  }
  return tensor[valueKey];
}

/** Gives a tensor another value. */
export function setValue(tensor: AnyTensor, value: Value): void {
  noteWritten(tensor);
  replaceValue(tensor, value);
}

function replaceValue(tensor: AnyTensor, value: Value): void {
  tensor[valueKey].handles--;
  value.handles++;
  if (tensor[aliasKey] === null) {
    tensor[valueKey].strongHandles--;
    value.hold();
  }
  tensor[valueKey] = value;
}

/** Makes a tensor an alias of a cell, or ends that. */
export function setAlias(tensor: AnyTensor, alias: Alias | null): void {
  if (tensor[aliasKey] === null) tensor[valueKey].strongHandles--;
  if (alias === null) tensor[valueKey].hold();
  tensor[aliasKey] = alias;
}

/** Reads the tensor's window again, after another alias has written to the cell. */
function reread(tensor: AnyTensor, alias: Alias): void {
  const value = readAlias(alias);
  shareRetained(tensor[valueKey].step, value.step);
  replaceValue(tensor, value);
  value.weaken();
  alias.version = alias.cell.version;
}

/** A tensor's value, or the scalar as it is. Anything else is refused when it is promoted. */
export const term = (argument: unknown): Term =>
  argument instanceof Tensor ? unwrap(argument) : (argument as Term);

/** Like `term`, but refuses at once. */
export function checkedTerm(argument: unknown): Term {
  const found = term(argument);
  checkTerm(found);
  return found;
}
