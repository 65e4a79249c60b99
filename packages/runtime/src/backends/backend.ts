/**
 * A backend: a way to compute programs. All that differs between text, closures and WebAssembly stands behind this interface. Who
 * compiles, caches and runs asks it, and compares no name. docs/backends.md has the reasons.
 */
import type { Emitter, KernelCall, KernelFunction, Program, Target } from "@fuseau/compiler";
import { type DType, dtypes } from "@fuseau/ir";
import type { LinearCounters } from "../memory/blocks.ts";
import type { Storage } from "../storage.ts";
import type { ThreadError } from "../threads/thread-error.ts";

/** A compiled kernel, as all know it. */
export interface Kernel {
  /** The generated text, of a module its listing; of a closure, none. */
  readonly source: string;
}

/** One that is a function of arrays on the JavaScript heap. */
export interface HeapKernel extends Kernel {
  readonly run: KernelFunction;
}

/** `Place` is where elements lie in its memory: an array, or a block. */
export interface Backend<K extends Kernel = Kernel, Place = unknown> {
  readonly name: Emitter;
  /** In messages: "WebAssembly". */
  readonly title: string;
  /** What the scheduler is to know of it. A getter: where files are read late, an import does not read the emitter for it. */
  readonly target: Target;
  /** Additions of elements from which a program is worth running here rather than on the other of that name. Default: any. */
  readonly worthFrom: { readonly [other in Emitter]?: number };
  /** Why this host has none of it; null where it has. Found out by trying, when it is first asked. */
  missing(): string | null;
  /** Why it cannot hold a program; null where it can. */
  refuses(program: Program): string | null;
  /** @throws what the host throws where `missing`. */
  compile(call: KernelCall): K;
  /** Nanoseconds that a kernel takes to make, and to run for the first time: closures may take as long before it is made. */
  readonly firstRun: number;
  /** Whether closures can give the bits of the kernel. */
  canBegin(call: KernelCall): boolean;
  /** The kernel as closures that give the same bits, for first runs: most programs run once, and a kernel takes long to make. */
  begin(call: KernelCall): HeapKernel;
  /** Does what a first run of a program would, for nothing, so that V8 has compiled it. Nothing is asked of the host. */
  warm(program: Program): void;
  /** A kernel as plain data, for a later process; null where compiling costs as little. */
  keep(kernel: K, call: KernelCall): unknown;
  /** The kernel of `call` that was kept; null where this host wants another. What is kept comes from the very same version. */
  revive(kept: unknown, call: KernelCall): K | null;
  /** A kernel is no longer cached. */
  forget(kernel: K): void;
  /** Works out once what all runs of a program have in common. `kernels[k]` is of `program.calls[k]`. */
  load(program: Program, kernels: readonly (K | HeapKernel)[]): Loaded<Place>;
  /** Memory for one run. */
  open(): Workspace<Place>;
  /** Calls back once nothing that a run has begun can write any more. */
  whenAtRest(free: () => void): void;
  /** Resolves with the number of threads, the main one included, when all that it computes with are there. Default: one is. */
  ready?(): Promise<number>;
  /** Of its memory, where that is none of the heap's. */
  counters?(): LinearCounters;
}

/** A program ready to run. */
export interface Loaded<Place> {
  /**
   * Runs the kernels in their order.
   * @throws RangeError for elements that a kernel cannot go on with, or when memory is out, then before any kernel has run;
   * ThreadError when the run broke off and may have written anything to its outputs.
   */
  run(run: Run<Place>): void;
  /** For small programs; null for others. */
  readonly atOnce: RunAtOnce | null;
  /** A program of the same kernels at other sizes, ready to run: what both need is shared. */
  at(program: Program): Loaded<Place>;
}

/**
 * Runs a program that `isSmall`, without a workspace: it is over before anybody can let go of what it reads. Gives the storages of its
 * results; null where an operand has to be brought first, and then nothing has been done.
 * @throws RangeError for elements that a kernel cannot go on with.
 */
export type RunAtOnce = (given: readonly Storage[], numbers: Numbers) => Storage[] | null;

/** What a run was given to write over and has not written over goes. */
export function releaseUnused({ allocations, donors }: Program, given: readonly Storage[]): void {
  for (const index of donors) if (!allocations.some(({ donor }) => donor === index)) given[index]?.release();
}

/** Bytes of results from which on they are residents (docs/memory.md). */
const SMALLEST_RESIDENTS = 2 ** 14;

/** Whether a program gives, one after another, results that are no residents, each in memory of its own, and works in as little. */
export function isSmall({ allocations, arena, results }: Program): boolean {
  if (allocations.length !== results.length) return false;
  if (results.some(({ kind, index }, k) => kind !== "output" || index !== k)) return false;
  let bytes = 0;
  for (const { dtype, cells } of [...allocations, ...arena]) bytes += cells * dtypes[dtype].bytes;
  return bytes < SMALLEST_RESIDENTS;
}

/** What one run is bound to. */
export interface Run<Place> extends Numbers {
  readonly inputs: readonly Place[];
  /** The place of each allocation of the program's; of one with a donor, that input. */
  readonly outputs: readonly Place[];
  /** For working memory. */
  readonly workspace: Workspace<Place>;
  readonly around: Around | undefined;
  /** It broke off before: it is to run in the way that can least break off. */
  readonly isRetry: boolean;
}

/** The numbers that change from run to run. */
export interface Numbers {
  /** The values of the graph's `scalar` nodes. */
  readonly scalars: readonly (number | bigint)[];
  /** Where slices and windows begin. */
  readonly numbers: readonly number[];
}

/** What a kernel call is to be timed by; the clock is the caller's. */
export type Around = (call: KernelCall, run: () => void) => void;

/**
 * The memory of one run: what it reads, works in, and leaves. Until it is closed nothing that it uses moves or is used again,
 * whatever is disposed of meanwhile.
 */
export interface Workspace<Place> {
  /** Where an operand's elements lie; they are brought there first if need be. @throws RangeError when memory is out. */
  operand(storage: Storage): Place;
  /** Memory with undefined contents, given back when the run ends unless it is settled. @throws RangeError */
  take(dtype: DType, cells: number): Place;
  /** The storage of a result that was computed in memory taken here. @throws RangeError */
  settle(place: Place, dtype: DType, cells: number): Storage;
  /** The storage of a result that was written over the k-th operand, at its place; the operand is gone. @throws RangeError */
  settleOver(k: number, place: Place, dtype: DType, cells: number): Storage;
  /** The run broke off, and the k-th operand was to be written over: what was written to is gone. */
  lose(k: number, loss: ThreadError): void;
  close(): void;
}
