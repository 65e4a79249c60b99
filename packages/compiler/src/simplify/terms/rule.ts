/** What a rewrite rule is, and the kinds of rule that many laws share. */
import type { DType } from "@fuseau/ir";
import { number, of, type Selected, type Selections, select, when } from "./pattern.ts";
import type { Term, Terms } from "./term.ts";

/** A rule as it is declared. */
interface Entry<p> {
  /** A short, unique name for tests and tools. */
  readonly name: string;
  /** The ops at whose terms the rule is tried. */
  readonly at: readonly Term["fn"][];
  /** The pattern of the term, or several that select the same names. Without one, any term of the ops. */
  readonly pattern?: p | readonly p[];
  /** A further condition. */
  readonly when?: (selected: Selected<p>, term: Term) => boolean;
  /** The equation, and why no bit changes. */
  readonly law: string;
  /** The replacement; undefined where constructing it shows that the rule does not apply. */
  readonly gives: (selected: Selected<p>, terms: Terms, term: Term) => Term | undefined;
}

/** A rule without the types of its patterns, so that all are in one list. */
export interface Rule {
  readonly name: string;
  readonly at: readonly Term["fn"][];
  readonly law: string;
  readonly patterns: readonly unknown[];
  /** The replacement of a term that one of the patterns matches. */
  readonly rewrite: (selections: Selections, terms: Terms, term: Term) => Term | undefined;
}

export const rule = <const p = unknown>({ name, at, pattern, when, law, gives }: Entry<p>): Rule => ({
  name,
  at,
  law,
  patterns: Array.isArray(pattern) ? pattern : [pattern ?? {}],
  rewrite: (selections, terms, term) => {
    // Their names and types are those of the matching pattern's selections.
    const selected = selections as Selected<p>;
    return when === undefined || when(selected, term) ? gives(selected, terms, term) : undefined;
  },
});

/** A value and the dtypes that the law holds for. */
export type Element = readonly [holdsFor: (dtype: DType) => boolean, value: number];

const x = select("x");
const right = ([holdsFor, value]: Element) => ({ dtype: when(holdsFor), ...of(x, number(value)) }) as const;
const left = ([holdsFor, value]: Element) => ({ dtype: when(holdsFor), ...of(number(value), x) }) as const;

/** f(x, e) → x, and f(e, x) → x where e may stand on either side. */
export const neutral = (
  name: string,
  fn: Term["fn"],
  side: "right" | "either",
  elements: readonly Element[],
  law: string,
): Rule =>
  rule({
    name,
    at: [fn],
    pattern: [...elements.map(right), ...(side === "right" ? [] : elements.map(left))],
    law,
    gives: ({ x }, terms, { node }) => terms.expand(x, node.shape),
  });

/** f(x, e) → e and f(e, x) → e. */
export const absorbing = (name: string, fn: Term["fn"], elements: readonly Element[], law: string): Rule =>
  rule({
    name,
    at: [fn],
    pattern: [...elements.map(right), ...elements.map(left)],
    law,
    gives: (_, terms, { dtype, node }) => {
      const [, value] = elements.find(([holdsFor]) => holdsFor(dtype)) as Element;
      return terms.full(dtype, value, node.shape);
    },
  });

/** f(x, x) → x, or a number. */
export const onItself = (
  fn: Term["fn"],
  holdsFor: (dtype: DType) => boolean,
  gives: "itself" | 0 | 1,
  law: string,
): Rule =>
  rule({
    name: `${fn} of itself`,
    at: [fn],
    when: (_, { inputs: [a, b] }) => a === b && a !== undefined && holdsFor(a.dtype),
    law,
    gives: (_, terms, { inputs: [x], dtype, node }) =>
      gives === "itself" ? x : terms.full(dtype, gives, node.shape),
  });
