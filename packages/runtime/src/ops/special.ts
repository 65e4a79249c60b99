import { cast } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { as, checkTerm, floating, onlyFloat, type Term } from "./operand.ts";
import {
  abs,
  add,
  and,
  div,
  eq,
  exp,
  ge,
  gt,
  log,
  lt,
  map,
  minimum,
  mul,
  ne,
  neg,
  pow,
  sub,
  where,
  zip,
} from "./pointwise.ts";

/** `formula` of x in float64, rounded to x's own dtype. */
function inDouble(x: Value, formula: (wide: Value) => Value): Value {
  const { dtype } = floating(x).node;
  return cast(formula(cast(x, "float64")), dtype);
}

/** a to the power b in float64, whatever their dtypes. */
export function floatPower(a: Term, b: Term): Value {
  checkTerm(a);
  checkTerm(b);
  return pow(as("float64", a), as("float64", b));
}

/** [mantissa, exponent] with x = mantissa·2^exponent and the mantissa's size in [0.5, 1). 0, NaN and ±∞ have exponent 0. */
export function frexp(x: Value): [mantissa: Value, exponent: Value] {
  const { dtype } = floating(x).node;
  const wide = cast(x, "float64");
  const plain = and(map("isfinite", wide), ne(wide, 0));
  const size = where(plain, abs(wide), 1);
  const guess = add(map("floor", map("log2", size)), 1);
  // Two factors, since 2^1074 is beyond float64; the logarithm may be off by one at powers of two.
  const half = map("floor", mul(guess, -0.5));
  const scaled = mul(mul(size, map("exp2", half)), map("exp2", sub(map("neg", guess), half)));
  const [above, below] = [ge(scaled, 1), lt(scaled, 0.5)];
  const mantissa = where(above, mul(scaled, 0.5), where(below, mul(scaled, 2), scaled));
  const exponent = where(above, add(guess, 1), where(below, sub(guess, 1), guess));
  return [
    cast(where(plain, zip("copysign", mantissa, wide), wide), dtype),
    cast(where(plain, exponent, 0), "int32"),
  ];
}

/** −x·log(x), 0 at 0 and −∞ below. */
export function entr(x: Value): Value {
  const p = floating(x);
  const compute = (): Value => {
    const inside = map("neg", mul(p, log(p)));
    return where(map("isnan", p), p, where(gt(p, 0), inside, where(eq(p, 0), 0, Number.NEGATIVE_INFINITY)));
  };
  return withRule("entr", [p], compute, (_, g) => [mul(g, map("neg", add(log(p), 1)))]);
}

/** The area under the normal distribution up to x. */
export const ndtr = (x: Value): Value =>
  inDouble(x, (wide) => mul(map("erfc", mul(wide, -Math.SQRT1_2)), 0.5));

/** The logarithm of `ndtr`; below −1 by erfcx, so that nothing underflows. */
export const logNdtr = (x: Value): Value => inDouble(x, logNdtrOfDouble);

const logNdtrOfDouble = (x: Value): Value => {
  const t = (): Value => mul(x, Math.SQRT1_2);
  const compute = (): Value => {
    const below = sub(log(mul(scaledErfc(map("neg", t())), 0.5)), mul(t(), t()));
    return where(lt(x, -1), below, map("log1p", mul(map("erfc", t()), -0.5)));
  };
  return withRule("logNdtr", [x], compute, (_, g) => [
    mul(g, div(Math.sqrt(2 / Math.PI), scaledErfc(map("neg", t())))),
  ]);
};

/** exp(x²)·erfc(x) without overflow of the one or underflow of the other. */
export const erfcx = (x: Value): Value => inDouble(x, scaledErfc);

/** Beyond 20 by its asymptotic series, whose next term is below 10^-13 there. */
const scaledErfc = (x: Value): Value =>
  withRule(
    "erfcx",
    [x],
    () => scaledErfcOf(x),
    (result, g) => [mul(g, sub(mul(mul(x, 2), result), 2 / Math.sqrt(Math.PI)))],
  );

function scaledErfcOf(x: Value): Value {
  const product = mul(exp(mul(x, x)), map("erfc", x));
  // 1 − u + 3u² − 15u³ + 105u⁴ − 945u⁵ by Horner, u = 1/(2x²).
  const u = div(0.5, mul(x, x));
  const series = [105, -15, 3, -1, 1].reduce<Value>(
    (sum, term) => add(mul(sum, u), term),
    add(mul(u, 0), -945),
  );
  return where(gt(x, 20), div(series, mul(x, Math.sqrt(Math.PI))), product);
}

/**
 * The second derivative of lgamma. Below 10 by its recurrence, above by its asymptotic series (Abramowitz and Stegun 6.4.6, 6.4.12);
 * what is negative is reflected.
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
    const sine = map("sin", mul(wide, Math.PI));
    return where(isReflected, sub(div(Math.PI ** 2, mul(sine, sine)), plain), plain);
  });

/** min(0, x) − log(1 + exp(−|x|)). */
export const logSigmoid = (x: Value): Value =>
  withRule(
    "logSigmoid",
    [x],
    () => sub(minimum(onlyFloat(x), 0), map("log1p", exp(neg(abs(x))))),
    (_, g) => [mul(g, map("sigmoid", neg(x)))],
  );
