/** A program whose sizes are known late gives, at each of them, what the graph of that size means, bit for bit. */
import {
  type CompileOptions,
  type Emitter,
  finished,
  type Graph,
  generalise,
  nodesWith,
  numbersAt,
  type Point,
  printGraph,
  sameGraph,
  samplesAround,
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
const [low, high] = [2, 45];
const sizes = [2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 45];
/** By the number of free sizes. */
const pointsOf: Readonly<Record<number, readonly Point[]>> = {
  1: sizes.map((size) => [size]),
  2: sizes.flatMap((size, k) =>
    [2, 5, 8].map((step) => [size, sizes[(k * 3 + step) % sizes.length] as number]),
  ),
};

/** The graph as a function of its free sizes, where the graphs of some have one structure; else null. */
function graphsOf({ graphAt }: SizedProgram, free: number): ((point: Point) => Graph) | null {
  const origin = [19, 26].slice(0, free);
  const [first, ...others] = samplesAround(origin).map(graphAt);
  if (!first) return null;
  const isSame = ({ nodes, inputs, outputs }: Graph): boolean =>
    nodes.length === first.nodes.length &&
    sameNumbers(outputs, first.outputs) &&
    nodes.every(
      (node, k) =>
        sameStructure(node, first.nodes[k] as Node) &&
        sameNumbers(inputs[k] as readonly number[], first.inputs[k] as readonly number[]),
    );
  if (!others.every((other) => other !== null && isSame(other))) return null;
  const sizesIn = ({ nodes }: Graph): number[] => {
    const found: number[] = [];
    for (const node of nodes) sizesOf(node, found);
    return found;
  };
  const numbers = through(origin, [first, ...(others as readonly Graph[])].map(sizesIn));
  if (numbers.varying.length === 0) return null;
  return (point) => {
    let next = 0;
    const own = numbersAt(numbers, point);
    return { ...first, nodes: nodesWith(first, () => own[next++] as number) };
  };
}

const generalised: Record<number, number> = { 1: 0, 2: 0 };
const instances: Record<number, number> = { 1: 0, 2: 0 };

function agree(sized: SizedProgram, free: number, emitter: Emitter, options: CompileOptions): void {
  const graphAt = graphsOf(sized, free);
  if (graphAt === null) return;
  const near = [20, 27].slice(0, free);
  const box = { low: near.map(() => low), high: near.map(() => high) };
  const scan = ({ op, attributes }: Node): boolean => op === "scan" && attributes.fn === "logaddexp";
  if (emitter === "wasm" && graphAt(near).nodes.some(scan)) return;
  const all = { verify: true, target: () => targets[emitter], ...options };
  const late = finished(generalise(graphAt, near, box, all));
  if ("why" in late) return;
  (generalised[free] as number)++;
  const order = { ...defaultOrder, ...options.order };
  const meaning = emitter === "wasm" ? wasmMeaningIn(order) : plainMeaningIn(order);
  for (const point of pointsOf[free] as readonly Point[]) {
    const isWithin = point.every(
      (size, k) => size >= (late.low[k] as number) && size <= (late.high[k] as number),
    );
    if (!isWithin) continue;
    (instances[free] as number)++;
    const graph = graphAt(point);
    const recorded = sized.graphAt(point);
    // At other sizes it is none that anyone could record: a diagonal behind the last column.
    if (recorded === null || !sameGraph(graph, recorded)) continue;
    const elements = sized.elementsAt(point);
    const program = late.at(point, late.program.calls);
    const kernels = program.calls.map((call) => kernelOf(call, emitter));
    const actual = runCalls(graph, program, elements, (k, buffers, own, scalars) =>
      kernels[k]?.(buffers, own, scalars),
    );
    const expected = evaluate(graph, elements, [], meaning);
    actual.forEach((result, k) => {
      const wrong = result.findIndex((value, place) => !Object.is(value, expected[k]?.[place]));
      if (wrong < 0 && result.length === expected[k]?.length) return;
      expect.fail(
        `result ${k} at ${point} of ${late.low} to ${late.high}: element ${wrong} is ${result[wrong]}, not ${expected[k]?.[wrong]}\n${printGraph(graph)}\n${program.calls.map(({ key, sizes: own }) => `${key}\n${own}`).join("\n")}`,
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

describe.each([1, 2])(
  "random graphs of sizes known late, %i of them free, give what their nodes mean at each",
  (free) => {
    for (const emitter of ["js", "closure", "wasm"] as const) {
      it(`fused, by ${emitter}`, () => {
        holds(sizedPrograms(free), (sized) => agree(sized, free, emitter, {}));
      });
      it(`op by op, by ${emitter}`, () => {
        holds(sizedPrograms(free), (sized) => agree(sized, free, emitter, { fusion: "none" }));
      });
      it(`fused under random limits, in random orders of accumulation, by ${emitter}`, () => {
        holds(fc.tuple(sizedPrograms(free, ["float32"]), limits, orders), ([sized, some, order]) =>
          agree(sized, free, emitter, { limits: some, order }),
        );
      });
    }

    it("most graphs have such a program", () => {
      expect(generalised[free]).toBeGreaterThan(2 * runs);
      expect(instances[free]).toBeGreaterThan(5 * (generalised[free] as number));
    });
  },
);
