import { cast } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { as, floating, onlyFloat } from "./operand.ts";
import { abs, add, div, exp, lt, map, minimum, mul, neg, pow, sub, where } from "./pointwise.ts";

/** `formula` of x in float64, rounded to x's own dtype. */
export function inDouble(x: Value, formula: (wide: Value) => Value): Value {
  const { dtype } = floating(x).node;
  return cast(formula(cast(x, "float64")), dtype);
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
