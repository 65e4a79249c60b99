/** A program whose size is known late gives, at each of its sizes, what the graph of that size means, bit for bit. */
import {
  type CompileOptions,
  type Emitter,
  type Graph,
  generalise,
  nodesWith,
  numbersAt,
  printGraph,
  sameGraph,
  targets,
  through,
} from "@fuseau/compiler";
import { defaultOrder, type Node, sameNumbers, sameStructure, sizesOf } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelOf } from "./kernel-function.ts";
import { type SizedProgram, sizedPrograms } from "./random-graph.ts";
import { limits, orders } from "./random-limits.ts";
import { evaluate, plainMeaningIn } from "./reference.ts";
import { runCalls } from "./run-program.ts";
import { wasmMeaningIn } from "./wasm-meaning.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 60);
const interval = { low: 2, high: 45 };
const sizes = [2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 45];

/** The graph as a function of its size, where the graphs of three sizes have one structure; else null. */
function graphsOf({ graphAt }: SizedProgram): ((size: number) => Graph) | null {
  const [first, second, third] = [19, 20, 21].map(graphAt);
  if (!first || !second || !third) return null;
  const isSame = ({ nodes, inputs, outputs }: Graph): boolean =>
    nodes.length === first.nodes.length &&
    sameNumbers(outputs, first.outputs) &&
    nodes.every(
      (node, k) =>
        sameStructure(node, first.nodes[k] as Node) &&
        sameNumbers(inputs[k] as readonly number[], first.inputs[k] as readonly number[]),
    );
  if (!isSame(second) || !isSame(third)) return null;
  const sizesIn = ({ nodes }: Graph): number[] => {
    const found: number[] = [];
    for (const node of nodes) sizesOf(node, found);
    return found;
  };
  const numbers = through(19, [sizesIn(first), sizesIn(second), sizesIn(third)]);
  if (numbers.varying.length === 0) return null;
  return (size) => {
    let next = 0;
    const own = numbersAt(numbers, size);
    return { ...first, nodes: nodesWith(first, () => own[next++] as number) };
  };
}

let generalised = 0;
let instances = 0;

function agree(sized: SizedProgram, emitter: Emitter, options: CompileOptions): void {
  const graphAt = graphsOf(sized);
  if (graphAt === null) return;
  const scan = ({ op, attributes }: Node): boolean => op === "scan" && attributes.fn === "logaddexp";
  if (emitter === "wasm" && graphAt(19).nodes.some(scan)) return;
  const all = { verify: true, target: () => targets[emitter], ...options };
  const late = generalise(graphAt, 20, interval, all);
  if ("why" in late) return;
  generalised++;
  const order = { ...defaultOrder, ...options.order };
  const meaning = emitter === "wasm" ? wasmMeaningIn(order) : plainMeaningIn(order);
  for (const size of sizes) {
    if (size < late.low || size > late.high) continue;
    instances++;
    const graph = graphAt(size);
    const recorded = sized.graphAt(size);
    // At other sizes it is none that anyone could record: a diagonal behind the last column.
    if (recorded === null || !sameGraph(graph, recorded)) continue;
    const elements = sized.elementsAt(size);
    const program = late.at(size, late.program.calls);
    const kernels = program.calls.map((call) => kernelOf(call, emitter));
    const actual = runCalls(graph, program, elements, (k, buffers, own, scalars) =>
      kernels[k]?.(buffers, own, scalars),
    );
    const expected = evaluate(graph, elements, [], meaning);
    actual.forEach((result, k) => {
      const wrong = result.findIndex((value, place) => !Object.is(value, expected[k]?.[place]));
      if (wrong < 0 && result.length === expected[k]?.length) return;
      expect.fail(
        `result ${k} at ${size} of ${late.low} to ${late.high}: element ${wrong} is ${result[wrong]}, not ${expected[k]?.[wrong]}\n${printGraph(graph)}\n${program.calls.map(({ key, sizes: own }) => `${key}\n${own}`).join("\n")}`,
      );
    });
  }
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

describe("random graphs of a size known late give what their nodes mean at each size", () => {
  for (const emitter of ["js", "closure", "wasm"] as const) {
    it(`fused, by ${emitter}`, () => {
      holds(sizedPrograms(), (sized) => agree(sized, emitter, {}));
    });
    it(`op by op, by ${emitter}`, () => {
      holds(sizedPrograms(), (sized) => agree(sized, emitter, { fusion: "none" }));
    });
    it(`fused under random limits, in random orders of accumulation, by ${emitter}`, () => {
      holds(fc.tuple(sizedPrograms(["float32"]), limits, orders), ([sized, some, order]) =>
        agree(sized, emitter, { limits: some, order }),
      );
    });
  }

  it("most graphs have such a program", () => {
    expect(generalised).toBeGreaterThan(2 * runs);
    expect(instances).toBeGreaterThan(5 * generalised);
  });
});
