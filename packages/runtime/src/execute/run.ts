/** Runs a program where its kernels run, and hands the results on. */
import type { EmittedKernel, KernelCall, Program } from "@fuseau/compiler";
import type { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import type { Extraction } from "./extract.ts";
import type { Executable } from "./programs.ts";
import { runOnHeap } from "./run-heap.ts";
import { runLinear } from "./run-linear.ts";

let kernelRuns = 0;
let programRuns = 0;

export const runCounters = (): { readonly programs: number; readonly kernels: number } => ({
  programs: programRuns,
  kernels: kernelRuns,
});

/** What a program is bound to. */
export type Bound = Pick<Extraction, "given" | "scalars" | "numbers">;

/** What a kernel call is to be timed by; the clock is the caller's. */
export type Around = (call: KernelCall, run: () => void) => void;

/** The elements of each result, in the order of the program's outputs. */
export function run({ program, kernels, linear }: Executable, bound: Bound, around?: Around): Storage[] {
  const { given } = bound;
  const storages =
    linear === null
      ? runOnHeap(program, kernels as readonly EmittedKernel[], bound, around)
      : runLinear(linear, bound, around);
  kernelRuns += program.calls.length;
  programRuns++;
  return results(program, given, storages);
}

function results(program: Program, given: readonly Value[], storages: readonly Storage[]): Storage[] {
  const handed = new Set<Storage>();
  return program.results.map(({ kind, index }) => {
    if (kind === "input") return ((given[index] as Value).storage as Storage).share();
    const storage = storages[index] as Storage;
    if (handed.has(storage)) return storage.share();
    handed.add(storage);
    return storage;
  });
}
