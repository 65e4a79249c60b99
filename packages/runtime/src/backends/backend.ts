/**
 * A backend is a way to run programs. Everything that differs between JavaScript text, closures and WebAssembly is behind this interface.
 * The code that compiles, caches and runs uses only it, and never compares names. docs/backends.md has the reasons.
 */
import type { Bits, Emitter, KernelCall, KernelFunction, Program, Target } from "@fuseau/compiler";
import { type DType, dtypes } from "@fuseau/ir";
import type { LinearCounters } from "../memory/blocks.ts";
import type { Storage } from "../storage.ts";
import type { ThreadError } from "../threads/thread-error.ts";

/** What is common to the compiled kernels of all backends. */
export interface Kernel {
  /** The generated text. For a module it is its listing; a closure has none. */
  readonly source: string;
}

/** A kernel that is a function of arrays on the JavaScript heap. */
export interface HeapKernel extends Kernel {
  readonly run: KernelFunction;
}

/** `Place` says where elements are in the backend's memory: an array, or a block. */
export interface Backend<K extends Kernel = Kernel, Place = unknown> {
  readonly name: Emitter;
  /** Its name among what is kept, since several backends may have an emitter. */
  readonly key: string;
  /** The name in messages: "WebAssembly". */
  readonly title: string;
  /**
   * What the scheduler must know of the backend. It is a getter, so that importing a backend does not load its emitter in hosts that load
   * files late.
   */
  readonly target: Target;
  /** By another emitter: how many additions of elements make a program quicker here than there. Default: always. */
  readonly worthFrom: { readonly [other in Emitter]?: number };
  /** Why this host does not have the backend; null where it does. It is tried out at the first call. */
  missing(): string | null;
  /** Why the backend cannot run a program; null where it can. */
  refuses(program: Program): string | null;
  /** @throws what the host throws, where the backend is `missing`. */
  compile(call: KernelCall): K;
  /** Nanoseconds to make a kernel and run it for the first time. While first runs in closures have taken less, the kernel is not made. */
  readonly firstRun: number;
  /** True if closures give the same bits as the kernel. */
  canBegin(call: KernelCall): boolean;
  /** The kernel as closures, for first runs: most programs run once, and a kernel takes long to make. */
  begin(call: KernelCall): HeapKernel;
  /** Loops over columns that give the same bits as kernels. */
  bits(): Bits;
  /** Does what the first run of a program does and drops the result, so that V8 has compiled that code. It does not touch the host. */
  warm(program: Program): void;
  /** A kernel as plain data, for a later process; null where compiling is as quick. */
  keep(kernel: K, call: KernelCall): unknown;
  /** Makes the kernel of `call` from saved data; null where this host needs another. The data was saved by exactly this version. */
  revive(kept: unknown, call: KernelCall): K | null;
  /** Called when a kernel is dropped from the cache. */
  forget(kernel: K): void;
  /** Prepares what all runs of a program have in common. `kernels[k]` is the kernel of `program.calls[k]`. */
  load(program: Program, kernels: readonly (K | HeapKernel)[]): Loaded<Place>;
  /** Memory for one run. */
  open(): Workspace<Place>;
  /** Calls `free` once no run can write any more. */
  whenAtRest(free: () => void): void;
  /** Resolves with the number of threads, the main one included, when all of them are ready. Default: one. */
  ready?(): Promise<number>;
  /** Counters of its memory, if that is not the JavaScript heap. */
  counters?(): LinearCounters;
}

/** A program ready to run. */
export interface Loaded<Place> {
  /**
   * Runs the kernels in order.
   * @throws RangeError for elements that a kernel refuses, or when memory is out, which is before any kernel has run; ThreadError when the
   * run broke off, and may have written anything to its outputs.
   */
  run(run: Run<Place>): void;
  /** For small programs; null for others. */
  readonly atOnce: RunAtOnce | null;
  /** The program at other sizes, with the same kernels. What both need is shared. */
  at(program: Program): Loaded<Place>;
}

/**
 * Runs a program that `isSmall` without a workspace: nothing that it reads can be released before it ends. Returns the storages of its
 * results. Returns null, and has done nothing, if an operand must first be brought into the backend's memory.
 * @throws RangeError for elements that a kernel refuses.
 */
export type RunAtOnce = (given: readonly Storage[], numbers: Numbers) => Storage[] | null;

/** Releases donated inputs that the run has not overwritten. */
export function releaseUnused({ allocations, donors }: Program, given: readonly Storage[]): void {
  for (const index of donors) if (!allocations.some(({ donor }) => donor === index)) given[index]?.release();
}

/** Results of at least so many bytes are residents (docs/memory.md). */
const SMALLEST_RESIDENTS = 2 ** 14;

/** True for a program whose results are its allocations, in order, if these and its intermediates together are smaller than a resident. */
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
  /** The place of each allocation of the program. If it has a donor, it is that input's. */
  readonly outputs: readonly Place[];
  /** Provides working memory. */
  readonly workspace: Workspace<Place>;
  readonly around: Around | undefined;
  /** True if a first run broke off: this one uses the means that are least likely to. */
  readonly isRetry: boolean;
}

/** The numbers that change from run to run. */
export interface Numbers {
  /** The values of the graph's `scalar` nodes. */
  readonly scalars: readonly (number | bigint)[];
  /** Where slices and windows begin. */
  readonly numbers: readonly number[];
}

/** Wraps a kernel call to time it. The caller has the clock. */
export type Around = (call: KernelCall, run: () => void) => void;

/**
 * The memory of one run: for operands, intermediates and results. Until it is closed, nothing that it uses is moved or reused, even if it
 * is disposed of.
 */
export interface Workspace<Place> {
  /**
   * Where an operand's elements are. If need be they are brought into this memory.
   * @throws RangeError when memory is out.
   */
  operand(storage: Storage): Place;
  /**
   * Memory with undefined contents. It is given back when the run ends, unless it is settled.
   * @throws RangeError
   */
  take(dtype: DType, cells: number): Place;
  /**
   * The storage of a result that was computed in memory from `take`.
   * @throws RangeError
   */
  settle(place: Place, dtype: DType, cells: number): Storage;
  /**
   * The storage of a result that was written over the k-th operand, in its place. The operand is gone.
   * @throws RangeError
   */
  settleOver(k: number, place: Place, dtype: DType, cells: number): Storage;
  /** Notes that the run broke off when the k-th operand may have been overwritten: its elements are lost. */
  lose(k: number, loss: ThreadError): void;
  close(): void;
}
