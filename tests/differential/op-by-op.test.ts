/** Random graphs that run op by op when they are new, by loops over columns and by programs of single ops, give what they give as a whole. */
import { float16ToBits, type Graph, printGraph } from "@fuseau/compiler";
import { allocate, type DType, type Node } from "@fuseau/ir";
import fc from "fast-check";
import { clearCaches, stats } from "fuseau";
import { afterEach, expect, it } from "vitest";
import { computeValues } from "../../packages/runtime/src/execute/compute.ts";
import { firstRuns } from "../../packages/runtime/src/execute/first-runs.ts";
import { Storage } from "../../packages/runtime/src/storage.ts";
import { Value } from "../../packages/runtime/src/value.ts";
import { type Program, programs } from "./random-graph.ts";
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
