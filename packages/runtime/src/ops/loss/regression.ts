/** Losses that compare numbers with numbers, one for each element. Sources: the functions of these names in torch.nn.functional. */
import { ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import * as record from "../../record.ts";
import type { Value } from "../../value.ts";
import { abs, add, div, exp, log, map, maximum, mul, neg, sub } from "../pointwise.ts";
import { pointwiseRule } from "../rule.ts";

/** ½·(log variance + (x − target)² / variance). A variance below eps counts as eps. `full` adds ½·log 2π. */
export function gaussianNll(x: Value, target: Value, variance: Value, full: boolean, eps: number): Value {
  const given = alignedVariance(x, variance);
  // As in PyTorch, the derivative ignores that the variance is raised to eps.
  const spread = pointwiseRule("gaussianNllLoss", [given], () => maximum(given, eps), [(g) => g]);
  const difference = sub(x, target);
  const losses = mul(add(log(spread), div(mul(difference, difference), spread)), 0.5);
  return full ? add(losses, 0.5 * Math.log(2 * Math.PI)) : losses;
}

/** One variance for each element, or for each row. */
function alignedVariance(x: Value, variance: Value): Value {
  const [shape, own] = [x.node.shape, variance.node.shape];
  if (sameNumbers(shape, own)) return variance;
  const rows = shape.slice(0, -1);
  if (sameNumbers(rows, own)) return record.reshape(variance, [...own, 1]);
  if (own.at(-1) === 1 && sameNumbers(rows, own.slice(0, -1))) return variance;
  throw new ShapeError(`var is of incorrect size (shape ${showShape(own)} for ${showShape(shape)})`);
}

/** −(target·log x + (1 − target)·log(1 − x)). Logarithms below −100 count as −100. */
export function binaryCrossEntropy(x: Value, target: Value, weight: Value | null): Value {
  if (!sameNumbers(x.node.shape, target.node.shape))
    throw new ShapeError(
      `Using a target size (${showShape(target.node.shape)}) that is different to the input size (${showShape(x.node.shape)}) is deprecated. Please ensure they have the same size.`,
    );
  const compute = (): Value => {
    const otherwise = mul(sub(target, 1), maximum(map("log1p", neg(x)), -100));
    return sub(otherwise, mul(target, maximum(log(x), -100)));
  };
  const losses = pointwiseRule("binaryCrossEntropy", [x, target], compute, [
    (g) => div(mul(g, sub(x, target)), maximum(mul(sub(1, x), x), 1e-12)),
    (g) => mul(g, sub(log(sub(1, x)), log(x))),
  ]);
  return weight === null ? losses : weighed(losses, weight);
}

/** {@link binaryCrossEntropy} of sigmoid(x), without overflow. `posWeight` multiplies the term of targets that are 1. */
export function binaryCrossEntropyWithLogits(
  x: Value,
  target: Value,
  weight: Value | null,
  posWeight: Value | null,
): Value {
  if (!sameNumbers(x.node.shape, target.node.shape))
    throw new ShapeError(
      `Target size (${showShape(target.node.shape)}) must be the same as input size (${showShape(x.node.shape)})`,
    );
  // log(1 + exp(−x)) is max(−x, 0) + log(1 + exp(−|x|))
  const tail = (): Value => add(map("log1p", exp(neg(abs(x)))), map("relu", neg(x)));
  const emphasis = (): Value | 1 => (posWeight === null ? 1 : add(mul(sub(posWeight, 1), target), 1));
  const inputs = posWeight === null ? [x, target] : [x, target, posWeight];
  const compute = (): Value => {
    const weighed = posWeight === null ? tail() : mul(tail(), emphasis());
    return add(mul(sub(1, target), x), weighed);
  };
  const losses = pointwiseRule("binaryCrossEntropyWithLogits", inputs, compute, [
    (g) =>
      mul(
        g,
        posWeight === null
          ? sub(map("sigmoid", x), target)
          : sub(mul(emphasis(), map("sigmoid", x)), mul(posWeight, target)),
      ),
    (g) => mul(g, posWeight === null ? neg(x) : sub(mul(tail(), sub(posWeight, 1)), x)),
    (g) => mul(g, mul(tail(), target)),
  ]);
  return weight === null ? losses : weighed(losses, weight);
}

/** @throws ShapeError for weights with which the losses would have another shape. */
function weighed(losses: Value, weight: Value): Value {
  const result = mul(losses, weight);
  if (sameNumbers(result.node.shape, losses.node.shape)) return result;
  throw new ShapeError(
    `output with shape ${showShape(losses.node.shape)} doesn't match the broadcast shape ${showShape(result.node.shape)}`,
  );
}

/** A loss of x − target whose derivative is `slope` of the difference, so that no unused branch overflows in it. */
export const byDifference = (
  op: string,
  x: Value,
  target: Value,
  compute: () => Value,
  slope: (difference: Value) => Value,
): Value =>
  pointwiseRule(op, [x, target], compute, [
    (g) => mul(g, slope(sub(x, target))),
    (g) => mul(g, neg(slope(sub(x, target)))),
  ]);
