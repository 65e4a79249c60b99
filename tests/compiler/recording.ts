/** Graphs written by hand, a node a call, so that a test says what stands in the graph and nothing else does. */
import type { Graph } from "@fuseau/compiler";
import {
  type AxisPlace,
  build,
  type Combiner,
  type DType,
  type Node,
  type PointwiseOp,
  type Reducer,
  type Scanner,
  type StridedView,
} from "@fuseau/ir";

/** A node in a recording. */
export interface Recorded {
  readonly position: number;
  readonly node: Node;
}

export class Recording {
  readonly #nodes: Node[] = [];
  readonly #inputs: number[][] = [];

  input(dtype: DType, shape: readonly number[]): Recorded {
    return this.#add(build.input(dtype, shape), []);
  }
  constant(dtype: DType, value: number | bigint): Recorded {
    return this.#add(build.constant(dtype, value), []);
  }
  scalar(dtype: DType): Recorded {
    return this.#add(build.scalar(dtype), []);
  }
  iota(dtype: DType, length: number): Recorded {
    return this.#add(build.iota(dtype, length), []);
  }
  cast(x: Recorded, dtype: DType): Recorded {
    return this.#add(build.cast(x.node, dtype), [x]);
  }
  pointwise(fn: Exclude<PointwiseOp, "cast">, ...operands: readonly Recorded[]): Recorded {
    return this.#add(build.pointwise(fn, nodesOf(operands)), operands);
  }
  reduce(fn: Reducer, x: Recorded, axes: readonly number[]): Recorded {
    return this.#add(build.reduce(fn, x.node, axes), [x]);
  }
  gather(x: Recorded, axis: number, index: Recorded): Recorded {
    return this.#add(build.gather(x.node, axis, index.node), [x, index]);
  }
  reshape(x: Recorded, shape: readonly number[]): Recorded {
    return this.#add(build.reshape(x.node, shape), [x]);
  }
  permute(x: Recorded, axes: readonly number[]): Recorded {
    return this.#add(build.permute(x.node, axes), [x]);
  }
  expand(x: Recorded, shape: readonly number[]): Recorded {
    return this.#add(build.expand(x.node, shape), [x]);
  }
  slice(
    x: Recorded,
    starts: readonly number[],
    steps: readonly number[],
    sizes: readonly number[],
  ): Recorded {
    return this.#add(build.slice(x.node, starts, steps, sizes), [x]);
  }
  shift(x: Recorded, places: readonly AxisPlace[], sizes: readonly number[]): Recorded {
    return this.#add(build.shift(x.node, places, sizes), [x]);
  }
  pad(x: Recorded, before: readonly number[], after: readonly number[], fill: Recorded): Recorded {
    return this.#add(build.pad(x.node, before, after, fill.node), [x, fill]);
  }
  concat(parts: readonly Recorded[], axis: number): Recorded {
    return this.#add(build.concat(nodesOf(parts), axis), parts);
  }
  diagonal(x: Recorded, offset: number, axis1: number, axis2: number): Recorded {
    return this.#add(build.diagonal(x.node, offset, axis1, axis2), [x]);
  }
  asStrided(x: Recorded, view: StridedView): Recorded {
    return this.#add(build.asStrided(x.node, view), [x]);
  }
  update(base: Recorded, view: StridedView, value: Recorded): Recorded {
    return this.#add(build.update(base.node, view, value.node), [base, value]);
  }
  scatter(base: Recorded, axis: number, index: Recorded, source: Recorded, combine: Combiner): Recorded {
    const operands = [base, index, source];
    return this.#add(build.scatter(base.node, axis, index.node, source.node, combine), operands);
  }
  scan(fn: Scanner, x: Recorded, axis: number): Recorded {
    return this.#add(build.scan(fn, x.node, axis), [x]);
  }
  argsort(x: Recorded, axis: number, descending: boolean): Recorded {
    return this.#add(build.argsort(x.node, axis, descending), [x]);
  }
  contract(a: Recorded, b: Recorded): Recorded {
    return this.#add(build.contract(a.node, b.node), [a, b]);
  }

  graph(...outputs: readonly Recorded[]): Graph {
    return {
      nodes: this.#nodes,
      inputs: this.#inputs,
      outputs: outputs.map(({ position }) => position),
    };
  }

  #add(node: Node, operands: readonly Recorded[]): Recorded {
    const position = this.#nodes.push(node) - 1;
    this.#inputs.push(operands.map((operand) => operand.position));
    return { position, node };
  }
}

/** The pointwise and reduce functions of a graph, in order. */
export const opsOf = (graph: Graph): string[] =>
  graph.nodes.flatMap((node) =>
    node.op === "pointwise" || node.op === "reduce" ? [node.attributes.fn as string] : [],
  );

const nodesOf = (operands: readonly Recorded[]): Node[] => operands.map(({ node }) => node);
