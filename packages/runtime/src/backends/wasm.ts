/** WebAssembly: modules with 128-bit lanes in linear memory, on as many threads as there are. */
import { compileColumnFunction, compileWasm, type Program, wasmTarget } from "@fuseau/compiler";
import { dtypes, elementCount } from "@fuseau/ir";
import { type LinearBlock, linearCounters } from "../memory/blocks.ts";
import { linearMemory } from "../memory/linear.ts";
import type { Backend } from "./backend.ts";
import { grouped } from "./grouped.ts";
import { canBeClosures, closuresOf, laneBits, lanesMissing } from "./in-lanes.ts";
import {
  keepLinearKernel,
  type LinearKernel,
  makeLinearKernel,
  reviveLinearKernel,
} from "./linear-kernels.ts";
import { forgetKernel, ready, whenReleased } from "./linear-pool.ts";
import { LinearWorkspace } from "./linear-workspace.ts";
import { loadLinear } from "./run-linear.ts";

export const wasm: Backend<LinearKernel, LinearBlock> = {
  name: "wasm",
  key: "wasm",
  title: "WebAssembly",
  get target() {
    return wasmTarget;
  },
  worthFrom: {
    // A call takes some .2 to .6 µs more than one of text. 4 ops are as fast here from 200 elements on, and so is most at work of about
    // 1,000; at work of 5,000 it is 1.3 to 3 times as fast. A module takes some two milliseconds longer to make than text (Node 20).
    js: 1_500,
    // This is slower than text. For 200 elements (work of 1,000), 4 ops take as long in closures as in WebAssembly; for 1,000 elements 1.9
    // times as long. exp and tanh take as long for 64 elements, and 3.5 times as long for 1,000 (Node 20; `npm run bench -- --only
    // closures-crossover`).
    closure: 800,
  },
  missing: () =>
    lanesMissing() ?? (linearMemory() === null ? "this host refuses memory to WebAssembly" : null),
  refuses: (program) => {
    const bytes = bytesOf(program);
    const limit = linearMemory()?.limit ?? 0;
    return bytes > limit ? `${grouped(bytes)} bytes are more than WebAssembly's memory can hold` : null;
  },
  compile: makeLinearKernel,
  // The time of V8's baseline code (Node 20; benchmarks/first-call.ts).
  firstRun: 1_200_000,
  canBegin: canBeClosures,
  begin: closuresOf,
  bits: laneBits,
  warm({ calls }) {
    for (const { loop, name } of calls) compileWasm(loop, name, { shared: true, relaxed: false });
    compileColumnFunction("exp", "float32", "float32", 1);
  },
  keep: keepLinearKernel,
  revive: reviveLinearKernel,
  forget: ({ shared }) => forgetKernel(shared),
  load: loadLinear,
  open: () => new LinearWorkspace(),
  whenAtRest: whenReleased,
  ready,
  counters: linearCounters,
};

/** The bytes that a program reads, writes and works in. */
function bytesOf({ graph, allocations, arena }: Program): number {
  let bytes = 0;
  for (const { op, dtype, shape } of graph.nodes)
    if (op === "input") bytes += elementCount(shape) * dtypes[dtype].bytes;
  for (const { dtype, cells } of [...allocations, ...arena]) bytes += cells * dtypes[dtype].bytes;
  return bytes;
}
