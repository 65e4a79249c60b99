/** Public counters of the runtime. */
import type { InternalError } from "@fuseau/ir";
import { linearCounters } from "./backends/backends.ts";
import { type Forbidden, forbiddenHere } from "./backends/host-policy.ts";
import type { CacheCounters } from "./cache/lru.ts";
import { clearHeldValues } from "./execute/extract/held-values.ts";
import { clearPlans } from "./execute/extract/keep.ts";
import { clearPrograms, programCounters } from "./execute/find-program.ts";
import { type LateCounters, lateCounters } from "./execute/late/families.ts";
import { clearCombined } from "./execute/parts/combined.ts";
import { clearRagged } from "./execute/parts/ragged.ts";
import { clearGathered } from "./execute/pending/holding.ts";
import { clearMade } from "./execute/pending/made-meanwhile.ts";
import { clearWritten } from "./execute/pending/written.ts";
import { faultCounters } from "./execute/programs/faults.ts";
import { clearKernels, kernelCounters } from "./execute/programs/kernels.ts";
import { runCounters } from "./execute/programs/run.ts";
import type { LinearCounters } from "./memory/blocks.ts";
import { residentCounters, shedCopies } from "./memory/residents.ts";
import { drainPool, poolCounters } from "./pool.ts";
import { type SavedCounters, savedCounters } from "./saved/saved.ts";
import { resultCounters } from "./storage.ts";

export interface ResultStats {
  /** Bytes of recent results and copies of operands, in linear memory and in arrays that can be taken back. */
  readonly bytes: number;
  /** The bytes that they may take at present; beyond, what was used longest ago is moved out. */
  readonly room: number;
  /** Results that gave up their memory, to be computed again when they are asked for; and those that were computed again. */
  readonly forgotten: number;
  readonly returned: number;
  /** Results that cannot be computed again, and were moved from linear memory to the JavaScript heap. */
  readonly movedOut: number;
  /** Results that were freed when the garbage collector found that nobody has them. */
  readonly reclaimed: number;
}

export interface Stats {
  /** Programs by recorded graph. A miss is a compilation, or a first run. An instance of a program with late sizes is a hit. */
  readonly programs: CacheCounters;
  readonly late: LateCounters;
  /** Kernels by loop IR. A miss is a function that was generated. */
  readonly kernels: CacheCounters;
  /** Freed arrays: bytes kept, and how many arrays were reused and allocated since the start. */
  readonly pool: { readonly bytes: number; readonly reused: number; readonly allocated: number };
  /** The linear memory of WebAssembly kernels. */
  readonly linear: LinearCounters;
  /** Computed results of at least 16 KiB, and copies of operands. */
  readonly results: ResultStats;
  /** Faults of the compiler, after which the expression ran op by op: how many, and the last one. */
  readonly faults: { readonly count: number; readonly last: InternalError | null };
  /** What is saved for later processes: `setOptions({ cache })`. */
  readonly saved: SavedCounters;
  /** What the host's policy forbids, with the directive's name, as far as it was tried; null if it is allowed. */
  readonly forbidden: Forbidden;
  /** Programs and kernels that have run since the start. */
  readonly runs: { readonly programs: number; readonly kernels: number };
}

/** A snapshot of the counters. All of them only grow, except sizes and bytes in use. */
export const stats = (): Stats => ({
  programs: programCounters(),
  late: lateCounters(),
  kernels: kernelCounters(),
  pool: poolCounters(),
  linear: linearCounters(),
  results: { ...residentCounters(), ...resultCounters() },
  faults: faultCounters(),
  saved: savedCounters(),
  forbidden: forbiddenHere(),
  runs: runCounters(),
});

/** Drops every compiled program and kernel, and frees pooled memory. Results stay readable. */
export function clearCaches(): void {
  clearPrograms();
  clearPlans();
  clearHeldValues();
  clearRagged();
  clearCombined();
  clearWritten();
  clearGathered();
  clearMade();
  clearKernels();
  drainPool();
  shedCopies();
}
