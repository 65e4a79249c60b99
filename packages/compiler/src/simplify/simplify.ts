/** Rewrites the graph from its inputs upward until no rule applies. Equal terms are shared, and dead ones are dropped. */
import { type Node, printNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Watch } from "../watch.ts";
import { rules } from "./rules/list.ts";
import { products } from "./rules/products.ts";
import { type Term, Terms } from "./terms/term.ts";
import { type Told, tryInOrder } from "./terms/try.ts";

/** The most rewrites of one term. The rules shrink terms, so that this limit is never reached. */
const MOST_REWRITES = 32;

const rewriteOnce = tryInOrder([...rules, ...products]);

export interface SimplifyOptions {
  /** Receives each rewrite. */
  readonly watch?: Watch | null;
  /** Laws that are switched off. */
  readonly without?: readonly string[] | undefined;
}

/** The smaller graph. Its inputs and scalars are the old ones in their old order, used or not. */
export function simplify(graph: Graph, { watch = null, without }: SimplifyOptions = {}): Graph {
  const off = without === undefined || without.length === 0 ? null : new Set(without);
  const told: Told | null =
    watch &&
    (({ name, law }, before, after) =>
      watch({ kind: "rule", name, law, before: showTerm(before), after: showTerm(after) }));
  const terms = new Terms((term, all) => {
    let current = term;
    for (let count = 0; count < MOST_REWRITES; count++) {
      const next = rewriteOnce(current, all, off, told);
      if (next === undefined || next === current) break;
      current = next;
    }
    return current;
  });
  const simplified: Term[] = [];
  graph.nodes.forEach((node, position) => {
    const inputs = (graph.inputs[position] as readonly number[]).map((input) => simplified[input] as Term);
    simplified.push(terms.make(node, inputs));
  });
  const given = simplified.filter((_, position) => isGiven(graph.nodes[position] as Node));
  const small = extract(
    given,
    graph.outputs.map((position) => simplified[position] as Term),
    terms.count,
  );
  return terms.conditions.length === 0 ? small : { ...small, conditions: terms.conditions };
}

const isGiven = (node: Node): boolean => node.op === "input" || node.op === "scalar";

/** The term's node, with its operands as ids. */
const showTerm = ({ id, node, inputs }: Term): string =>
  `t${id}: ${printNode(
    node,
    inputs.map((input) => `t${input.id}`),
  )}`;

/** The terms beneath `outputs` as a graph, after the given ones; iterative, since chains may be 100,000 long. */
function extract(given: readonly Term[], outputs: readonly Term[], count: number): Graph {
  /** By a term's id: 1 + its position in the graph, 0 for none. */
  const places = new Int32Array(count);
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  const place = (term: Term): void => {
    places[term.id] = nodes.push(term.node);
    inputs.push(term.inputs.map((input) => (places[input.id] as number) - 1));
  };
  for (const term of given) if (places[term.id] === 0) place(term);
  const stack: Term[] = [];
  /** How many inputs of each term on the stack have been visited. */
  const looked: number[] = [];
  for (const output of outputs) {
    if (places[output.id] === 0) looked[stack.push(output) - 1] = 0;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const depth = stack.length - 1;
      const next = looked[depth] as number;
      if (next === top.inputs.length) {
        if (places[top.id] === 0) place(top);
        stack.pop();
        continue;
      }
      looked[depth] = next + 1;
      const input = top.inputs[next] as Term;
      if (places[input.id] === 0) looked[stack.push(input) - 1] = 0;
    }
  }
  return { nodes, inputs, outputs: outputs.map(({ id }) => (places[id] as number) - 1) };
}
