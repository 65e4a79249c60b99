/** Runs a program's kernels on typed arrays of the JavaScript heap. */
import type { EmittedKernel, KernelCall, Program, Source } from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
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
  // Everything is allocated before the first kernel, so that running out of memory leaves nothing half done.
  const outputs: TypedArray[] = [];
  for (const { dtype, cells, donor } of allocations)
    outputs.push(donor === null ? takeArray(dtype, cells) : arrayOf(given[donor] as Value));
  const slots = arena.length === 0 ? nothing : arena.map(({ dtype, cells }) => takeArray(dtype, cells));
  for (let k = 0; k < calls.length; k++) {
    const call = calls[k] as KernelCall;
    const buffers = bind(call.buffers, given, outputs, slots);
    const sizes = sizesOf(call, numbers);
    const scalars = call.scalars.length === 0 ? all : call.scalars.map((index) => all[index] as number);
    const kernel = kernels[k] as EmittedKernel;
    if (around === undefined) kernel.run(buffers, sizes, scalars);
    else around(call, () => kernel.run(buffers, sizes, scalars));
  }
  for (let k = 0; k < slots.length; k++)
    giveArray((arena[k] as { dtype: Storage["dtype"] }).dtype, slots[k] as TypedArray);
  if (donors.length > 0) letGo(donors, given, outputs);
  return outputs.map(
    (array, k) => new Storage((allocations[k] as Program["allocations"][number]).dtype, array, false),
  );
}

const arrayOf = ({ storage }: Value): TypedArray => (storage as Storage).array;

function bind(
  sources: readonly Source[],
  given: readonly Value[],
  outputs: readonly TypedArray[],
  slots: readonly TypedArray[],
): TypedArray[] {
  const buffers: TypedArray[] = [];
  for (let k = 0; k < sources.length; k++) {
    const { kind, index } = sources[k] as Source;
    if (kind === "input") buffers.push(arrayOf(given[index] as Value));
    else buffers.push((kind === "output" ? outputs[index] : slots[index]) as TypedArray);
  }
  return buffers;
}

/** Inputs that nobody has a use for: some have become results, the others are free. */
function letGo(donors: readonly number[], given: readonly Value[], outputs: readonly TypedArray[]): void {
  for (const index of donors) {
    const storage = (given[index] as Value).storage as Storage;
    if (outputs.includes(storage.array)) storage.surrender();
    else storage.release();
  }
}
