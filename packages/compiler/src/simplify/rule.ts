/** What a rewrite rule is, and the kinds of rule that many laws share. */
import type { DType } from "@fuseau/ir";
import type { Term, Terms } from "./term.ts";

export interface Rule {
  /** The ops at whose terms the rule is tried. */
  readonly at: readonly Term["fn"][];
  readonly law: string;
  /** The term to put in place, or undefined where the rule does not apply. */
  readonly apply: (term: Term, terms: Terms) => Term | undefined;
}

/** A number for each dtype, undefined for those that the law leaves out. */
type Element = (dtype: DType) => number | undefined;

/** True for a constant of this value, in floats and integers alike; 0 is not −0. */
export const isConstant = ({ value }: Term, wanted: number | undefined): boolean =>
  value !== undefined &&
  wanted !== undefined &&
  (Object.is(value, wanted) || (typeof value === "bigint" && value === BigInt(wanted)));

/** f(x, e) → x, and f(e, x) → x where e may stand on either side. */
export const neutral = (fn: Term["fn"], side: "right" | "either", element: Element, law: string): Rule => ({
  at: [fn],
  law,
  apply: ({ inputs, dtype, node }, terms) => {
    const [a, b] = inputs as [Term, Term];
    const neutralOne = element(dtype);
    if (isConstant(b, neutralOne)) return terms.expand(a, node.shape);
    return side === "either" && isConstant(a, neutralOne) ? terms.expand(b, node.shape) : undefined;
  },
});

/** f(x, e) → e and f(e, x) → e. */
export const absorbing = (fn: Term["fn"], element: Element, law: string): Rule => ({
  at: [fn],
  law,
  apply: ({ inputs, dtype, node }, terms) => {
    const found = inputs.find((input) => isConstant(input, element(dtype)));
    return found && terms.expand(found, node.shape);
  },
});

/** f(x, x) → x, or a number. */
export const onItself = (
  fn: Term["fn"],
  holdsFor: (dtype: DType) => boolean,
  gives: "itself" | 0 | 1,
  law: string,
): Rule => ({
  at: [fn],
  law,
  apply: ({ inputs, dtype, node }, terms) => {
    const [a, b] = inputs as [Term, Term];
    if (a !== b || !holdsFor(a.dtype)) return undefined;
    return gives === "itself" ? a : terms.full(dtype, gives, node.shape);
  },
});

/** f(g(x)): what it is instead, given x. */
export const nested = (
  fns: readonly Term["fn"][],
  inner: readonly Term["fn"][],
  law: string,
  gives: (x: Term, terms: Terms, term: Term) => Term | undefined,
): Rule => ({
  at: fns,
  law,
  apply: (term, terms) => {
    const [argument] = term.inputs as [Term];
    return inner.includes(argument.fn) ? gives(argument.inputs[0] as Term, terms, term) : undefined;
  },
});
