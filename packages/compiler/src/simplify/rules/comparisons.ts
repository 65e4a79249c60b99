/** Comparisons and logic: results known from ranges, and predicates rewritten as others. */
import { type DType, isFloat } from "@fuseau/ir";
import { P } from "ts-pattern";
import { constant, isNumber, of, ofAny, op, select } from "../terms/pattern.ts";
import type { Range } from "../terms/range.ts";
import { type Rule, rule } from "../terms/rule.ts";
import type { Term, Terms } from "../terms/term.ts";
import { holds, represents } from "./casts.ts";

const comparisonNames = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
type Comparison = (typeof comparisonNames)[number];

/** ¬(a < b) is a ≥ b, and so on. For floats this holds for equality alone: a comparison with NaN is false, and so is its opposite. */
const opposite: { readonly [C in Comparison]: Comparison } = {
  eq: "ne",
  ne: "eq",
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
};

/** The result of the comparison if it is the same for all integers of the two ranges. */
function decided(fn: Comparison, a: Range, b: Range): boolean | undefined {
  const [below, above] = [a[1] < b[0], a[0] > b[1]];
  switch (fn) {
    case "eq":
      return below || above ? false : a[0] === a[1] && b[0] === b[1] ? true : undefined;
    case "lt":
      return below ? true : a[0] >= b[1] ? false : undefined;
    case "le":
      return a[1] <= b[0] ? true : above ? false : undefined;
    case "ne":
    case "ge":
    case "gt": {
      const other = decided(opposite[fn], a, b);
      return other === undefined ? undefined : !other;
    }
    default:
      return fn satisfies never;
  }
}

const [a, b, x] = [select("a"), select("b"), select("x")];

export const comparisons: readonly Rule[] = [
  rule({
    name: "comparison that ranges decide",
    at: comparisonNames,
    when: (_, { inputs: [a, b] }) => a?.range !== undefined && b?.range !== undefined,
    law: "a comparison of integers whose ranges decide it → true or false",
    gives: (_, terms, { inputs: [a, b], fn, node }) => {
      const [left, right] = [a?.range as Range, b?.range as Range];
      const known = decided(fn as Comparison, left, right);
      const [below, above] = [left[1] - right[0], left[0] - right[1]];
      if (known !== undefined) terms.conditions.push([below < 0 ? 0 : above > 0 ? 1 : 2, below, above]);
      return known === undefined ? undefined : terms.full("bool", known ? 1 : 0, node.shape);
    },
  }),
  rule({
    name: "comparison of casts",
    at: comparisonNames,
    pattern: ofAny({ fn: "cast" }),
    law: "a comparison of casts that hold every value → of what was cast (order and equality stay)",
    gives: (_, terms, term) => {
      const [a, b] = term.inputs as [Term, Term];
      const from = sourceOf(a) ?? sourceOf(b);
      if (from === undefined) return undefined;
      const [left, right] = [uncast(a, from, terms), uncast(b, from, terms)];
      return left && right && terms.again(term, [left, right]);
    },
  }),
  rule({
    name: "comparison with a bool",
    at: ["eq", "ne"],
    pattern: [of(x, { ...constant("value"), dtype: "bool" }), of({ ...constant("value"), dtype: "bool" }, x)],
    law: "b = true → b, b ≠ false → b, b = false → ¬b, b ≠ true → ¬b for bools",
    gives: ({ x, value }, terms, { fn, node }) => {
      const keeps = isNumber(value, fn === "eq" ? 1 : 0);
      return terms.expand(keeps ? x : terms.pointwise("logicalNot", x), node.shape);
    },
  }),
  rule({
    name: "not of a comparison",
    at: ["logicalNot", "bitwiseNot"],
    pattern: {
      dtype: "bool",
      ...of({ fn: P.select("compared", P.union(...comparisonNames)), inputs: [a, b] }),
    },
    when: ({ compared, a }) => !isFloat(a.dtype) || compared === "eq" || compared === "ne",
    law: "¬(a = b) → a ≠ b and back; ¬(i < j) → i ≥ j and so on for integers (an order with NaN and its opposite are both false)",
    gives: ({ compared, a, b }, terms) => terms.pointwise(opposite[compared], a, b),
  }),
  rule({
    name: "not of not",
    at: ["logicalNot"],
    pattern: [of(op("logicalNot", x)), of({ ...op("bitwiseNot", x), dtype: "bool" })],
    law: "¬¬b → b for bool",
    gives: ({ x }) => x,
  }),
  rule({
    name: "bitwiseNot of bitwiseNot",
    at: ["bitwiseNot"],
    pattern: of(op("bitwiseNot", x)),
    law: "~~x → x (every bit flipped twice)",
    gives: ({ x }) => x,
  }),
  rule({
    name: "isnan of an integer",
    at: ["isnan", "isinf", "isfinite"],
    pattern: of(x),
    when: ({ x }) => !isFloat(x.dtype),
    law: "isnan(i) → false, isinf(i) → false, isfinite(i) → true for integers and bools",
    gives: (_, terms, { fn, node }) => terms.full("bool", fn === "isfinite" ? 1 : 0, node.shape),
  }),
];

/** The dtype before a cast that loses nothing. */
function sourceOf({ fn, dtype, inputs: [x] }: Term): DType | undefined {
  return fn === "cast" && x !== undefined && holds(dtype, x.dtype) ? x.dtype : undefined;
}

/** The operand in the dtype before the cast, if it is a cast or a constant of that dtype. */
function uncast(operand: Term, from: DType, terms: Terms): Term | undefined {
  if (sourceOf(operand) === from) return operand.inputs[0];
  const { value } = operand;
  if (value === undefined || !represents(from, value)) return undefined;
  // Integers have no −0, which compares equal to 0.
  return terms.constant(from, isFloat(from) ? value : Number(value) + 0);
}
