/**
 * Closures and text that compute what WebAssembly would: the first run of what it goes on with, and programs too small for it. They give
 * its bits, or say that they cannot.
 */
import {
  bitsOfLanes,
  type Program as Compiled,
  canBeTextInLanes,
  canHaveBitsOfLanes,
  compile,
  compileClosure,
  compileJs,
  jsTarget,
  type KernelCall,
  type KernelFunction,
  type Target,
  wasmTarget,
} from "@fuseau/compiler";
import { defaultOrder } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsFunction } from "../../packages/runtime/src/backends/js.ts";
import { laneCalls, laneFunction } from "../../packages/runtime/src/backends/lane-functions.ts";
import { type Program, programs } from "./random-graph.ts";
import { orders } from "./random-limits.ts";
import { rowPrograms } from "./random-rows.ts";
import { evaluate } from "./reference.ts";
import { runCalls } from "./run-program.ts";
import { wasmMeaningIn } from "./wasm-meaning.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 400);
const bits = bitsOfLanes(laneFunction);

type Way = ({ graph, donated }: Program, order: typeof defaultOrder, target: Target) => Compiled;

const ways: Readonly<Record<string, Way>> = {
  fused: ({ graph, donated }, order, target) => compile(graph, { target: () => target, donated, order }),
  "op by op": ({ graph, donated }, order, target) =>
    compile(graph, { target: () => target, donated, order, fusion: "none" }),
};

/** Without relaxed SIMD, since the meanings of nodes have none. */
const calls = { ...laneCalls, multiplyAdd: () => null };

interface Stand {
  readonly target: Target;
  can(call: KernelCall): boolean;
  kernelOf(call: KernelCall): KernelFunction;
}

const stands: Readonly<Record<string, Stand>> = {
  closures: {
    target: wasmTarget,
    can: ({ loop, sizes }) => canHaveBitsOfLanes(loop, sizes, false),
    kernelOf: ({ loop }) => compileClosure(loop, bits),
  },
  text: {
    target: jsTarget,
    can: ({ loop, sizes }) => canBeTextInLanes(loop, sizes),
    kernelOf: ({ loop, name }) => jsFunction(compileJs(loop, name, calls)),
  },
};

/** Whether it was run; its results are compared with what its nodes mean in WebAssembly. */
function agrees(
  { graph, elements }: Program,
  order: typeof defaultOrder,
  program: Compiled,
  { can, kernelOf }: Stand,
): boolean {
  if (!program.calls.every(can)) return false;
  const kernels = program.calls.map(kernelOf);
  const actual = runCalls(graph, program, elements, (k, ...given) => kernels[k]?.(...given));
  const expected = evaluate(graph, elements, [], wasmMeaningIn(order));
  expect(actual).toEqual(expected);
  return true;
}

describe.each(Object.entries(stands))("%s give the bits of WebAssembly", (_, stand) => {
  it.each(Object.entries(ways))("%s, in random orders of accumulation", (_way, compiled) => {
    let compared = 0;
    fc.assert(
      fc.property(fc.oneof(programs(), programs(["float32"]), rowPrograms), orders, (program, some) => {
        const order = { ...defaultOrder, ...some };
        if (agrees(program, order, compiled(program, order, stand.target), stand)) compared++;
      }),
      { numRuns: runs },
    );
    expect(compared).toBeGreaterThan(runs / 2);
  });
});
