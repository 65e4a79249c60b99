/** Rewrites the graph from its inputs upward until no rule applies; equal terms are shared and dead ones left behind. */
import { type Node, printNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Watch } from "../watch.ts";
import type { Rule } from "./rule.ts";
import { products } from "./rules/products.ts";
import { foldConstants, rules } from "./rules.ts";
import { type Term, Terms } from "./term.ts";

/** Rewrites of one term before it is taken as it stands; the rules shrink terms, so that this is never reached. */
const MOST_REWRITES = 32;

const rulesAt = new Map<Term["fn"], Rule[]>();
for (const rule of [...rules, ...products]) {
  for (const fn of rule.at) {
    const known = rulesAt.get(fn);
    if (known === undefined) rulesAt.set(fn, [rule]);
    else known.push(rule);
  }
}

export interface SimplifyOptions {
  /** Is told of each rewrite. */
  readonly watch?: Watch | null;
  /** Laws that are not applied. */
  readonly without?: readonly string[] | undefined;
}

/** The smaller graph; its inputs and scalars are the old ones in their old order, whether still used or not. */
export function simplify(graph: Graph, { watch = null, without }: SimplifyOptions = {}): Graph {
  const off = without === undefined || without.length === 0 ? null : new Set(without);
  const terms = new Terms((term, all) => rewrite(term, all, watch, off));
  const simplified: Term[] = [];
  graph.nodes.forEach((node, position) => {
    const inputs = (graph.inputs[position] as readonly number[]).map((input) => simplified[input] as Term);
    simplified.push(terms.make(node, inputs));
  });
  const given = simplified.filter((_, position) => isGiven(graph.nodes[position] as Node));
  return extract(
    given,
    graph.outputs.map((position) => simplified[position] as Term),
  );
}

const isGiven = (node: Node): boolean => node.op === "input" || node.op === "scalar";

type Off = ReadonlySet<string> | null;

function rewrite(term: Term, terms: Terms, watch: Watch | null, off: Off): Term {
  let current = term;
  for (let count = 0; count < MOST_REWRITES; count++) {
    const next = rewriteOnce(current, terms, watch, off);
    if (next === undefined || next === current) break;
    current = next;
  }
  return current;
}

function rewriteOnce(term: Term, terms: Terms, watch: Watch | null, off: Off): Term | undefined {
  const folded = applied(foldConstants, term, terms, watch, off);
  if (folded !== undefined) return folded;
  for (const rule of rulesAt.get(term.fn) ?? []) {
    const next = applied(rule, term, terms, watch, off);
    if (next !== undefined) return next;
  }
  return undefined;
}

function applied(rule: Rule, term: Term, terms: Terms, watch: Watch | null, off: Off): Term | undefined {
  if (off?.has(rule.law)) return undefined;
  const next = rule.apply(term, terms);
  if (watch !== null && next !== undefined && next !== term)
    watch({ kind: "rule", law: rule.law, before: showTerm(term), after: showTerm(next) });
  return next;
}

/** The term's node, its operands by their ids. */
const showTerm = ({ id, node, inputs }: Term): string =>
  `t${id}: ${printNode(
    node,
    inputs.map((input) => `t${input.id}`),
  )}`;

/** The terms beneath `outputs` as a graph, after those that are given; iterative, since chains may be 100,000 long. */
function extract(given: readonly Term[], outputs: readonly Term[]): Graph {
  const positions = new Map<Term, number>();
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  const place = (term: Term): void => {
    positions.set(term, nodes.length);
    nodes.push(term.node);
    inputs.push(term.inputs.map((input) => positions.get(input) as number));
  };
  for (const term of given) if (!positions.has(term)) place(term);
  const stack: { term: Term; next: number }[] = [];
  for (const output of outputs) {
    if (!positions.has(output)) stack.push({ term: output, next: 0 });
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const input = top.term.inputs[top.next++];
      if (input === undefined) {
        if (!positions.has(top.term)) place(top.term);
        stack.pop();
      } else if (!positions.has(input)) stack.push({ term: input, next: 0 });
    }
  }
  return { nodes, inputs, outputs: outputs.map((output) => positions.get(output) as number) };
}
