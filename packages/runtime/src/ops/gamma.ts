/**
 * Incomplete gamma functions in float64. Where a is below 20 and x at most a + 1, the power series of P (Abramowitz and Stegun 6.5.29);
 * elsewhere the integral from x to where nothing is left, by Gauss and Legendre's rule, as W. H. Press and others do in Numerical Recipes
 * (6.2.1) from 100 on. The terms of both are along an axis of their own, and are summed. Q where a is below 1 and x at most a + 1 has a series of
 * its own: there P may be all but 1. (PyTorch 1.13 takes log Γ(1 + a) as 0 for a below 10^−16, and gives 2 to 4 times as much.)
 */
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import type { Value } from "../value.ts";
import { as } from "./operand.ts";
import {
  add,
  and,
  div,
  eq,
  exp,
  ge,
  gt,
  le,
  log,
  lt,
  map,
  maximum,
  minimum,
  mul,
  not,
  or,
  sqrt,
  sub,
  where,
} from "./pointwise.ts";
import { sum } from "./reduction.ts";
import { pointwiseRule, underivedFirst } from "./rule.ts";

const TERMS = 80;
const NODES = 96;

/** Nodes and weights of Gauss and Legendre's rule on [0, 1], by Newton's method. */
function legendre(): readonly [nodes: Float64Array, weights: Float64Array] {
  const [nodes, weights] = [new Float64Array(NODES), new Float64Array(NODES)];
  for (let k = 0; k < NODES; k++) {
    let z = Math.cos((Math.PI * (k + 0.75)) / (NODES + 0.5));
    let slope = 1;
    for (let step = 0; step < 8; step++) {
      let [p, before] = [1, 0];
      for (let n = 0; n < NODES; n++) [p, before] = [((2 * n + 1) * z * p - n * before) / (n + 1), p];
      slope = (NODES * (z * p - before)) / (z * z - 1);
      z -= p / slope;
    }
    nodes[k] = (1 - z) / 2;
    weights[k] = 1 / ((1 - z * z) * slope * slope);
  }
  return [nodes, weights];
}

let rule: ReturnType<typeof legendre> | null = null;

/** From this a on Stirling's series has all digits. */
const LARGE = 20;

/** A last axis of size 1, along which there will be terms. */
const column = (value: Value): Value => record.reshape(value, [...value.node.shape, 1]);
const total = (terms: Value): Value => sum(terms, -1, false, null);

/** A list of its own: a program may overwrite elements that nothing else needs. */
const listed = (list: Float64Array): Value =>
  record.stored("float64", [list.length], new Storage("float64", list));

/** Terms of the series of small Q: what follows is below 10^−24 at x = 2. */
const ALTERNATING = 30;

/** (−1)^n / n! for n from 1 on. */
function alternating(): Float64Array {
  let factor = 1;
  return Float64Array.from({ length: ALTERNATING }, (_, k) => (factor /= -(k + 1)));
}

/** log Γ(1 + a) for 0 < a < 1, also where 1 + a is rounded: what is lost counts by the slope. */
function lgammaBeyond(a: Value): Value {
  const rounded = add(a, 1);
  const lost = sub(a, sub(rounded, 1));
  return add(map("lgamma", rounded), mul(map("digamma", rounded), lost));
}

/**
 * Q of 0 < a < 1 and 0 < x < 2, where P may be all but 1: 1 − x^a / Γ(1 + a) · (1 + a Σ (−x)^n / (n! (a + n))) over n ≥ 1 (Abramowitz and
 * Stegun 6.5.4, 6.5.29).
 */
function smallUpper(a: Value, x: Value): Value {
  const n = add(record.cast(record.iota("int64", ALTERNATING), "float64"), 1);
  const power = exp(mul(n, log(column(x))));
  const rest = total(div(mul(listed(alternating()), power), add(column(a), n)));
  const exponent = sub(mul(a, log(x)), lgammaBeyond(a));
  return sub(mul(map("expm1", exponent), -1), mul(mul(exp(exponent), a), rest));
}

/** P (from 0 to x) and Q (from x on) of finite a > 0 and x > 0. The smaller is computed, and the other is 1 less it. */
function shares(a: Value, x: Value): readonly [lower: Value, upper: Value] {
  const isLarge = ge(a, LARGE);
  const isSeries = and(lt(a, LARGE), le(x, add(a, 1)));

  const small = column(where(isLarge, 1, a));
  const near = column(where(isSeries, x, 1));
  const k = record.cast(record.iota("int64", TERMS), "float64");
  const power = sub(mul(add(small, k), log(near)), near);
  const series = total(exp(sub(power, map("lgamma", add(add(small, 1), k)))));

  const peak = where(isLarge, sub(a, 1), LARGE);
  const width = sqrt(peak);
  const isAbove = or(gt(x, peak), lt(a, LARGE));
  const above = maximum(add(peak, mul(width, 15)), add(add(x, mul(width, 6)), 40));
  const below = maximum(minimum(sub(peak, mul(width, 9)), sub(x, mul(width, 6))), 0);
  const tail = add(x, add(mul(a, 1.5), 42));
  const end = where(isLarge, where(isAbove, above, below), tail);
  const length = sub(end, x);
  rule ??= legendre();
  const [nodes, weights] = [listed(rule[0].slice()), listed(rule[1].slice())];
  const t = add(column(x), mul(column(length), nodes));
  const away = div(sub(t, column(peak)), column(peak));
  // Far below the peak 1 + away has lost the digits of t.
  const ratio = where(lt(away, -0.5), log(div(t, column(peak))), map("log1p", away));
  const farExponent = mul(column(peak), sub(ratio, away));
  const nearExponent = sub(mul(sub(small, 1), log(t)), t);
  const exponent = where(column(isLarge), farExponent, nearExponent);
  const integral = mul(total(mul(weights, exp(exponent))), length);
  // 1 / Γ(peak + 1) by Stirling's series, without what the exponent has of it.
  const inverse = div(1, peak);
  const squared = mul(inverse, inverse);
  const stirling = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188].reduceRight<Value>(
    (rest, term) => add(mul(rest, squared), term),
    as("float64", -691 / 360360),
  );
  const large = div(exp(mul(mul(stirling, inverse), -1)), sqrt(mul(peak, 2 * Math.PI)));
  const scaled = mul(integral, where(isLarge, large, exp(mul(map("lgamma", where(isLarge, 1, a)), -1))));

  const isLower = or(isSeries, and(isLarge, not(isAbove)));
  const known = where(isSeries, series, where(isAbove, scaled, mul(scaled, -1)));
  const other = sub(1, known);
  return [where(isLower, known, other), where(isLower, other, known)];
}

/** Q(a, x) of finite a > 0 and x > 0. */
function upperShare(a: Value, x: Value): Value {
  const isSmall = and(lt(a, 1), le(x, add(a, 1)));
  return where(isSmall, smallUpper(where(isSmall, a, 0.5), where(isSmall, x, 1)), shares(a, x)[1]);
}

/** P(a, x), or if `isUpper` Q(a, x) = 1 − P(a, x). NaN for negative arguments. */
export function incompleteGamma(given: Value, at: Value, isUpper: boolean): Value {
  const compute = (): Value => {
    const [a, x] = [record.cast(given, "float64"), record.cast(at, "float64")];
    const isPlain = and(and(gt(a, 0), lt(a, Infinity)), and(gt(x, 0), lt(x, Infinity)));
    const [plainA, plainX] = [where(isPlain, a, 1), where(isPlain, x, 1)];
    const found = isUpper ? upperShare(plainA, plainX) : shares(plainA, plainX)[0];
    const [all, none] = isUpper ? [0, 1] : [1, 0];
    const isNone = or(and(eq(x, 0), not(le(a, 0))), and(eq(a, Infinity), and(ge(x, 0), lt(x, Infinity))));
    const isAll = and(or(eq(a, 0), eq(x, Infinity)), and(gt(x, 0), and(ge(a, 0), lt(a, Infinity))));
    const edge = where(isNone, none, where(isAll, all, Number.NaN));
    return record.cast(where(isPlain, found, edge), at.node.dtype);
  };
  const slope = (): Value => exp(sub(sub(mul(sub(given, 1), log(at)), at), map("lgamma", given)));
  return pointwiseRule(isUpper ? "igammac" : "igamma", [given, at], compute, [
    () => {
      throw underivedFirst(isUpper ? "igammac" : "igamma");
    },
    (g) => mul(g, isUpper ? mul(slope(), -1) : slope()),
  ]);
}
