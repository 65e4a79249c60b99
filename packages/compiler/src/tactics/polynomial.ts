/**
 * Integers of the loop IR as sums of products, so that what an index gains when an axis takes a step can be read off. A
 * factor is an axis, a size, a local or what is no sum of products: a quotient, a rest, a minimum.
 */
import { type Integer, integerOperators, printInteger } from "@fuseau/ir";

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

/** The integer as its own only factor; one of it for each. */
export function factor(integer: Integer): Polynomial {
  let polynomial = polynomials.get(integer);
  if (polynomial === undefined) {
    polynomial = new Map([[textOfFactor(integer), { coefficient: 1, factors: [integer] }]]);
    polynomials.set(integer, polynomial);
  }
  return polynomial;
}

const polynomials = new WeakMap<Integer, Polynomial>();
const texts = new WeakMap<Integer, string>();

/** Equal texts, equal factors. */
function textOfFactor(integer: Integer): string {
  let text = texts.get(integer);
  if (text === undefined) {
    text = printInteger(integer);
    texts.set(integer, text);
  }
  return text;
}

export function add(a: Polynomial, b: Polynomial): Polynomial {
  if (b.size === 0) return a;
  if (a.size === 0) return b;
  const sum = new Map(a);
  for (const [key, { coefficient, factors }] of b) {
    const total = (sum.get(key)?.coefficient ?? 0) + coefficient;
    if (total === 0) sum.delete(key);
    else sum.set(key, { coefficient: total, factors });
  }
  return sum;
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  const number = asNumber(b);
  if (number !== undefined) return scaled(a, number);
  const other = asNumber(a);
  if (other !== undefined) return scaled(b, other);
  const result = new Map<string, Monomial>();
  for (const left of a.values()) {
    for (const right of b.values()) {
      const factors = [...left.factors, ...right.factors].sort(byText);
      addTo(result, { coefficient: left.coefficient * right.coefficient, factors });
    }
  }
  return result;
}

function scaled(polynomial: Polynomial, by: number): Polynomial {
  if (by === 0) return zero;
  if (by === 1) return polynomial;
  const result = new Map<string, Monomial>();
  for (const [key, { coefficient, factors }] of polynomial)
    result.set(key, { coefficient: coefficient * by, factors });
  return result;
}

function addTo(sum: Map<string, Monomial>, { coefficient, factors }: Monomial): void {
  const key = factors.length === 1 ? textOfFactor(factors[0]!) : factors.map(textOfFactor).join(" ");
  const total = (sum.get(key)?.coefficient ?? 0) + coefficient;
  if (total === 0) sum.delete(key);
  else sum.set(key, { coefficient: total, factors });
}

const byText = (a: Integer, b: Integer): number => {
  const [left, right] = [textOfFactor(a), textOfFactor(b)];
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
  const result = new Map<string, Monomial>();
  for (const { coefficient, factors } of polynomial.values()) {
    const at = factors.findIndex((each) => textOfFactor(each) === text);
    addTo(result, { coefficient, factors: factors.filter((_, k) => k !== at) });
  }
  return result;
}

/** An integer of which nothing is known but what it says. */
export function polynomialOf(integer: Integer): Polynomial {
  switch (integer.kind) {
    case "literal":
      return constant(integer.value);
    case "size":
    case "axis":
    case "local":
      return factor(integer);
    case "add":
      return add(polynomialOf(integer.left), polynomialOf(integer.right));
    case "mul":
      return multiply(polynomialOf(integer.left), polynomialOf(integer.right));
    default: {
      const value = numberOf(integer);
      return value === undefined ? factor(integer) : constant(value);
    }
  }
}

/** The value of what is made of literals, and of what is multiplied by 0. */
function numberOf(integer: Integer): number | undefined {
  switch (integer.kind) {
    case "literal":
      return integer.value;
    case "size":
    case "axis":
    case "local":
      return undefined;
    default: {
      const left = numberOf(integer.left);
      if (left === undefined && integer.kind !== "mul") return undefined;
      const right = numberOf(integer.right);
      if (left !== undefined && right !== undefined) return integerOperators[integer.kind](left, right);
      return integer.kind === "mul" && (left === 0 || right === 0) ? 0 : undefined;
    }
  }
}
