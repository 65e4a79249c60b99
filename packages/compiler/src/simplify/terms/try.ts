/** Finds rules by the ops of a term and of its operands, and tries them in order. */
import { admitsFirst, compile, type Matches, opOf, type Selections, saysOpsAlone } from "./pattern.ts";
import type { Rule } from "./rule.ts";
import type { Term, Terms } from "./term.ts";

/** A pattern of a rule. */
interface Case {
  readonly rule: Rule;
  /** The ops that the pattern requires of the second and third operand; undefined for any. */
  readonly second: string | undefined;
  readonly third: string | undefined;
  /** Null where the ops alone decide. */
  readonly matches: Matches | null;
}

const nothing: Selections = Object.freeze({});

type Fn = Term["fn"];

/** The replacement by the first rule that applies; undefined if none does. */
type Rewrite = (
  term: Term,
  terms: Terms,
  off: ReadonlySet<string> | null,
  told: Told | null,
) => Term | undefined;

/** Receives each rewrite. */
export type Told = (rule: Rule, before: Term, after: Term) => void;

/** The rules as one function, which leaves out those whose law is `off`. */
export function tryInOrder(rules: readonly Rule[]): Rewrite {
  const compiled = new Map<unknown, Matches>();
  const matchesOf = (pattern: unknown): Matches | null => {
    if (saysOpsAlone(pattern)) return null;
    const known = compiled.get(pattern) ?? compile(pattern);
    compiled.set(pattern, known);
    return known;
  };
  const found = (fn: Fn, first: Fn | undefined): readonly Case[] =>
    rules
      .filter(({ at }) => at.includes(fn))
      .flatMap((rule) =>
        rule.patterns
          .filter((pattern) => admitsFirst(pattern, first))
          .map(
            (pattern): Case => ({
              rule,
              second: opOf(pattern, 1),
              third: opOf(pattern, 2),
              matches: matchesOf(pattern),
            }),
          ),
      );
  /** By the op of a term, then by that of its first operand. */
  const cases = new Map<Fn, Map<Fn | undefined, readonly Case[]>>();
  const casesAt = (fn: Fn, first: Fn | undefined): readonly Case[] => {
    const known = cases.get(fn)?.get(first);
    if (known !== undefined) return known;
    const own = cases.get(fn) ?? new Map<Fn | undefined, readonly Case[]>();
    own.set(first, found(fn, first));
    cases.set(fn, own);
    return casesAt(fn, first);
  };
  return (term, terms, off, told) => {
    const { fn, inputs } = term;
    const count = inputs.length;
    const first = count > 0 ? (inputs[0] as Term).fn : undefined;
    const second = count > 1 ? (inputs[1] as Term).fn : undefined;
    const third = count > 2 ? (inputs[2] as Term).fn : undefined;
    for (const own of casesAt(fn, first)) {
      if (own.second !== undefined && own.second !== second) continue;
      if (own.third !== undefined && own.third !== third) continue;
      if (off?.has(own.rule.law)) continue;
      const selections: Selections = own.matches === null ? nothing : {};
      if (own.matches !== null && !own.matches(term, selections)) continue;
      const next = own.rule.rewrite(selections, terms, term);
      if (next === undefined) continue;
      if (next !== term) told?.(own.rule, term, next);
      return next;
    }
    return undefined;
  };
}
