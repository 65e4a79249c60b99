/** Losses of scores for classes (along axis 1, or the only one). Sources: torch.nn.functional. */
import { DTypeError, elementCount, isFloat, ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import * as record from "../../record.ts";
import { withRule } from "../../tape/rule.ts";
import type { Value } from "../../value.ts";
import { logSoftmax } from "../normalization.ts";
import { onlyFloat, torchName } from "../operand.ts";
import { add, div, eq, mul, ne, neg, where } from "../pointwise.ts";
import { sum } from "../reduction.ts";
import { checkReduction, type LossReduction, reduceLoss } from "./reduction.ts";

export interface NllOptions {
  /** One weight for each class. */
  readonly weight: Value | null;
  /** Targets with this number are ignored. */
  readonly ignoreIndex: number;
  readonly reduction: LossReduction;
}

/** −weight[target]·x[target]; the mean is weighted by the weights. */
export function nll(op: string, x: Value, target: Value, options: NllOptions): Value {
  const { reduction } = options;
  checkReduction(op, reduction);
  const axis = classAxis(x);
  checkTargets(x, target, axis, options.weight);
  const { counted, weights } = weighTargets(onlyFloat(x), target, axis, options);
  const losses = mul(neg(pick(x, counted.place, axis)), weights);
  const kept = where(counted.valid, losses, 0);
  if (reduction !== "mean") return reduceLoss(op, kept, reduction);
  return div(total(kept), total(where(counted.valid, weights, 0)));
}

const total = (x: Value): Value => sum(x, null, false, null);

const classAxis = (x: Value): number => {
  if (x.node.shape.length > 0) return x.node.shape.length === 1 ? 0 : 1;
  throw new ShapeError(`Expected 1 or more dimensions (got 0)`);
};

interface Counted {
  readonly valid: Value;
  /** The target; class 0 where it is ignored. */
  readonly place: Value;
}

function weighTargets(
  x: Value,
  target: Value,
  axis: number,
  { weight, ignoreIndex }: NllOptions,
): { counted: Counted; weights: Value } {
  const classes = record.cast(target, "int64");
  const valid = ne(classes, ignoreIndex);
  const place = where(valid, classes, 0);
  const one = record.cast(record.constant("float64", 1), x.node.dtype);
  const grown = (value: Value): Value =>
    target.node.shape.length === 0 ? value : record.expand(value, target.node.shape);
  if (weight === null) return { counted: { valid, place }, weights: grown(one) };
  const spread = record.expand(alongAxis(weight, x, axis), x.node.shape);
  return { counted: { valid, place }, weights: pick(spread, place, axis) };
}

/** One number for each class, in a shape that broadcasts with x. */
const alongAxis = (numbers: Value, x: Value, axis: number): Value =>
  record.reshape(numbers, [numbers.node.shape[0]!, ...x.node.shape.slice(axis + 1).map(() => 1)]);

/**
 * The score of each place's target class. Its gradient compares with each class instead of scattering, so that it fuses with the rest of
 * the scores' gradient.
 */
function pick(x: Value, place: Value, axis: number): Value {
  const { shape } = place.node;
  const index = record.reshape(place, [...shape.slice(0, axis), 1, ...shape.slice(axis)]);
  return withRule(
    "pick",
    [x],
    () => record.reshape(record.gather(x, axis, index), shape),
    (_, g) => {
      const classes = record.iota("int64", x.node.shape[axis]!);
      const own = alongAxis(classes, x, axis);
      const share = record.expand(record.reshape(g, index.node.shape), x.node.shape);
      return [where(eq(record.expand(index, x.node.shape), record.expand(own, x.node.shape)), share, 0)];
    },
  );
}

function checkTargets(x: Value, target: Value, axis: number, weight: Value | null): void {
  const { shape } = x.node;
  const expected = shape.filter((_, other) => other !== axis);
  if (isFloat(target.node.dtype) || target.node.dtype === "bool")
    throw new DTypeError(
      `expected scalar type Long but found ${torchName[target.node.dtype]} (targets are classes: target.long())`,
    );
  if (!sameNumbers(target.node.shape, expected)) {
    if (target.node.shape[0] !== expected[0] && expected.length > 0 && target.node.shape.length > 0) {
      throw new ShapeError(
        `Expected input batch_size (${shape[0]}) to match target batch_size (${target.node.shape[0]}). (shapes ${showShape(shape)} and ${showShape(target.node.shape)})`,
      );
    }
    throw new ShapeError(
      `Expected target size ${showShape(expected)}, got ${showShape(target.node.shape)} (input of shape ${showShape(shape)})`,
    );
  }
  checkWeight(x, axis, weight);
}

function checkWeight(x: Value, axis: number, weight: Value | null): void {
  const classes = x.node.shape[axis]!;
  if (weight === null || sameNumbers(weight.node.shape, [classes])) return;
  throw new ShapeError(
    `weight tensor should be defined either for all ${classes} classes or no classes but got weight tensor of shape: ${showShape(weight.node.shape)}`,
  );
}

export interface CrossEntropyOptions extends NllOptions {
  readonly labelSmoothing: number;
}

const op = "crossEntropy";

/** The loss of the log-softmax of x: {@link nll} for classes; −Σ target·log for probabilities of x's shape. */
export function crossEntropy(x: Value, target: Value, options: CrossEntropyOptions): Value {
  const { labelSmoothing } = options;
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1))
    throw new RangeError(`label_smoothing must be between 0.0 and 1.0. Got: ${labelSmoothing}`);
  const axis = classAxis(x);
  const scores = logSoftmax(x, axis, null);
  if (sameNumbers(x.node.shape, target.node.shape)) return probabilities(scores, target, axis, options);
  const plain = nll(op, scores, target, options);
  if (labelSmoothing === 0) return plain;
  const classes = x.node.shape[axis]!;
  const smooth = smoothed(scores, target, axis, options);
  return add(mul(plain, 1 - labelSmoothing), mul(smooth, labelSmoothing / classes));
}

/** The part of label smoothing: the loss of a target that is the same for every class, for targets that are not ignored. */
function smoothed(scores: Value, target: Value, axis: number, options: CrossEntropyOptions): Value {
  const { weight, reduction } = options;
  const { counted, weights } = weighTargets(scores, target, axis, options);
  const each = weight === null ? scores : mul(scores, alongAxis(weight, scores, axis));
  const losses = where(counted.valid, neg(sum(each, axis, false, null)), 0);
  if (reduction !== "mean") return reduceLoss(op, losses, reduction);
  return div(total(losses), total(where(counted.valid, weights, 0)));
}

function probabilities(scores: Value, target: Value, axis: number, options: CrossEntropyOptions): Value {
  const { weight, reduction, labelSmoothing } = options;
  if (!isFloat(target.node.dtype))
    throw new DTypeError(
      `Expected floating point type for target with class probabilities, got ${torchName[target.node.dtype]}`,
    );
  if (options.ignoreIndex >= 0)
    throw new TypeError(`ignore_index is not supported for floating point target`);
  checkWeight(scores, axis, weight);
  const classes = scores.node.shape[axis]!;
  const goal = labelSmoothing === 0 ? target : add(mul(target, 1 - labelSmoothing), labelSmoothing / classes);
  const each = mul(scores, goal);
  const weighed = weight === null ? each : mul(each, alongAxis(weight, scores, axis));
  const losses = neg(sum(weighed, axis, false, null));
  if (reduction !== "mean") return reduceLoss(op, losses, reduction);
  return div(total(losses), elementCount(scores.node.shape) / classes);
}
