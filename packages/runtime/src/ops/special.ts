import { checkInteger } from "@fuseau/ir";
import { cast } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { as, floating, onlyFloat } from "./operand.ts";
import {
  abs,
  add,
  and,
  div,
  eq,
  exp,
  gt,
  le,
  lt,
  map,
  minimum,
  mul,
  ne,
  neg,
  pow,
  sub,
  where,
} from "./pointwise.ts";
import { pointwiseRule, underivedFirst } from "./rule.ts";

/** `formula` of x in float64, rounded to x's own dtype. */
export function inDouble(x: Value, formula: (wide: Value) => Value): Value {
  const { dtype } = floating(x).node;
  return cast(formula(cast(x, "float64")), dtype);
}

/** x less the nearest whole number, which is exact: what is left near a pole has all its digits. */
const fromNearest = (x: Value): Value => sub(x, map("floor", add(x, 0.5)));

/**
 * The second derivative of lgamma. Below 10 by its recurrence, above by its asymptotic series (Abramowitz and Stegun 6.4.6, 6.4.12);
 * negative x by reflection.
 */
export const trigamma = (x: Value): Value =>
  inDouble(x, (wide) => {
    const isReflected = lt(wide, 0.5);
    const z = where(isReflected, sub(1, wide), wide);
    let sum: Value = as("float64", 0);
    for (let k = 0; k < 10; k++) sum = add(sum, div(1, pow(add(z, k), 2)));
    const far = add(z, 10);
    const inverse = div(1, mul(far, far));
    const bernoulli = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6];
    const series = bernoulli.reduceRight(
      (rest: Value, number) => mul(inverse, add(number, rest)),
      as("float64", 0),
    );
    const plain = add(sum, add(div(add(1, series), far), mul(0.5, inverse)));
    const sine = map("sin", mul(fromNearest(wide), Math.PI));
    return where(isReflected, sub(div(Math.PI ** 2, mul(sine, sine)), plain), plain);
  });

/** B₂ₖ / (2k)!, for the tail of the Euler-Maclaurin formula. */
const tail = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
];

/** Σ (q + k)^−s over k ≥ 0, for q > 0 and s > 1, in float64 (Euler-Maclaurin; Abramowitz and Stegun 23.1.30). */
function positiveZeta(s: Value, q: Value): Value {
  let total: Value = pow(q, neg(s));
  for (let k = 1; k < 10; k++) total = add(total, pow(add(q, k), neg(s)));
  const far = add(q, 10);
  const last = pow(far, neg(s));
  let rest = add(div(mul(last, far), sub(s, 1)), mul(last, 0.5));
  let term = div(mul(last, s), far);
  for (const [k, factor] of tail.entries()) {
    rest = add(rest, mul(term, factor));
    term = div(mul(mul(term, add(s, 2 * k + 1)), add(s, 2 * k + 2)), mul(far, far));
  }
  return add(total, rest);
}

/** From this s on every power is 0, 1 or ∞, and products with s are finite still. */
const LARGEST = 1e300;

/**
 * The Hurwitz zeta function: ∞ for s = 1 and at q = 0, −1, …; NaN for s < 1, and for q < 0 unless s is whole; otherwise 0 at q = ∞. At s = ∞ it
 * is the limit: ∞ below q = 1, 1 there, and 0 beyond, where PyTorch has NaN.
 */
export function zetaOf(given: Value, at: Value): Value {
  const compute = (): Value => {
    const [s, q] = [minimum(cast(given, "float64"), LARGEST), cast(at, "float64")];
    const isNegative = lt(q, 0);
    // Of negative q, the term next to the pole, those behind it, and those before it: powers of negative numbers have the sign of (−1)^s.
    const near = fromNearest(q);
    const isOdd = ne(mul(map("floor", mul(s, 0.5)), 2), s);
    const largest = pow(abs(near), neg(s));
    const nearest = where(and(isOdd, lt(near, 0)), neg(largest), largest);
    const before = sub(positiveZeta(s, sub(1, near)), positiveZeta(s, sub(1, q)));
    const behind = positiveZeta(s, where(isNegative, add(near, 1), q));
    const below = add(add(behind, where(isOdd, neg(before), before)), nearest);
    const isWhole = (x: Value): Value => eq(map("floor", x), x);
    const outside = where(isWhole(s), below, Number.NaN);
    const known = where(isNegative, outside, where(eq(q, Number.POSITIVE_INFINITY), 0, behind));
    const result = where(and(le(q, 0), isWhole(q)), Number.POSITIVE_INFINITY, known);
    const bounded = where(gt(s, 1), result, where(eq(s, 1), Number.POSITIVE_INFINITY, Number.NaN));
    return cast(bounded, at.node.dtype);
  };
  return pointwiseRule("zeta", [given, at], compute, [
    () => {
      throw underivedFirst("zeta");
    },
    (g) => mul(g, mul(neg(given), zetaOf(add(given, 1), at))),
  ]);
}

/**
 * The n-th derivative of the digamma function; 0 at ∞.
 * @throws RangeError for a negative n.
 */
export function polygamma(n: number, given: Value): Value {
  checkInteger("n", n);
  if (n < 0) throw new RangeError("polygamma(n, x) does not support negative n.");
  const x = floating(given);
  if (n === 0) return map("digamma", x);
  const compute = (): Value => {
    if (n === 1) return trigamma(x);
    let factor = n % 2 === 0 ? -1 : 1;
    for (let k = 2; k <= n; k++) factor *= k;
    const wide = cast(x, "float64");
    return cast(mul(zetaOf(as("float64", n + 1), wide), factor), x.node.dtype);
  };
  return withRule("polygamma", [x], compute, (_, g) => [mul(g, polygamma(n + 1, x))]);
}

/** min(0, x) − log(1 + exp(−|x|)). */
export const logSigmoid = (x: Value): Value =>
  withRule(
    "logSigmoid",
    [x],
    () => sub(minimum(onlyFloat(x), 0), map("log1p", exp(neg(abs(x))))),
    (_, g) => [mul(g, map("sigmoid", neg(x)))],
  );
