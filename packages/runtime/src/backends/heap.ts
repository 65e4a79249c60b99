/** Runs a program's kernels on typed arrays of the JavaScript heap. JavaScript text and closures share this. */
import type { ArenaSlot, KernelCall, OutputArray, Program, Source } from "@fuseau/compiler";
import type { DType, TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import {
  type Backend,
  type HeapKernel,
  isSmall,
  type Loaded,
  type Numbers,
  type Run,
  type RunAtOnce,
  releaseUnused,
  type Workspace,
} from "./backend.ts";
import { sizesOf } from "./bind.ts";

type HeapBackend = Backend<HeapKernel, TypedArray>;

/** What all backends have in common whose kernels are functions of typed arrays. */
export const onHeap: Pick<HeapBackend, "refuses" | "forget" | "load" | "open" | "whenAtRest"> = {
  refuses: () => null,
  forget: () => {},
  load: loadOnHeap,
  open: () => new HeapWorkspace(),
  whenAtRest: (free) => free(),
};

function loadOnHeap(program: Program, kernels: readonly HeapKernel[]): Loaded<TypedArray> {
  return {
    run: (run) => runOnHeap(program, kernels, run),
    atOnce: isSmall(program) ? atOnce(program, kernels) : null,
    at: (other) => loadOnHeap(other, kernels),
  };
}

const nothing: readonly TypedArray[] = [];

function runOnHeap(
  { arena, calls }: Program,
  kernels: readonly HeapKernel[],
  { inputs, outputs, scalars: all, numbers, workspace, around }: Run<TypedArray>,
): void {
  // Everything is allocated before the first kernel runs, so that running out of memory leaves nothing half done.
  const slots = arena.length === 0 ? nothing : arena.map(({ dtype, cells }) => workspace.take(dtype, cells));
  for (let k = 0; k < calls.length; k++) {
    const call = calls[k] as KernelCall;
    const buffers = bind(call.buffers, inputs, outputs, slots);
    const sizes = sizesOf(call, numbers);
    const scalars = scalarsOf(call, all);
    const kernel = kernels[k] as HeapKernel;
    if (around === undefined) kernel.run(buffers, sizes, scalars);
    else around(call, () => kernel.run(buffers, sizes, scalars));
  }
  for (let k = 0; k < slots.length; k++) giveArray(slots[k] as TypedArray);
}

/** The positions of a call's arrays in the list of inputs, outputs and arena slots; null if they are that list. */
function placesOf({ buffers }: KernelCall, inputs: number, outputs: number): readonly number[] | null {
  const first = { input: 0, output: inputs, arena: inputs + outputs };
  const places = buffers.map(({ kind, index }) => first[kind] + index);
  return places.every((place, k) => place === k) ? null : places;
}

/** The same without a workspace: no other code runs in the meantime, so nothing must be held or closed. */
function atOnce(program: Program, kernels: readonly HeapKernel[]): RunAtOnce {
  const { allocations, arena, calls, donors } = program;
  const outputs = allocations.length;
  let places: readonly (readonly number[] | null)[] | null = null;
  return (given, { scalars, numbers }) => {
    const inputs = given.length;
    places ??= calls.map((call) => placesOf(call, inputs, outputs));
    // Allocated at its length: an array that grows has room for 17.
    const arrays = new Array<TypedArray>(inputs + outputs + arena.length);
    for (let k = 0; k < inputs; k++) {
      const array = (given[k] as Storage).atHand;
      if (array === null) return null;
      arrays[k] = array;
    }
    for (let k = 0; k < outputs; k++) {
      const { dtype, cells, donor } = allocations[k] as OutputArray;
      arrays[inputs + k] = donor === null ? takeArray(dtype, cells) : (arrays[donor] as TypedArray);
    }
    for (let k = 0; k < arena.length; k++) {
      const { dtype, cells } = arena[k] as ArenaSlot;
      arrays[inputs + outputs + k] = takeArray(dtype, cells);
    }
    for (let k = 0; k < calls.length; k++) {
      const call = calls[k] as KernelCall;
      const own = places[k] as readonly number[] | null;
      const buffers = own === null ? arrays : own.map((place) => arrays[place] as TypedArray);
      (kernels[k] as HeapKernel).run(buffers, sizesOf(call, numbers), scalarsOf(call, scalars));
    }
    const storages = new Array<Storage>(outputs);
    for (let k = 0; k < outputs; k++) {
      const { dtype, donor } = allocations[k] as OutputArray;
      if (donor !== null) given[donor]?.surrender();
      storages[k] = new Storage(dtype, arrays[inputs + k] as TypedArray);
    }
    if (donors.length > 0) releaseUnused(program, given);
    return storages;
  };
}

const scalarsOf = ({ scalars }: KernelCall, all: Numbers["scalars"]): Numbers["scalars"] =>
  scalars.length === 0 ? all : scalars.map((index) => all[index] as number | bigint);

function bind(
  sources: readonly Source[],
  inputs: readonly TypedArray[],
  outputs: readonly TypedArray[],
  slots: readonly TypedArray[],
): TypedArray[] {
  const buffers: TypedArray[] = [];
  for (let k = 0; k < sources.length; k++) {
    const { kind, index } = sources[k] as Source;
    buffers.push((kind === "input" ? inputs : kind === "output" ? outputs : slots)[index] as TypedArray);
  }
  return buffers;
}

/** If a run fails, the arrays that it took are left to the garbage collector. */
class HeapWorkspace implements Workspace<TypedArray> {
  /** Null once a result has its memory. */
  readonly #operands: (Storage | null)[] = [];

  operand(storage: Storage): TypedArray {
    const array = storage.holdArray();
    this.#operands.push(storage);
    return array;
  }

  take(dtype: DType, cells: number): TypedArray {
    return takeArray(dtype, cells);
  }

  settle(array: TypedArray, dtype: DType): Storage {
    return new Storage(dtype, array);
  }

  settleOver(k: number, array: TypedArray, dtype: DType): Storage {
    this.#operands[k]?.surrender();
    this.#operands[k] = null;
    return new Storage(dtype, array);
  }

  /** Functions of arrays do not break off. */
  lose(): void {}

  close(): void {
    for (let k = 0; k < this.#operands.length; k++) this.#operands[k]?.endHold(null);
  }
}
