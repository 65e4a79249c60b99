/**
 * Integers of the loop IR as sums of products, from which the stride along an axis can be read. A factor is an axis, a size, a local, or
 * anything that is no sum of products: a quotient, a remainder, a minimum.
 */
import { type Integer, integerOperators, printInteger } from "@fuseau/ir";

export interface Monomial {
  readonly coefficient: number;
  /** Ascending by their keys. */
  readonly factors: readonly Integer[];
  /** Equal keys, equal factors. */
  readonly key: Key;
}

/** A number for a name alone, a string for anything else. */
type Key = number | string;

/** No two have one key, and no coefficient is 0. They are few, and searched linearly. */
export type Polynomial = readonly Monomial[];

export const zero: Polynomial = [];

/** The key of the empty product. */
const NOTHING = -1;

const constant = (coefficient: number): Polynomial =>
  coefficient === 0 ? zero : [{ coefficient, factors: [], key: NOTHING }];

/** The integer as its only factor. */
export const factor = (integer: Integer): Polynomial => [
  { coefficient: 1, factors: [integer], key: keyOf(integer) },
];

/** More than the names of one kind. */
const NAMES = 2 ** 28;

function keyOf(integer: Integer): Key {
  switch (integer.kind) {
    case "local":
      return integer.local;
    case "size":
      return NAMES + integer.slot;
    case "axis":
      return 2 * NAMES + integer.axis;
    default:
      return textOfFactor(integer);
  }
}

const texts = new WeakMap<Integer, string>();

function textOfFactor(integer: Integer): string {
  let text = texts.get(integer);
  if (text === undefined) {
    text = printInteger(integer);
    texts.set(integer, text);
  }
  return text;
}

export function add(a: Polynomial, b: Polynomial): Polynomial {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const sum = a.slice();
  for (const monomial of b) addTo(sum, monomial);
  return sum;
}

function addTo(sum: Monomial[], monomial: Monomial): void {
  const at = sum.findIndex(({ key }) => key === monomial.key);
  if (at < 0) {
    sum.push(monomial);
    return;
  }
  const { factors, key } = monomial;
  const coefficient = sum[at]!.coefficient + monomial.coefficient;
  if (coefficient === 0) sum.splice(at, 1);
  else sum[at] = { coefficient, factors, key };
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  const number = asNumber(b);
  if (number !== undefined) return scaled(a, number);
  const other = asNumber(a);
  if (other !== undefined) return scaled(b, other);
  const result: Monomial[] = [];
  for (const left of a)
    for (const right of b)
      addTo(result, product(left.coefficient * right.coefficient, [...left.factors, ...right.factors]));
  return result;
}

function scaled(polynomial: Polynomial, by: number): Polynomial {
  if (by === 0) return zero;
  if (by === 1) return polynomial;
  return polynomial.map(({ coefficient, factors, key }) => ({ coefficient: coefficient * by, factors, key }));
}

/** `factors` are the product's own, in any order. */
function product(coefficient: number, factors: Integer[]): Monomial {
  if (factors.length === 0) return { coefficient, factors, key: NOTHING };
  if (factors.length === 1) return { coefficient, factors, key: keyOf(factors[0]!) };
  if (factors.length > 2) {
    factors.sort((a, b) => compared(keyOf(a), keyOf(b)));
    return { coefficient, factors, key: factors.map(keyOf).join(" ") };
  }
  const [left, right] = factors as [Integer, Integer];
  const [first, second] = [keyOf(left), keyOf(right)];
  return compared(first, second) <= 0
    ? { coefficient, factors, key: `${first} ${second}` }
    : { coefficient, factors: [right, left], key: `${second} ${first}` };
}

/** Strings sort before numbers. */
function compared(a: Key, b: Key): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : 1;
  if (typeof b === "number") return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The value of a constant. */
export function asNumber(polynomial: Polynomial): number | undefined {
  if (polynomial.length === 0) return 0;
  const [first] = polynomial;
  return polynomial.length === 1 && first!.key === NOTHING ? first!.coefficient : undefined;
}

/** The constant term. */
export const numberIn = (polynomial: Polynomial): number =>
  polynomial.find(({ key }) => key === NOTHING)?.coefficient ?? 0;

/** Equal texts, equal polynomials. */
export function textOf(polynomial: Polynomial): string {
  const texts = polynomial.map(({ coefficient, key }) => `${coefficient}*${key}`);
  return texts.length < 2 ? (texts[0] ?? "") : texts.sort().join("+");
}

/** The monomials that satisfy a condition, and the others. */
export function split(
  polynomial: Polynomial,
  holds: (monomial: Monomial) => boolean,
): { readonly chosen: Polynomial; readonly rest: Polynomial } {
  const chosen: Monomial[] = [];
  const rest: Monomial[] = [];
  for (const monomial of polynomial) (holds(monomial) ? chosen : rest).push(monomial);
  return { chosen, rest };
}

/** The monomials that contain a factor, each divided by it once. */
export function without(polynomial: Polynomial, taken: Integer): Polynomial {
  const key = keyOf(taken);
  const result: Monomial[] = [];
  for (const { coefficient, factors } of polynomial) {
    const at = factors.findIndex((each) => keyOf(each) === key);
    addTo(
      result,
      product(
        coefficient,
        factors.filter((_, k) => k !== at),
      ),
    );
  }
  return result;
}

/** An integer as an atom. */
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

/** The value of an integer made of literals, or of a product with 0. */
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
