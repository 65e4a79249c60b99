/**
 * Broadcasts are delayed: what is equal at all places of an axis is computed once. So `expand` moves towards the results, past pointwise
 * ops, other movements and folds of other axes, until it meets another operand.
 */
import { pointwiseNames, sameNumbers } from "@fuseau/ir";
import { addsLeadingOnes, beneathExpand, runsOf } from "../terms/axes.ts";
import { node, of, ofAny, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { isEmpty, operand, type Term } from "../terms/term.ts";

const x = select("x");
/** x, possibly repeated. */
const expand = { fn: "expand", node: { shape: select("repeated") }, inputs: [x] } as const;

export const broadcasts: readonly Rule[] = [
  rule({
    name: "pointwise of expand",
    at: pointwiseNames,
    pattern: ofAny({ fn: "expand" }),
    when: (_, term) => !isEmpty(term),
    law: "f(expand(x), y) → expand(f(x, y)): equal operands give equal results, and f broadcasts by itself",
    gives: (_, terms, term) => {
      const inputs = term.inputs.map((input) => (input.fn === "expand" ? (input.inputs[0] as Term) : input));
      return terms.expand(terms.again(term, inputs), term.node.shape);
    },
  }),
  rule({
    name: "pointwise of leading ones",
    at: pointwiseNames,
    pattern: ofAny({ fn: "reshape" }),
    law: "f(x with axes of size 1 in front, y) → f(x, y) where y has those axes",
    gives: (_, terms, term) => {
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
  }),
  rule({
    name: "expand to its own shape",
    at: ["expand"],
    when: (_, term) => sameNumbers(operand(term).node.shape, term.node.shape),
    law: "expand(x, shape of x) → x",
    gives: (_, __, term) => operand(term),
  }),
  rule({
    name: "expand of expand",
    at: ["expand"],
    pattern: of(expand),
    law: "expand(expand(x)) → expand(x)",
    gives: ({ x }, terms, { node }) => terms.expand(x, node.shape),
  }),
  rule({
    name: "expand that repeats nothing",
    at: ["expand"],
    when: (_, term) => addsLeadingOnes(operand(term).node.shape, term.node.shape),
    law: "expand that repeats nothing → reshape: axes of size 1 come in front",
    gives: (_, terms, term) => terms.reshape(operand(term), term.node.shape),
  }),
  rule({
    name: "expand of leading ones",
    at: ["expand"],
    pattern: of({ fn: "reshape", node: { shape: select("wider") }, inputs: [x] }),
    when: ({ x, wider }) => addsLeadingOnes(x.node.shape, wider),
    law: "expand(x with axes of size 1 in front) → expand(x), which brings them itself",
    gives: ({ x }, terms, { node }) => terms.expand(x, node.shape),
  }),
  rule({
    name: "permute of expand",
    at: ["permute"],
    pattern: node("permute", { axes: select("axes") }, expand),
    law: "permute(expand(x)) → expand(permute(x)): axes are repeated wherever they stand",
    gives: ({ x, axes, repeated }, terms, { node }) =>
      terms.expand(terms.permute(beneathExpand(x, repeated, terms), axes), node.shape),
  }),
  rule({
    name: "slice of expand",
    at: ["slice"],
    pattern: node("slice", { starts: select("starts"), steps: select("steps") }, expand),
    when: (_, term) => !isEmpty(term),
    law: "slice(expand(x)) → expand(slice(x)): a repeated axis has the same at every place",
    gives: ({ x, starts, steps, repeated }, terms, { node }) => {
      const source = beneathExpand(x, repeated, terms);
      const repeats = source.node.shape.map((size, axis) => size !== repeated[axis]);
      const unless = (values: readonly number[], once: number): number[] =>
        values.map((value, axis) => (repeats[axis] ? once : value));
      return terms.expand(
        terms.slice(source, unless(starts, 0), unless(steps, 1), unless(node.shape, 1)),
        node.shape,
      );
    },
  }),
  rule({
    name: "reshape of expand",
    at: ["reshape"],
    pattern: of(expand),
    when: (_, term) => !isEmpty(term),
    law: "reshape(expand(x)) → expand(reshape(x)) where no run of axes is repeated in part",
    gives: ({ x, repeated }, terms, { node }) => {
      const source = beneathExpand(x, repeated, terms);
      const shape = [...node.shape];
      for (const { from, to } of runsOf(repeated, node.shape)) {
        const long = from.filter((axis) => repeated[axis] !== 1);
        const once = long.filter((axis) => source.node.shape[axis] === 1);
        if (once.length > 0 && once.length < long.length) return undefined;
        if (once.length > 0) for (const axis of to) shape[axis] = 1;
      }
      return terms.expand(terms.reshape(source, shape), node.shape);
    },
  }),
];
