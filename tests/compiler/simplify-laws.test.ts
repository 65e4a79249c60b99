/** Every law, taken through the special values of every dtype that it holds for. */
import { type Graph, printGraph } from "@fuseau/compiler";
import {
  type DType,
  DTypeError,
  dtypeNames,
  elementCount,
  InternalError,
  type Node,
  pointwiseOps,
  verifyGraph,
} from "@fuseau/ir";
import fc from "fast-check";
import { match, P } from "ts-pattern";
import { describe, expect, it } from "vitest";
import { rules } from "../../packages/compiler/src/simplify/rules/list.ts";
import { compile, type Selections } from "../../packages/compiler/src/simplify/terms/pattern.ts";
import type { Rule } from "../../packages/compiler/src/simplify/terms/rule.ts";
import { type Term, Terms } from "../../packages/compiler/src/simplify/terms/term.ts";
import { tryInOrder } from "../../packages/compiler/src/simplify/terms/try.ts";
import { type Element, evaluate } from "../differential/reference.ts";
import { runProgram } from "../differential/run-program.ts";
import { wasmMeaning } from "../differential/wasm-meaning.ts";
import { expectSameBits } from "./expect-bits.ts";
import { type Recorded, Recording } from "./recording.ts";
import { type Example, examples } from "./simplify-examples.ts";
import { elements, special } from "./special-values.ts";

function record({ shape = [36], operands = 1, term }: Example, dtype: DType): Graph {
  const g = new Recording();
  const given = Array.from({ length: operands }, () => g.input(dtype, shape));
  return g.graph(term(g, dtype, ...(given as [Recorded, Recorded, Recorded])));
}

/** The graph with this one rule applied wherever it can be, and how often that was. */
function applied(rule: Rule, graph: Graph): { readonly rewritten: Graph; readonly times: number } {
  let times = 0;
  const rewrite = tryInOrder([rule]);
  const terms = new Terms((term, own) => {
    const next = rewrite(term, own, null, null);
    if (next === undefined) return term;
    times++;
    if (next === term) expect.fail(`${rule.name} gives the term that it was given`);
    return next;
  });
  const made: Term[] = [];
  graph.nodes.forEach((node, k) => {
    const inputs = (graph.inputs[k] as readonly number[]).map((input) => made[input] as Term);
    made.push(terms.make(node, inputs));
  });
  const given = made.filter((_, k) => graph.nodes[k]?.op === "input");
  return { rewritten: graphOf(made[graph.outputs[0] as number] as Term, given), times };
}

/** What is beneath a term, after what is given. */
function graphOf(output: Term, given: readonly Term[]): Graph {
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  const positions = new Map<Term, number>();
  const place = (term: Term): number => {
    const known = positions.get(term);
    if (known !== undefined) return known;
    const own = term.inputs.map(place);
    nodes.push(term.node);
    inputs.push(own);
    positions.set(term, nodes.length - 1);
    return nodes.length - 1;
  };
  given.forEach(place);
  return { nodes, inputs, outputs: [place(output)] };
}

const movements = new Set(["reshape", "permute", "expand", "slice", "diagonal", "asStrided"]);

/** Additions' worth of work, and how many nodes there are to do it. */
function workOf({ nodes }: Graph): readonly [work: number, computing: number] {
  const computing = nodes.filter(({ op, inputs }) => inputs.length > 0 && !movements.has(op));
  const work = (node: Node): number => {
    const size = elementCount(node.shape);
    if (node.op === "pointwise") return size * pointwiseOps[node.attributes.fn].cost;
    return node.op === "reduce" ? size + elementCount((node.inputs[0] as Node).shape) : size;
  };
  return [computing.reduce((sum, node) => sum + work(node), 0), computing.length];
}

/** Operand k at place i: over all rotations every pair of special values meets in the first two. */
const operandsAt = (graph: Graph, rotation: number): Element[][] =>
  graph.nodes
    .filter(({ op }) => op === "input")
    .map(({ dtype, shape }, k) => {
      const values = special[dtype];
      return Array.from(
        { length: elementCount(shape) },
        (_, i) => values[(i + rotation * (k + 1)) % values.length] as Element,
      );
    });

/** How many it takes until each special value, or each pair of them, has been there. */
function rotations({ shape = [36], operands = 1 }: Example, dtype: DType): number {
  const { length } = special[dtype];
  return operands === 1 && elementCount(shape) >= length ? 1 : length;
}

const randomOperands = (graph: Graph): fc.Arbitrary<Element[][]> =>
  fc.tuple(
    ...graph.nodes
      .filter(({ op }) => op === "input")
      .map(({ dtype, shape }) => elements(dtype, elementCount(shape))),
  );

it("all have examples, by names of their own", () => {
  expect(Object.keys(examples).sort()).toEqual(rules.map(({ name }) => name).sort());
});

/** The terms of every example, as they were recorded. */
const recorded: readonly Term[] = Object.values(examples)
  .flat()
  .flatMap((example) => {
    const graph = record(example, example.dtypes[0] as DType);
    const terms = new Terms();
    const made: Term[] = [];
    graph.nodes.forEach((node, k) => {
      const inputs = (graph.inputs[k] as readonly number[]).map((input) => made[input] as Term);
      made.push(terms.make(node, inputs));
    });
    return made;
  });

describe.each(rules.map((rule) => [rule.name, rule] as const))("the patterns of %s", (_, rule) => {
  const patterns = rule.patterns as readonly P.Pattern<Term>[];
  it("match and select what ts-pattern does", () => {
    for (const pattern of patterns) {
      const compiled = compile(pattern);
      for (const term of recorded) {
        const selections: Selections = {};
        const expected = match(term)
          .with(P.intersection(P.select("itself"), pattern), (selected) => selected)
          .otherwise(() => undefined);
        const found = compiled(term, selections) ? { itself: term, ...selections } : undefined;
        // Most patterns match few of the terms: an assertion for each pair takes longer than all matches.
        if (found !== undefined || expected !== undefined) expect(found).toEqual(expected);
      }
    }
  });
});

describe.each(rules.map((rule) => [rule.name, rule] as const))("%s", (name, rule) => {
  const own = examples[name] ?? [];
  it.each(own.flatMap((example, k) => example.dtypes.map((dtype) => [dtype, k, example] as const)))(
    "changes no bit of %s (example %i)",
    (dtype, _, example) => {
      const graph = record(example, dtype);
      verifyGraph(graph.nodes);
      const { rewritten, times } = applied(rule, graph);
      const picture = (): string => `${printGraph(graph)}\nbecame\n${printGraph(rewritten)}`;
      expect(times, picture()).toBeGreaterThan(0);
      verifyGraph(rewritten.nodes);
      const [[before, nodesBefore], [after, nodesAfter]] = [workOf(graph), workOf(rewritten)];
      expect(after, `a rule adds no work\n${picture()}`).toBeLessThanOrEqual(before);
      if (after === before) expect(nodesAfter, picture()).toBeLessThanOrEqual(nodesBefore);

      const meaning = (one: Graph, given: readonly Element[][]): readonly Element[] =>
        evaluate(one, given, [])[0] as readonly Element[];
      const check = (given: readonly Element[][]): void =>
        expectSameBits(meaning(rewritten, given), meaning(graph, given), picture);
      for (let rotation = 0; rotation < rotations(example, dtype); rotation++)
        check(operandsAt(graph, rotation));
      fc.assert(fc.property(randomOperands(graph), check), { numRuns: 10 });

      const given = operandsAt(graph, 1);
      for (const emitter of ["js", "closure", "wasm"] as const) {
        const [expected] = evaluate(graph, given, [], emitter === "wasm" ? wasmMeaning : undefined);
        const [result] = runProgram(graph, given, [], emitter, {});
        expectSameBits(result as Element[], expected as Element[], picture);
      }
    },
  );

  const others = dtypeNames.filter((dtype) => !own.some(({ dtypes }) => dtypes.includes(dtype)));
  it.runIf(others.length > 0)("is not for any other dtype that its expressions can be written in", () => {
    for (const example of own) {
      for (const dtype of others) {
        const graph = valid(() => record(example, dtype));
        if (graph !== undefined) expect(applied(rule, graph).times, printGraph(graph)).toBe(0);
      }
    }
  });
});

/** The graph, unless it breaks the rules for graphs: an op refuses the dtype. */
function valid(make: () => Graph): Graph | undefined {
  try {
    const graph = make();
    verifyGraph(graph.nodes);
    return graph;
  } catch (error) {
    // A constant that is no integer has no int64.
    const refusals = [DTypeError, InternalError, RangeError];
    if (refusals.some((kind) => error instanceof kind)) return undefined;
    throw error;
  }
}
