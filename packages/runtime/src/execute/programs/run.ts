/** Runs a program on its backend, and returns the results' storages. */
import type { OutputArray, Program } from "@fuseau/compiler";
import { type DType, dtypes } from "@fuseau/ir";
import {
  type Around,
  type Loaded,
  type Numbers,
  type Run,
  releaseUnused,
  type Workspace,
} from "../../backends/backend.ts";
import { linearCounters } from "../../backends/backends.ts";
import type { Repeatable } from "../../memory/repeatable.ts";
import { makeRoom } from "../../memory/residents.ts";
import type { Storage } from "../../storage.ts";
import { now } from "../../threads/host.ts";
import { ThreadError } from "../../threads/thread-error.ts";
import type { Value } from "../../value.ts";
import { type Listener, watching } from "../../watch/watching.ts";
import type { Extraction } from "../extract/extract.ts";
import type { Executable } from "./executable.ts";
import { noteTime } from "./profile.ts";

let kernelRuns = 0;
let programRuns = 0;
let repeatableRuns = 0;

export const runCounters = (): { readonly programs: number; readonly kernels: number } => ({
  programs: programRuns,
  kernels: kernelRuns,
});

function count({ calls }: Program): void {
  kernelRuns += calls.length;
  programRuns++;
}

/** A program ran as so many ops. */
export function countOps(ops: number): void {
  kernelRuns += ops;
  programRuns++;
}

/** What a program is bound to for one run. */
export interface Bound extends Numbers {
  /** The storages of its inputs. */
  readonly given: readonly Storage[];
}

/** What the current extraction binds. */
export function boundTo({ given, scalars, numbers }: Extraction): Bound {
  const storages = new Array<Storage>(given.length);
  for (let k = 0; k < given.length; k++) storages[k] = (given[k] as Value).storage as Storage;
  return { given: storages, scalars, numbers };
}

/** The storage of each result, in the order of the program's outputs. */
export function run(executable: Executable, bound: Bound, around?: Around): Storage[] {
  const { program } = executable;
  const small = around === undefined ? atOnce(executable, bound) : null;
  const storages = small ?? allocated(executable, bound, around);
  count(program);
  if (small !== null) return small;
  remember(executable, bound, storages);
  return results(program, bound.given, storages);
}

/** The storage of the result of one op, of a program that runs op by op: it is counted with that, and not remembered. */
export function runOp(executable: Executable, bound: Bound): Storage {
  const small = atOnce(executable, bound);
  const [result] = small ?? results(executable.program, bound.given, allocated(executable, bound));
  return result as Storage;
}

/** The results of a small program; null for others, and where somebody watches. */
const atOnce = ({ loaded }: Executable, bound: Bound): Storage[] | null =>
  loaded.atOnce === null || watching !== null ? null : loaded.atOnce(bound.given, bound);

/** The storage of each allocation of the program. */
function allocated(executable: Executable, bound: Bound, given?: Around): Storage[] {
  const { program } = executable;
  const around = watching === null ? given : told(executable, bound, watching, given);
  let bytes = 0;
  for (const { dtype, cells } of program.allocations) bytes += cells * dtypes[dtype].bytes;
  const doomed = program.donors.map((index) => bound.given[index] as Storage);
  for (const storage of doomed) storage.isDoomed = true;
  try {
    // Results do not drive out the operands that they are computed from.
    for (const storage of bound.given) storage.beginUse();
    try {
      makeRoom(bytes);
    } finally {
      for (const storage of bound.given) storage.endUse();
    }
    return attempt(executable, bound, around, false);
  } finally {
    for (const storage of doomed) storage.isDoomed = false;
  }
}

/** Runs the program. If a run breaks off before an input was overwritten, it runs a second time. */
function attempt(
  executable: Executable,
  bound: Bound,
  around: Around | undefined,
  isRetry: boolean,
): Storage[] {
  const { program, backend, loaded } = executable;
  const { given, scalars, numbers } = bound;
  const workspace = backend.open();
  let brokeOff: ThreadError | null = null;
  try {
    const inputs: unknown[] = [];
    for (const storage of given) inputs.push(workspace.operand(storage));
    const outputs = program.allocations.map(({ dtype, cells, donor }) =>
      donor === null ? workspace.take(dtype, cells) : inputs[donor],
    );
    brokeOff = errorOf(loaded, { inputs, outputs, workspace, scalars, numbers, around, isRetry });
    if (brokeOff === null) return settle(program, given, workspace, outputs);
    for (const index of program.donors) workspace.lose(index, brokeOff);
  } finally {
    if (brokeOff === null) workspace.close();
    else backend.whenAtRest(() => workspace.close());
  }
  if (isRetry || program.donors.some((index) => given[index]?.isLost)) throw brokeOff;
  return attempt(executable, bound, around, true);
}

/**
 * Runs the kernels. Returns the error if the run may be repeated.
 * @throws any other error.
 */
function errorOf(loaded: Loaded<unknown>, run: Run<unknown>): ThreadError | null {
  try {
    loaded.run(run);
    return null;
  } catch (error) {
    if (error instanceof ThreadError) return error;
    throw error;
  }
}

/** The storages of the results. Donated inputs that were not overwritten are released. */
function settle(
  program: Program,
  given: readonly Storage[],
  workspace: Workspace<unknown>,
  outputs: readonly unknown[],
): Storage[] {
  const results = outputs.map((place, k) => {
    const { dtype, cells, donor } = program.allocations[k] as OutputArray;
    return donor === null
      ? workspace.settle(place, dtype, cells)
      : workspace.settleOver(donor, place, dtype, cells);
  });
  releaseUnused(program, given);
  return results;
}

/** Tells the listener how much memory the run takes, and the time of each kernel when it has run. */
function told(
  { program, kernels, backend }: Executable,
  bound: Bound,
  tell: Listener,
  around?: Around,
): Around {
  const bytes = (arrays: readonly { readonly dtype: DType; readonly cells: number }[]): number =>
    arrays.reduce((sum, { dtype, cells }) => sum + cells * dtypes[dtype].bytes, 0);
  tell({
    kind: "memory",
    inputs: bound.given.reduce((sum, storage) => sum + storage.bytes, 0),
    results: bytes(program.allocations.filter(({ donor }) => donor === null)),
    inPlace: bytes(program.allocations.filter(({ donor }) => donor !== null)),
    arena: bytes(program.arena),
    linear: linearCounters(),
  });
  return (call, run) => {
    const begin = now();
    if (around === undefined) run();
    else around(call, run);
    const ms = now() - begin;
    const position = program.calls.indexOf(call);
    const kernel = kernels[position];
    noteTime(program, position, ms);
    tell({
      kind: "kernel",
      name: call.name,
      emitter: backend.name,
      get source() {
        return kernel?.source ?? "";
      },
      ms,
    });
  };
}

function results(program: Program, given: readonly Storage[], storages: readonly Storage[]): Storage[] {
  const [only] = program.results;
  if (program.results.length === 1 && only?.kind === "output") return [storages[only.index] as Storage];
  const handed = new Set<Storage>();
  return program.results.map(({ kind, index }) => {
    if (kind === "input") return (given[index] as Storage).share();
    const storage = storages[index] as Storage;
    if (handed.has(storage)) return storage.share();
    handed.add(storage);
    return storage;
  });
}

/** Results of fewer bytes are never forgotten: to the garbage collector they make no difference. */
const SMALLEST = 2 ** 14;
/**
 * The cost of an addition of elements, and of a run beside its elements, in bytes moved. They also limit how deeply repeated runs can nest.
 */
const BYTES_OF_WORK = 2;
const BYTES_OF_RUN = 2 ** 19;

/** Tells the results how they were computed, if the same run would give them once more. Then they can be forgotten and computed again. */
function remember(
  executable: Executable,
  { given, scalars, numbers }: Bound,
  storages: readonly Storage[],
): void {
  const { program } = executable;
  let bytes = 0;
  for (const storage of storages) bytes += storage.bytes;
  // After that, overwritten operands no longer exist.
  if (bytes < SMALLEST || program.donors.length > 0) return;
  let cost = bytes + BYTES_OF_WORK * program.work + BYTES_OF_RUN;
  for (const storage of given) {
    if (!storage.mayBeReadAgain(bytes)) return;
    cost += storage.bytes;
  }
  // A copy: when the program comes again, `goOn` replaces its kernels, which may allocate differently.
  const first = executable.finishing !== null ? { ...executable } : executable;
  const bound: Bound = { given: [...given], scalars: [...scalars], numbers: [...numbers] };
  const origin: Repeatable = {
    place: repeatableRuns++,
    walk: 0,
    operands: bound.given,
    cost,
    forgotten: new Map(),
    repeat: () => {
      count(program);
      return allocated(first, bound);
    },
  };
  storages.forEach((storage, k) => {
    if (storage.bytes >= SMALLEST) storage.cameFrom(origin, k);
  });
}
