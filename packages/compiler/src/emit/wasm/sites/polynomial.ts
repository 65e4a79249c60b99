/**
 * Integers of the loop IR as sums of products, so that what an index gains when an axis takes a step can be read off. A
 * factor is an axis, a size, a local or what is no sum of products: a quotient, a rest, a minimum.
 */
import { type Integer, printInteger } from "@fuseau/ir";

export interface Monomial {
  readonly coefficient: number;
  /** Ascending by what they print. */
  readonly factors: readonly Integer[];
}

/** By their factors; no coefficient is 0. */
export type Polynomial = ReadonlyMap<string, Monomial>;

export const zero: Polynomial = new Map();

export const constant = (value: number): Polynomial =>
  value === 0 ? zero : new Map([["", { coefficient: value, factors: [] }]]);

export const factor = (integer: Integer): Polynomial =>
  new Map([[printInteger(integer), { coefficient: 1, factors: [integer] }]]);

export function add(a: Polynomial, b: Polynomial): Polynomial {
  const sum = new Map(a);
  for (const [key, { coefficient, factors }] of b) {
    const total = (sum.get(key)?.coefficient ?? 0) + coefficient;
    if (total === 0) sum.delete(key);
    else sum.set(key, { coefficient: total, factors });
  }
  return sum;
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  let result = zero;
  for (const left of a.values()) {
    for (const right of b.values()) {
      const factors = [...left.factors, ...right.factors].sort(byText);
      const product = { coefficient: left.coefficient * right.coefficient, factors };
      result = add(result, new Map([[factors.map(printInteger).join(" "), product]]));
    }
  }
  return result;
}

const byText = (a: Integer, b: Integer): number => {
  const [left, right] = [printInteger(a), printInteger(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** The value, when it is a number. */
export function asNumber(polynomial: Polynomial): number | undefined {
  if (polynomial.size === 0) return 0;
  return polynomial.size === 1 ? polynomial.get("")?.coefficient : undefined;
}

/** Equal texts, equal polynomials. */
export const textOf = (polynomial: Polynomial): string =>
  [...polynomial]
    .map(([key, { coefficient }]) => `${coefficient}*${key}`)
    .sort()
    .join("+");

/** The part of the monomials that satisfy a condition, and the others. */
export function split(
  polynomial: Polynomial,
  holds: (monomial: Monomial) => boolean,
): { readonly chosen: Polynomial; readonly rest: Polynomial } {
  const chosen = new Map<string, Monomial>();
  const rest = new Map<string, Monomial>();
  for (const [key, monomial] of polynomial) (holds(monomial) ? chosen : rest).set(key, monomial);
  return { chosen, rest };
}

/** The monomials with one occurrence of a factor taken out of each. */
export function without(polynomial: Polynomial, taken: Integer): Polynomial {
  const text = printInteger(taken);
  let result = zero;
  for (const { coefficient, factors } of polynomial.values()) {
    const at = factors.findIndex((each) => printInteger(each) === text);
    const left = factors.filter((_, k) => k !== at);
    result = add(result, new Map([[left.map(printInteger).join(" "), { coefficient, factors: left }]]));
  }
  return result;
}
