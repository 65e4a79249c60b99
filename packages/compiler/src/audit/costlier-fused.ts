/** Finds the nodes that cost more where the schedule placed them than stored, using the loops made of that schedule. */
import { type Node, printNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Lowered } from "../kinds.ts";
import type { LoweredKernel } from "../lower/lower.ts";
import { nodesIn } from "../plan/describe.ts";
import type { Comparison } from "../schedule/cost.ts";
import type { Target } from "../schedule/target.ts";
import type { Kernel } from "../schedule/tree.ts";
import { audit } from "./audit.ts";
import type { Placed } from "./products.ts";

type Found = readonly (readonly [number, Comparison])[];

/** Earlier results: storing a few nodes leaves most kernels of a program unchanged. */
export interface Known {
  /** How products are made, by the text of a kernel and its sizes. */
  readonly products: Map<string, ReturnType<Target["products"]>>;
  /** By everything that an audit reads of a kernel. */
  readonly kernels: Map<string, Found>;
}

/** Nodes that cost more where they were placed than stored, and were not known to. */
export function costlierFused(
  { graph, scheduled, lowered }: Lowered,
  target: Target,
  unfused: ReadonlyMap<number, Comparison>,
  known: Known,
): Found {
  return scheduled.kernels
    .flatMap((kernel, k) => {
      const made = lowered[k]!;
      const key = keyOf(kernel, made, unfused);
      let found = known.kernels.get(key);
      if (found === undefined) {
        found = [
          ...audit(graph, scheduled.table, kernel, target.costs, placedIn(made, target, known), unfused),
        ];
        known.kernels.set(key, found);
      }
      return found;
    })
    .filter(([node]) => !unfused.has(node));
}

/** Sweeps in which nodes of one kind are found, until all of that kind in their chain are stored. */
const REPEATED = 3;

/**
 * What was found, and what is alike in the other steps of a recording: of `for (…) p = minimum(p, p.slice([], [null, -1]).pad([1, 0]))` each
 * sweep finds one padding, as only what is computed of stored values has known costs. `sweeps` counts those that found a kind of node.
 */
export function withRepeats(
  graph: Graph,
  found: Found,
  unfused: ReadonlyMap<number, Comparison>,
  sweeps: Map<string, number>,
): ReadonlyMap<number, Comparison> {
  const all = new Map(found);
  const kinds = new Map(found.map((each) => [kindOf(graph, each[0]), each]));
  for (const [kind, [node, comparison]] of kinds) {
    const count = (sweeps.get(kind) ?? 0) + 1;
    sweeps.set(kind, count);
    if (count < REPEATED) continue;
    for (const each of chainOf(graph, node))
      if (!unfused.has(each) && !all.has(each) && kindOf(graph, each) === kind) all.set(each, comparison);
  }
  return all;
}

/** An op with its attributes, shape and dtype, and the ops of its operands. */
function kindOf(graph: Graph, position: number): string {
  const operands = (graph.inputs[position] as readonly number[]).map((input) => graph.nodes[input]?.op ?? "");
  return printNode(graph.nodes[position] as Node, operands);
}

/** The nodes that a node is computed from, and those that are computed from it. */
function chainOf({ nodes, inputs }: Graph, position: number): readonly number[] {
  const [before, after] = [new Set([position]), new Set([position])];
  // Operands come first.
  for (let node = position; node >= 0; node--)
    if (before.has(node)) for (const input of inputs[node] as readonly number[]) before.add(input);
  for (let node = position + 1; node < nodes.length; node++)
    if (inputs[node]?.some((input) => after.has(input))) after.add(node);
  return [...before, ...after];
}

/** Of one graph. The key identifies equal loops over the same nodes and buffers. */
function keyOf(
  kernel: Kernel,
  { text, sizes }: LoweredKernel,
  unfused: ReadonlyMap<number, Comparison>,
): string {
  const writes = kernel.writes.map(({ node }) => (unfused.has(node) ? `${node} unfused` : node));
  const reads = [...kernel.reads].map(({ node }) => node);
  return [text, sizes, nodesIn(kernel), writes, reads].join("\n");
}

/** How a kernel's products are made, computed on first use. */
function placedIn(
  { loop, text, reductions, sizes }: LoweredKernel,
  target: Target,
  { products }: Known,
): Placed {
  const key = `${text}\n${sizes}`;
  return (reduction) => {
    let found = products.get(key);
    if (found === undefined) {
      found = target.products(loop, sizes);
      products.set(key, found);
    }
    const loops = found.get(reductions.indexOf(reduction)) ?? "single";
    // Across memory order, plain loops are no better than single sums.
    return loops === "plain" && reduction.crosses ? "single" : loops;
  };
}
