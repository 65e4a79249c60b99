/** Public counters of what the runtime has done. */
import type { InternalError } from "@fuseau/ir";
import { linearCounters } from "./backends/backends.ts";
import { type Forbidden, forbiddenHere } from "./backends/host-policy.ts";
import type { CacheCounters } from "./cache/lru.ts";
import { type LateCounters, lateCounters } from "./execute/families.ts";
import { faultCounters } from "./execute/faults.ts";
import { clearParts } from "./execute/held-values.ts";
import { clearLessons } from "./execute/keep.ts";
import { clearKernels, kernelCounters } from "./execute/kernels.ts";
import { clearPrograms, programCounters } from "./execute/programs.ts";
import { runCounters } from "./execute/run.ts";
import { clearWritten } from "./execute/written.ts";
import type { LinearCounters } from "./memory/blocks.ts";
import { residentCounters, shedCopies } from "./memory/residents.ts";
import { drainPool, poolCounters } from "./pool.ts";
import { type SavedCounters, savedCounters } from "./saved/saved.ts";
import { resultCounters } from "./storage.ts";

export interface ResultStats {
  /** Bytes that young results and copies of operands take, in linear memory and in arrays that can be taken back. */
  readonly bytes: number;
  /** Bytes that they may take, so far as is known now; what was used longest ago leaves. */
  readonly room: number;
  /** Results that gave their memory up, to be computed again if they are asked for; and those that were. */
  readonly forgotten: number;
  readonly returned: number;
  /** Results that could not be computed again, and were moved from linear memory to the JavaScript heap. */
  readonly movedOut: number;
  /** Results that were given back when the garbage collector found that nobody has them. */
  readonly reclaimed: number;
}

export interface Stats {
  /** Programs by recorded graph: a miss is a compilation. An instance of a program whose sizes are known late is a hit. */
  readonly programs: CacheCounters;
  readonly late: LateCounters;
  /** Kernels by loop IR: a miss is a function generated. */
  readonly kernels: CacheCounters;
  /** Freed arrays: bytes held, arrays reused and allocated since the start. */
  readonly pool: { readonly bytes: number; readonly reused: number; readonly allocated: number };
  /** The linear memory of WebAssembly kernels. */
  readonly linear: LinearCounters;
  /** Computed results of at least 16 KiB, and copies of operands. */
  readonly results: ResultStats;
  /** Faults of the compiler's own, after which the expression ran op by op: how many, and the last of them. */
  readonly faults: { readonly count: number; readonly last: InternalError | null };
  /** What is kept for later processes: `setOptions({ cache })`. */
  readonly saved: SavedCounters;
  /** What the host's policy forbids, with the directive's name, as far as it was tried; null where it is allowed. */
  readonly forbidden: Forbidden;
  /** Programs and kernels run since the start. */
  readonly runs: { readonly programs: number; readonly kernels: number };
}

/** A snapshot of the counters. They only grow, but for sizes and bytes held. */
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

/** Forgets every compiled program and kernel and gives pooled memory back. Results stay readable. */
export function clearCaches(): void {
  clearPrograms();
  clearLessons();
  clearParts();
  clearWritten();
  clearKernels();
  drainPool();
  shedCopies();
}
