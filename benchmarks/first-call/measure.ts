/** The first call of a program, pass by pass, and the size of the code that it makes. */
import { compileWasm, type Emitter, type Program } from "@fuseau/compiler";
import { defaultOrder, printLoopKernel } from "@fuseau/ir";
import { type AnyTensor, clearCaches, getOptions } from "fuseau";
import { compileJs } from "../../packages/compiler/src/emit/js/emit.ts";
import { mergeAxes } from "../../packages/compiler/src/layout/merge-axes.ts";
import { stripMine } from "../../packages/compiler/src/layout/strip-mine.ts";
import { lower } from "../../packages/compiler/src/lower/lower.ts";
import { planMemory } from "../../packages/compiler/src/plan/plan-memory.ts";
import { schedule } from "../../packages/compiler/src/schedule/schedule.ts";
import { simplify } from "../../packages/compiler/src/simplify/simplify.ts";
import { hasRelaxedLanes } from "../../packages/runtime/src/backends/host-lanes.ts";
import { extract, forget } from "../../packages/runtime/src/execute/extract/extract.ts";
import { executableFor } from "../../packages/runtime/src/execute/find-program.ts";
import type { Executable } from "../../packages/runtime/src/execute/programs/executable.ts";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";

/** What is recorded, anew each time. */
export type Recipe = () => AnyTensor;

export const passes = ["simplify", "schedule", "layout", "lower", "plan", "key", "emit", "host"] as const;
export type Pass = (typeof passes)[number];

export interface FirstCall {
  /** Milliseconds, recording included. */
  readonly first: number;
  /** Of those, the processor's: of the calling thread where the host tells (Node 23.9 and later), else of all threads. */
  readonly processor: number;
  /** The same again, with the program in the cache. */
  readonly second: number;
  /** Milliseconds of each pass, of another run of it; "host" is what V8 took to compile and instantiate in the first call. */
  readonly passes: Readonly<Record<Pass, number>>;
  readonly emitter: Emitter;
  readonly kernels: number;
  /** Of modules, or characters of text. */
  readonly bytes: number;
  /** The same, of the largest kernel. */
  readonly largest: number;
}

export function firstCall(recipe: Recipe, emitter: Emitter | undefined): FirstCall {
  const options = emitter === undefined ? {} : { emitter };
  const call = (): number => {
    const start = performance.now();
    const result = recipe().compute(options);
    const time = performance.now() - start;
    result.dispose();
    return time;
  };
  hostTime = 0;
  const before = usage();
  const first = call();
  const { user, system } = usage(before);
  const host = hostTime;
  const second = call();
  const executable = executableOf(recipe, options);
  const sizes = executable.program.calls.map((call) => sizeOf(call, executable.backend.name));
  return {
    first,
    processor: (user + system) / 1_000,
    second,
    passes: { ...timesOf(executable), host },
    emitter: executable.backend.name,
    kernels: sizes.length,
    bytes: sizes.reduce((a, b) => a + b, 0),
    largest: Math.max(0, ...sizes),
  };
}

type Usage = typeof process.cpuUsage;

const usage: Usage =
  (process as { readonly threadCpuUsage?: Usage }).threadCpuUsage?.bind(process) ??
  process.cpuUsage.bind(process);

/** Forgets what was compiled, for the next one to be a first call too. */
export const forgetAll = (): void => clearCaches();

function executableOf(recipe: Recipe, options: { readonly emitter?: Emitter }): Executable {
  try {
    return executableFor(extract([unwrap(recipe())]), { ...getOptions(), ...options });
  } finally {
    forget();
  }
}

function sizeOf(call: Program["calls"][number], emitter: Emitter): number {
  if (emitter === "closure") return 0;
  if (emitter === "js") return compileJs(call.loop, call.name).source.length;
  return compileWasm(call.loop, call.name, { shared: false, relaxed: hasRelaxedLanes() }).bytes.length;
}

function timesOf({ recorded, donated, fusion, backend }: Executable): Record<Exclude<Pass, "host">, number> {
  const times = { simplify: 0, schedule: 0, layout: 0, lower: 0, plan: 0, key: 0, emit: 0 };
  const timed = <T>(pass: keyof typeof times, work: () => T): T => {
    const start = performance.now();
    const result = work();
    times[pass] += performance.now() - start;
    return result;
  };
  const graph = timed("simplify", () => simplify(recorded));
  const scheduled = timed("schedule", () => schedule(graph, { fuse: fusion !== "none", donated }));
  timed("layout", () => {
    for (const kernel of scheduled.kernels) {
      mergeAxes(scheduled.table, kernel.root);
      stripMine(scheduled.table, kernel.root);
    }
  });
  const lowered = timed("lower", () => scheduled.kernels.map((kernel) => lower(graph, kernel, defaultOrder)));
  timed("plan", () => planMemory(graph, lowered, scheduled));
  timed("key", () => lowered.map(({ loop }) => printLoopKernel(loop)));
  timed("emit", () => {
    for (const { loop } of lowered)
      if (backend.name === "wasm") compileWasm(loop, "k", { shared: false, relaxed: hasRelaxedLanes() });
      else if (backend.name === "js") compileJs(loop, "k");
  });
  return times;
}

/** Milliseconds that the host took to compile and to instantiate modules and text. */
let hostTime = 0;

interface HostWebAssembly {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => object;
}

/** Times the host's own constructors from here on. */
export function watchHost(): void {
  const timed = <Made extends object, Args extends unknown[]>(
    of: new (...args: Args) => Made,
  ): (new (
    ...args: Args
  ) => Made) =>
    new Proxy(of, {
      construct(target, args, made) {
        const start = performance.now();
        try {
          return Reflect.construct(target, args, made) as Made;
        } finally {
          hostTime += performance.now() - start;
        }
      },
    });
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: HostWebAssembly };
  WebAssembly.Module = timed(WebAssembly.Module);
  WebAssembly.Instance = timed(WebAssembly.Instance);
}
