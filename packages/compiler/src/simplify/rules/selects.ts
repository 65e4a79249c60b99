/** Choices whose condition is known, asked for twice, or turned round: each law's left side is a pattern. */
import { match, P } from "ts-pattern";
import type { Rule } from "../rule.ts";
import type { Term, Terms } from "../term.ts";

type Operands = readonly [condition: Term, a: Term, b: Term];

const select = (
  law: string,
  gives: (operands: Operands, terms: Terms, shape: readonly number[]) => Term | undefined,
): Rule => ({
  at: ["where"],
  law,
  apply: ({ inputs, node: { shape } }, terms) => gives(inputs as readonly Term[] as Operands, terms, shape),
});

const [any, it] = [P.any, P.select()];
const yes = { dtype: "bool", value: 1 } as const;
const no = { dtype: "bool", value: 0 } as const;
const not = { fn: P.union("logicalNot", "bitwiseNot"), inputs: [it] } as const;
const nothing = (): undefined => undefined;

export const selects: readonly Rule[] = [
  select("where(true, a, b) → a", (operands, terms, shape) =>
    match(operands)
      .with([yes, it, any], (a) => terms.expand(a, shape))
      .otherwise(nothing),
  ),
  select("where(false, a, b) → b", (operands, terms, shape) =>
    match(operands)
      .with([no, any, it], (b) => terms.expand(b, shape))
      .otherwise(nothing),
  ),
  select("where(c, a, a) → a", ([, a, b], terms, shape) => (a === b ? terms.expand(a, shape) : undefined)),
  select("where(¬c, a, b) → where(c, b, a)", (operands, terms) =>
    match(operands)
      .with([not, any, any], (condition, [, a, b]) => terms.pointwise("where", condition, b, a))
      .otherwise(nothing),
  ),
  select("where(c, true, false) → c, where(c, false, true) → ¬c", (operands, terms, shape) =>
    match(operands)
      .with([it, yes, no], (condition) => terms.expand(condition, shape))
      .with([it, no, yes], (condition) => terms.expand(terms.pointwise("logicalNot", condition), shape))
      .otherwise(nothing),
  ),
  select(
    "where(c, where(c, a, b), d) → where(c, a, d), where(c, a, where(c, b, d)) → where(c, a, d)",
    ([condition, a, b], terms, shape) => {
      const asked = {
        fn: "where",
        inputs: [P.when((inner) => inner === condition), any, any],
      } as const;
      const chosen = (x: Term, y: Term): Term =>
        terms.expand(terms.pointwise("where", condition, x, y), shape);
      return match({ a, b })
        .with({ a: asked, b: asked }, ({ a, b }) => chosen(a.inputs[1], b.inputs[2]))
        .with({ a: asked }, ({ a, b }) => chosen(a.inputs[1], b))
        .with({ b: asked }, ({ a, b }) => chosen(a, b.inputs[2]))
        .otherwise(nothing);
    },
  ),
];
