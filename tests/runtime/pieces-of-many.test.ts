/** Ops of sizes that never came are instances of programs of many sizes, whose numbers are those of programs of one size. */
import { compile, type Graph, type KernelCall, type Program } from "@fuseau/compiler";
import { build, elementCount, type Node } from "@fuseau/ir";
import { afterEach, expect, it } from "vitest";
import { clearPieces, piece } from "../../packages/runtime/src/execute/pieces.ts";
import { pieceOfMany, pieceOptions } from "../../packages/runtime/src/execute/pieces-of-many.ts";
import { kernelOf } from "../differential/kernel-function.ts";
import { runCalls } from "../differential/run-program.ts";

afterEach(() => clearPieces());

const graphOf = (result: Node): Graph => {
  const nodes: Node[] = [];
  const add = (node: Node): number => {
    for (const input of node.inputs) if (!nodes.includes(input)) add(input);
    return nodes.includes(node) ? nodes.indexOf(node) : nodes.push(node) - 1;
  };
  add(result);
  return {
    nodes,
    inputs: nodes.map(({ inputs }) => inputs.map((input) => nodes.indexOf(input))),
    outputs: [nodes.length - 1],
  };
};

/** Numbers that have nothing to do with each other. */
const at = (round: number, k: number, count: number): number => ((round * 7919 + k * 104_729) * 31) % count;
const input = (...shape: number[]): Node => build.input("float32", shape);

const ops: Readonly<Record<string, (round: number) => Node>> = {
  "a sum of one size": (round) => build.reduce("sum", input(20 + at(round, 1, 300)), [0]),
  "a product of three sizes": (round) => {
    const [n, m, k] = [20 + at(round, 1, 30), 20 + at(round, 2, 40), 20 + at(round, 3, 50)];
    return build.contract(input(n, k), input(k, m));
  },
  "a part of a matrix: four sizes": (round) => {
    const [n, m] = [20 + at(round, 1, 300), 20 + at(round, 2, 200)];
    const part = build.slice(input(n, m), [0, 0], [1, 1], [2 + at(round, 3, n - 2), 2 + at(round, 4, m - 2)]);
    return build.pointwise("exp", [part]);
  },
  "every k-th element of a tensor": (round) => {
    const [n, step] = [100 + at(round, 1, 900), 2 + at(round, 2, 20)];
    return build.pointwise("exp", [build.slice(input(n), [0], [step], [Math.ceil(n / step)])]);
  },
};

function run(graph: Graph, program: Program): unknown {
  const given = graph.nodes
    .filter(({ op }) => op === "input")
    .map(({ shape }) => Array.from({ length: elementCount(shape) }, (_, k) => Math.fround(Math.sin(k))));
  return runCalls(graph, program, given, (k, buffers, sizes, scalars) =>
    kernelOf(program.calls[k] as KernelCall, "js")(buffers, sizes, scalars),
  );
}

it.each(Object.entries(ops))("%s", (_, make) => {
  for (let round = 0; round < 120; round++) piece(graphOf(make(round)));
  let found = 0;
  for (let round = 120; round < 160; round++) {
    const graph = graphOf(make(round));
    const instance = pieceOfMany(graph);
    if (instance === undefined) continue;
    found++;
    const alone = compile(graph, pieceOptions({}));
    expect(instance.allocations).toEqual(alone.allocations);
    expect(instance.work).toBeCloseTo(alone.work, 6);
    if (round % 8 === 0) expect(run(graph, instance)).toEqual(run(graph, alone));
  }
  expect(found).toBeGreaterThan(30);
});
