/** The program to compile: nodes in an order in which inputs come first. */
import { type Node, printNodes, sameNumbers, sameOperation } from "@fuseau/ir";

export interface Graph {
  readonly nodes: readonly Node[];
  /** inputs[k] are the positions of nodes[k]'s inputs; the nodes' own `inputs` describe shapes and dtypes alone. */
  readonly inputs: readonly (readonly number[])[];
  /** The positions whose elements are wanted. */
  readonly outputs: readonly number[];
  /** What rewrite rules have compared that is more than two sizes, as where a slice of a pad lies. */
  readonly conditions?: readonly Condition[];
}

/**
 * Which of several conditions held, and the differences that decide that: a slice of a pad lies before what is padded, within it, or behind it.
 * If the same one holds at two sizes, and no difference turns between them, it holds there too; of two others, neither may
 * (docs/late-sizes.md).
 */
export type Condition = readonly [held: number, ...differences: number[]];

/** What decides whether places from `low` to `high` are before what begins at `start` and ends before `end`, within it, or behind it. */
export const endsIn = (
  low: number,
  high: number,
  start: number,
  end: number,
): readonly [low: number, behind: number, high: number, beyond: number] => [
  low - start,
  low - end,
  high - start,
  high - end,
];

/** True when the two programs are the same, node for node: what a cache must verify on a hit. */
export function sameGraph(a: Graph, b: Graph): boolean {
  if (a === b) return true;
  if (a.nodes.length !== b.nodes.length || !sameNumbers(a.outputs, b.outputs)) return false;
  for (let k = 0; k < a.nodes.length; k++) {
    if (!sameOperation(a.nodes[k] as Node, b.nodes[k] as Node)) return false;
    if (!sameNumbers(a.inputs[k] as readonly number[], b.inputs[k] as readonly number[])) return false;
  }
  return true;
}

/** The positions of the `input` nodes, in order: what the caller binds buffers to. */
export const inputPositions = (graph: Graph): number[] => positionsOf(graph, "input");

/** The positions of the `scalar` nodes, in order: what the caller binds numbers to. */
export const scalarPositions = (graph: Graph): number[] => positionsOf(graph, "scalar");

function positionsOf(graph: Graph, op: Node["op"]): number[] {
  const positions: number[] = [];
  graph.nodes.forEach((node, position) => {
    if (node.op === op) positions.push(position);
  });
  return positions;
}

/** The graph as text, its results on the last line. */
export const printGraph = ({ nodes, inputs, outputs }: Graph): string =>
  `${printNodes(nodes, inputs)}\nreturn ${outputs.map((output) => `%${output}`).join(", ")}`;

/** The node whose elements, row-major, are the result's: reshapes change none. */
export function storedAs(graph: Graph, output: number): number {
  let position = output;
  while (graph.nodes[position]?.op === "reshape")
    position = (graph.inputs[position] as readonly number[])[0] as number;
  return position;
}
