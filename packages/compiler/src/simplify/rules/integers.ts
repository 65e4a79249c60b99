/** Integers whose values are known to lie within a range. */
import type { Reducer } from "@fuseau/ir";
import { narrow } from "../terms/narrow.ts";
import { of, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { operand, type Term } from "../terms/term.ts";

/** Folds whose result does not depend on the width of their integers. */
const widens: ReadonlySet<Reducer> = new Set(["sum", "any", "all", "argmax", "argmin"]);

const [x, i, n] = [select("x"), select("i"), select("n")];

export const integers: readonly Rule[] = [
  rule({
    name: "maximum that ranges decide",
    at: ["maximum", "minimum"],
    law: "maximum(i, j) → i where no j is greater, minimum(i, j) → i where no j is less",
    gives: (_, terms, { inputs, fn, node }) => {
      const [a, b] = inputs as [Term, Term];
      const [above, below] = fn === "maximum" ? [a, b] : [b, a];
      if (isNeverLess(above, below)) return terms.expand(a, node.shape);
      return isNeverLess(below, above) ? terms.expand(b, node.shape) : undefined;
    },
  }),
  rule({
    name: "abs of what is not negative",
    at: ["abs", "relu"],
    pattern: of(x),
    when: ({ x: { range } }) => range !== undefined && range[0] >= 0,
    law: "|i| → i and relu(i) → i where no i is negative",
    gives: ({ x }) => x,
  }),
  rule({
    name: "remainder of what is less",
    at: ["remainder", "fmod"],
    pattern: of(i, n),
    when: ({ i, n }) => isBelow(i, n),
    law: "i mod n → i where every i is within [0, n)",
    gives: ({ i }, terms, { node }) => terms.expand(i, node.shape),
  }),
  rule({
    name: "quotient of what is less",
    at: ["floorDivide", "truncDivide"],
    pattern: of(i, n),
    when: ({ i, n }) => isBelow(i, n),
    law: "i ÷ n → 0 where every i is within [0, n)",
    gives: (_, terms, { node, dtype }) => terms.full(dtype, 0, node.shape),
  }),
  rule({
    name: "narrow a comparison or cast",
    at: ["cast", "eq", "ne", "lt", "le", "gt", "ge"],
    when: (_, { inputs }) => inputs.every(({ dtype }) => dtype === "int64"),
    law: "int64 work on values that int32 holds gives the same as int32: each intermediate value stays in range",
    gives: (_, terms, term) => {
      const inputs = term.inputs.map((input) => narrow(input, terms));
      return inputs.some((input) => input === undefined) ? undefined : terms.again(term, inputs as Term[]);
    },
  }),
  rule({
    name: "narrow a fold",
    at: ["reduce"],
    when: (_, term) =>
      operand(term).dtype === "int64" && term.node.op === "reduce" && widens.has(term.node.attributes.fn),
    law: "Σ, any, all and first positions of int64 values that int32 holds → of int32: the fold is exact, its result as wide",
    gives: (_, terms, term) => {
      const narrowed = narrow(operand(term), terms);
      return narrowed === undefined ? undefined : terms.make(term.node, [narrowed]);
    },
  }),
  rule({
    name: "narrow an index",
    at: ["gather", "scatter"],
    when: (_, { inputs: [, index] }) => index?.dtype === "int64",
    law: "an index of int64 values that int32 holds → of int32: the same places",
    gives: (_, terms, { inputs, node }) => {
      const [base, index, ...others] = inputs as [Term, Term, ...Term[]];
      const narrowed = narrow(index, terms);
      return narrowed === undefined ? undefined : terms.make(node, [base, narrowed, ...others]);
    },
  }),
];

const isNeverLess = (a: Term, b: Term): boolean =>
  a.range !== undefined && b.range !== undefined && a.range[0] >= b.range[1];

/** True when 0 ≤ i < n for all values of the two. */
const isBelow = (i: Term, n: Term): boolean =>
  i.range !== undefined && n.range !== undefined && i.range[0] >= 0 && i.range[1] < n.range[0];
