/** A program run kernel by kernel, so that kernels of several emitters can stand side by side. */
import type { KernelCall, OutputArray, Program, Source } from "../../packages/compiler/src/index.ts";
import { allocate } from "../../packages/ir/src/index.ts";
import type { Executable } from "../../packages/runtime/src/execute/programs/executable.ts";
import { type Bound, run } from "../../packages/runtime/src/execute/programs/run.ts";
import { Storage } from "../../packages/runtime/src/storage.ts";

/** The results. Each kernel is a program of its own, which writes over what is between the kernels. */
export function runStepwise(
  program: Program,
  bound: Bound,
  make: (part: Program, call: number) => Executable,
): Storage[] {
  const between = new Map<string, Storage>();
  const storageOf = (source: Source): Storage => {
    if (source.kind === "input") return bound.given[source.index] as Storage;
    const { dtype, cells } = slotOf(program, source);
    const storage = between.get(nameOf(source)) ?? new Storage(dtype, allocate(dtype, cells));
    between.set(nameOf(source), storage);
    return storage;
  };
  program.calls.forEach((call, k) => {
    const { part, read, written } = partOf(program, call);
    const executable = make(part, k);
    run(executable, { ...bound, given: read.map(storageOf) }).forEach((storage, at) => {
      between.set(nameOf(written[at] as Source), storage);
    });
  });
  const results = program.results.map((source) => storageOf(source).share());
  for (const storage of between.values()) storage.release();
  return results;
}

const nameOf = ({ kind, index }: Source): string => `${kind} ${index}`;

const slotOf = (
  { allocations, arena }: Program,
  { kind, index }: Source,
): Pick<OutputArray, "dtype" | "cells"> =>
  (kind === "output" ? allocations : arena)[index] as Pick<OutputArray, "dtype" | "cells">;

/** One call as a program: all that it touches is an input, but for scratch; what it writes it writes over. */
function partOf(
  program: Program,
  call: KernelCall,
): { readonly part: Program; readonly read: readonly Source[]; readonly written: readonly Source[] } {
  const read: Source[] = [];
  const written: Source[] = [];
  const allocations: OutputArray[] = [];
  const inputFor = (source: Source): number => {
    const known = read.findIndex((each) => nameOf(each) === nameOf(source));
    return known >= 0 ? known : read.push(source) - 1;
  };
  const buffers = call.buffers.map((source, slot): Source => {
    const access = call.loop.buffers[slot]?.access;
    if (access === "scratch") return source;
    const donor = inputFor(source);
    if (access === "read") return { kind: "input", index: donor };
    const { dtype, cells } = slotOf(program, source);
    written.push(source);
    return { kind: "output", index: allocations.push({ dtype, cells, donor }) - 1 };
  });
  const part: Program = {
    ...program,
    calls: [{ ...call, buffers }],
    allocations,
    donors: allocations.map(({ donor }) => donor as number),
    results: allocations.map((_, index) => ({ kind: "output", index })),
  };
  return { part, read, written };
}
