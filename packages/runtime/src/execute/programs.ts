/** Caches compiled programs by the recorded graph. A repeated expression skips every pass. */
import { type CompileOptions, compile, type Emitter, type Program, type Target } from "@fuseau/compiler";
import { elementCount, InternalError, opOf, sameNumbers, showShape } from "@fuseau/ir";
import type { Backend, Kernel, Loaded } from "../backends/backend.ts";
import { backendNamed } from "../backends/backends.ts";
import { backendFor, type Choice, choose, chooseAfter } from "../backends/choose.ts";
import { type CacheCounters, type Held, LruCache } from "../cache/lru.ts";
import { type Options, watchOptions } from "../options.ts";
import { isSaving } from "../saved/saved.ts";
import type { Value } from "../value.ts";
import type { CacheEvent } from "../watch/event.ts";
import { watching } from "../watch/watching.ts";
import { Assembled, clearAssembled, noteAssembled, takeAssembled } from "./assembled.ts";
import { executableAt, sourceOf } from "./bound.ts";
import { clearChoices, noteChoices } from "./choices.ts";
import { withDump } from "./dumped.ts";
import { Expected, followers, noLongerExpected, noteExpected, runExpected } from "./expected.ts";
import { type Extraction, matches, type Recorded, record } from "./extract.ts";
import {
  clearFamilies,
  expectedLateCount,
  instanceOf,
  type Late,
  memberOf,
  noteSingle,
  type Purpose,
  sameLimits,
  setFamilyLimits,
} from "./families.ts";
import { noteFault } from "./faults.ts";
import { bytesOfKernel, kernelFor, kernelToBegin, type MadeKernel } from "./kernels.ts";
import { withPlaces } from "./lift.ts";
import { arePlaced, outlinedBy, sizeIn } from "./outline.ts";
import { clearPieces, firstRuns, piece } from "./pieces.ts";
import { resetPlaces } from "./places.ts";
import { findProgram, identityOf, keepProgram, type SavedProgram } from "./saved-programs.ts";

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
   * True if the program was assembled, or some kernels are for a first run only. When it comes again, its final kernels are made (`goOn`).
   */
  readonly begins: boolean;
  readonly assembled: Assembled | null;
  /** Null if it was compiled singly. */
  readonly late: LateExecutable | null;
  readonly expected: Expected;
}

/** A program of many sizes, with the size that is bound. */
export interface LateExecutable {
  readonly of: Late;
  readonly size: number;
  /** How many elements each result has; −1 of an input. */
  readonly counts: readonly number[];
}

const DEFAULT_LIMIT = 16_384;
const DEFAULT_BYTES = 2 ** 26;
const programs = new LruCache<number, Executable>(({ expected }) => noLongerExpected(expected));
watchOptions(({ programCacheLimit = DEFAULT_LIMIT, programBytesLimit = DEFAULT_BYTES }) => {
  programs.setLimits(programCacheLimit, programBytesLimit);
  setFamilyLimits(programCacheLimit, programBytesLimit);
});

/** Runs the expected program if it computes `wanted`, alone or together with pending writes. False if no expected program does. */
export function computeExpected(
  wanted: readonly Value[],
  written: readonly Value[],
  options: Options,
): boolean {
  const next = watching === null ? followers() : none;
  for (let k = 0; k < next.length; k++) {
    const expected = next[k] as Expected;
    const { outline, source } = expected;
    if (outline === null || !isFor(source.purpose, options)) continue;
    const { asked, outputs } = outline;
    const isAll = written.length > 0 && asked === wanted.length + written.length;
    if (!isAll && written.length > 0 && outputs.length > asked && !expected.isAlone) continue;
    const order = outlinedBy(outline, isAll ? [...wanted, ...written] : wanted);
    if (order === null) continue;
    const size = outline.sizes === null ? 0 : sizeIn(outline, order);
    if (size === null) continue;
    try {
      const executable = arePlaced(outline, order, size) ? source.at(size) : null;
      if (executable === null) continue;
      if (executable.late !== null && !givesResultsOf(order, outline.outputs, executable.late)) continue;
      source.use();
      noteExpected(k);
      runExpected(expected, executable, order);
      return true;
    } finally {
      if (outline.places !== null) resetPlaces();
    }
  }
  return false;
}

const none: readonly Expected[] = [];

const isFor = (known: Purpose, { emitter, fusion = "on", limits }: Options): boolean =>
  known.asked === emitter && known.fusion === fusion && sameLimits(known.limits, limits);

/**
 * The executable for an extraction: the cached one if it is exactly the same program, else a new one. If it would have to be compiled for
 * these sizes alone, and `isSplit` says that it is computed in parts instead, the result is null.
 */
export function executableFor(extraction: Extraction, options: Options): Executable;
export function executableFor(
  extraction: Extraction,
  options: Options,
  isSplit: () => boolean,
): Executable | null;
export function executableFor(
  extraction: Extraction,
  options: Options,
  isSplit: () => boolean = never,
): Executable | null {
  const asked = options.emitter;
  const found = programs.find(
    extraction.hash,
    (known) =>
      isFor(known, options) &&
      sameNumbers(known.donated, extraction.donated) &&
      matches(extraction, known.recorded),
  );
  if (watching !== null) watching(lookedUp(extraction, options, found !== undefined));
  if (found !== undefined) {
    if (found.begins) comesAgain(found, extraction, options);
    return found;
  }

  // An unknown emitter is the caller's mistake. It is checked here, since within compile it would look like a fault of ours.
  if (asked !== undefined) backendNamed(asked);
  const purpose = purposeOf(extraction, options);
  const member = memberOf(extraction, purpose);
  const look = isSaving() ? lookUp(extraction, options) : null;
  const instance =
    look?.saved != null
      ? null
      : instanceOf(
          member,
          () => compileOptions(options, purpose),
          (program) => kernelsOf(program, purpose.asked),
          sourceOf,
        );
  const bound = instance === null ? null : executableAt(instance.late, instance.size);
  if (bound !== null && givesResultsOf(extraction.wanted, null, bound.late)) {
    taken++;
    return bound;
  }
  if (look?.saved == null && isSplit()) {
    taken++;
    return null;
  }
  const comes = takeAssembled(extraction, purpose);
  const isSecond = comes !== "new";
  // It was counted as a miss when it was assembled.
  if (isSecond) taken++;
  const mayBegin = comes !== "often" && isSplit !== never && look === null && mayRunAssembled(options);
  const { executable, bytes } = compiledFor(extraction, options, look, mayBegin);
  noteSingle(member, executable.recorded, purpose);
  noteChoices(extraction.order);
  if (isSecond) {
    executable.expected.found = 1;
    if (executable.begins) comesAgain(executable, extraction, options);
  }
  if (executable.program.isAssembled && !isSecond) noteAssembled(extraction, purpose);
  else keep(extraction, executable, bytes);
  return executable;
}

/** Watching and profiling need the final kernels. */
const mayRunAssembled = ({ profile }: Options): boolean => watching === null && profile !== true;

const never = (): boolean => false;

/** Keeps a program in the cache. */
function keep({ hash }: Extraction, executable: Executable, bytes: number): void {
  executable.expected.source.held = programs.add(hash, executable, bytes);
}

/** Lookups that missed, and were answered by a program of many sizes, or by computing parts. */
let taken = 0;

/**
 * True if the arrays are as long as the results: the values, or those of them at these positions. This is the last check of a program that
 * was bound to a size: a wrong one would give wrong results silently.
 */
function givesResultsOf(
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

/**
 * A program of its own for these sizes, whatever programs of many sizes there are. Programs that are kept for a later process are made so.
 */
export function executableAlone(extraction: Extraction, options: Options): Executable {
  if (options.emitter !== undefined) backendNamed(options.emitter);
  const { executable, bytes } = compiledFor(extraction, options);
  keep(extraction, executable, bytes);
  return executable;
}

const purposeOf = ({ donated }: Extraction, { emitter, fusion = "on", limits }: Options): Purpose => ({
  asked: emitter,
  fusion,
  limits,
  donated: [...donated],
});

/** What an earlier process has compiled of it. */
interface Look {
  readonly recorded: Recorded;
  /** Null if nothing is saved. */
  readonly identity: string | null;
  readonly saved: SavedProgram | null;
}

function lookUp(extraction: Extraction, options: Options): Look {
  const recorded = record(extraction);
  const identity = identityOf(recorded, [...extraction.donated], options);
  return { recorded, identity, saved: identity === null ? null : findProgram(identity, options.emitter) };
}

/** The event that describes a cache lookup, for watchers. */
function lookedUp(extraction: Extraction, options: Options, hit: boolean): CacheEvent {
  const results = extraction.wanted.map(({ node }) => `${node.dtype}${showShape(node.shape)} ${opOf(node)}`);
  const of = `${extraction.order.length} nodes for ${results.join(", ")}`;
  const why = hit ? "the very program was compiled before" : whyMissed(extraction, options);
  return { kind: "cache", cache: "programs", hit, of, why };
}

function whyMissed(extraction: Extraction, { emitter, fusion = "on", limits }: Options): string {
  const known = programs.peek(extraction.hash);
  if (known === undefined) return "no such graph was compiled before, or it was forgotten";
  if (!matches(extraction, known.recorded)) return "another graph has its hash";
  if (known.asked !== emitter) return `compiled before for emitter ${known.asked ?? "by choice"}`;
  if (known.fusion !== fusion) return `compiled before with fusion "${known.fusion}"`;
  if (!sameLimits(known.limits, limits)) return "compiled before under other limits";
  return "compiled before with other inputs to write over";
}

/** Bytes for each node of a program: as recorded, as simplified, and by name in explanations. */
const BYTES_PER_NODE = 1_024;
/** Bytes for each call beside its kernel: buffers, sizes, and places in linear memory. */
const BYTES_PER_CALL = 2_048;

/** A rough size of what only this program keeps in memory. Shared kernels count for the program that made them. */
function bytesOf({ program: { calls } }: Executable, nodes: number, own: readonly MadeKernel[]): number {
  return (
    nodes * BYTES_PER_NODE +
    calls.length * BYTES_PER_CALL +
    own.reduce((sum, made) => sum + bytesOfKernel(made), 0)
  );
}

/** A new program, with its final kernels or those for a first run. */
function compiledFor(
  extraction: Extraction,
  options: Options,
  look: Look | null = null,
  mayBegin = false,
): { readonly executable: Executable; readonly bytes: number } {
  const { recorded, identity, saved } = look ?? lookUp(extraction, options);
  const purpose = purposeOf(extraction, options);
  const isFirst = mayBegin && options.emitter === undefined;
  const { program: compiled, fault } =
    saved ?? compileOrUnfuse(recorded, options, purpose, extraction.wanted, isFirst);
  const isToBegin = isFirst && fault === "";
  const { running, own } = madeFor(compiled, options.emitter, fault, isToBegin, saved?.kept);
  const executable: Executable = {
    ...purpose,
    recorded,
    ...running,
    late: null,
    expected: new Expected({
      purpose,
      held: null,
      at: () => (executable.begins ? null : executable),
      use() {
        if (this.held !== null) programs.use(this.held as Held<number, Executable>);
      },
    }),
  };
  if (identity !== null && saved === null && fault === "") keepProgram(identity, executable);
  return { executable, bytes: bytesOf(executable, recorded.nodes.length + compiled.graph.nodes.length, own) };
}

/** A program on the backend that runs it. */
type Running = Pick<
  Executable,
  "program" | "kernels" | "backend" | "loaded" | "reason" | "begins" | "assembled"
>;

/** The program with all of its kernels made, and the kernels that no other program has. */
function madeFor(
  compiled: Program,
  asked: Emitter | undefined,
  fault: string,
  isToBegin: boolean,
  kept?: readonly unknown[],
): { readonly running: Running; readonly own: readonly MadeKernel[] } {
  const { choice, made } = kernelsOf(compiled, asked, isToBegin, kept);
  const { backend } = choice;
  const reason = choice.reason + fault;
  watching?.({ kind: "emitter", emitter: backend.name, reason });
  // Shared kernels replace the program's own loop IR, so that equal loop IR is in memory once.
  const own = made.filter(({ loop }, k) => loop === compiled.calls[k]?.loop);
  const program =
    own.length === made.length
      ? compiled
      : {
          ...compiled,
          calls: compiled.calls.map((call, k) => {
            const { key, loop } = made[k] as MadeKernel;
            return loop === call.loop ? call : { ...call, key, loop };
          }),
        };
  const kernels = made.map(({ kernel }) => kernel);
  const begins = program.isAssembled || made.some((each) => each.begins);
  const assembled = program.isAssembled ? new Assembled(program, made) : null;
  return {
    running: { program, kernels, backend, loaded: backend.load(program, kernels), reason, begins, assembled },
    own,
  };
}

/** The program comes again, and may come often. */
function comesAgain(executable: Executable, extraction: Extraction, options: Options): void {
  const kernels = (mayRunAssembled(options) && executable.assembled?.again()) || null;
  if (kernels === null) goOn(executable, extraction, options);
  else if (kernels.some((kernel, k) => kernel !== executable.kernels[k])) {
    const { backend, program } = executable;
    Object.assign(executable, { kernels, loaded: backend.load(program, kernels) });
  }
}

/** Makes the final kernels; if the program was assembled, it is compiled as a whole. */
export function goOn(executable: Executable, { wanted }: Extraction, options: Options): void {
  const { program, recorded } = executable;
  const whole = program.isAssembled
    ? compileOrUnfuse(recorded, options, executable, wanted)
    : { program, fault: "" };
  Object.assign(executable, madeFor(whole.program, executable.asked, whole.fault, false).running);
}

function compileOptions(
  { fusion = "on", limits, verify = false }: Options,
  purpose: Purpose,
): CompileOptions {
  const { donated } = purpose;
  const target = (work: number): Target => backendFor(work, purpose.asked).target;
  return { donated, verify, fusion, target, watch: watching, ...(limits === undefined ? {} : { limits }) };
}

/**
 * The first programs of a process are never assembled: V8 has to compile functions of the compiler too, and a whole program needs fewer of
 * them than its pieces do.
 */
const EARLY = 2;
let firsts = 0;

/** Compiles as asked. After a fault of the compiler it compiles op by op. */
function compileOrUnfuse(
  recorded: Recorded,
  options: Options,
  purpose: Purpose,
  wanted: readonly Value[],
  isFirst = false,
): { readonly program: Program; readonly fault: string } {
  const { fusion = "on", verify = false, limits } = options;
  const graph = withPlaces(recorded, recorded.begins, recorded.counts);
  const asked = compileOptions(options, purpose);
  const isInPieces =
    isFirst && firstRuns.inPieces && ++firsts > EARLY && fusion === "on" && limits === undefined;
  try {
    return { program: compile(graph, isInPieces ? { ...asked, pieces: piece } : asked), fault: "" };
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
function kernelsOf(
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

/** A miss is a compilation. An instance of a program with late sizes counts as a hit. */
export function programCounters(): CacheCounters {
  const counters = programs.counters();
  const hits = counters.hits + taken + expectedLateCount();
  return { ...counters, hits, misses: counters.misses - taken };
}
export function clearPrograms(): void {
  programs.clear();
  clearFamilies();
  clearPieces();
  clearChoices();
  clearAssembled();
}
