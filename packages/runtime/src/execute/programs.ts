/** Compiled programs, by the recorded graph: a repeated expression skips every pass. */
import { compile, type Emitter, type Graph, type Limits, type Program } from "@fuseau/compiler";
import { InternalError, sameNumbers } from "@fuseau/ir";
import { type CacheCounters, LruCache } from "../cache/lru.ts";
import { type Options, watchOptions } from "../options.ts";
import { type Choice, chooseEmitter, emitterFor, withoutWasm } from "./choose.ts";
import { type Extraction, matches, type Recorded, record } from "./extract.ts";
import { bytesOfKernel, type Kernel, kernelFor, type MadeKernel } from "./kernels.ts";
import { withPlaces } from "./lift.ts";
import type { LinearKernel } from "./linear-kernels.ts";
import type { LinearProgram } from "./run-linear.ts";

/** A program with its kernels made. */
export interface Executable {
  readonly recorded: Recorded;
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

const DEFAULT_LIMIT = 16_384;
const DEFAULT_BYTES = 2 ** 26;
const programs = new LruCache<number, Executable>();
watchOptions(({ programCacheLimit = DEFAULT_LIMIT, programBytesLimit = DEFAULT_BYTES }) =>
  programs.setLimits(programCacheLimit, programBytesLimit),
);

/** The executable for what was extracted: the one cached, if it is the very program, else a new one. */
export function executableFor(extraction: Extraction, options: Options): Executable {
  const asked = options.emitter;
  const fusion = options.fusion ?? "on";
  const { limits } = options;
  const found = programs.find(
    extraction.hash,
    (known) =>
      known.asked === asked &&
      known.fusion === fusion &&
      sameLimits(known.limits, limits) &&
      sameNumbers(known.donated, extraction.donated) &&
      matches(extraction, known.recorded),
  );
  if (found !== undefined) return found;

  const recorded = record(extraction);
  const donated = [...extraction.donated];
  const compiled = compileOrUnfuse(withPlaces(recorded, recorded.begins, recorded.counts), options, donated);
  const { choice, made } = kernelsOf(compiled, options);
  const { emitter, reason } = choice;
  const calls = compiled.calls.map((call, k) => {
    const { key, loop } = made[k] as MadeKernel;
    return { ...call, key, loop };
  });
  const program = { ...compiled, calls };
  const kernels = made.map(({ kernel }) => kernel);
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
  const own = made.filter(({ loop }, k) => loop === compiled.calls[k]?.loop);
  programs.add(extraction.hash, executable, bytesOf(executable, own));
  return executable;
}

/** What each node of a program takes: as recorded, as simplified, and by name in what is told of the program. */
const BYTES_PER_NODE = 1_024;
/** What each call takes beside its kernel: buffers, sizes, and where they lie in linear memory. */
const BYTES_PER_CALL = 2_048;

/** About what the program holds on to. Kernels that others made first are theirs. */
function bytesOf({ recorded, program: { graph, calls } }: Executable, own: readonly MadeKernel[]): number {
  const nodes = recorded.nodes.length + graph.nodes.length;
  return (
    nodes * BYTES_PER_NODE +
    calls.length * BYTES_PER_CALL +
    own.reduce((sum, made) => sum + bytesOfKernel(made), 0)
  );
}

function sameLimits(a: Partial<Limits> | undefined, b: Partial<Limits> | undefined): boolean {
  if (a === b) return true;
  const names = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})] as (keyof Limits)[]);
  return [...names].every((name) => a?.[name] === b?.[name]);
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
): { readonly choice: Choice; readonly made: readonly MadeKernel[] } {
  const choice = chooseEmitter(program, asked);
  const make = ({ emitter }: Choice): readonly MadeKernel[] =>
    program.calls.map((call) => kernelFor(call, emitter));
  try {
    return { choice, made: make(choice) };
  } catch (error) {
    if (choice.emitter !== "wasm" || asked !== undefined || onFault === "throw") throw error;
    const message = error instanceof Error ? error.message : String(error);
    noteFault(new InternalError(`WebAssembly kernels: ${message}`, "", { cause: error }));
    const other = withoutWasm("WebAssembly kernels failed: see stats().faults");
    return { choice: other, made: make(other) };
  }
}

function noteFault(fault: InternalError): void {
  faults++;
  lastFault = fault;
}

export const programCounters = (): CacheCounters => programs.counters();
export const clearPrograms = (): void => programs.clear();
