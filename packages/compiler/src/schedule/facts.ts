/** Facts about each node that follow from its inputs alone, computed in one forward pass. */
import { elementCount, isFloat, type Node, pointwiseOps, type Reducer } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { rowMajorStrides } from "../indexing/strides.ts";
import { isMovement } from "./movement.ts";

export interface Facts {
  /** The node whose elements it has: of a movement, what the movements beneath it read. */
  readonly source: number;
  /** Elements of the result. */
  readonly size: number;
  /** Elements that are walked to compute it: those of a fold's input. */
  readonly work: number;
  /** The cost of one element if everything beneath it is recomputed, in units of one addition; saturates. */
  readonly cost: number;
  /** False when no buffer is read beneath it: a constant, an iota, a mask made of them. */
  readonly reads: boolean;
  /**
   * The distance in memory between neighbours of its largest input along each axis; 0 where it is broadcast. Row-major where it is stored.
   */
  readonly strides: readonly number[];
  /** The inputs read beneath it, as a 32-bit Bloom filter. */
  readonly leaves: number;
  /** True when it, or a node beneath it, may fail for some elements. */
  readonly fails: boolean;
  /** True when it, or a node beneath it that is not stored in any case, is a fold or a scan: those vote for an order of loops. */
  readonly folds: boolean;
  /** The same of what is put together of parts: a concatenation or a padding. */
  readonly hasParts: boolean;
  /** The same of axes that are made of other axes: indexes there may be quotients. */
  readonly isReshaped: boolean;
}

const SATURATED = 1e9;
const LOAD = 1;
const FOLD: Record<Reducer, number> = {
  sum: 1,
  prod: 1,
  max: 2,
  min: 2,
  any: 1,
  all: 1,
  argmax: 3,
  argmin: 3,
};

/** Nodes that are stored in any case: no search goes beneath them, but that for reshaped axes beneath those that are `kept`. */
interface Ends {
  readonly unfused: ReadonlyMap<number, unknown>;
  readonly kept: ReadonlyMap<number, unknown>;
}

const noEnds: Ends = { unfused: new Map(), kept: new Map() };

/** The nodes `stored` are read from memory. For a node's cost, an input of at most `storedPart` of its elements counts as stored. */
export function gatherFacts(
  graph: Graph,
  stored: ReadonlySet<number> = new Set(),
  storedPart = 0,
  { unfused, kept }: Ends = noEnds,
): readonly Facts[] {
  const facts: Facts[] = [];
  graph.nodes.forEach((node, id) => {
    const inputs = (graph.inputs[id] as readonly number[]).map((input) => {
      const known = facts[input] as Facts;
      const isUnfused = unfused.has(input);
      const isEnd = isUnfused || kept.has(input);
      if (!isEnd && !stored.has(input)) return known;
      return {
        ...known,
        cost: stored.has(input) ? Math.min(LOAD, known.cost) : known.cost,
        folds: known.folds && !isEnd,
        hasParts: known.hasParts && !isEnd,
        isReshaped: known.isReshaped && !isUnfused,
      };
    });
    const leaves = inputs.reduce(
      (set, input) => set | input.leaves,
      node.op === "input" ? 1 << (id & 31) : 0,
    );
    const source = isMovement(node) ? (inputs[0] as Facts).source : id;
    const known = factsOf(node, source, inputs, leaves, storedPart);
    facts.push(stored.has(id) ? { ...known, strides: rowMajorStrides(node.shape) } : known);
  });
  return facts;
}

/** Ops that throw for some operands. They must not run where a guard fails, since their operands are 0 there. */
export function mayFail(node: Node): boolean {
  if (node.op === "gather") return true;
  return node.op === "pointwise" && !isFloat(node.dtype) && pointwiseOps[node.attributes.fn].mayFail;
}

/** By node: the cost of an element if everything beneath it is recomputed, in units of one addition. */
export const elementCosts = (graph: Graph, storedPart = 0): readonly number[] =>
  gatherFacts(graph, new Set(), storedPart).map(({ cost }) => cost);

function factsOf(
  node: Node,
  source: number,
  inputs: readonly Facts[],
  leaves: number,
  storedPart: number,
): Facts {
  const size = elementCount(node.shape);
  // A broadcast operand is computed once for many elements.
  const part = storedPart > 0 && isAddedTo(node, inputs) ? 1 : storedPart;
  const beneath = inputs.reduce((sum, input) => {
    const cost = input.size <= size * part ? Math.min(LOAD, input.cost) : input.cost;
    return sum + cost * Math.min(1, input.size / Math.max(1, size));
  }, 0);
  const reads = node.op === "input" || inputs.some((input) => input.reads);
  const work =
    node.op === "reduce" || node.op === "contract" ? Math.max(...inputs.map((input) => input.size)) : size;
  const cost = Math.min(SATURATED, ownCost(node, size, beneath));
  const folds =
    node.op === "reduce" ||
    node.op === "contract" ||
    node.op === "scan" ||
    inputs.some((input) => input.folds);
  const fails = mayFail(node) || inputs.some((input) => input.fails);
  const hasParts = node.op === "concat" || node.op === "pad" || inputs.some((input) => input.hasParts);
  const isReshaped =
    node.op === "reshape" || node.op === "asStrided" || inputs.some((input) => input.isReshaped);
  const strides = stridesOf(node, inputs);
  return { source, size, work, cost, reads, strides, leaves, folds, fails, hasParts, isReshaped };
}

/** True of what adds to a list in memory, which each step of a loop makes longer: what it adds is what it costs, however short the list is. */
const isAddedTo = ({ op }: Node, inputs: readonly Facts[]): boolean =>
  op === "concat" && inputs.some(({ reads, cost }) => reads && cost <= LOAD);

/** A cast of int64 takes its elements one by one: in a row that is walked again, its result is kept. */
const CAST = 20;

const costOf = ({ attributes: { fn }, inputs: [operand] }: Extract<Node, { op: "pointwise" }>): number =>
  fn === "cast" && operand?.dtype === "int64" ? CAST : pointwiseOps[fn].cost;

function ownCost(node: Node, size: number, beneath: number): number {
  switch (node.op) {
    case "input":
      return LOAD;
    case "constant":
    case "scalar":
    case "iota":
      return 0;
    case "pointwise":
      return beneath + costOf(node);
    case "reduce": {
      const input = node.inputs[0] as Node;
      return (elementCount(input.shape) / Math.max(1, size)) * (beneath + FOLD[node.attributes.fn]);
    }
    case "contract":
      return ((node.inputs[0] as Node).shape.at(-1) as number) * (beneath + 2);
    case "pad":
    case "concat":
      return Math.max(beneath, 1) + node.inputs.length;
    case "gather":
    case "update":
    case "scatter":
    case "scan":
      return beneath + 4;
    case "argsort":
      return beneath + 50;
    case "reshape":
    case "permute":
    case "expand":
    case "slice":
    case "shift":
    case "diagonal":
    case "asStrided":
      return beneath;
    default:
      return node satisfies never;
  }
}

function stridesOf(node: Node, inputs: readonly Facts[]): readonly number[] {
  const first = inputs[0]?.strides ?? [];
  switch (node.op) {
    case "pointwise": {
      // Among the largest inputs, one in the order of the shape is chosen.
      let largest: Facts | undefined;
      let from: readonly number[] = [];
      for (const [k, input] of inputs.entries()) {
        if (!input.reads) continue;
        const isLarger = largest === undefined || input.size > largest.size;
        if (!isLarger && (input.size !== largest?.size || !descends(input.strides))) continue;
        largest = input;
        from = (node.inputs[k] as Node).shape;
      }
      if (largest === undefined) return aligned([], node.shape, []);
      const strides = aligned(largest.strides, node.shape, from);
      // Where each operand is broadcast along some axis, memory has no order of all axes.
      const hasOrder = node.shape.every((size, axis) => size === 1 || strides[axis] !== 0);
      return hasOrder ? strides : rowMajorStrides(node.shape);
    }
    case "expand":
      return aligned(first, node.shape, (node.inputs[0] as Node).shape);
    case "permute":
      return node.attributes.axes.map((axis) => first[axis] as number);
    case "shift":
      return first;
    case "slice":
      return node.attributes.steps.map((step, axis) => Math.abs(step) * (first[axis] as number));
    case "reduce":
      return first.filter((_, axis) => !node.attributes.axes.includes(axis));
    default:
      return rowMajorStrides(node.shape);
  }
}

/** True where the node's strides, as far as its inputs tell, fall from axis to axis, as they do once it is stored. */
export function isInOrder({ strides }: Facts, shape: readonly number[]): boolean {
  const walked = strides.filter((_, axis) => shape[axis] !== 1);
  return walked.every((stride) => stride > 0) && descends(walked);
}

const descends = (strides: readonly number[]): boolean =>
  strides.every((stride, axis) => axis === 0 || stride === 0 || stride <= (strides[axis - 1] as number));

/** Strides aligned from the end; an axis that is missing, or was of size 1, is broadcast. */
function aligned(
  strides: readonly number[],
  shape: readonly number[],
  before: readonly number[],
): readonly number[] {
  const missing = shape.length - strides.length;
  return shape.map((_, axis) =>
    axis < missing || before[axis - missing] === 1 ? 0 : (strides[axis - missing] as number),
  );
}

/**
 * The cost of computing every node once and storing the results, in additions of elements: a polynomial of the sizes, as programs of many
 * sizes ask for.
 */
export const workOf = ({ nodes, inputs, outputs }: Graph): number =>
  nodes.reduce((sum, node, id) => {
    const own = inputs[id] as readonly number[];
    // What is gathered from is read only where the indices say.
    const walked = (node.op === "gather" ? own.slice(1) : own).reduce(
      (sum, input) => sum + elementCount((nodes[input] as Node).shape),
      0,
    );
    return sum + workOfNode(node, walked);
  }, 0) +
  outputs
    .map((id) => nodes[id] as Node)
    .filter(({ op }) => op !== "input")
    .reduce((sum, { shape }) => sum + elementCount(shape), 0);

function workOfNode(node: Node, walked: number): number {
  const size = elementCount(node.shape);
  switch (node.op) {
    case "pointwise":
      return size * pointwiseOps[node.attributes.fn].cost;
    case "reduce":
      return walked * FOLD[node.attributes.fn];
    case "contract":
      return size * ((node.inputs[0] as Node).shape.at(-1) as number) * 2;
    case "argsort":
      return size * 50;
    case "gather":
    case "update":
    case "scatter":
    case "scan":
    case "pad":
    case "concat":
      return (size + walked) * 2;
    default:
      return 0;
  }
}
