/** Integers whose values are known to lie within a range. */
import type { Reducer } from "@fuseau/ir";
import { narrow } from "../narrow.ts";
import type { Rule } from "../rule.ts";
import type { Term } from "../term.ts";

/** Folds whose result does not depend on how wide their integers are. */
const widens: ReadonlySet<Reducer> = new Set(["sum", "any", "all", "argmax", "argmin"]);

export const integers: readonly Rule[] = [
  {
    at: ["maximum", "minimum"],
    law: "maximum(i, j) → i where no j is greater, minimum(i, j) → i where no j is less",
    apply: ({ inputs, fn, node }, terms) => {
      const [a, b] = inputs as [Term, Term];
      const [above, below] = fn === "maximum" ? [a, b] : [b, a];
      if (isNeverLess(above, below)) return terms.expand(a, node.shape);
      return isNeverLess(below, above) ? terms.expand(b, node.shape) : undefined;
    },
  },
  {
    at: ["abs", "relu"],
    law: "|i| → i and relu(i) → i where no i is negative",
    apply: ({ inputs: [x] }) => (x?.range !== undefined && x.range[0] >= 0 ? x : undefined),
  },
  {
    at: ["remainder", "fmod"],
    law: "i mod n → i where every i is within [0, n)",
    apply: ({ inputs, node }, terms) => {
      const [i, n] = inputs as [Term, Term];
      return isBelow(i, n) ? terms.expand(i, node.shape) : undefined;
    },
  },
  {
    at: ["floorDivide", "truncDivide"],
    law: "i ÷ n → 0 where every i is within [0, n)",
    apply: ({ inputs, node, dtype }, terms) => {
      const [i, n] = inputs as [Term, Term];
      return isBelow(i, n) ? terms.full(dtype, 0, node.shape) : undefined;
    },
  },
  {
    at: ["cast", "eq", "ne", "lt", "le", "gt", "ge"],
    law: "int64 work on values that int32 holds gives the same as int32: each intermediate value stays in range",
    apply: (term, terms) => {
      if (term.inputs.length === 0 || term.inputs.some(({ dtype }) => dtype !== "int64")) return undefined;
      const inputs = term.inputs.map((input) => narrow(input, terms));
      return inputs.some((input) => input === undefined) ? undefined : terms.again(term, inputs as Term[]);
    },
  },
  {
    at: ["reduce"],
    law: "Σ, any, all and first positions of int64 values that int32 holds → of int32: the fold is exact, its result as wide",
    apply: ({ inputs: [x], node }, terms) => {
      if (x?.dtype !== "int64" || node.op !== "reduce" || !widens.has(node.attributes.fn)) return undefined;
      const narrowed = narrow(x, terms);
      return narrowed === undefined ? undefined : terms.make(node, [narrowed]);
    },
  },
  {
    at: ["gather", "scatter"],
    law: "an index of int64 values that int32 holds → of int32: the same places",
    apply: ({ inputs, node }, terms) => {
      const [base, index, ...others] = inputs as [Term, Term, ...Term[]];
      const narrowed = index.dtype === "int64" ? narrow(index, terms) : undefined;
      return narrowed === undefined ? undefined : terms.make(node, [base, narrowed, ...others]);
    },
  },
];

const isNeverLess = (a: Term, b: Term): boolean =>
  a.range !== undefined && b.range !== undefined && a.range[0] >= b.range[1];

/** True when 0 ≤ i < n for all that the two can be. */
const isBelow = (i: Term, n: Term): boolean =>
  i.range !== undefined && n.range !== undefined && i.range[0] >= 0 && i.range[1] < n.range[0];
