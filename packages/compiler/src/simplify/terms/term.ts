/** The graph under simplification: interned terms, so that equal terms are one object and common subexpressions are shared. */

import {
  build,
  type DType,
  elementCount,
  hashOperation,
  mix,
  type Node,
  type NodeOp,
  type PointwiseOp,
  pointwiseOps,
  type Reducer,
  type Scanner,
  type StridedView,
  sameNumbers,
  sameOperation,
} from "@fuseau/ir";
import type { Condition } from "../../graph.ts";
import { type Range, rangeOf } from "./range.ts";

export interface Term {
  readonly id: number;
  /** The key by which rules are found: the name of a pointwise function, else the node's op. */
  readonly fn: Exclude<NodeOp, "pointwise"> | PointwiseOp;
  readonly node: Node;
  readonly inputs: readonly Term[];
  readonly dtype: DType;
  /** The value of a constant. */
  readonly value: number | bigint | undefined;
  /** The range of an integer or bool. */
  readonly range: Range | undefined;
}

export class Terms {
  /** By hash; on a collision a term is at the next free place. */
  readonly #known = new Map<number, Term>();
  readonly #rewrite: (term: Term, terms: Terms) => Term;
  #count = 0;
  /** What rules have met (`Graph.conditions`). */
  readonly conditions: Condition[] = [];

  constructor(rewrite: (term: Term, terms: Terms) => Term = (term) => term) {
    this.#rewrite = rewrite;
  }

  /** The number of terms; ids are below it. */
  get count(): number {
    return this.#count;
  }

  /** The one term that does what `node` does to `inputs`. */
  intern(node: Node, inputs: readonly Term[]): Term {
    // Inputs and scalars are distinguished by their position: each is a term of its own.
    if (node.op === "input" || node.op === "scalar") return this.#term(node, inputs);
    let place = hashOf(node, inputs);
    for (let found = this.#known.get(place); found !== undefined; found = this.#known.get(place)) {
      if (sameOperation(found.node, node) && sameInputs(found, inputs)) return found;
      place = (place + 1) | 0;
    }
    const term = this.#term(node, inputs);
    this.#known.set(place, term);
    return term;
  }

  #term(node: Node, inputs: readonly Term[]): Term {
    return {
      id: this.#count++,
      fn: node.op === "pointwise" ? node.attributes.fn : node.op,
      node: describes(node, inputs) ? node : { ...node, inputs: nodesOf(inputs) },
      inputs,
      dtype: node.dtype,
      value: node.op === "constant" ? node.attributes.value : undefined,
      range: rangeOf(node, inputs),
    };
  }

  /** The same, simplified: replacements are rewritten too. */
  make(node: Node, inputs: readonly Term[]): Term {
    return this.#rewrite(this.intern(node, inputs), this);
  }

  constant(dtype: DType, value: number | bigint): Term {
    return this.make(build.constant(dtype, dtype === "int64" ? BigInt(value) : Number(value)), []);
  }
  /** A constant broadcast to a shape. */
  full(dtype: DType, value: number | bigint, shape: readonly number[]): Term {
    return this.expand(this.constant(dtype, value), shape);
  }
  iota(dtype: DType, length: number): Term {
    return this.make(build.iota(dtype, length), []);
  }

  cast(x: Term, dtype: DType): Term {
    return x.dtype === dtype ? x : this.make(build.cast(x.node, dtype), [x]);
  }
  pointwise(fn: Exclude<PointwiseOp, "cast">, ...inputs: readonly Term[]): Term {
    return this.make(build.pointwise(fn, nodesOf(inputs)), inputs);
  }
  /** The pointwise function of `term` at other operands of the same dtypes. */
  again({ node, dtype }: Term, inputs: readonly Term[]): Term {
    const [first] = inputs as [Term];
    if (node.op !== "pointwise" || node.attributes.fn === "cast") return this.cast(first, dtype);
    return this.pointwise(node.attributes.fn, ...inputs);
  }

  reduce(fn: Reducer, x: Term, axes: readonly number[]): Term {
    return this.make(build.reduce(fn, x.node, axes), [x]);
  }
  scan(fn: Scanner, x: Term, axis: number): Term {
    return this.make(build.scan(fn, x.node, axis), [x]);
  }
  contract(a: Term, b: Term): Term {
    return this.make(build.contract(a.node, b.node), [a, b]);
  }

  reshape(x: Term, shape: readonly number[]): Term {
    return sameNumbers(x.node.shape, shape) ? x : this.make(build.reshape(x.node, shape), [x]);
  }
  permute(x: Term, axes: readonly number[]): Term {
    return this.make(build.permute(x.node, axes), [x]);
  }
  expand(x: Term, shape: readonly number[]): Term {
    return sameNumbers(x.node.shape, shape) ? x : this.make(build.expand(x.node, shape), [x]);
  }
  slice(x: Term, starts: readonly number[], steps: readonly number[], sizes: readonly number[]): Term {
    return this.make(build.slice(x.node, starts, steps, sizes), [x]);
  }
  concat(parts: readonly Term[], axis: number): Term {
    return this.make(build.concat(nodesOf(parts), axis), parts);
  }
  asStrided(x: Term, view: StridedView): Term {
    return this.make(build.asStrided(x.node, view), [x]);
  }
}

const nodesOf = (terms: readonly Term[]): Node[] => terms.map(({ node }) => node);

/** True when the node's inputs are already the nodes of the terms. */
function describes(node: Node, inputs: readonly Term[]): boolean {
  for (let k = 0; k < inputs.length; k++) if (inputs[k]?.node !== node.inputs[k]) return false;
  return true;
}

function sameInputs({ inputs: own, node }: Term, inputs: readonly Term[]): boolean {
  if (own.length !== inputs.length) return false;
  if (own.length === 2 && own[0] === inputs[1] && own[1] === inputs[0])
    return own[0] === own[1] || (node.op === "pointwise" && pointwiseOps[node.attributes.fn].commutative);
  for (let k = 0; k < own.length; k++) if (own[k] !== inputs[k]) return false;
  return true;
}

/** Equal for equal terms; commutative operands in either order hash alike. */
function hashOf(node: Node, inputs: readonly Term[]): number {
  let hash = hashOperation(node);
  if (inputs.length === 2) {
    const [a, b] = [(inputs[0] as Term).id, (inputs[1] as Term).id];
    hash = mix(mix(hash, Math.min(a, b)), Math.max(a, b));
  } else for (const { id } of inputs) hash = mix(hash, id);
  return hash;
}

/** True when the term has no elements. A rule must not compute for some elements what is computed for none. */
export const isEmpty = ({ node }: Term): boolean => elementCount(node.shape) === 0;

/** The first operand of a term that has one. */
export const operand = ({ inputs }: Term): Term => inputs[0] as Term;
