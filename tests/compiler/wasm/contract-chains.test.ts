/** Chains of matrix products with other ops between them: fused under any limits and cut into slices, they give the bits of their nodes. */
import { type CompileOptions, type Graph, printGraph } from "@fuseau/compiler";
import type { DType } from "@fuseau/ir";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { expectSameBits } from "../expect-bits.ts";
import { type Recorded, Recording } from "../recording.ts";
import { runInSlices } from "./run-in-slices.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 400);

/** A matrix and what may be done next to it: `rows` and `columns` are its own, `size` is another. */
interface Place {
  readonly g: Recording;
  readonly x: Recorded;
  readonly dtype: DType;
  readonly rows: number;
  readonly columns: number;
  readonly size: number;
}

const maximum = (g: Recording, x: Recorded, axis: 0 | 1, shape: readonly number[]): Recorded =>
  g.pointwise("sub", x, g.reshape(g.reduce("max", x, [axis]), shape));

const moves = {
  "times a matrix": ({ g, x, dtype, columns, size }) => g.contract(x, g.input(dtype, [columns, size])),
  "times a transposed matrix": ({ g, x, dtype, columns, size }) =>
    g.contract(x, g.permute(g.input(dtype, [size, columns]), [1, 0])),
  "times a scaled matrix": ({ g, x, dtype, columns, size }) =>
    g.contract(x, g.pointwise("mul", g.input(dtype, [columns, size]), g.input(dtype, [size]))),
  "a matrix times it": ({ g, x, dtype, rows, size }) => g.contract(g.input(dtype, [size, rows]), x),
  "times itself transposed": ({ g, x }) => g.contract(x, g.permute(x, [1, 0])),
  transposed: ({ g, x }) => g.permute(x, [1, 0]),
  "plus a row": ({ g, x, dtype, columns }) => g.pointwise("add", x, g.input(dtype, [columns])),
  "times a column": ({ g, x, dtype, rows }) => g.pointwise("mul", x, g.input(dtype, [rows, 1])),
  "its positive part": ({ g, x }) => g.pointwise("relu", x),
  "less its rows' maxima": ({ g, x, rows }) => maximum(g, x, 1, [rows, 1]),
  "less its columns' maxima": ({ g, x, columns }) => maximum(g, x, 0, [1, columns]),
  "every second row": ({ g, x, rows, columns }) => g.slice(x, [0, 0], [2, 1], [Math.ceil(rows / 2), columns]),
} satisfies Record<string, (place: Place) => Recorded>;

const sizes = fc.constantFrom(1, 2, 3, 4, 5, 7, 9, 16, 17, 33, 70, 130, 260, 300);

const chains = fc.record({
  dtype: fc.constantFrom<DType>("float32", "float64", "float16", "int16"),
  rows: sizes,
  columns: sizes,
  steps: fc.array(
    fc.record({
      move: fc.constantFrom(...(Object.keys(moves) as (keyof typeof moves)[])),
      size: sizes,
      kept: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  limits: fc.record({
    ops: fc.constantFrom(1, 4, 128),
    scratch: fc.constantFrom(4, 300, 16_384),
    recompute: fc.constantFrom(0, 16, 1000),
    panel: fc.constantFrom(1, 3, 8, 256),
  }),
  itemsAtOnce: fc.constantFrom(1, 2, 5, Infinity),
});
type Chain = typeof chains extends fc.Arbitrary<infer T> ? T : never;

function graphOf({ dtype, rows, columns, steps }: Chain): Graph {
  const g = new Recording();
  let x = g.input(dtype, [rows, columns]);
  const results: Recorded[] = [];
  for (const { move, size, kept } of steps) {
    const [m, n] = x.node.shape as [number, number];
    x = moves[move]({ g, x, dtype, rows: m, columns: n, size });
    if (kept) results.push(x);
  }
  return g.graph(x, ...results);
}

/** Numbers of few bits, so that no product of some is infinite soon. */
function elementsOf(graph: Graph): number[][] {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 25) - 64;
  };
  return graph.nodes.flatMap(({ op, dtype, shape }) => {
    if (op !== "input") return [];
    const length = shape.reduce((product, size) => product * size, 1);
    return [Array.from({ length }, () => (dtype === "int16" ? next() : (next() / 64) * 1.0625))];
  });
}

it("chains of products give what their nodes give", () => {
  const check = (chain: Chain): void => {
    const graph = graphOf(chain);
    const given = elementsOf(graph);
    const expected = runInSlices(graph, given, { fusion: "none" }, Infinity);
    const ways: readonly CompileOptions[] = [{}, { limits: chain.limits }];
    for (const options of ways) {
      runInSlices(graph, given, options, chain.itemsAtOnce).forEach((result, k) => {
        const picture = (): string =>
          `${JSON.stringify(options)}, ${chain.itemsAtOnce} work items at once\n${printGraph(graph)}`;
        expectSameBits(result, expected[k]!, picture);
      });
    }
  };
  const result = fc.check(fc.property(chains, check), { numRuns: Math.ceil(runs / 4) });
  if (result.failed)
    expect.fail(`seed ${result.seed}, path ${result.counterexamplePath}\n${result.errorInstance}`);
});
