/** Random graphs that run op by op when they are new, by loops over columns and by programs of single ops, give what they give as a whole. */
import { float16ToBits, type Graph, printGraph } from "@fuseau/compiler";
import { allocate, build, type DType, isFloat, type Node, type Reducer } from "@fuseau/ir";
import fc from "fast-check";
import { clearCaches, stats } from "fuseau";
import { afterEach, describe, expect, it } from "vitest";
import { computeValues } from "../../packages/runtime/src/execute/compute.ts";
import { firstRuns } from "../../packages/runtime/src/execute/op-by-op/first-runs.ts";
import { Storage } from "../../packages/runtime/src/storage.ts";
import { Value } from "../../packages/runtime/src/value.ts";
import { data, type Program, programs } from "./random-graph.ts";
import { rowPrograms } from "./random-rows.ts";
import type { Elements } from "./reference.ts";

const runs = Number(process.env.FUSEAU_RUNS ?? 400);

afterEach(() => {
  firstRuns.areOpByOp = true;
  clearCaches();
});

const storageOf = (dtype: DType, elements: Elements): Storage => {
  const array = allocate(dtype, elements.length);
  elements.forEach((element, k) => {
    array[k] = dtype === "float16" ? float16ToBits(element as number) : (element as number);
  });
  return new Storage(dtype, array);
};

/** The graph as it would have been recorded. */
function valuesOf({ nodes, inputs }: Graph, elements: readonly Elements[]): Value[] {
  const values: Value[] = [];
  let given = 0;
  nodes.forEach((node, k) => {
    const own = (inputs[k] as readonly number[]).map((position) => values[position] as Value);
    const recorded = { ...node, inputs: own.map((value) => value.node) } as Node;
    const storage = node.op === "input" ? storageOf(node.dtype, elements[given++] as Elements) : null;
    const value = new Value(recorded, own, storage);
    value.handles++;
    value.hold();
    values.push(value);
  });
  return values;
}

/** The elements of the results, or why there are none; and whether the graph ran op by op. */
function computed({ graph, elements }: Program, isFirst: boolean): { results: unknown; isOpByOp: boolean } {
  clearCaches();
  firstRuns.areOpByOp = isFirst;
  const values = valuesOf(graph, elements);
  const wanted = graph.outputs.map((output) => values[output] as Value);
  try {
    computeValues(wanted, {});
    const results = wanted.map(({ storage }) => [
      ...((storage as Storage).array as Iterable<number | bigint>),
    ]);
    return { results, isOpByOp: stats().programs.size === 0 };
  } catch (error) {
    return { results: (error as Error).message, isOpByOp: false };
  }
}

it("gives the same bits", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.oneof(programs(), programs(["float32"]), rowPrograms), (program) => {
      if (program.graph.nodes.some(({ op }) => op === "shift" || op === "scalar")) return;
      const [whole, first] = [computed(program, false), computed(program, true)];
      expect(first.results, printGraph(program.graph)).toEqual(whole.results);
      if (first.isOpByOp) compared++;
    }),
    { numRuns: runs },
  );
  expect(compared).toBeGreaterThan(runs / 4);
});

// Chunks of lanes, blocks and columns end in these.
const folds: readonly (readonly [shape: readonly number[], axes: readonly number[]])[] = [
  ...[0, 1, 15, 17, 256, 511, 512, 513, 1_025, 4_097, 32_767, 32_768, 32_769].map(
    (size) => [[size], [0]] as const,
  ),
  [[3, 513], [1]],
  [[513, 3], [0]],
  [[300, 600], [0]],
  [
    [2, 300, 3],
    [0, 2],
  ],
  [[4, 520, 2], [1]],
  [
    [5, 7, 600],
    [0, 2],
  ],
  [[600, 1], [0]],
];
const reducers: readonly Reducer[] = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"];
const dtypes: readonly DType[] = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"];

describe.each(dtypes)("folds of %s", (dtype) => {
  it.each(reducers)("%s", (fn) => {
    const isWide = fn === "sum" || fn === "prod";
    const to =
      fn.startsWith("arg") || (isWide && !isFloat(dtype)) ? "int64" : fn.startsWith("a") ? "bool" : dtype;
    for (const [shape, axes] of folds) {
      const count = shape.reduce((product, size) => product * size, 1);
      if (count === 0 && !isWide) continue;
      const given = build.input(dtype, shape);
      const folded = build.reduce(fn, given, axes);
      expect(folded.dtype).toBe(to);
      const graph: Graph = {
        nodes: [given, folded, build.pointwise("eq", [folded, folded])],
        inputs: [[], [0], [1, 1]],
        outputs: [1, 2],
      };
      const [whole, first] = [false, true].map((isFirst) =>
        computed({ graph, elements: [data(dtype, count, 7)] } as unknown as Program, isFirst),
      ) as [ReturnType<typeof computed>, ReturnType<typeof computed>];
      expect(first.results, `${shape} over ${axes}`).toEqual(whole.results);
    }
  });
});
