/**
 * Where a program's working memory lies within one block of linear memory: its arena, what its kernels want beside their buffers,
 * and a frame for each kernel and thread. Sizes are fixed with the program, so this is worked out once.
 */
import type { KernelCall, Program } from "@fuseau/compiler";
import { dtypes } from "@fuseau/ir";
import type { LinearKernel } from "./linear-kernels.ts";

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
  /** By thread and buffer, the offset of a buffer of its own; null where all share the arena's. */
  readonly scratch: readonly (readonly (number | null)[])[];
  /** By thread, offsets of the areas. */
  readonly areas: readonly (readonly number[])[];
  readonly phases: readonly PlannedPhase[];
}

export interface PlannedPhase {
  readonly units: number;
  readonly slice: number;
  readonly sequential: boolean;
}

/** Elements in a slice: a running call never switches to optimised code, and threads share work by slices. */
const SLICE_WORK = 32_768;
/** Between two pieces: a step may read past an end. */
const SLACK = 64;
/** A cache line, so that threads do not write to the same one. */
const ALIGNMENT = 64;

export function planLinear(
  { arena, calls }: Program,
  kernels: readonly LinearKernel[],
  threads: number,
): LinearPlan {
  let bytes = 0;
  const place = (size: number): number => {
    const start = bytes;
    bytes = Math.ceil((start + size + SLACK) / ALIGNMENT) * ALIGNMENT;
    return start;
  };
  const offsets = arena.map(({ dtype, cells }) => place(cells * dtypes[dtype].bytes));
  const planned = calls.map((call, k): PlannedCall => {
    const { compiled } = kernels[k] as LinearKernel;
    // What a module imports cannot be posted to a worker.
    const crew = Array.from({ length: compiled.imports.length > 0 ? 1 : threads }, (_, thread) => thread);
    const areas = crew.map((): number[] => []);
    for (const { dtype, perThread, cells } of compiled.areas) {
      const size = cells(call.sizes) * dtypes[dtype].bytes;
      const common = perThread ? null : place(size);
      for (const thread of crew) (areas[thread] as number[]).push(common ?? place(size));
    }
    return {
      frames: crew.map(() => place(compiled.frameBytes)),
      scratch: crew.map((thread) => ownScratch(call, compiled.perThread, thread)),
      areas,
      phases: compiled.phases.map(({ sequential, units, work }) => {
        const count = units(call.sizes);
        const slice = Math.max(1, Math.ceil(SLICE_WORK / Math.max(1, work(call.sizes))));
        return { units: count, slice: sequential ? Math.max(1, count) : slice, sequential };
      }),
    };
  });
  return { threads, bytes, arena: offsets, calls: planned };

  /** The main thread uses the arena's; every other has its own. */
  function ownScratch(call: KernelCall, perThread: readonly boolean[], thread: number): (number | null)[] {
    return call.buffers.map(({ kind, index }, slot) => {
      const { cells = 0, dtype = "bool" } = (kind === "arena" ? arena[index] : undefined) ?? {};
      return thread > 0 && perThread[slot] === true && kind === "arena"
        ? place(cells * dtypes[dtype].bytes)
        : null;
    });
  }
}
