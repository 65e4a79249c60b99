/** Choices whose condition is known, asked for twice, or turned round. */
import { isConstant, type Rule } from "../rule.ts";
import type { Term, Terms } from "../term.ts";

const select = (
  law: string,
  gives: (condition: Term, a: Term, b: Term, terms: Terms, shape: readonly number[]) => Term | undefined,
): Rule => ({
  at: ["where"],
  law,
  apply: ({ inputs, node: { shape } }, terms) => {
    const [condition, a, b] = inputs as [Term, Term, Term];
    return gives(condition, a, b, terms, shape);
  },
});

/** What `where` gives on one side of its condition, for a term that is another `where` on the same condition. */
const sideOf = (term: Term, condition: Term, side: 1 | 2): Term | undefined =>
  term.fn === "where" && term.inputs[0] === condition ? term.inputs[side] : undefined;

export const selects: readonly Rule[] = [
  select("where(true, a, b) → a", (condition, a, _, terms, shape) =>
    isConstant(condition, 1) ? terms.expand(a, shape) : undefined,
  ),
  select("where(false, a, b) → b", (condition, _, b, terms, shape) =>
    isConstant(condition, 0) ? terms.expand(b, shape) : undefined,
  ),
  select("where(c, a, a) → a", (_, a, b, terms, shape) => (a === b ? terms.expand(a, shape) : undefined)),
  select("where(¬c, a, b) → where(c, b, a)", (condition, a, b, terms) =>
    condition.fn === "logicalNot" || condition.fn === "bitwiseNot"
      ? terms.pointwise("where", condition.inputs[0] as Term, b, a)
      : undefined,
  ),
  select("where(c, true, false) → c, where(c, false, true) → ¬c", (condition, a, b, terms, shape) => {
    if (a.dtype !== "bool") return undefined;
    if (isConstant(a, 1) && isConstant(b, 0)) return terms.expand(condition, shape);
    if (!isConstant(a, 0) || !isConstant(b, 1)) return undefined;
    return terms.expand(terms.pointwise("logicalNot", condition), shape);
  }),
  select(
    "where(c, where(c, a, b), d) → where(c, a, d), where(c, a, where(c, b, d)) → where(c, a, d)",
    (condition, a, b, terms, shape) => {
      const [inner, other] = [sideOf(a, condition, 1), sideOf(b, condition, 2)];
      if (inner === undefined && other === undefined) return undefined;
      return terms.expand(terms.pointwise("where", condition, inner ?? a, other ?? b), shape);
    },
  ),
];
