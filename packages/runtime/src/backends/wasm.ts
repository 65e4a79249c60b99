/** WebAssembly: modules with 128-bit lanes in linear memory, on as many threads as there are. */
import {
  type Bits,
  bitsOfLanes,
  canHaveBitsOfLanes,
  compileClosure,
  compileColumnFunction,
  compileWasm,
  type KernelCall,
  type Program,
  wasmTarget,
} from "@fuseau/compiler";
import { dtypes, elementCount } from "@fuseau/ir";
import { type LinearBlock, linearCounters } from "../memory/blocks.ts";
import { linearMemory } from "../memory/linear.ts";
import type { Backend, HeapKernel } from "./backend.ts";
import { grouped } from "./grouped.ts";
import { canMakeLanes, hasRelaxedLanes } from "./host-lanes.ts";
import { forbiddenHere } from "./host-policy.ts";
import { laneFunction } from "./lane-functions.ts";
import {
  keepLinearKernel,
  type LinearKernel,
  makeLinearKernel,
  reviveLinearKernel,
} from "./linear-kernels.ts";
import { forgetKernel, ready, whenReleased } from "./linear-pool.ts";
import { LinearWorkspace } from "./linear-workspace.ts";
import { loadLinear } from "./run-linear.ts";

/** Made at its first use, so that importing this file does not load the closures. */
let bits: Bits | undefined;

function begin({ loop }: KernelCall): HeapKernel {
  bits ??= bitsOfLanes(laneFunction);
  return { source: "", run: compileClosure(loop, bits) };
}

export const wasm: Backend<LinearKernel, LinearBlock> = {
  name: "wasm",
  title: "WebAssembly",
  get target() {
    return wasmTarget;
  },
  worthFrom: {
    // A call takes about half a microsecond beside its kernel, half of what a call of text takes. From 100 to 200 elements on, 4 ops are
    // faster here; at work of 4,000 three times as fast. Below that a call would gain two microseconds, and a module takes some two
    // milliseconds longer to make than text (Node 20; `npm run bench -- --only latency`).
    js: 4_000,
    // This is slower than text. For 200 elements (work of 1,000), 4 ops take as long in closures as in WebAssembly; for 1,000 elements 1.9
    // times as long. exp and tanh take as long for 64 elements, and 3.5 times as long for 1,000 (Node 20; `npm run bench -- --only
    // closures-crossover`).
    closure: 800,
  },
  missing: () => {
    if (!canMakeLanes())
      return forbiddenHere().webAssembly ?? "there is no WebAssembly with 128-bit SIMD here";
    return linearMemory() === null ? "this host refuses memory to WebAssembly" : null;
  },
  refuses: (program) => {
    const bytes = bytesOf(program);
    const limit = linearMemory()?.limit ?? 0;
    return bytes > limit ? `${grouped(bytes)} bytes are more than WebAssembly's memory can hold` : null;
  },
  compile: makeLinearKernel,
  // The time of V8's baseline code (Node 20; benchmarks/first-call.ts).
  firstRun: 1_200_000,
  canBegin: ({ loop, sizes }) => canHaveBitsOfLanes(loop, sizes, hasRelaxedLanes()),
  begin,
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
