/** Selects whose condition is known, repeated or negated. */
import { P } from "ts-pattern";
import { number, of, op, select } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import type { Term, Terms } from "../terms/term.ts";

const [condition, inner] = [select("condition"), select("inner")];
const [a, b, any] = [select("a"), select("b"), P.any];
const [yes, no] = [number(1), number(0)];

interface Choice {
  readonly a: Term;
  readonly b: Term;
  readonly condition: Term;
}

const chosen = ({ condition, a, b }: Choice, terms: Terms, { node }: Term): Term =>
  terms.expand(terms.pointwise("where", condition, a, b), node.shape);

export const selects: readonly Rule[] = [
  rule({
    name: "where true",
    at: ["where"],
    pattern: of(yes, a, any),
    law: "where(true, a, b) → a",
    gives: ({ a }, terms, { node }) => terms.expand(a, node.shape),
  }),
  rule({
    name: "where false",
    at: ["where"],
    pattern: of(no, any, b),
    law: "where(false, a, b) → b",
    gives: ({ b }, terms, { node }) => terms.expand(b, node.shape),
  }),
  rule({
    name: "where of one operand",
    at: ["where"],
    pattern: of(any, a, b),
    when: ({ a, b }) => a === b,
    law: "where(c, a, a) → a",
    gives: ({ a }, terms, { node }) => terms.expand(a, node.shape),
  }),
  rule({
    name: "where not",
    at: ["where"],
    pattern: of({ fn: P.union("logicalNot", "bitwiseNot"), inputs: [condition] }, a, b),
    law: "where(¬c, a, b) → where(c, b, a)",
    gives: ({ condition, a, b }, terms) => terms.pointwise("where", condition, b, a),
  }),
  rule({
    name: "where true else false",
    at: ["where"],
    pattern: { dtype: "bool", ...of(condition, yes, no) },
    law: "where(c, true, false) → c",
    gives: ({ condition }, terms, { node }) => terms.expand(condition, node.shape),
  }),
  rule({
    name: "where false else true",
    at: ["where"],
    pattern: { dtype: "bool", ...of(condition, no, yes) },
    law: "where(c, false, true) → ¬c",
    gives: ({ condition }, terms, { node }) =>
      terms.expand(terms.pointwise("logicalNot", condition), node.shape),
  }),
  rule({
    name: "where of the same where",
    at: ["where"],
    pattern: [of(condition, op("where", inner, a, any), b), of(condition, a, op("where", inner, any, b))],
    when: ({ condition, inner }) => condition === inner,
    law: "where(c, where(c, a, b), d) → where(c, a, d), where(c, a, where(c, b, d)) → where(c, a, d)",
    gives: chosen,
  }),
];
