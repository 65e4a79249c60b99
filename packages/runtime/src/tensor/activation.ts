import { checkNumber, type Scalar, showArgument } from "@fuseau/ir";
import * as ops from "../ops/activation.ts";
import { checkTerm } from "../ops/operand.ts";
import { map } from "../ops/pointwise.ts";
import { tensorArgument, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased, Floated, Same } from "./types.ts";

/** `"none"` computes gelu by the error function, `"tanh"` by its approximation. */
export interface GeluOptions {
  readonly approximate?: "none" | "tanh";
}

/**
 * Activation functions: one result for each element, of the same shape. Each is the function of that name in
 * torch.nn.functional; all but relu, relu6, hardtanh, threshold, softsign and tanhshrink take floats only.
 * @throws DTypeError for integers where floats are needed.
 */
export interface ActivationMethods {
  /** max(0, x); NaN stays NaN. */
  relu<T extends AnyTensor>(this: T): Same<T>;
  /** min(max(0, x), 6). */
  relu6<T extends AnyTensor>(this: T): Same<T>;
  /** x·Φ(x), Φ being the normal distribution. */
  gelu<T extends AnyTensor>(this: T, options?: GeluOptions): Same<T>;
  /** x·sigmoid(x), also called swish. */
  silu<T extends AnyTensor>(this: T): Same<T>;
  /** x·tanh(softplus(x)). */
  mish<T extends AnyTensor>(this: T): Same<T>;
  /** log(1 + exp(βx)) / β (β = 1), and x itself where βx is above the threshold (20). */
  softplus<T extends AnyTensor>(this: T, beta?: number, threshold?: number): Same<T>;
  /** log(sigmoid(x)) without overflow. */
  logSigmoid<T extends AnyTensor>(this: T): Same<T>;
  /** x above zero, slope·x (0.01) below. */
  leakyRelu<T extends AnyTensor>(this: T, negativeSlope?: number): Same<T>;
  /** x above zero, α·(exp(x) − 1) (α = 1) below. */
  elu<T extends AnyTensor>(this: T, alpha?: number): Same<T>;
  /** elu with the α and scale that keep a unit variance. */
  selu<T extends AnyTensor>(this: T): Same<T>;
  /** x above zero, α·(exp(x/α) − 1) (α = 1) below. */
  celu<T extends AnyTensor>(this: T, alpha?: number): Same<T>;
  /** x above zero, weight·x below: one weight, or one for each place of axis 1. */
  prelu<T extends AnyTensor>(this: T, weight: AnyTensor): Same<T>;
  /** x kept in [minVal, maxVal], [−1, 1] by default. */
  hardtanh<T extends AnyTensor>(this: T, minVal?: number, maxVal?: number): Same<T>;
  /** min(max(0, x + 3), 6) / 6. */
  hardsigmoid<T extends AnyTensor>(this: T): Same<T>;
  /** x·hardsigmoid(x). */
  hardswish<T extends AnyTensor>(this: T): Same<T>;
  /** x / (1 + |x|), as float. */
  softsign<T extends AnyTensor>(this: T): Floated<T>;
  /** x − tanh(x), as float. */
  tanhshrink<T extends AnyTensor>(this: T): Floated<T>;
  /** x moved toward zero by λ (0.5), zero in between. */
  softshrink<T extends AnyTensor>(this: T, lambda?: number): Same<T>;
  /** x, but zero in [−λ, λ] (0.5). */
  hardshrink<T extends AnyTensor>(this: T, lambda?: number): Same<T>;
  /** x above the threshold, `value` elsewhere. */
  threshold<T extends AnyTensor>(this: T, threshold: Scalar, value: Scalar): Same<T>;
}

export const activationMethods: Erased<ActivationMethods> = {
  relu() {
    return wrap(map("relu", unwrap(this)));
  },
  gelu(options) {
    const approximate = options?.approximate ?? "none";
    if (approximate === "none") return wrap(ops.gelu(unwrap(this)));
    if (approximate === "tanh") return wrap(ops.geluTanh(unwrap(this)));
    throw new TypeError(
      `gelu: approximate argument must be either none or tanh. (got ${showArgument(approximate)})`,
    );
  },
  softplus(beta = 1, threshold = 20) {
    return wrap(ops.softplus(unwrap(this), beta, threshold));
  },
  leakyRelu(negativeSlope = 0.01) {
    return wrap(ops.leakyRelu(unwrap(this), negativeSlope));
  },
  elu(alpha = 1) {
    checkNumber("elu", "alpha", alpha);
    return wrap(ops.elu("elu", unwrap(this), alpha, 1, 1));
  },
  celu(alpha = 1) {
    checkNumber("celu", "alpha", alpha);
    if (alpha === 0) throw new RangeError("celu: ZeroDivisionError: alpha cannot be 0 for CELU");
    return wrap(ops.elu("celu", unwrap(this), alpha, 1, 1 / alpha));
  },
  prelu(weight) {
    return wrap(ops.prelu(unwrap(this), tensorArgument("prelu", "weight", weight)));
  },
  hardtanh(minVal = -1, maxVal = 1) {
    checkNumber("hardtanh", "minVal", minVal);
    checkNumber("hardtanh", "maxVal", maxVal);
    return wrap(ops.hardtanh(unwrap(this), minVal, maxVal));
  },
  softshrink(lambda = 0.5) {
    return wrap(ops.softshrink(unwrap(this), lambda));
  },
  hardshrink(lambda = 0.5) {
    return wrap(ops.hardshrink(unwrap(this), lambda));
  },
  threshold(threshold, value) {
    checkTerm("threshold", threshold);
    checkTerm("threshold", value);
    return wrap(ops.threshold(unwrap(this), threshold, value));
  },
  relu6() {
    return wrap(ops.relu6(unwrap(this)));
  },
  silu() {
    return wrap(ops.silu(unwrap(this)));
  },
  mish() {
    return wrap(ops.mish(unwrap(this)));
  },
  logSigmoid() {
    return wrap(ops.logSigmoid(unwrap(this)));
  },
  selu() {
    return wrap(ops.selu(unwrap(this)));
  },
  hardsigmoid() {
    return wrap(ops.hardsigmoid(unwrap(this)));
  },
  hardswish() {
    return wrap(ops.hardswish(unwrap(this)));
  },
  softsign() {
    return wrap(ops.softsign(unwrap(this)));
  },
  tanhshrink() {
    return wrap(ops.tanhshrink(unwrap(this)));
  },
};
