/** Makes executables: compiles graphs, or takes what an earlier process has compiled, and makes kernels on the backend that suits. */
import {
  type CompileOptions,
  compile,
  compileInSteps,
  type Emitter,
  type Point,
  type Program,
  type Steps,
  type Target,
} from "@fuseau/compiler";
import { elementCount, InternalError, opOf, showShape } from "@fuseau/ir";
import type { Backend, Kernel, Loaded } from "../../backends/backend.ts";
import { backendFor, type Choice, choose, chooseAfter } from "../../backends/choose.ts";
import type { Options } from "../../options.ts";
import type { Value } from "../../value.ts";
import { watching } from "../../watch/watching.ts";
import { type Extraction, type Recorded, record } from "../extract/extract.ts";
import { withPlaces } from "../places/lift.ts";
import { withDump } from "./dumped.ts";
import type { Expected } from "./expected.ts";
import type { Late } from "./family.ts";
import { noteFault } from "./faults.ts";
import { kernelFor, kernelToBegin, type MadeKernel, madeInSteps, newBytesOf } from "./kernels.ts";
import { type Purpose, purposeOf } from "./purpose.ts";
import { findProgram, identityOf, keepProgram, type SavedProgram } from "./saved-programs.ts";
import { awaitIdle, Sliced, wasIdleSince } from "./slices.ts";

/** A program with its kernels. */
export interface Executable extends Purpose {
  readonly recorded: Recorded;
  readonly program: Program;
  readonly kernels: readonly Kernel[];
  /** The backend whose kernels these are, and the program loaded there. */
  readonly backend: Backend;
  readonly loaded: Loaded<unknown>;
  readonly reason: string;
  /**
   * Null if its kernels are final. Else some are for first runs only: when the program comes again, the final ones are made (`goOn`), or have been
   * by this.
   */
  readonly finishing: Sliced<void> | null;
  /** Null if it was compiled singly. */
  readonly late: LateExecutable | null;
  readonly expected: Expected;
}

/** A program of many sizes that is bound to some of them. */
export interface BoundExecutable extends Executable {
  readonly late: LateExecutable;
}

/** Which program of many sizes it is, and the free ones that are bound. */
export interface LateExecutable {
  readonly of: Late;
  readonly point: Point;
  /** How many elements each result has; −1 of an input. */
  readonly counts: readonly number[];
}

/** What an earlier process has compiled of it. */
export interface Look {
  readonly recorded: Recorded;
  /** Null if nothing is saved. */
  readonly identity: string | null;
  readonly saved: SavedProgram | null;
}

export function lookUp(extraction: Extraction, options: Options): Look {
  const recorded = record(extraction);
  const identity = identityOf(recorded, [...extraction.donated], options);
  return { recorded, identity, saved: identity === null ? null : findProgram(identity, options.emitter) };
}

/** For what is not to be saved. */
export const unsaved = (extraction: Extraction): Look => ({
  recorded: record(extraction),
  identity: null,
  saved: null,
});

/** Watching and profiling need the final kernels. */
export const mayBeFirstRun = ({ profile }: Options): boolean => watching === null && profile !== true;

/** Bytes for each node of a program: as recorded, as simplified, and by name in explanations. */
const BYTES_PER_NODE = 256;
/** Bytes for each call beside its kernel: buffers, sizes, and places in linear memory. */
const BYTES_PER_CALL = 768;

/** A rough size of what only this program keeps in memory, beside its kernels. */
const bytesOf = ({ nodes }: Recorded, { calls, graph }: Program): number =>
  (nodes.length + graph.nodes.length) * BYTES_PER_NODE + calls.length * BYTES_PER_CALL;

/** What was compiled, before it is kept, and a rough size of it in bytes. */
export interface Compiled {
  readonly made: Omit<Executable, "expected">;
  readonly bytes: number;
}

/**
 * A new program, with its final kernels or those for a first run. `whole` is given if it was compiled already.
 */
export function compiledFor(
  extraction: Extraction,
  options: Options,
  look: Look = lookUp(extraction, options),
  mayBegin = false,
  whole: Program | null = null,
): Compiled {
  const { recorded, identity, saved } = look;
  const purpose = purposeOf(extraction, options);
  const { program: compiled, fault } =
    whole !== null
      ? { program: whole, fault: "" }
      : (saved ?? compileOrUnfuse(recorded, options, purpose, extraction.wanted));
  const isToBegin = mayBegin && options.emitter === undefined && fault === "";
  const { running, bytes } = madeFor(compiled, options.emitter, fault, isToBegin, saved?.kept);
  const made = { ...purpose, recorded, ...running, late: null };
  if (identity !== null && saved === null && fault === "") keepProgram(identity, made);
  return { made, bytes: bytesOf(recorded, made.program) + bytes };
}

/** A program on the backend that runs it. */
type Running = Pick<Executable, "program" | "kernels" | "backend" | "loaded" | "reason" | "finishing">;

/** The program with all of its kernels made, and the bytes of those that no other program has. */
function madeFor(
  compiled: Program,
  asked: Emitter | undefined,
  fault: string,
  isToBegin: boolean,
  kept?: readonly unknown[],
): { readonly running: Running; readonly bytes: number } {
  const { choice, made } = kernelsOf(compiled, asked, isToBegin, kept);
  const { backend } = choice;
  const reason = choice.reason + fault;
  watching?.({ kind: "emitter", emitter: backend.name, reason });
  // Shared kernels replace the program's own loop IR, so that equal loop IR is in memory once.
  const program = made.every(({ loop }, k) => loop === compiled.calls[k]?.loop)
    ? compiled
    : {
        ...compiled,
        calls: compiled.calls.map((call, k) => {
          const { key, loop } = made[k] as MadeKernel;
          return loop === call.loop ? call : { ...call, key, loop };
        }),
      };
  const kernels = made.map(({ kernel }) => kernel);
  const begins = made.some((each) => each.begins);
  const finishing = begins ? new Sliced(() => madeInSteps(program.calls, backend)) : null;
  if (begins) awaitIdle();
  const loaded = backend.load(program, kernels);
  return {
    running: { program, kernels, backend, loaded, reason, finishing },
    bytes: made.reduce((sum, each) => sum + newBytesOf(each), 0),
  };
}

/**
 * The program comes again: makes its final kernels, unless the host is idle between its runs. Then they are made meanwhile. Returns how many
 * bytes more it holds.
 */
export function goOn(executable: Executable): number {
  const { finishing } = executable;
  if (finishing !== null && wasIdleSince(finishing.last) && finishing.goOn(0) === null) return 0;
  const { running, bytes } = madeFor(executable.program, executable.asked, "", false);
  Object.assign(executable, running);
  return bytes;
}

/** An op comes again: its kernels are the final ones once first runs have spent as much time in them as making those takes. */
export function opComesAgain(executable: Executable): void {
  const { backend, program } = executable;
  const made = program.calls.map((call) => kernelToBegin(call, backend));
  const kernels = made.map(({ kernel }) => kernel);
  if (kernels.every((kernel, k) => kernel === executable.kernels[k])) return;
  const finishing = made.some((each) => each.begins) ? executable.finishing : null;
  Object.assign(executable, { kernels, finishing, loaded: backend.load(program, kernels) });
}

/** A program as a whole, once its kernels are made. */
export function* wholeInSteps(recorded: Recorded, purpose: Purpose, options: Options): Steps<Program> {
  const graph = withPlaces(recorded, recorded.begins, recorded.counts);
  const program = yield* compileInSteps(graph, compileOptions(options, purpose));
  yield* madeInSteps(program.calls, choose(program, purpose.asked).backend);
  return program;
}

export function compileOptions(
  { fusion = "on", limits, verify = false }: Options,
  purpose: Purpose,
): CompileOptions {
  const { donated } = purpose;
  const target = (work: number): Target => backendFor(work, purpose.asked).target;
  return { donated, verify, fusion, target, watch: watching, ...(limits === undefined ? {} : { limits }) };
}

/** Compiles as asked. After a fault of the compiler it compiles op by op. */
function compileOrUnfuse(
  recorded: Recorded,
  options: Options,
  purpose: Purpose,
  wanted: readonly Value[],
): { readonly program: Program; readonly fault: string } {
  const { fusion = "on", verify = false } = options;
  const graph = withPlaces(recorded, recorded.begins, recorded.counts);
  const asked = compileOptions(options, purpose);
  try {
    return { program: compile(graph, asked), fault: "" };
  } catch (error) {
    if (!(error instanceof InternalError)) throw error;
    const replayable = withDump(error, wanted, options);
    if (fusion === "none") throw replayable;
    noteFault(replayable, "runs op by op");
    return {
      program: compile(graph, { verify, fusion: "none", watch: watching }),
      fault: "; op by op after a fault of fuseau's: see stats().faults",
    };
  }
}

/**
 * The program's kernels. If the backend that suits best fails at one of them, and the user did not ask for it, the next backend makes them.
 */
export function kernelsOf(
  program: Program,
  asked: Emitter | undefined,
  isToBegin = false,
  kept: readonly unknown[] = [],
): { readonly choice: Choice; readonly made: readonly MadeKernel[] } {
  let choice = choose(program, asked);
  for (;;) {
    const { backend } = choice;
    try {
      return {
        choice,
        made: program.calls.map((call, k) =>
          isToBegin ? kernelToBegin(call, backend) : kernelFor(call, backend, kept[k]),
        ),
      };
    } catch (error) {
      const { title } = backend;
      const why = `${title} kernels failed by a fault of fuseau's: see stats().faults`;
      const other = asked === undefined ? chooseAfter(backend, why, program) : null;
      if (other === null) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const texts = program.calls.map(({ key }) => key).join("\n");
      noteFault(
        new InternalError(`${title} kernels: ${message}`, texts, { cause: error }),
        `runs without ${title}`,
      );
      choice = other;
    }
  }
}

/**
 * True if the arrays are as long as the results: the values, or those of them at these positions. This is the last check of a program that
 * was bound to a size: a wrong one would give wrong results silently.
 */
export function givesResultsOf(
  values: readonly Value[],
  at: readonly number[] | null,
  { counts }: LateExecutable,
): boolean {
  for (let k = 0; k < counts.length; k++) {
    const { node } = values[at === null ? k : (at[k] as number)] as Value;
    const count = counts[k] as number;
    if (count === -1 || count === elementCount(node.shape)) continue;
    const text = `${node.dtype}${showShape(node.shape)} ${opOf(node)}`;
    noteFault(
      new InternalError("a program of many sizes has a result of another", text),
      "compiles it by itself",
    );
    return false;
  }
  return true;
}
