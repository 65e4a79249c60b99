/**
 * Repetition goes last: what is the same for all places of an axis is computed for one. So `expand` moves towards the results,
 * past what works on each element, past other movements and past folds of other axes, and ends where it meets another operand.
 */
import { pointwiseNames, sameNumbers } from "@fuseau/ir";
import { addsLeadingOnes, beneathExpand, runsOf } from "../axes.ts";
import type { Rule } from "../rule.ts";
import { isEmpty, type Term } from "../term.ts";

export const broadcasts: readonly Rule[] = [
  {
    at: pointwiseNames,
    law: "f(expand(x), y) → expand(f(x, y)): equal operands give equal results, and f broadcasts by itself",
    apply: (term, terms) => {
      if (!term.inputs.some(({ fn }) => fn === "expand") || isEmpty(term)) return undefined;
      const inputs = term.inputs.map((input) => (input.fn === "expand" ? (input.inputs[0] as Term) : input));
      return terms.expand(terms.again(term, inputs), term.node.shape);
    },
  },
  {
    at: pointwiseNames,
    law: "f(x with axes of size 1 in front, y) → f(x, y) where y has those axes",
    apply: (term, terms) => {
      const rank = term.node.shape.length;
      const inputs = term.inputs.map((input) => {
        const [x] = input.inputs;
        return input.fn === "reshape" && x && addsLeadingOnes(x.node.shape, input.node.shape) ? x : input;
      });
      const keepsRank = inputs.some(({ node }) => node.shape.length === rank);
      return keepsRank && inputs.some((input, k) => input !== term.inputs[k])
        ? terms.again(term, inputs)
        : undefined;
    },
  },
  {
    at: ["expand"],
    law: "expand(expand(x)) → expand(x); expand(x, shape of x) → x",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined) return undefined;
      if (sameNumbers(x.node.shape, node.shape)) return x;
      return x.fn === "expand" ? terms.expand(x.inputs[0] as Term, node.shape) : undefined;
    },
  },
  {
    at: ["expand"],
    law: "expand that repeats nothing → reshape; expand(x with axes of size 1 in front) → expand(x)",
    apply: ({ inputs: [x], node }, terms) => {
      if (x === undefined) return undefined;
      if (addsLeadingOnes(x.node.shape, node.shape)) return terms.reshape(x, node.shape);
      const [source] = x.inputs;
      const isWider = x.fn === "reshape" && source && addsLeadingOnes(source.node.shape, x.node.shape);
      return isWider ? terms.expand(source, node.shape) : undefined;
    },
  },
  {
    at: ["permute"],
    law: "permute(expand(x)) → expand(permute(x)): axes are repeated wherever they stand",
    apply: ({ inputs: [x], node }, terms) =>
      x?.fn === "expand" && node.op === "permute"
        ? terms.expand(terms.permute(beneathExpand(x, terms), node.attributes.axes), node.shape)
        : undefined,
  },
  {
    at: ["slice"],
    law: "slice(expand(x)) → expand(slice(x)): a repeated axis has the same at every place",
    apply: (term, terms) => {
      const { node } = term;
      const [x] = term.inputs as [Term];
      if (x.fn !== "expand" || node.op !== "slice" || isEmpty(term)) return undefined;
      const source = beneathExpand(x, terms);
      const repeats = source.node.shape.map((size, axis) => size !== x.node.shape[axis]);
      const unless = (values: readonly number[], repeated: number): number[] =>
        values.map((value, axis) => (repeats[axis] ? repeated : value));
      const { starts, steps } = node.attributes;
      return terms.expand(
        terms.slice(source, unless(starts, 0), unless(steps, 1), unless(node.shape, 1)),
        node.shape,
      );
    },
  },
  {
    at: ["reshape"],
    law: "reshape(expand(x)) → expand(reshape(x)) where no run of axes is repeated in part",
    apply: (term, terms) => {
      const { node } = term;
      const [x] = term.inputs as [Term];
      if (x.fn !== "expand" || isEmpty(term)) return undefined;
      const source = beneathExpand(x, terms);
      const shape = [...node.shape];
      for (const { from, to } of runsOf(x.node.shape, node.shape)) {
        const long = from.filter((axis) => x.node.shape[axis] !== 1);
        const repeated = long.filter((axis) => source.node.shape[axis] === 1);
        if (repeated.length > 0 && repeated.length < long.length) return undefined;
        if (repeated.length > 0) for (const axis of to) shape[axis] = 1;
      }
      return terms.expand(terms.reshape(source, shape), node.shape);
    },
  },
];
