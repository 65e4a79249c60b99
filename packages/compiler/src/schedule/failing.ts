/**
 * Which kernels may fail for some elements (an index out of range, an integer divided by zero). They run first, with those that they
 * read. After them nothing fails, so donated inputs may be overwritten; a failure leaves them unchanged.
 */
import type { Graph } from "../graph.ts";
import { mayFail } from "./facts.ts";
import type { Block, Buffer, Kernel } from "./tree.ts";

/** The kernels in an order of execution in which none from the `safe`-th on fails. */
export function failingFirst(
  graph: Graph,
  kernels: readonly Kernel[],
): { readonly kernels: readonly Kernel[]; readonly safe: number } {
  if (!graph.nodes.some((node) => node.op === "scatter" || mayFail(node))) return { kernels, safe: 0 };
  const writer = new Map<Buffer, Kernel>();
  for (const kernel of kernels) for (const buffer of kernel.writes) writer.set(buffer, kernel);
  const first = new Set(kernels.filter(({ root }) => fails(graph, root)));
  for (const kernel of first)
    for (const buffer of kernel.reads) {
      const needed = writer.get(buffer);
      if (needed !== undefined) first.add(needed);
    }
  const isFirst = (kernel: Kernel): boolean => first.has(kernel);
  return {
    kernels: [...kernels.filter(isFirst), ...kernels.filter((kernel) => !isFirst(kernel))],
    safe: first.size,
  };
}

const fails = (graph: Graph, { items }: Block): boolean =>
  items.some((item) => {
    if (item.kind === "loop") return fails(graph, item.body);
    if (item.kind === "let")
      return (
        item.definition.kind === "pointwise" && mayFail(graph.nodes[item.node] as Graph["nodes"][number])
      );
    return item.kind === "lookup";
  });
