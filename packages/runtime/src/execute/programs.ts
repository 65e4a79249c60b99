/** Compiled programs, by the recorded graph: a repeated expression skips every pass. */
import { compile, type Emitter, type Graph, type Limits, type Program } from "@fuseau/compiler";
import { InternalError, sameNumbers } from "@fuseau/ir";
import { type CacheCounters, LruCache } from "../cache/lru.ts";
import { type Options, watchOptions } from "../options.ts";
import { type Choice, chooseEmitter, emitterFor, withoutWasm } from "./choose.ts";
import { type Extraction, matches, toGraph } from "./extract.ts";
import { type Kernel, kernelFor } from "./kernels.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import type { LinearProgram } from "./run-linear.ts";

/** A program with its kernels made. */
export interface Executable {
  readonly recorded: Graph;
  /** The inputs that the program may write over, counted among those given. */
  readonly donated: readonly number[];
  readonly program: Program;
  readonly kernels: readonly Kernel[];
  /** The same in linear memory; null where the kernels work on the JavaScript heap. */
  readonly linear: LinearProgram | null;
  /** The emitter that was asked for; else the program's size and the host decide. */
  readonly asked: Emitter | undefined;
  readonly emitter: Emitter;
  readonly reason: string;
  readonly fusion: "on" | "none";
  readonly limits: Partial<Limits> | undefined;
}

const DEFAULT_LIMIT = 1_024;
const programs = new LruCache<number, Executable>(DEFAULT_LIMIT);
watchOptions((options) => programs.setLimit(options.programCacheLimit ?? DEFAULT_LIMIT));

/** Places that a program may stand at beyond its hash, when others have taken it. */
const PROBES = 4;

/** The executable for what was extracted: the one cached, if it is the very program, else a new one. */
export function executableFor(extraction: Extraction, options: Options): Executable {
  const asked = options.emitter;
  const fusion = options.fusion ?? "on";
  const { limits } = options;
  const hash = (extraction.hash << 4) ^ (asked === undefined ? 0 : 1) ^ (fusion === "on" ? 0 : 2);
  for (let probe = 0; probe < PROBES; probe++) {
    const found = programs.get(hash + probe * 4);
    if (found === undefined) return add(hash + probe * 4);
    const same =
      sameNumbers(found.donated, extraction.donated) &&
      found.asked === asked &&
      found.fusion === fusion &&
      found.limits === limits;
    if (same && matches(extraction, found.recorded)) return found;
  }
  return add(hash);

  function add(key: number): Executable {
    const recorded = toGraph(extraction);
    const donated = [...extraction.donated];
    const program = compileOrUnfuse(recorded, options, donated);
    const { choice, kernels } = kernelsOf(program, options);
    const { emitter, reason } = choice;
    const linear =
      emitter === "wasm" ? { program, kernels: kernels as readonly LinearKernel[], plans: [] } : null;
    const executable: Executable = {
      recorded,
      donated,
      program,
      kernels,
      linear,
      asked,
      emitter,
      reason,
      fusion,
      limits,
    };
    programs.set(key, executable);
    return executable;
  }
}

/** Faults of the compiler's that were met by running op by op, and the last of them. */
let faults = 0;
let lastFault: InternalError | null = null;

export const faultCounters = (): { readonly count: number; readonly last: InternalError | null } => ({
  count: faults,
  last: lastFault,
});

function compileOrUnfuse(recorded: Graph, options: Options, donated: readonly number[]): Program {
  const { fusion = "on", limits, onFault, verify = false } = options;
  const emitter = (work: number): Emitter => emitterFor(work, options.emitter);
  try {
    return compile(recorded, {
      donated,
      verify,
      fusion,
      emitter,
      ...(limits === undefined ? {} : { limits }),
    });
  } catch (error) {
    if (!(error instanceof InternalError) || fusion === "none" || onFault === "throw") throw error;
    noteFault(error);
    return compile(recorded, { verify, fusion: "none" });
  }
}

/** The program's kernels; by another emitter when the one that suits best, and was not asked for, fails at one of them. */
function kernelsOf(
  program: Program,
  { emitter: asked, onFault }: Options,
): { readonly choice: Choice; readonly kernels: readonly Kernel[] } {
  const choice = chooseEmitter(program, asked);
  const make = ({ emitter }: Choice): readonly Kernel[] =>
    program.calls.map((call) => kernelFor(call, emitter));
  try {
    return { choice, kernels: make(choice) };
  } catch (error) {
    if (choice.emitter !== "wasm" || asked !== undefined || onFault === "throw") throw error;
    const message = error instanceof Error ? error.message : String(error);
    noteFault(new InternalError(`WebAssembly kernels: ${message}`, "", { cause: error }));
    const other = withoutWasm("WebAssembly kernels failed: see stats().faults");
    return { choice: other, kernels: make(other) };
  }
}

function noteFault(fault: InternalError): void {
  faults++;
  lastFault = fault;
}

export const programCounters = (): CacheCounters => programs.counters();
export const clearPrograms = (): void => programs.clear();
