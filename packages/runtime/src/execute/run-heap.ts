/** Runs a program's kernels on typed arrays of the JavaScript heap. */
import type { EmittedKernel, KernelCall, Program, Source } from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import { sizesOf } from "./bind.ts";
import type { Around, Bound } from "./run.ts";

const nothing: readonly TypedArray[] = [];

/** The elements of each allocation of the program's. */
export function runOnHeap(
  program: Program,
  kernels: readonly EmittedKernel[],
  { given, scalars: all, numbers }: Bound,
  around: Around | undefined,
): Storage[] {
  const { allocations, arena, calls, donors } = program;
  const inputs: TypedArray[] = [];
  try {
    for (const storage of given) inputs.push(storage.holdArray());
    // Everything is allocated before the first kernel, so that running out of memory leaves nothing half done.
    const outputs = allocations.map(({ dtype, cells, donor }) =>
      donor === null ? takeArray(dtype, cells) : (inputs[donor] as TypedArray),
    );
    const slots = arena.length === 0 ? nothing : arena.map(({ dtype, cells }) => takeArray(dtype, cells));
    for (let k = 0; k < calls.length; k++) {
      const call = calls[k] as KernelCall;
      const buffers = bind(call.buffers, inputs, outputs, slots);
      const sizes = sizesOf(call, numbers);
      const scalars = call.scalars.length === 0 ? all : call.scalars.map((index) => all[index] as number);
      const kernel = kernels[k] as EmittedKernel;
      if (around === undefined) kernel.run(buffers, sizes, scalars);
      else around(call, () => kernel.run(buffers, sizes, scalars));
    }
    for (let k = 0; k < slots.length; k++)
      giveArray((arena[k] as { dtype: Storage["dtype"] }).dtype, slots[k] as TypedArray);
    for (const index of donors) {
      const storage = given[index] as Storage;
      if (outputs.includes(inputs[index] as TypedArray)) storage.surrender();
      else storage.release();
    }
    return outputs.map(
      (array, k) => new Storage((allocations[k] as Program["allocations"][number]).dtype, array),
    );
  } finally {
    for (let k = 0; k < inputs.length; k++) given[k]?.letGo(null);
  }
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
