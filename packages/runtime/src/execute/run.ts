/** Runs a program: allocates everything, then calls the kernels, then hands the results on. */
import type { KernelCall, Program, Source } from "@fuseau/compiler";
import type { TypedArray } from "@fuseau/ir";
import { giveArray, takeArray } from "../pool.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { nameFailure } from "./failure.ts";
import type { Executable } from "./programs.ts";

const nothing: readonly TypedArray[] = [];
let kernelRuns = 0;
let programRuns = 0;

export const runCounters = (): { readonly programs: number; readonly kernels: number } => ({
  programs: programRuns,
  kernels: kernelRuns,
});

/** What a kernel call is to be timed by; the clock is the caller's. */
export type Around = (call: KernelCall, run: () => void) => void;

/** The elements of each result, in the order of the program's outputs. */
export function run(
  { program, kernels }: Executable,
  given: readonly Value[],
  scalars: readonly (number | bigint)[],
  around?: Around,
): Storage[] {
  const { allocations, arena, calls } = program;
  // Everything is allocated before the first kernel, so that running out of memory leaves nothing half done.
  const outputs: TypedArray[] = [];
  for (const { dtype, cells, donor } of allocations)
    outputs.push(
      donor === null ? takeArray(dtype, cells) : ((given[donor] as Value).storage as Storage).array,
    );
  const slots = arena.length === 0 ? nothing : arena.map(({ dtype, cells }) => takeArray(dtype, cells));
  for (let k = 0; k < calls.length; k++) {
    const call = calls[k] as KernelCall;
    const buffers = bind(call.buffers, given, outputs, slots);
    const numbers =
      call.scalars.length === 0 ? scalars : call.scalars.map((index) => scalars[index] as number);
    const kernel = kernels[k] as Executable["kernels"][number];
    try {
      if (around === undefined) kernel.run(buffers, call.sizes, numbers);
      else around(call, () => kernel.run(buffers, call.sizes, numbers));
    } catch (error) {
      throw nameFailure(error, program, call);
    }
  }
  kernelRuns += calls.length;
  programRuns++;
  for (let k = 0; k < slots.length; k++)
    giveArray((arena[k] as { dtype: Storage["dtype"] }).dtype, slots[k] as TypedArray);
  const storages = results(program, given, outputs);
  const kept = new Set<TypedArray>(program.donors.length === 0 ? nothing : outputs);
  for (const index of program.donors) {
    const storage = (given[index] as Value).storage as Storage;
    if (kept.has(storage.array)) storage.surrender();
    else storage.release();
  }
  return storages;
}

function bind(
  sources: readonly Source[],
  given: readonly Value[],
  outputs: readonly TypedArray[],
  slots: readonly TypedArray[],
): TypedArray[] {
  const buffers: TypedArray[] = [];
  for (let k = 0; k < sources.length; k++) {
    const { kind, index } = sources[k] as Source;
    if (kind === "input") buffers.push(((given[index] as Value).storage as Storage).array);
    else buffers.push((kind === "output" ? outputs[index] : slots[index]) as TypedArray);
  }
  return buffers;
}

function results(program: Program, given: readonly Value[], outputs: readonly TypedArray[]): Storage[] {
  const storages: (Storage | undefined)[] = [];
  const found: Storage[] = [];
  for (const { kind, index } of program.results) {
    if (kind === "input") found.push(((given[index] as Value).storage as Storage).share());
    else {
      const known = storages[index];
      const dtype = (program.allocations[index] as { dtype: Storage["dtype"] }).dtype;
      const storage =
        known === undefined ? new Storage(dtype, outputs[index] as TypedArray, false) : known.share();
      storages[index] = storage;
      found.push(storage);
    }
  }
  return found;
}
