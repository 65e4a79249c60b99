/**
 * Activation functions: one result for each element, of the same shape. Each is the function of that name in
 * torch.nn.functional; all but relu, relu6, hardtanh, threshold, softsign and tanhshrink take floats only.
 * @throws DTypeError for integers where floats are needed.
 */
import { checkNumber, type Scalar, showArgument } from "@fuseau/ir";
import { floatUnary, sameUnary } from "../declare/families.ts";
import * as ops from "../ops/activation.ts";
import { checkTerm, onlyFloat } from "../ops/operand.ts";
import { abs, add, and, div, ge, gt, le, map, mul, sub, where } from "../ops/pointwise.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** `"none"` computes gelu by the error function, `"tanh"` by its approximation. */
export interface GeluOptions {
  readonly approximate?: "none" | "tanh";
}

/** max(0, x); NaN stays NaN. */
export const relu = sameUnary("relu()", "relu");

/** min(max(0, x), 6). */
export const relu6 = sameUnary("relu6()", (x) => ops.hardtanh(x, 0, 6));

/** x·Φ(x), Φ being the normal distribution. */
export const gelu = sameUnary<[options?: GeluOptions]>("gelu({ approximate })", (x, options) => {
  const approximate = options?.approximate ?? "none";
  const half = mul(onlyFloat(x), 0.5);
  if (approximate === "none") return mul(half, add(map("erf", mul(x, Math.SQRT1_2)), 1));
  if (approximate === "tanh") {
    const inner = mul(add(x, mul(mul(mul(x, x), x), 0.044715)), Math.SQRT2 * (2 / Math.sqrt(Math.PI)) * 0.5);
    return mul(half, add(map("tanh", inner), 1));
  }
  throw new TypeError(`approximate argument must be either none or tanh. (got ${showArgument(approximate)})`);
});

/** x·sigmoid(x), also called swish. */
export const silu = sameUnary("silu()", ops.silu);

/** x·tanh(softplus(x)). */
export const mish = sameUnary("mish()", ops.mish);

/** log(1 + exp(βx)) / β (β = 1), and x itself where βx is above the threshold (20). */
export const softplus = sameUnary<[beta?: number, threshold?: number]>(
  "softplus(beta, threshold)",
  (x, beta = 1, threshold = 20) => ops.softplus(x, beta, threshold),
);

/** log(sigmoid(x)) without overflow. */
export const logSigmoid = sameUnary("logSigmoid()", ops.logSigmoid);

/** x above zero, slope·x (0.01) below. */
export const leakyRelu = sameUnary<[negativeSlope?: number]>(
  "leakyRelu(negativeSlope)",
  (x, negativeSlope = 0.01) => where(gt(onlyFloat(x), 0), x, mul(x, negativeSlope)),
);

/** x above zero, α·(exp(x) − 1) (α = 1) below. */
export const elu = sameUnary<[alpha?: number]>("elu(alpha)", (x, alpha = 1) => {
  checkNumber("alpha", alpha);
  return ops.elu("elu", x, alpha, 1, 1);
});

/** elu with the α and scale that keep a unit variance. */
export const selu = sameUnary("selu()", ops.selu);

/** x above zero, α·(exp(x/α) − 1) (α = 1) below. */
export const celu = sameUnary<[alpha?: number]>("celu(alpha)", (x, alpha = 1) => {
  checkNumber("alpha", alpha);
  if (alpha === 0) throw new RangeError("ZeroDivisionError: alpha cannot be 0 for CELU");
  return ops.elu("celu", x, alpha, 1, 1 / alpha);
});

/** x above zero, weight·x below: one weight, or one for each place of axis 1. */
export const prelu = sameUnary<[weight: AnyTensor]>("prelu(weight)", (x, weight) =>
  ops.prelu(x, unwrap(weight)),
);

/** x kept in [minVal, maxVal], [−1, 1] by default. */
export const hardtanh = sameUnary<[minVal?: number, maxVal?: number]>(
  "hardtanh(minVal, maxVal)",
  (x, minVal = -1, maxVal = 1) => {
    checkNumber("minVal", minVal);
    checkNumber("maxVal", maxVal);
    return ops.hardtanh(x, minVal, maxVal);
  },
);

/** min(max(0, x + 3), 6) / 6. */
export const hardsigmoid = sameUnary("hardsigmoid()", ops.hardsigmoid);

/** x·hardsigmoid(x). */
export const hardswish = sameUnary("hardswish()", ops.hardswish);

/** x / (1 + |x|), as float. */
export const softsign = floatUnary("softsign()", (x) => div(x, add(abs(x), 1)));

/** x − tanh(x), as float. */
export const tanhshrink = floatUnary("tanhshrink()", (x) => sub(x, map("tanh", x)));

/** x moved toward zero by λ (0.5), zero in between. */
export const softshrink = sameUnary<[lambda?: number]>("softshrink(lambda)", (x, lambda = 0.5) =>
  ops.softshrink(x, lambda),
);

/** x, but zero in [−λ, λ] (0.5). */
export const hardshrink = sameUnary<[lambda?: number]>("hardshrink(lambda)", (x, lambda = 0.5) =>
  where(and(ge(onlyFloat(x), -lambda), le(x, lambda)), 0, x),
);

/** x above the threshold, `value` elsewhere. */
export const threshold = sameUnary<[threshold: Scalar, value: Scalar]>(
  "threshold(threshold, value)",
  (x, threshold, value) => {
    checkTerm(threshold);
    checkTerm(value);
    return ops.threshold(x, threshold, value);
  },
);
