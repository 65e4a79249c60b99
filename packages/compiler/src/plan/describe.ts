/** A kernel for display: its name, the nodes it computes, its phases. */
import { isLoop, type LoopKernel } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Block, Kernel } from "../schedule/tree.ts";

/** The positions of the nodes computed in the kernel, ascending. */
export function nodesIn(kernel: Kernel): number[] {
  const nodes = new Set<number>();
  collect(kernel.root, nodes);
  for (const { node } of kernel.writes) nodes.add(node);
  return [...nodes].sort((a, b) => a - b);
}

function collect(block: Block, nodes: Set<number>): void {
  for (const item of block.items) {
    if (item.kind === "loop") collect(item.body, nodes);
    else if (item.kind === "accumulate") nodes.add(item.reduction.node);
    else if (item.kind === "let" && item.definition.kind !== "load") nodes.add(item.node);
  }
}

/** Ops shown in a name; the rest are counted. */
const NAMED_OPS = 4;

/** A JavaScript identifier that lists the kernel's ops: `k0_sub_exp_sum_div`. */
export function nameKernel(graph: Graph, nodes: readonly number[], position: number): string {
  const ops = nodes.map((node) => opName(graph, node));
  const shown = ops.slice(0, NAMED_OPS).join("_") || "copy";
  return `k${position}_${shown}${ops.length > NAMED_OPS ? `_and_${ops.length - NAMED_OPS}_more` : ""}`;
}

/** The op by its public name. */
export function opName(graph: Graph, position: number): string {
  const node = graph.nodes[position] as Graph["nodes"][number];
  return node.op === "pointwise" || node.op === "reduce" ? node.attributes.fn : node.op;
}

/** The number of loop nests at the top. */
export const phasesOf = (kernel: LoopKernel): number => Math.max(1, kernel.body.filter(isLoop).length);
