/** A dumped program that can be compiled and run in many settings: with rules left out, nodes stored, by any emitter. */
import type { compile, Emitter, Program, Watch } from "../../packages/compiler/src/index.ts";
import type { DType, TypedArray } from "../../packages/ir/src/index.ts";
import type { Around, Backend, Kernel } from "../../packages/runtime/src/backends/backend.ts";
import { backendFor } from "../../packages/runtime/src/backends/choose.ts";
import {
  extract,
  forget,
  type Recorded,
  record,
} from "../../packages/runtime/src/execute/extract/extract.ts";
import { withPlaces } from "../../packages/runtime/src/execute/places/lift.ts";
import type { Executable } from "../../packages/runtime/src/execute/programs/executable.ts";
import { Expected } from "../../packages/runtime/src/execute/programs/expected.ts";
import { type Bound, boundTo, run } from "../../packages/runtime/src/execute/programs/run.ts";
import type { ComputeOptions } from "../../packages/runtime/src/options.ts";
import { toNumbers } from "../../packages/runtime/src/replay/convert.ts";
import { readDump } from "../../packages/runtime/src/replay/read.ts";
import type { Storage } from "../../packages/runtime/src/storage.ts";
import { runStepwise } from "./stepwise.ts";

/** How a program is compiled and run. */
export interface Setting {
  readonly emitter: Emitter;
  readonly fusion: "on" | "none";
  /** Laws of rules that are not applied. */
  readonly laws: readonly string[];
  /** Nodes that are stored, by their positions in the simplified graph. */
  readonly stored: readonly number[];
}

/** What a program is made and timed with; tests hand over broken ones. */
export interface Tools {
  readonly compile: typeof compile;
  /** By its key. */
  readonly backend: (key: string) => Backend;
  /** Processor time of one run, in milliseconds. */
  readonly time: (run: () => void) => number;
}

export interface Result {
  readonly dtype: DType;
  readonly elements: readonly (number | bigint)[];
}

export class Specimen {
  readonly options: ComputeOptions;
  readonly #recorded: Recorded;
  readonly #bound: Bound;
  /** Results that were dumped; others are kept besides. */
  readonly #wanted: number;
  readonly #tools: Tools;
  readonly #kernels = new Map<string, Kernel>();
  /** What the program is scheduled for in all settings, so that emitters are compared by the same kernels. */
  readonly #scheduledFor: Emitter;
  /** The key of the backend that runs it, of the several that may have its emitter. */
  readonly #key: string;

  /** @throws SyntaxError where the text is no dump. */
  constructor(text: string, tools: Tools, emitter?: Emitter) {
    const { options, wanted } = readDump("bisect", text);
    try {
      const extraction = extract(wanted);
      this.#recorded = record(extraction);
      const { given, scalars, numbers } = boundTo(extraction);
      this.#bound = { given, scalars: [...scalars], numbers: [...numbers] };
    } finally {
      forget();
    }
    this.options = emitter === undefined ? options : { ...options, emitter };
    this.#wanted = wanted.length;
    this.#tools = tools;
    const { emitter: asked } = this.options;
    const { name, key } = asked === undefined ? this.#chosen() : { name: asked, key: asked };
    this.#scheduledFor = name;
    this.#key = key;
  }

  /** As it was dumped. */
  get setting(): Setting {
    return { emitter: this.#scheduledFor, fusion: this.options.fusion ?? "on", laws: [], stored: [] };
  }

  program({ fusion, laws, stored }: Setting, watch: Watch | null = null): Program {
    const { limits } = this.options;
    const { begins, counts } = this.#recorded;
    return this.#tools.compile(withPlaces(this.#recorded, begins, counts), {
      fusion,
      watch,
      without: { laws, fusions: stored },
      target: () => this.#backend(this.#scheduledFor).target,
      ...(limits === undefined ? {} : { limits }),
    });
  }

  #backend(emitter: Emitter): Backend {
    return this.#tools.backend(emitter === this.#scheduledFor ? this.#key : emitter);
  }

  /** The program with its kernels made. */
  executable({ emitter, fusion }: Setting, program: Program): Executable {
    const backend = this.#backend(emitter);
    const kernels = program.calls.map((call) => {
      const name = `${emitter}\n${call.key}`;
      const kernel = this.#kernels.get(name) ?? backend.compile(call);
      this.#kernels.set(name, kernel);
      return kernel;
    });
    const purpose = { asked: emitter, fusion, limits: this.options.limits, donated: [] };
    return {
      ...purpose,
      recorded: this.#recorded,
      program,
      kernels,
      backend,
      loaded: backend.load(program, kernels),
      reason: "bisect",
      finishing: null,
      late: null,
      // It is run when it is asked for, never because it comes next.
      expected: new Expected({ purpose, held: null, at: () => null, use: () => {} }),
    };
  }

  results(setting: Setting): readonly Result[] {
    return this.#read(run(this.executable(setting, this.program(setting)), this.#bound));
  }

  /** What comes of it where each kernel, by its place among the calls, is made by an emitter of its own. */
  mixedResults(setting: Setting, program: Program, emitterOf: (call: number) => Emitter): readonly Result[] {
    const make = (part: Program, call: number): Executable =>
      this.executable({ ...setting, emitter: emitterOf(call) }, part);
    return this.#read(runStepwise(program, this.#bound, make));
  }

  /** Processor time of a run, in milliseconds. */
  time(executable: Executable): number {
    return this.#tools.time(() => this.#run(executable));
  }

  /** What each kernel takes, by its place among the calls. */
  timesOfKernels(executable: Executable): readonly number[] {
    const times: number[] = [];
    this.#run(executable, (_, runKernel) => times.push(this.#tools.time(runKernel)));
    return times;
  }

  #run(executable: Executable, around?: Around): void {
    for (const storage of run(executable, this.#bound, around)) storage.release();
  }

  #read(storages: readonly Storage[]): readonly Result[] {
    const results = storages.slice(0, this.#wanted).map(({ dtype, array }): Result => {
      return { dtype, elements: elementsOf(dtype, array) };
    });
    for (const storage of storages) storage.release();
    return results;
  }

  #chosen(): Backend {
    const { begins, counts } = this.#recorded;
    let chosen = backendFor(0, undefined);
    this.#tools.compile(withPlaces(this.#recorded, begins, counts), {
      target: (work) => {
        chosen = backendFor(work, undefined);
        return chosen.target;
      },
    });
    return chosen;
  }
}

export const elementsOf = (dtype: DType, array: TypedArray): readonly (number | bigint)[] =>
  dtype === "int64" ? Array.from(array as BigInt64Array) : toNumbers(dtype, array);
