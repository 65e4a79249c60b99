/** Graphs written by hand, a node a call, so that a test says what stands in the graph and nothing else does. */
import type { Graph } from "@fuseau/compiler";
import { build, type DType, type Node, type PointwiseOp, type Reducer } from "@fuseau/ir";

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

const nodesOf = (operands: readonly Recorded[]): Node[] => operands.map(({ node }) => node);
