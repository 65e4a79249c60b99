/**
 * Where a program's working memory lies within one block of linear memory: its arena, what its kernels want beside their buffers,
 * and a frame for each kernel and thread. Sizes are fixed with the program, so this is worked out once.
 */
import type { ArenaSlot, KernelCall, OutputArray, Program, Source } from "@fuseau/compiler";
import { dtypes, elementCount, type Node } from "@fuseau/ir";
import type { LinearKernel } from "./linear-kernels.ts";
import { grain } from "./linear-pool.ts";

export interface LinearPlan {
  readonly threads: number;
  readonly bytes: number;
  /** Offsets within the block. */
  readonly arena: readonly number[];
  readonly calls: readonly PlannedCall[];
}

export interface PlannedCall {
  /** By thread, offsets of frames; one alone where the kernel runs on the main thread only. */
  readonly frames: readonly number[];
  /** By thread and buffer, the offset of a buffer of its own; null where all share the one that the memory plan names. */
  readonly scratch: readonly (readonly (number | null)[])[];
  /** By thread, offsets of the workspaces. */
  readonly workspaces: readonly (readonly number[])[];
  readonly phases: readonly PlannedPhase[];
}

export interface PlannedPhase {
  readonly workItems: number;
  readonly slice: number;
  readonly sequential: boolean;
}

/** Between two pieces: a step may read past an end. */
const SLACK = 64;
/** A cache line, so that threads do not write to the same one. */
const ALIGNMENT = 64;

/** The bytes that the arena and the workspaces of a program take: of each slot, then of each call's workspaces. */
export function roomsOf({ arena, calls }: Program, kernels: readonly LinearKernel[]): number[] {
  const rooms = new Array<number>(arena.length);
  for (let k = 0; k < arena.length; k++) {
    const { dtype, cells } = arena[k] as ArenaSlot;
    rooms[k] = cells * dtypes[dtype].bytes;
  }
  for (let k = 0; k < calls.length; k++)
    for (const { dtype, cells } of (kernels[k] as LinearKernel).compiled.workspaces)
      rooms.push(cells((calls[k] as KernelCall).sizes) * dtypes[dtype].bytes);
  return rooms;
}

/** How a phase is shared out at the sizes of a call. */
export function phaseOf(
  { sequential, workItems, work }: LinearKernel["compiled"]["phases"][number],
  { sizes }: KernelCall,
): PlannedPhase {
  const count = workItems(sizes);
  const slice = sequential
    ? Math.max(1, count)
    : wholeSteps(Math.max(1, Math.ceil(grain.slice / Math.max(1, work(sizes)))));
  return { workItems: count, slice, sequential };
}

/** `rooms` may be larger than what the program takes. */
export function planLinear(
  program: Program,
  kernels: readonly LinearKernel[],
  threads: number,
  rooms: readonly number[] = roomsOf(program, kernels),
): LinearPlan {
  const { arena, calls } = program;
  let bytes = 0;
  let next = 0;
  const room = (): number => rooms[next++] as number;
  const place = (size: number): number => {
    const start = bytes;
    bytes = Math.ceil((start + size + SLACK) / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const offsets = arena.map(() => place(room()));
  const planned = calls.map((call, k): PlannedCall => {
    const { compiled } = kernels[k] as LinearKernel;
    // What a module imports cannot be posted to a worker.
    const runners = Array.from({ length: compiled.imports.length > 0 ? 1 : threads }, (_, thread) => thread);
    const workspaces = runners.map((): number[] => []);
    for (const { perThread } of compiled.workspaces) {
      const size = room();
      const common = perThread ? null : place(size);
      for (const thread of runners) (workspaces[thread] as number[]).push(common ?? place(size));
    }
    return {
      frames: runners.map(() => place(compiled.frameBytes)),
      scratch: runners.map((thread) => ownScratch(call, compiled.perThread, thread)),
      workspaces,
      phases: compiled.phases.map((phase) => phaseOf(phase, call)),
    };
  });
  return { threads, bytes, arena: offsets, calls: planned };

  /** The main thread uses what the memory plan says; every other has its own. */
  function ownScratch(call: KernelCall, perThread: readonly boolean[], thread: number): (number | null)[] {
    return call.buffers.map((source, slot) =>
      thread > 0 && perThread[slot] === true ? place(capacityOf(program, source)) : null,
    );
  }
}

/** Elements that loops take in one step, most often. */
const STEP = 16;

/** Slices of many items end where a step does, so that few elements are done one by one, and the next slice begins there. */
const wholeSteps = (slice: number): number => (slice < 4 * STEP ? slice : Math.ceil(slice / STEP) * STEP);

/** The bytes of the array where a buffer lies. A program of many sizes makes its graph when that is looked at. */
function capacityOf(program: Program, { kind, index }: Source): number {
  const { allocations, arena } = program;
  if (kind === "input") {
    const { dtype, shape } = program.graph.nodes.filter(({ op }) => op === "input")[index] as Node;
    return elementCount(shape) * dtypes[dtype].bytes;
  }
  const { dtype, cells } = (kind === "arena" ? arena[index] : allocations[index]) as Pick<
    OutputArray,
    "dtype" | "cells"
  >;
  return cells * dtypes[dtype].bytes;
}
