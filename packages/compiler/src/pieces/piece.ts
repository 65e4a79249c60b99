/**
 * An op of a graph with the movements that it looks through, as a graph of its own: equal pieces of different programs are compiled once.
 */
import { build, type Node, type Place } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { isMovement } from "../schedule/movement.ts";

export interface Piece {
  /** With one result. What the op reads from memory are `input` nodes. */
  readonly graph: Graph;
  /** Positions in the whole graph: of the result, of what each `input` node stands for, and of each `scalar` node. */
  readonly result: number;
  readonly reads: readonly number[];
  readonly scalars: readonly number[];
  /** Of each number that slices and windows begin at: its slot in the whole graph. */
  readonly slots: readonly number[];
}

/** True where running op by op stores its elements. Movements are looked through, and numbers are used in place. */
const isStored = (node: Node): boolean => node.op === "input" || isComputed(node);

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
  const [reads, scalars, slots]: [number[], number[], number[]] = [[], [], []];
  const found = new Map<number, number>();
  // Operands first, in their order, so that equal pieces are equal graphs; iterative, since movements of movements may be many.
  const path = [{ position: result, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { position } = top;
    const node = whole.nodes[position] as Node;
    const isRead = position !== result && isStored(node);
    const from = isRead ? none : (whole.inputs[position] as readonly number[]);
    const input = from[top.next++];
    if (input !== undefined) {
      if (!found.has(input)) path.push({ position: input, next: 0 });
      continue;
    }
    path.pop();
    if (isRead) reads.push(position);
    else if (node.op === "scalar") scalars.push(position);
    found.set(position, nodes.length);
    inputs.push(from.map((operand) => found.get(operand) as number));
    nodes.push(isRead ? build.input(node.dtype, node.shape) : withOwnSlots(node, slots));
  }
  return { graph: { nodes, inputs, outputs: [nodes.length - 1] }, result, reads, scalars, slots };
}

/** The node with slots of the piece, in their order. */
function withOwnSlots(node: Node, slots: number[]): Node {
  if (node.op !== "shift" && node.op !== "update") return node;
  const own = <P extends Place>(place: P): P => {
    const known = slots.indexOf(place.slot);
    return { ...place, slot: known < 0 ? slots.push(place.slot) - 1 : known };
  };
  const { attributes } = node;
  return {
    ...node,
    attributes: { ...attributes, places: (attributes.places as readonly Place[]).map(own) },
  } as Node;
}

const none: readonly number[] = [];

/** The piece's graph without the recording's nodes, so that keeping it does not keep those alive. */
export const alone = ({ nodes, inputs, outputs }: Graph): Graph => {
  const own: Node[] = [];
  nodes.forEach((node, k) => {
    const from = (inputs[k] as readonly number[]).map((input) => own[input] as Node);
    own.push(from.length === 0 ? node : ({ ...node, inputs: from } as Node));
  });
  return { nodes: own, inputs, outputs };
};
