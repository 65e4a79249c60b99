/**
 * Plans where a program's working memory is within one block of linear memory: its arena, the workspaces of its kernels, and a frame for
 * each kernel and thread. Sizes are fixed with the program, so a plan is made once.
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
  /** By thread: offsets of frames. There is only one if the kernel runs on the main thread alone. */
  readonly frames: readonly number[];
  /** By thread and buffer: the offset of the thread's own buffer; null if all threads share the buffer that the memory plan names. */
  readonly scratch: readonly (readonly (number | null)[])[];
  /** By thread: offsets of the workspaces. */
  readonly workspaces: readonly (readonly number[])[];
  readonly phases: readonly PlannedPhase[];
}

export interface PlannedPhase {
  readonly workItems: number;
  readonly slice: number;
  readonly sequential: boolean;
}

/** Bytes between two pieces, since a load may read past an end. */
const SLACK = 64;
/** A cache line, so that two threads do not write to the same one. */
const ALIGNMENT = 64;

/** What a plan depends on. */
export type Planned = Pick<Program, "calls" | "arena" | "allocations" | "graph">;

/**
 * The bytes that a program's arena and workspaces take: of each arena slot, then for each call those of its workspaces, and of scratch that
 * every thread has its own of.
 */
export function roomsOf(program: Planned, kernels: readonly LinearKernel[], threads: number): number[] {
  const { arena, calls } = program;
  const rooms = new Array<number>(arena.length);
  for (let k = 0; k < arena.length; k++) {
    const { dtype, cells } = arena[k] as ArenaSlot;
    rooms[k] = cells * dtypes[dtype].bytes;
  }
  for (let k = 0; k < calls.length; k++) {
    const { sizes, buffers } = calls[k] as KernelCall;
    const { workspaces, perThread } = (kernels[k] as LinearKernel).compiled;
    for (const { dtype, cells } of workspaces) rooms.push(cells(sizes) * dtypes[dtype].bytes);
    if (threads > 1)
      for (let slot = 0; slot < buffers.length; slot++)
        if (perThread[slot] === true) rooms.push(capacityOf(program, buffers[slot] as Source));
  }
  return rooms;
}

export function isWithin(rooms: readonly number[], known: readonly number[]): boolean {
  for (let k = 0; k < rooms.length; k++) if ((rooms[k] as number) > (known[k] as number)) return false;
  return true;
}

/** Spare room, as a factor, for a program that has had several sizes: offsets stay while there is enough. */
const SPARE = 1.25;

/** The larger of both, with room to spare. */
export const widened = (rooms: readonly number[], known: readonly number[]): number[] =>
  rooms.map((room, k) => Math.max(Math.ceil(SPARE * room), known[k] as number));

/** How a phase is divided into slices at the sizes of a call. */
export function phaseOf({ sequential, workItems, work }: Phase, { sizes }: KernelCall): PlannedPhase {
  const count = workItems(sizes);
  const slice = sequential
    ? Math.max(1, count)
    : wholeSteps(Math.max(1, Math.ceil(grain.slice / Math.max(1, work(sizes)))));
  return { workItems: count, slice, sequential };
}

/** Makes a plan. `rooms` may be larger than what the program takes. */
export function planLinear(
  program: Planned,
  kernels: readonly LinearKernel[],
  threads: number,
  rooms: readonly number[] = roomsOf(program, kernels, threads),
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
    const runners = Array.from({ length: threads }, (_, thread) => thread);
    const workspaces = runners.map((): number[] => []);
    for (const { perThread } of compiled.workspaces) {
      const size = room();
      const common = perThread ? null : place(size);
      for (const thread of runners) (workspaces[thread] as number[]).push(common ?? place(size));
    }
    const shared = call.buffers.map((_, slot) =>
      threads > 1 && compiled.perThread[slot] === true ? room() : null,
    );
    return {
      frames: runners.map(() => place(compiled.frameBytes)),
      // The main thread uses the buffers of the memory plan; every other thread has its own.
      scratch: runners.map((thread) =>
        shared.map((size) => (thread === 0 || size === null ? null : place(size))),
      ),
      workspaces,
      phases: compiled.phases.map((phase) => phaseOf(phase, call)),
    };
  });
  return { threads, bytes, arena: offsets, calls: planned };
}

/** The last plan of a program of many sizes, and what it has room for. */
interface Latest {
  readonly plan: LinearPlan;
  readonly calls: readonly KernelCall[];
  readonly rooms: readonly number[];
  /** The work that its slices were made for, and the setting of their size. */
  readonly work: number;
  readonly grain: number;
}

/** A plan is kept if it takes at most so many bytes, or at most so many times what this size takes. */
const FEW_BYTES = 2 ** 24;
const MOST_SPARE = 4;
/** Slices are kept if the work is at most so many times theirs, and at least that fraction. */
const SIMILAR = 2;

/** Plans a program for one size after another. Offsets stay while there is room. So does everything about a call that has not changed. */
export class LinearPlans {
  readonly #kernels: readonly LinearKernel[];
  /** By number of threads. */
  readonly #latest: (Latest | undefined)[] = [];

  constructor(kernels: readonly LinearKernel[]) {
    this.#kernels = kernels;
  }

  planOf(program: Program, threads: number): LinearPlan {
    const kernels = this.#kernels;
    const own = roomsOf(program, kernels, threads);
    const latest = this.#latest[threads];
    let rooms: readonly number[] = own;
    let plan: LinearPlan | null = null;
    let { work } = program;
    if (latest !== undefined && latest.plan.bytes <= Math.max(FEW_BYTES, MOST_SPARE * sum(own))) {
      const isRoom = isWithin(own, latest.rooms);
      rooms = isRoom ? latest.rooms : widened(own, latest.rooms);
      const isSimilar =
        latest.grain === grain.slice && work <= SIMILAR * latest.work && latest.work <= SIMILAR * work;
      if (isRoom) plan = againAt(latest, program, kernels, isSimilar);
      if (isSimilar) ({ work } = latest);
    }
    plan ??= planLinear(program, kernels, threads, rooms);
    this.#latest[threads] = { plan, calls: program.calls, rooms, work, grain: grain.slice };
    return plan;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The same plan for other sizes. If the sizes are similar, slices have as many items as before. */
function againAt(
  { plan, calls }: Latest,
  program: Program,
  kernels: readonly LinearKernel[],
  isSimilar: boolean,
): LinearPlan {
  const planned = new Array<PlannedCall>(plan.calls.length);
  for (let k = 0; k < planned.length; k++) {
    const known = plan.calls[k] as PlannedCall;
    const call = program.calls[k] as KernelCall;
    const { phases } = (kernels[k] as LinearKernel).compiled;
    if (isSimilar && call === calls[k]) planned[k] = known;
    else if (isSimilar)
      planned[k] = {
        ...known,
        phases: known.phases.map((each, i) => countedAt(each, phases[i] as Phase, call)),
      };
    else planned[k] = { ...known, phases: phases.map((phase) => phaseOf(phase, call)) };
  }
  return { ...plan, calls: planned };
}

type Phase = LinearKernel["compiled"]["phases"][number];

function countedAt({ sequential, slice }: PlannedPhase, phase: Phase, { sizes }: KernelCall): PlannedPhase {
  const workItems = phase.workItems(sizes);
  return { workItems, slice: sequential ? Math.max(1, workItems) : slice, sequential };
}

/** Elements of the usual step of a loop. */
const STEP = 16;

/** Slices of many items end where a step ends. Then few elements are computed one by one, and the next slice begins at a step. */
const wholeSteps = (slice: number): number => (slice < 4 * STEP ? slice : Math.ceil(slice / STEP) * STEP);

/** The bytes of the array that a buffer is in. To read `graph` makes a program of many sizes build its graph. */
function capacityOf(program: Planned, { kind, index }: Source): number {
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
