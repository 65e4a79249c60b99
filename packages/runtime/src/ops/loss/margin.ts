/** Losses that stop at a margin, and losses of distances. Sources: the functions of these names in torch.nn.functional. */
import { elementCount, ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import * as record from "../../record.ts";
import type { Value } from "../../value.ts";
import { logSigmoid } from "../activation.ts";
import { clampPair } from "../arithmetic.ts";
import { pairwiseDistance } from "../distance.ts";
import { float } from "../operand.ts";
import { add, and, div, eq, ge, gt, minimum, mul, ne, neg, not, sqrt, sub, where } from "../pointwise.ts";
import { mean, sum } from "../reduction.ts";
import { checkReduction, type LossReduction, reduceLoss } from "./reduction.ts";

/** Not below 0; at 0 the gradient passes. */
const positive = (x: Value): Value => clampPair("clampMin", x, 0, "min");

/** Not below 0, nor NaN; at 0 no gradient passes. */
const excess = (x: Value): Value => where(gt(x, 0), x, 0);

/** x where the target is 1, max(0, margin − x) where it is −1. */
export function hingeEmbedding(x: Value, target: Value, margin: number): Value {
  const apart = where(ne(target, 1), positive(sub(float(margin), x)), 0);
  return add(apart, where(ne(target, -1), x, 0));
}

/** max(0, −target·(x1 − x2) + margin). */
export function marginRanking(
  a: Value,
  b: Value,
  target: Value,
  margin: number,
  reduction: LossReduction,
): Value {
  checkReduction("marginRankingLoss", reduction);
  const [one, two, three] = [a.node.shape, b.node.shape, target.node.shape];
  if (one.length !== two.length || one.length !== three.length) {
    throw new ShapeError(
      `margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: torch.Size(${showShape(one)}), input2: torch.Size(${showShape(two)}), target: torch.Size(${showShape(three)}) `,
    );
  }
  return reduceLoss(
    "marginRankingLoss",
    positive(add(mul(neg(target), sub(a, b)), float(margin))),
    reduction,
  );
}

/** 1 − cos(x1, x2) where the target is 1, max(0, cos − margin) where it is −1. */
export function cosineEmbedding(a: Value, b: Value, target: Value, margin: number): Value {
  const rank = a.node.shape.length;
  if ((rank !== 1 && rank !== 2) || target.node.shape.length !== rank - 1) {
    throw new ShapeError(
      `${target.node.shape.length}D target tensor expects ${target.node.shape.length + 1}D input tensors, but found inputs with sizes ${showShape(a.node.shape)} and ${showShape(b.node.shape)}.`,
    );
  }
  const along = (x: Value): Value => sum(x, rank - 1, false, null);
  const lengths = mul(add(along(mul(a, a)), 1e-12), add(along(mul(b, b)), 1e-12));
  const cosine = div(along(mul(a, b)), sqrt(lengths));
  const alike = where(eq(target, 1), sub(1, cosine), 0);
  const apart = where(eq(target, -1), positive(sub(cosine, margin)), 0);
  return add(alike, apart);
}

export interface TripletOptions {
  readonly margin: number;
  readonly p: number;
  readonly eps: number;
  /** Takes the nearer of the anchor and the positive to the negative. */
  readonly swap: boolean;
}

/** max(0, |anchor − positive| − |anchor − negative| + margin). */
export function tripletMargin(anchor: Value, like: Value, unlike: Value, options: TripletOptions): Value {
  const { margin, p, eps, swap } = options;
  const shapes = [anchor, like, unlike].map((x) => x.node.shape);
  if (shapes.some((shape) => shape.length !== shapes[0]!.length)) {
    throw new ShapeError(
      `The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor ${shapes[0]!.length}D, positive ${shapes[1]!.length}D, and negative ${shapes[2]!.length}D inputs`,
    );
  }
  const distance = (a: Value, b: Value): Value => pairwiseDistance(a, b, p, eps, false);
  const far = distance(anchor, unlike);
  const farther = swap ? minimum(far, distance(like, unlike)) : far;
  return positive(sub(add(distance(anchor, like), margin), farther));
}

export interface MultiMarginOptions {
  readonly p: number;
  readonly margin: number;
  readonly weight: Value | null;
}

/** Σ max(0, margin − x[target] + x[j])^p over the other classes, over the number of classes. */
export function multiMargin(x: Value, target: Value, options: MultiMarginOptions): Value {
  const { p, margin, weight } = options;
  if (p !== 1 && p !== 2) throw new RangeError(`only p == 1 and p == 2 supported (got ${p})`);
  const { shape } = x.node;
  const [rows, classes] = shape.length === 2 ? [shape[0]!, shape[1]!] : [1, elementCount(shape)];
  if (shape.length > 2 || classes === 0) {
    throw new ShapeError(
      `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${showShape(shape)}`,
    );
  }
  if (elementCount(target.node.shape) !== rows) {
    throw new ShapeError(
      `inconsistent target size, expected ${rows} but got ${showShape(target.node.shape)}`,
    );
  }
  const scores = record.reshape(x, [rows, classes]);
  const place = record.cast(record.reshape(target, [rows, 1]), "int64");
  const own = record.gather(scores, 1, place);
  const short = excess(add(sub(margin, own), scores));
  const costs = p === 1 ? short : mul(short, short);
  const weighed =
    weight === null ? costs : mul(costs, record.gather(record.expand(weight, [rows, classes]), 1, place));
  const others = where(eq(record.iota("int64", classes), place), 0, weighed);
  const losses = div(sum(others, 1, false, null), classes);
  return shape.length === 2 ? losses : record.reshape(losses, []);
}

/** Binary cross-entropy of each class with logits, averaged over the classes. */
export function multilabelSoftMargin(x: Value, target: Value, weight: Value | null): Value {
  const losses = neg(add(mul(target, logSigmoid(x)), mul(sub(1, target), logSigmoid(neg(x)))));
  const weighed = weight === null ? losses : mul(losses, weight);
  return mean(weighed, -1, false, null);
}

/**
 * Σ max(0, 1 − (x[target] − x[i])), over the number of classes. The sum is over the targets, which end at the first negative one,
 * and over the classes i that are no target.
 */
export function multilabelMargin(x: Value, target: Value): Value {
  const { shape } = x.node;
  const places = target.node.shape;
  // A 0-d tensor is one class, and so is a list of one.
  const fits =
    shape.length === 2
      ? sameNumbers(shape, places)
      : shape.length < 2 && places.length < 2 && elementCount(shape) === elementCount(places);
  if (!fits) {
    throw new ShapeError(
      `inconsistent target size: ${showShape(target.node.shape)} for input of size: ${showShape(shape)}`,
    );
  }
  const [rows, classes] = shape.length === 2 ? [shape[0]!, shape[1]!] : [1, elementCount(shape)];
  if (classes === 0) {
    throw new ShapeError(
      `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${showShape(shape)}`,
    );
  }
  const scores = record.reshape(x, [rows, classes]);
  const listed = record.reshape(record.cast(target, "int64"), [rows, classes]);
  const named = ge(record.scan("min", listed, 1), 0);
  const place = where(named, listed, 0);
  const own = record.reshape(record.gather(scores, 1, place), [rows, classes, 1]);
  const byTarget = (value: Value): Value => record.reshape(value, [rows, classes, 1]);
  const matches = and(eq(byTarget(place), record.iota("int64", classes)), byTarget(named));
  const among = record.reshape(record.reduce("any", matches, [1]), [rows, 1, classes]);
  const short = excess(add(sub(1, own), record.reshape(scores, [rows, 1, classes])));
  const counted = and(byTarget(named), not(among));
  const losses = div(sum(where(counted, short, 0), [1, 2], false, null), classes);
  return shape.length === 2 ? losses : record.reshape(losses, []);
}
