/** Closures that take over the first run of what WebAssembly goes on with: they give its bits, or say that they cannot. */
import {
  bitsOfLanes,
  type Program as Compiled,
  canHaveBitsOfLanes,
  compile,
  compileClosure,
  compilePiece,
  wasmTarget,
} from "@fuseau/compiler";
import { defaultOrder } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { laneFunction } from "../../packages/runtime/src/backends/lane-functions.ts";
import { type Program, programs } from "./random-graph.ts";
import { orders } from "./random-limits.ts";
import { rowPrograms } from "./random-rows.ts";
import { evaluate } from "./reference.ts";
import { runCalls } from "./run-program.ts";
import { wasmMeaningIn } from "./wasm-meaning.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 400);
const bits = bitsOfLanes(laneFunction);

const verified = { verify: true, watch: null };

const ways: Readonly<Record<string, ({ graph, donated }: Program, order: typeof defaultOrder) => Compiled>> =
  {
    fused: ({ graph, donated }, order) => compile(graph, { target: () => wasmTarget, donated, order }),
    "op by op": ({ graph, donated }, order) =>
      compile(graph, { target: () => wasmTarget, donated, order, fusion: "none" }),
    "put together of pieces": ({ graph, donated }, order) =>
      compile(graph, {
        verify: true,
        donated,
        order,
        pieces: (piece) => compilePiece(piece, verified, order),
      }),
  };

/** Whether it was run; its results are compared with what its nodes mean in WebAssembly. */
function agrees({ graph, elements }: Program, order: typeof defaultOrder, program: Compiled): boolean {
  if (!program.calls.every(({ loop, sizes }) => canHaveBitsOfLanes(loop, sizes, false))) return false;
  const kernels = program.calls.map(({ loop }) => compileClosure(loop, bits));
  const actual = runCalls(graph, program, elements, (k, ...given) => kernels[k]?.(...given));
  const expected = evaluate(graph, elements, [], wasmMeaningIn(order));
  expect(actual).toEqual(expected);
  return true;
}

describe("first runs by closures give the bits of WebAssembly", () => {
  it.each(Object.entries(ways))("%s, in random orders of accumulation", (name, compiled) => {
    let compared = 0;
    fc.assert(
      fc.property(fc.oneof(programs(), programs(["float32"]), rowPrograms), orders, (program, some) => {
        const order = { ...defaultOrder, ...some };
        const made = compiled(program, order);
        const isMeant = made.isAssembled === (name === "put together of pieces");
        if (agrees(program, order, made) && isMeant) compared++;
      }),
      { numRuns: runs },
    );
    expect(compared).toBeGreaterThan(runs / 2);
  });
});
