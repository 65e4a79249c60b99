/** Watches a function during its first call: which tensors from before it uses, and what it asks of the host. */
import { type DType, elementCount, type StridedView } from "@fuseau/ir";
import { computeValues } from "../execute/compute.ts";
import { elementOf } from "../ops/operand.ts";
import { getOptions, type Options } from "../options.ts";
import * as record from "../record.ts";
import { type Leaf, recording } from "../tape/step.ts";
import type { Cell } from "../tensor/cell.ts";
import { aliasKey, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type Tracing, withTracing } from "../tracing.ts";
import type { Value } from "../value.ts";
import { isWhole } from "../window/window.ts";
import { type Kind, kindOf } from "./signature.ts";

/** How a call finds a tensor: among its arguments, as the same captured one, or as the gradient of a leaf. */
export type Where =
  | { readonly is: "argument" }
  | { readonly is: "captured" }
  | { readonly is: "gradient"; readonly of: Leaf };

/** A tensor from before the call, as it was then. */
export interface Input {
  readonly tensor: AnyTensor;
  readonly where: Where;
  readonly value: Value;
  readonly kind: Kind;
  /** Null if it stood alone. */
  readonly cell: Cell | null;
  /** What its cell held; the tensor's own value if it stood alone. */
  readonly base: Value;
  /** Its window of the cell; null if it stood alone. */
  readonly shown: StridedView | null;
  /** The same; null also if the window is the whole cell. */
  readonly window: StridedView | null;
  /** A stand-in for a view: it has the view's elements and no cell. */
  readonly isCopied: boolean;
  /** The first input with the same cell. */
  readonly leader: number;
}

/** The value of an input, or what its cell held. */
export interface Source {
  readonly input: number;
  readonly of: "value" | "base";
}

export interface Thunk {
  readonly read: () => readonly number[];
  readonly slot: number;
  /** True if what it reads depends on sizes. */
  readonly isOfSizes: boolean;
}

export interface Guard {
  readonly read: () => unknown;
  readonly value: unknown;
}

/** A number that may differ from call to call. */
export interface Slot {
  readonly slot: number;
  readonly dtype: DType;
}

export class Trace implements Tracing {
  readonly inputs: Input[] = [];
  readonly sources: Map<Value, Source> = new Map<Value, Source>();
  readonly ownTensors: Set<AnyTensor> = new Set<AnyTensor>();
  readonly constants: Set<Value> = new Set<Value>();
  readonly thunks: Thunk[] = [];
  readonly guards: Guard[] = [];
  readonly slots: Map<Value, Slot> = new Map<Value, Slot>();
  readonly readSlots: Set<number> = new Set<number>();
  /** What was found when the gradient of a leaf was first looked up; undefined if it had been replaced before. */
  readonly leaves: Map<Leaf, AnyTensor | null | undefined> = new Map<Leaf, AnyTensor | null | undefined>();
  readonly deferred: { readonly tensors: readonly AnyTensor[]; readonly others: readonly Value[] }[] = [];
  /** Why later calls have to be recorded; null if they need not. */
  refusal: string | null = null;
  readonly #options: Options;
  readonly #positions = new Map<AnyTensor, number>();
  readonly #leaders = new Map<Cell, number>();
  /** By slot. */
  readonly #numbers: number[];

  constructor(options: Options, numbers: readonly number[]) {
    this.#options = options;
    this.#numbers = [...numbers];
  }

  refuse(why: string): void {
    this.refusal ??= why;
  }

  positionOf(tensor: AnyTensor): number | undefined {
    return this.#positions.get(tensor);
  }

  made(tensor: AnyTensor): void {
    this.ownTensors.add(tensor);
  }

  isOwn(tensor: AnyTensor): boolean {
    return this.ownTensors.has(tensor);
  }

  use(tensor: AnyTensor): void {
    if (!this.ownTensors.has(tensor) && !this.#positions.has(tensor)) this.note(tensor, { is: "captured" });
  }

  /** Adds a tensor from before the call. It is computed, so that the program begins at it. */
  note(tensor: AnyTensor, where: Where, isCopied = false): void {
    if (!this.#positions.has(tensor)) withTracing(null, () => this.#note(tensor, where, isCopied));
  }

  #note(tensor: AnyTensor, where: Where, isCopied: boolean): void {
    const position = this.inputs.length;
    this.#positions.set(tensor, position);
    if (recording.isActive && kindOf(unwrap(tensor)) === "made")
      this.refuse("a tensor that it uses requires a gradient, and was computed from others or has hooks");
    const cell = tensor[aliasKey]?.cell ?? null;
    const leader = cell === null ? position : (this.#leaders.get(cell) ?? position);
    const isFirst = leader === position;
    const base = cell?.value ?? unwrap(tensor);
    if (isFirst && this.refusal === null) {
      computeValues([base], this.#options);
      if (base.storage?.isGone === true)
        throw new Error(
          `jit: the function uses a tensor (${base.node.dtype}[${base.node.shape.join(", ")}]) whose memory was given back by dispose(); keep what it captures, or make another function of jit`,
        );
    }
    const alias = tensor[aliasKey];
    // Read from the cell, so that it is made of what the cell holds and of no other view.
    if (alias !== null && unwrap(tensor).storage === null && base.step === null && isFirst)
      alias.version = -1;
    const value = unwrap(tensor);
    const isAll = alias === null || (isWhole(alias.window, elementCount(base.node.shape)) && value === base);
    if (cell !== null && isFirst) this.#leaders.set(cell, position);
    if (isFirst) this.#bind(base, { input: position, of: isAll ? "value" : "base" });
    if (isFirst && value !== base && value.storage !== null)
      this.#bind(value, { input: position, of: "value" });
    const shown = alias?.window ?? null;
    this.inputs.push({
      tensor,
      where,
      value,
      kind: kindOf(value),
      cell,
      base,
      shown,
      window: isAll ? null : shown,
      isCopied,
      leader,
    });
  }

  #bind(value: Value, source: Source): void {
    // Two tensors with one value may have two at the next call. Then it is unknown which one is meant.
    if (this.sources.has(value)) this.refuse("two of the tensors that it uses have the same value");
    this.sources.set(value, source);
  }

  constant(value: Value): void {
    this.constants.add(value);
  }

  gradientRead(leaf: Leaf, found: AnyTensor | null): void {
    if (this.leaves.has(leaf)) return;
    this.leaves.set(leaf, found);
    if (found !== null) this.note(found, { is: "gradient", of: leaf });
  }

  gradientWritten(leaf: Leaf): void {
    if (!this.leaves.has(leaf)) this.leaves.set(leaf, undefined);
  }

  perCall(
    read: () => readonly number[],
    isOfSizes = false,
  ): { readonly slot: number; readonly numbers: readonly number[] } {
    const numbers = withTracing(null, read);
    const slot = this.#numbers.length;
    this.#numbers.push(...numbers);
    this.thunks.push({ read, slot, isOfSizes });
    return { slot, numbers };
  }

  numberAt(slot: number, dtype: DType): Value {
    const value = record.scalar(dtype, elementOf(dtype, this.#numbers[slot] as number));
    this.slots.set(value, { slot, dtype });
    return value;
  }

  noteRead(slot: number): void {
    this.readSlots.add(slot);
  }

  guard(read: () => unknown): void {
    this.guards.push({ read, value: withTracing(null, read) });
  }

  defer(tensors: readonly AnyTensor[], others: readonly Value[], options: Options): void {
    if (options !== getOptions())
      throw new TypeError(
        "compute: a jitted function is one program, which is computed when it returns: give its options to jit, as in jit(fn, { emitter })",
      );
    this.deferred.push({ tensors, others });
  }
}
