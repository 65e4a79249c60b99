/** The graph under simplification: interned terms, so that equal terms are one object and common subexpressions are shared. */
import { build, type DType, type Node, type NodeOp, type PointwiseOp } from "@fuseau/ir";

export interface Term {
  readonly id: number;
  /** The op by which rules are found: a pointwise function's own name, else the node's op. */
  readonly fn: Exclude<NodeOp, "pointwise"> | PointwiseOp;
  readonly node: Node;
  readonly inputs: readonly Term[];
  readonly dtype: DType;
  /** The value of a constant. */
  readonly value: number | bigint | undefined;
}

export class Terms {
  readonly #known = new Map<string, Term>();
  readonly #rewrite: (term: Term, terms: Terms) => Term;
  #opaque = 0;

  constructor(rewrite: (term: Term, terms: Terms) => Term = (term) => term) {
    this.#rewrite = rewrite;
  }

  /** The one term that does what `node` does to `inputs`. */
  intern(node: Node, inputs: readonly Term[]): Term {
    const key = keyOf(node, inputs, () => this.#opaque++);
    let term = this.#known.get(key);
    if (term === undefined) {
      term = {
        id: this.#known.size,
        fn: node.op === "pointwise" ? node.attributes.fn : node.op,
        node: inputs.every((input, k) => input.node === node.inputs[k]) ? node : withInputs(node, inputs),
        inputs,
        dtype: node.dtype,
        value: node.op === "constant" ? node.attributes.value : undefined,
      };
      this.#known.set(key, term);
    }
    return term;
  }

  /** The same, rewritten by the rules: what a rule makes is as simple as what it is given. */
  make(node: Node, inputs: readonly Term[]): Term {
    return this.#rewrite(this.intern(node, inputs), this);
  }

  constant(dtype: DType, value: number | bigint): Term {
    return this.make(build.constant(dtype, value), []);
  }
  cast(x: Term, dtype: DType): Term {
    return x.dtype === dtype ? x : this.make(build.cast(x.node, dtype), [x]);
  }
  pointwise(fn: Exclude<PointwiseOp, "cast">, ...inputs: readonly Term[]): Term {
    return this.make(
      build.pointwise(
        fn,
        inputs.map((input) => input.node),
      ),
      inputs,
    );
  }
  reshape(x: Term, shape: readonly number[]): Term {
    return this.make(build.reshape(x.node, shape), [x]);
  }
  permute(x: Term, axes: readonly number[]): Term {
    return this.make(build.permute(x.node, axes), [x]);
  }
  expand(x: Term, shape: readonly number[]): Term {
    return this.make(build.expand(x.node, shape), [x]);
  }
  slice(x: Term, starts: readonly number[], steps: readonly number[], sizes: readonly number[]): Term {
    return this.make(build.slice(x.node, starts, steps, sizes), [x]);
  }
  iota(dtype: DType, length: number): Term {
    return this.make(build.iota(dtype, length), []);
  }
}

/** Inputs and scalars are told apart by where they stand, so each is a term of its own. */
function keyOf(node: Node, inputs: readonly Term[], unique: () => number): string {
  let key = `${node.op}:${node.dtype}:${node.shape.join()}:`;
  for (const input of inputs) key += `${input.id},`;
  switch (node.op) {
    case "input":
    case "scalar":
      return `${key}${unique()}`;
    case "constant":
      return key + (Object.is(node.attributes.value, -0) ? "-0" : `${node.attributes.value}`);
    case "pointwise":
      return key + node.attributes.fn;
    default:
      return node.attributes === null ? key : key + JSON.stringify(node.attributes);
  }
}

const withInputs = (node: Node, inputs: readonly Term[]): Node => ({
  ...node,
  inputs: inputs.map(({ node }) => node),
});
