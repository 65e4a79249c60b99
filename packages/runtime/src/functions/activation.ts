/**
 * Activation functions: one result for each element, of the same shape. Each is the function of that name in torch.nn.functional. Only
 * relu, relu6, hardtanh, threshold, softsign and tanhshrink take integers.
 * @throws DTypeError for integers where floats are needed.
 */
import {
  checkNumber,
  DTypeError,
  elementCount,
  type Scalar,
  ShapeError,
  showArgument,
  showShape,
} from "@fuseau/ir";
import { composedFloat, composedUnary, sameUnary } from "../declare/families.ts";
import { clamp } from "../ops/arithmetic.ts";
import { checkTerm, exactly, onlyFloat } from "../ops/operand.ts";
import {
  abs,
  add,
  and,
  div,
  exp,
  ge,
  gt,
  le,
  lt,
  map,
  maximum,
  minimum,
  mul,
  neg,
  or,
  sub,
  where,
} from "../ops/pointwise.ts";
import { pointwiseRule } from "../ops/rule.ts";
import { logSigmoid as logSigmoidOf } from "../ops/special.ts";
import { reshape } from "../record.ts";
import { withoutSlope, withRule } from "../tape/rule.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** `"none"` computes gelu with the error function, `"tanh"` with its approximation by tanh. */
export interface GeluOptions {
  readonly approximate?: "none" | "tanh";
}

/** x kept between two numbers, which are converted to x's dtype; x may be an integer. At the bounds the gradient is 0. */
const within = (x: Value, min: number, max: number): Value => {
  if (x.node.dtype === "bool") throw new DTypeError("Bool inputs not supported for hardtanh");
  return withRule(
    "hardtanh",
    [x],
    () => minimum(maximum(x, exactly(x.node.dtype, min)), exactly(x.node.dtype, max)),
    (_, g) => [withoutSlope("hardtanh", [x], where(or(le(x, min), ge(x, max)), 0, g))],
  );
};

/** max(0, x); NaN stays NaN. */
export const relu = sameUnary("relu()", "relu");

/** min(max(0, x), 6). */
export const relu6 = sameUnary("relu6()", (x) => within(x, 0, 6));

/** x·Φ(x), where Φ is the distribution function of the standard normal distribution. */
export const gelu = composedUnary<[options?: GeluOptions]>("gelu({ approximate })", (x, options) => {
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
export const silu = composedUnary("silu()", (x) =>
  withRule(
    "silu",
    [x],
    () => div(onlyFloat(x), add(exp(neg(x)), 1)),
    (_, g) => {
      const share = map("sigmoid", x);
      return [mul(g, mul(share, add(mul(x, sub(1, share)), 1)))];
    },
  ),
);

/** x·tanh(softplus(x)). */
export const mish = composedUnary("mish()", (x) =>
  withRule(
    "mish",
    [x],
    () => mul(onlyFloat(x), map("tanh", map("log1p", exp(x)))),
    (_, g) => {
      const bent = map("tanh", map("log1p", exp(x)));
      return [mul(g, add(bent, mul(mul(x, map("sigmoid", x)), sub(1, mul(bent, bent)))))];
    },
  ),
);

/** log(1 + exp(βx)) / β (β = 1), and x itself where βx is above the threshold (20). */
export const softplus = composedUnary<[beta?: number, threshold?: number]>(
  "softplus(beta, threshold)",
  (x, beta = 1, threshold = 20) => {
    const scaled = (): Value => mul(onlyFloat(x), beta);
    const compute = (): Value => where(gt(scaled(), threshold), x, div(map("log1p", exp(scaled())), beta));
    return withRule("softplus", [x], compute, (_, g) => [
      where(gt(scaled(), threshold), g, mul(g, map("sigmoid", scaled()))),
    ]);
  },
);

/** log(sigmoid(x)) without overflow. */
export const logSigmoid = composedUnary("logSigmoid()", logSigmoidOf);

/** x above zero, slope·x (0.01) below. */
export const leakyRelu = sameUnary<[negativeSlope?: number]>(
  "leakyRelu(negativeSlope)",
  (x, negativeSlope = 0.01) => {
    const scaled = (value: Value): Value => where(gt(onlyFloat(x), 0), value, mul(value, negativeSlope));
    return withRule(
      "leakyRelu",
      [x],
      () => scaled(x),
      (_, g) => [withoutSlope("leakyRelu", [x], scaled(g))],
    );
  },
);

/** scale·x above zero, scale·α·(exp(inputScale·x) − 1) below. */
function scaledElu(op: string, x: Value, alpha: number, scale: number, inputScale: number): Value {
  const below = (): Value => mul(map("expm1", mul(onlyFloat(x), inputScale)), alpha * scale);
  // Above 0 the exponential may overflow, and at 0 PyTorch has no second derivative.
  const slope = (): Value => mul(exp(mul(where(lt(x, 0), x, 0), inputScale)), alpha * scale * inputScale);
  return withRule(
    op,
    [x],
    () => where(le(x, 0), below(), mul(x, scale)),
    (_, g) => [mul(g, where(le(x, 0), slope(), scale))],
  );
}

/** x above zero, α·(exp(x) − 1) (α = 1) below. */
export const elu = composedUnary<[alpha?: number]>("elu(alpha)", (x, alpha = 1) => {
  checkNumber("alpha", alpha);
  return scaledElu("elu", x, alpha, 1, 1);
});

/** {@link elu} with the α and the scale that keep unit variance (Klambauer et al., 2017). */
export const selu = composedUnary("selu()", (x) =>
  scaledElu("selu", x, 1.6732632423543772, 1.0507009873554805, 1),
);

/** x above zero, α·(exp(x/α) − 1) (α = 1) below. */
export const celu = composedUnary<[alpha?: number]>("celu(alpha)", (x, alpha = 1) => {
  checkNumber("alpha", alpha);
  if (alpha === 0) throw new RangeError("ZeroDivisionError: alpha cannot be 0 for CELU");
  return scaledElu("celu", x, alpha, 1, 1 / alpha);
});

/** x above zero, weight·x below. `weight` has one element, or one for each place of axis 1. */
export const prelu = sameUnary<[weight: AnyTensor]>("prelu(weight)", (x, given) => {
  const weight = unwrap(given);
  const shape = x.node.shape;
  const weights = weight.node.shape;
  const channels = shape.length < 2 ? 1 : shape[1]!;
  const count = elementCount(weights);
  if (weights.length > 1)
    throw new ShapeError(
      `prelu: Expected \`weight\` to be a scalar or 1D tensor, but got ndim = ${weights.length} (shape ${showShape(weights)})`,
    );
  if (count !== 1 && shape.length === 0) throw new ShapeError("Not allow zero-dim input tensor.");
  if (count !== 1 && count !== channels)
    throw new ShapeError(
      `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${count} and channel size = ${channels}. (shapes ${showShape(weights)} and ${showShape(shape)})`,
    );
  const aligned = reshape(
    weight,
    count === 1 ? [] : shape.slice(1).map((_, axis) => (axis === 0 ? count : 1)),
  );
  const isAbove = gt(onlyFloat(x), 0);
  return pointwiseRule("prelu", [x, aligned], () => where(isAbove, x, mul(aligned, x)), [
    (g) => withoutSlope("prelu", [x], where(isAbove, g, mul(aligned, g))),
    (g) => where(isAbove, 0, mul(x, g)),
  ]);
});

/** x kept in [minVal, maxVal], [−1, 1] by default. */
export const hardtanh = sameUnary<[minVal?: number, maxVal?: number]>(
  "hardtanh(minVal, maxVal)",
  (x, minVal = -1, maxVal = 1) => {
    checkNumber("minVal", minVal);
    checkNumber("maxVal", maxVal);
    return within(x, minVal, maxVal);
  },
);

/** min(max(0, x + 3), 6) / 6. */
export const hardsigmoid = composedUnary("hardsigmoid()", (x) =>
  withRule(
    "hardsigmoid",
    [x],
    () => div(clamp("hardsigmoid", add(onlyFloat(x), 3), 0, 6), 6),
    (_, g) => [withoutSlope("hardsigmoid", [x], where(and(gt(x, -3), lt(x, 3)), div(g, 6), 0))],
  ),
);

/** x·hardsigmoid(x). */
export const hardswish = composedUnary("hardswish()", (x) =>
  withRule(
    "hardswish",
    [x],
    () => div(mul(x, clamp("hardswish", add(onlyFloat(x), 3), 0, 6)), 6),
    (_, g) => {
      const isBent = and(ge(x, -3), le(x, 3));
      return [where(lt(x, -3), 0, mul(g, where(isBent, add(div(x, 3), 0.5), 1)))];
    },
  ),
);

/** x / (1 + |x|), as float. */
export const softsign = composedFloat("softsign()", (x) => div(x, add(abs(x), 1)));

/** x − tanh(x), as float. */
export const tanhshrink = composedFloat("tanhshrink()", (x) => sub(x, map("tanh", x)));

/** x moved toward zero by λ (0.5), zero in between. */
export const softshrink = sameUnary<[lambda?: number]>("softshrink(lambda)", (x, lambda = 0.5) => {
  if (!(lambda >= 0))
    throw new RangeError(`lambda must be greater or equal to 0, but found to be ${lambda}.`);
  return withRule(
    "softshrink",
    [x],
    () => where(gt(onlyFloat(x), lambda), sub(x, lambda), where(lt(x, -lambda), add(x, lambda), 0)),
    (_, g) => [withoutSlope("softshrink", [x], where(and(ge(x, -lambda), le(x, lambda)), 0, g))],
  );
});

/** x, but zero in [−λ, λ] (0.5). */
export const hardshrink = sameUnary<[lambda?: number]>("hardshrink(lambda)", (x, lambda = 0.5) => {
  const kept = (value: Value): Value => where(and(ge(onlyFloat(x), -lambda), le(x, lambda)), 0, value);
  return withRule(
    "hardshrink",
    [x],
    () => kept(x),
    (_, g) => [withoutSlope("hardshrink", [x], kept(g))],
  );
});

/** x above the threshold, `value` elsewhere. */
export const threshold = sameUnary<[threshold: Scalar, value: Scalar]>(
  "threshold(threshold, value)",
  (x, threshold, value) => {
    checkTerm(threshold);
    checkTerm(value);
    const kept = (below: Value | number, above: Value): Value =>
      where(le(x, exactly(x.node.dtype, threshold)), below, above);
    return withRule(
      "threshold",
      [x],
      () => kept(exactly(x.node.dtype, value), x),
      (_, g) => [withoutSlope("threshold", [x], kept(0, g))],
    );
  },
);
