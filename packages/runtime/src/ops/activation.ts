/** Activation functions, each as PyTorch's torch.nn.functional defines it. All take floats only, but where said. */
import { type Scalar, ShapeError, showShape } from "@fuseau/ir";
import { reshape } from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { clamp } from "./arithmetic.ts";
import { as, onlyFloat } from "./operand.ts";
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
} from "./pointwise.ts";

/** log(1 + exp(βx)) / β, and x itself where βx is above the threshold. */
export function softplus(x: Value, beta: number, threshold: number): Value {
  const scaled = (): Value => mul(onlyFloat(x), beta);
  const compute = (): Value => where(gt(scaled(), threshold), x, div(map("log1p", exp(scaled())), beta));
  return withRule("softplus", [x], compute, (_, g) => [
    where(gt(scaled(), threshold), g, mul(g, map("sigmoid", scaled()))),
  ]);
}

/** x / (1 + exp(−x)). */
export const silu = (x: Value): Value =>
  withRule(
    "silu",
    [x],
    () => div(onlyFloat(x), add(exp(neg(x)), 1)),
    (_, g) => {
      const share = map("sigmoid", x);
      return [mul(g, mul(share, add(mul(x, sub(1, share)), 1)))];
    },
  );

/** x·tanh(log(1 + exp(x))). */
export const mish = (x: Value): Value =>
  withRule(
    "mish",
    [x],
    () => mul(onlyFloat(x), map("tanh", map("log1p", exp(x)))),
    (_, g) => {
      const bent = map("tanh", map("log1p", exp(x)));
      return [mul(g, add(bent, mul(mul(x, map("sigmoid", x)), sub(1, mul(bent, bent)))))];
    },
  );

export const hardsigmoid = (x: Value): Value =>
  withRule(
    "hardsigmoid",
    [x],
    () => div(clamp("hardsigmoid", add(onlyFloat(x), 3), 0, 6), 6),
    (_, g) => [where(and(gt(x, -3), lt(x, 3)), div(g, 6), 0)],
  );

export const hardswish = (x: Value): Value =>
  withRule(
    "hardswish",
    [x],
    () => div(mul(x, clamp("hardswish", add(onlyFloat(x), 3), 0, 6)), 6),
    (_, g) => {
      const isBent = and(ge(x, -3), le(x, 3));
      return [where(lt(x, -3), 0, mul(g, where(isBent, add(div(x, 3), 0.5), 1)))];
    },
  );

/** scale·x above zero, scale·α·(exp(inputScale·x) − 1) below. */
export function elu(op: string, x: Value, alpha: number, scale: number, inputScale: number): Value {
  const below = (): Value => mul(map("expm1", mul(onlyFloat(x), inputScale)), alpha * scale);
  // Where x is above 0 its exponential may overflow, and at 0 PyTorch has no second derivative.
  const slope = (): Value => mul(exp(mul(where(lt(x, 0), x, 0), inputScale)), alpha * scale * inputScale);
  return withRule(
    op,
    [x],
    () => where(le(x, 0), below(), mul(x, scale)),
    (_, g) => [mul(g, where(le(x, 0), slope(), scale))],
  );
}

export const selu = (x: Value): Value => elu("selu", x, 1.6732632423543772, 1.0507009873554805, 1);

/** min(0, x) − log(1 + exp(−|x|)). */
export const logSigmoid = (x: Value): Value =>
  withRule(
    "logSigmoid",
    [x],
    () => sub(minimum(onlyFloat(x), 0), map("log1p", exp(neg(abs(x))))),
    (_, g) => [mul(g, map("sigmoid", neg(x)))],
  );

/** x kept between two numbers, both in x's dtype; also for integers. The gradient is 0 at the bounds too. */
export const hardtanh = (x: Value, min: number, max: number): Value =>
  withRule(
    "hardtanh",
    [x],
    () => minimum(maximum(x, as(x.node.dtype, min)), as(x.node.dtype, max)),
    (_, g) => [where(or(le(x, min), ge(x, max)), 0, g)],
  );

export function softshrink(x: Value, lambda: number): Value {
  if (!(lambda >= 0))
    throw new RangeError(`lambda must be greater or equal to 0, but found to be ${lambda}.`);
  return withRule(
    "softshrink",
    [x],
    () => where(gt(onlyFloat(x), lambda), sub(x, lambda), where(lt(x, -lambda), add(x, lambda), 0)),
    (_, g) => [where(and(ge(x, -lambda), le(x, lambda)), 0, g)],
  );
}

/** `value` where x is not above the threshold, both in x's dtype; also for integers. */
export const threshold = (x: Value, limit: Scalar, value: Scalar): Value =>
  where(le(x, as(x.node.dtype, limit)), as(x.node.dtype, value), x);

/**
 * x above zero, weight·x below; one weight, or one for each place of axis 1.
 * @throws ShapeError when the number of weights fits neither.
 */
export function prelu(x: Value, weight: Value): Value {
  const shape = x.node.shape;
  const weights = weight.node.shape;
  const channels = shape.length < 2 ? 1 : shape[1]!;
  const count = weights.reduce((product, size) => product * size, 1);
  if (weights.length > 1) {
    throw new ShapeError(
      `prelu: Expected \`weight\` to be a scalar or 1D tensor, but got: ndim = ${weights.length} (shape ${showShape(weights)})`,
    );
  }
  if (count !== 1 && count !== channels) {
    throw new ShapeError(
      `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${count} and channel size = ${channels}. (shapes ${showShape(weights)} and ${showShape(shape)})`,
    );
  }
  const aligned = reshape(
    weight,
    count === 1 ? [] : shape.slice(1).map((_, axis) => (axis === 0 ? count : 1)),
  );
  return where(gt(onlyFloat(x), 0), x, mul(aligned, x));
}
