import { type Emitter, type Graph, printGraph } from "@fuseau/compiler";
import { defaultOrder } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Program, programs } from "./random-graph.ts";
import { limits, orders } from "./random-limits.ts";
import { rowPrograms } from "./random-rows.ts";
import { type Element, evaluate, plainMeaningIn } from "./reference.ts";
import { runProgram } from "./run-program.ts";
import { wasmMeaningIn } from "./wasm-meaning.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 400);

function sameBits(actual: readonly Element[], expected: readonly Element[]): string | null {
  if (actual.length !== expected.length) return `${actual.length} elements, not ${expected.length}`;
  for (let k = 0; k < actual.length; k++) {
    if (!Object.is(actual[k], expected[k])) return `element ${k} is ${actual[k]}, not ${expected[k]}`;
  }
  return null;
}

/** logaddexp is made of functions that have other last bits in lanes. */
const withoutLaw = ({ nodes }: Graph): boolean =>
  nodes.some((node) => node.op === "scan" && node.attributes.fn === "logaddexp");

function agree(
  { graph, elements, donated }: Program,
  emitter: Emitter,
  options: Parameters<typeof runProgram>[4],
): void {
  if (emitter === "wasm" && withoutLaw(graph)) return;
  const order = { ...defaultOrder, ...options.order };
  const meaning = emitter === "wasm" ? wasmMeaningIn(order) : plainMeaningIn(order);
  const expected = evaluate(graph, elements, [], meaning);
  const actual = runProgram(graph, elements, [], emitter, { donated, ...options });
  actual.forEach((result, k) => {
    const difference = sameBits(result, expected[k] as Element[]);
    if (difference !== null) expect.fail(`result ${k}: ${difference}\n${printGraph(graph)}`);
  });
}

function holds<T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): void {
  const result = fc.check(
    fc.property(arbitrary, (value) => check(value)),
    { numRuns: runs },
  );
  if (result.failed) {
    const cause = result.errorInstance as Error;
    throw new Error(`seed ${result.seed}, path ${result.counterexamplePath}\n${cause.stack}`);
  }
}

const anyPrograms = fc.oneof({ weight: 3, arbitrary: programs() }, { weight: 1, arbitrary: rowPrograms });

describe("random graphs give what their nodes mean, bit for bit", () => {
  for (const emitter of ["js", "closure", "wasm"] as const) {
    it(`fused, by ${emitter}`, () => {
      holds(anyPrograms, (program) => agree(program, emitter, {}));
    });
    it(`op by op, by ${emitter}`, () => {
      holds(anyPrograms, (program) => agree(program, emitter, { fusion: "none" }));
    });
    it(`fused under random limits, in random orders of accumulation, by ${emitter}`, () => {
      holds(fc.tuple(anyPrograms, limits, orders), ([program, some, order]) =>
        agree(program, emitter, { limits: some, order }),
      );
    });
  }
  it.each(["js", "wasm"] as const)("float32 chains with reductions, by %s", (emitter) => {
    holds(fc.tuple(programs(["float32"]), limits, orders), ([program, some, order]) =>
      agree(program, emitter, { limits: some, order }),
    );
  });
});
