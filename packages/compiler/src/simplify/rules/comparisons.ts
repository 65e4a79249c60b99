/** Comparisons and logic: what is known before any element is, and predicates turned into others. */
import { type DType, isFloat } from "@fuseau/ir";
import type { Range } from "../range.ts";
import { isConstant, type Rule } from "../rule.ts";
import type { Term, Terms } from "../term.ts";
import { holds, represents } from "./casts.ts";

const comparisonNames = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
type Comparison = (typeof comparisonNames)[number];

/** ¬(a < b) is a ≥ b, and so on. Of floats only equality: an order with NaN is false, and so is its opposite. */
const opposite: { readonly [C in Comparison]: Comparison } = {
  eq: "ne",
  ne: "eq",
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
};

/** What the comparison gives for all integers of the two ranges, if it is one and the same. */
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

export const comparisons: readonly Rule[] = [
  {
    at: comparisonNames,
    law: "a comparison of integers whose ranges decide it → true or false",
    apply: ({ inputs, fn, node }, terms) => {
      const [a, b] = inputs as [Term, Term];
      if (a.range === undefined || b.range === undefined) return undefined;
      const known = decided(fn as Comparison, a.range, b.range);
      return known === undefined ? undefined : terms.full("bool", known ? 1 : 0, node.shape);
    },
  },
  {
    at: comparisonNames,
    law: "a comparison of casts that hold every value → of what was cast (order and equality stay)",
    apply: ({ inputs, fn }, terms) => {
      const [a, b] = inputs as [Term, Term];
      const from = sourceOf(a) ?? sourceOf(b);
      if (from === undefined) return undefined;
      const [left, right] = [uncast(a, from, terms), uncast(b, from, terms)];
      return left && right && terms.pointwise(fn as Comparison, left, right);
    },
  },
  {
    at: ["eq", "ne"],
    law: "b = true → b, b ≠ false → b, b = false → ¬b, b ≠ true → ¬b for bools",
    apply: ({ inputs: [a, b], fn, node }, terms) => {
      const [x, y] = a?.value === undefined ? [a, b] : [b, a];
      if (x?.dtype !== "bool" || y?.value === undefined) return undefined;
      const keeps = isConstant(y, fn === "eq" ? 1 : 0);
      return terms.expand(keeps ? x : terms.pointwise("logicalNot", x), node.shape);
    },
  },
  {
    at: ["logicalNot", "bitwiseNot"],
    law: "¬(a = b) → a ≠ b and back; ¬(i < j) → i ≥ j and so on for integers (an order with NaN and its opposite are both false)",
    apply: ({ inputs: [x], dtype }, terms) => {
      const fn = comparisonNames.find((name) => name === x?.fn);
      if (x === undefined || fn === undefined || dtype !== "bool") return undefined;
      const [a, b] = x.inputs as [Term, Term];
      if (isFloat(a.dtype) && fn !== "eq" && fn !== "ne") return undefined;
      return terms.pointwise(opposite[fn], a, b);
    },
  },
  {
    at: ["logicalNot"],
    law: "¬¬b → b for bool",
    apply: ({ inputs: [x] }) => (x?.fn === "logicalNot" || isBoolNot(x) ? x?.inputs[0] : undefined),
  },
  {
    at: ["bitwiseNot"],
    law: "~~x → x (every bit flipped twice)",
    apply: ({ inputs: [x] }) => (x?.fn === "bitwiseNot" ? x.inputs[0] : undefined),
  },
  {
    at: ["isnan", "isinf", "isfinite"],
    law: "isnan(i) → false, isinf(i) → false, isfinite(i) → true for integers and bools",
    apply: ({ inputs: [x], fn, node }, terms) =>
      x === undefined || isFloat(x.dtype)
        ? undefined
        : terms.full("bool", fn === "isfinite" ? 1 : 0, node.shape),
  },
];

const isBoolNot = (x: Term | undefined): boolean => x?.fn === "bitwiseNot" && x.dtype === "bool";

/** The dtype of what was cast, where the cast loses nothing. */
function sourceOf({ fn, dtype, inputs: [x] }: Term): DType | undefined {
  return fn === "cast" && x !== undefined && holds(dtype, x.dtype) ? x.dtype : undefined;
}

/** The operand in the dtype that was cast, if it is a cast or a constant of it. */
function uncast(operand: Term, from: DType, terms: Terms): Term | undefined {
  if (sourceOf(operand) === from) return operand.inputs[0];
  const { value } = operand;
  if (value === undefined || !represents(from, value)) return undefined;
  // Integers have no −0; to a comparison it is 0.
  return terms.constant(from, isFloat(from) ? value : Number(value) + 0);
}
