/** Checks a graph's real edges. A node describes its inputs, and a graph says at which positions they are: the two must agree. */
import { InternalError, type Node, sameNumbers, showShape, verifyGraph as verifyNodes } from "@fuseau/ir";
import { type Graph, printGraph } from "./graph.ts";

/** @throws InternalError that prints the graph. */
export function verifyGraph(graph: Graph): void {
  const fault = faultOf(graph);
  if (fault !== null) throw new InternalError(fault, printGraph(graph));
  verifyNodes(graph.nodes);
}

function faultOf({ nodes, inputs, outputs }: Graph): string | null {
  if (inputs.length !== nodes.length) return `${nodes.length} nodes with edges for ${inputs.length}`;
  for (const [position, node] of nodes.entries()) {
    const fault = edgeFault(nodes, position, node, inputs[position] as readonly number[]);
    if (fault !== null) return `node ${position}: ${fault}`;
  }
  const unknown = outputs.find((output) => nodes[output] === undefined);
  return unknown === undefined ? null : `result %${unknown} is no node`;
}

function edgeFault(
  nodes: readonly Node[],
  position: number,
  { inputs }: Node,
  edges: readonly number[],
): string | null {
  if (edges.length !== inputs.length) return `reads ${edges.length} nodes and describes ${inputs.length}`;
  for (const [k, edge] of edges.entries()) {
    const read = nodes[edge];
    const described = inputs[k] as Node;
    if (read === undefined || edge >= position) return `reads %${edge}, which does not stand before it`;
    if (read.dtype !== described.dtype) return `reads %${edge}, ${read.dtype}, as ${described.dtype}`;
    if (!sameNumbers(read.shape, described.shape))
      return `reads %${edge}, ${showShape(read.shape)}, as ${showShape(described.shape)}`;
  }
  return null;
}
