/** An op of a graph with what it looks through, as a graph of its own: equal pieces of different programs are compiled once. */
import { build, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { isMovement } from "../schedule/movement.ts";

export interface Piece {
  /** With one result. What the op reads of memory are its `input` nodes. */
  readonly graph: Graph;
  /** In the whole graph: the result, what the k-th `input` node stands for, and the k-th `scalar` node. */
  readonly result: number;
  readonly reads: readonly number[];
  readonly scalars: readonly number[];
}

/** True where op by op its elements are in memory: movements are looked through, and numbers stand where they are used. */
export const isStored = (node: Node): boolean => node.op === "input" || isComputed(node);

export const isComputed = (node: Node): boolean => {
  switch (node.op) {
    case "input":
    case "constant":
    case "scalar":
      return false;
    default:
      return !isMovement(node);
  }
};

export function pieceOf(whole: Graph, result: number): Piece {
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  const [reads, scalars]: [number[], number[]] = [[], []];
  const found = new Map<number, number>();
  const add = (position: number): number => {
    const known = found.get(position);
    if (known !== undefined) return known;
    const node = whole.nodes[position] as Node;
    const isRead = position !== result && isStored(node);
    const own = isRead ? [] : (whole.inputs[position] as readonly number[]).map(add);
    if (isRead) reads.push(position);
    else if (node.op === "scalar") scalars.push(position);
    found.set(position, nodes.length);
    inputs.push(own);
    return nodes.push(isRead ? build.input(node.dtype, node.shape) : node) - 1;
  };
  const output = add(result);
  return { graph: { nodes, inputs, outputs: [output] }, result, reads, scalars };
}

/** The piece's graph without the nodes of the recording that it was cut from: to be kept. */
export const alone = ({ nodes, inputs, outputs }: Graph): Graph => {
  const own: Node[] = [];
  nodes.forEach((node, k) => {
    const from = (inputs[k] as readonly number[]).map((input) => own[input] as Node);
    own.push(from.length === 0 ? node : ({ ...node, inputs: from } as Node));
  });
  return { nodes: own, inputs, outputs };
};
