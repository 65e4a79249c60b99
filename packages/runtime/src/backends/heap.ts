/** Runs a program's kernels on typed arrays of the JavaScript heap: what JavaScript text and closures have in common. */
import type { KernelCall, KernelFunction, Program, Source } from "@fuseau/compiler";
import type { DType, TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import type { Backend, Kernel, Run, Workspace } from "./backend.ts";
import { sizesOf } from "./bind.ts";

export interface HeapKernel extends Kernel {
  readonly run: KernelFunction;
}

type HeapBackend = Backend<HeapKernel, TypedArray>;

/** What is the same for every backend whose kernels are functions of typed arrays. */
export const onHeap: Pick<HeapBackend, "refuses" | "forget" | "load" | "open" | "whenAtRest"> = {
  refuses: () => null,
  forget: () => {},
  load: (program, kernels) => ({ run: (run) => runOnHeap(program, kernels, run) }),
  open: () => new HeapWorkspace(),
  whenAtRest: (free) => free(),
};

const nothing: readonly TypedArray[] = [];

function runOnHeap(
  { arena, calls }: Program,
  kernels: readonly HeapKernel[],
  { inputs, outputs, scalars: all, numbers, workspace, around }: Run<TypedArray>,
): void {
  // Everything is allocated before the first kernel, so that running out of memory leaves nothing half done.
  const slots = arena.length === 0 ? nothing : arena.map(({ dtype, cells }) => workspace.take(dtype, cells));
  for (let k = 0; k < calls.length; k++) {
    const call = calls[k] as KernelCall;
    const buffers = bind(call.buffers, inputs, outputs, slots);
    const sizes = sizesOf(call, numbers);
    const scalars = call.scalars.length === 0 ? all : call.scalars.map((index) => all[index] as number);
    const kernel = kernels[k] as HeapKernel;
    if (around === undefined) kernel.run(buffers, sizes, scalars);
    else around(call, () => kernel.run(buffers, sizes, scalars));
  }
  for (let k = 0; k < slots.length; k++)
    giveArray((arena[k] as { dtype: DType }).dtype, slots[k] as TypedArray);
}

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

/** What a run that fails has taken is left to the collector. */
class HeapWorkspace implements Workspace<TypedArray> {
  /** Null where a result has its memory. */
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
    for (let k = 0; k < this.#operands.length; k++) this.#operands[k]?.letGo(null);
  }
}
