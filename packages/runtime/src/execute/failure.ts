/** What a kernel throws, as the user is to see it. */
import type { KernelCall, Program } from "@fuseau/compiler";

/**
 * The error with the op in front, where the kernel itself could not know it: an index read from data fits no dimension. A
 * gather is part of what reads it and not among the nodes that a kernel computes, so that of both ops both are named.
 */
export function nameFailure(error: unknown, { graph }: Program, { nodes }: KernelCall): unknown {
  if (!(error instanceof RangeError) || !error.message.startsWith("index ")) return error;
  const scatters = nodes.some((node) => graph.nodes[node]?.op === "scatter");
  const gathers = graph.nodes.some(({ op }) => op === "gather");
  const op = scatters && gathers ? "gather or scatter" : scatters ? "scatter" : "gather";
  return new RangeError(`${op}: ${error.message}`, { cause: error });
}
