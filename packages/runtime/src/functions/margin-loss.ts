/**
 * Losses with a margin, and losses of distances. Each is the function of that name in torch.nn.functional. `reduction` is "mean" (the
 * default), "sum" or "none".
 */
import { elementCount, type FloatResult, ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { type LossOptions, pairLoss, type Reduced, scoreLoss } from "../declare/losses.ts";
import { asUser } from "../entry/operation.ts";
import { clampPair } from "../ops/arithmetic.ts";
import { pairwiseDistance } from "../ops/distance.ts";
import { checkReduction, type LossReduction, reduceLoss } from "../ops/loss/reduction.ts";
import { float } from "../ops/operand.ts";
import { add, and, div, eq, ge, gt, minimum, mul, ne, neg, not, sqrt, sub, where } from "../ops/pointwise.ts";
import { mean, sum } from "../ops/reduction.ts";
import { logSigmoid } from "../ops/special.ts";
import * as record from "../record.ts";
import { type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import { optionalTensor } from "../tensor/optional.ts";
import type { AnyTensor, PairDType, TripleDType } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { WeightedLossOptions } from "./loss.ts";

/** max(0, x); at 0 the gradient passes. */
const atLeastZero = (x: Value): Value => clampPair("clampMin", x, 0, "min");

/** max(0, x), which is 0 for NaN; at 0 no gradient passes. */
const excess = (x: Value): Value => where(gt(x, 0), x, 0);

export interface MarginOptions<R extends LossReduction = LossReduction> extends LossOptions<R> {
  readonly margin?: number;
}

/** input where the target is 1, max(0, margin − input) where it is −1. The default of margin is 1. */
export const hingeEmbeddingLoss = pairLoss(
  "float",
  "hingeEmbeddingLoss(input, target, { margin, reduction })",
  (x, target, { margin = 1 }: MarginOptions = {}) => {
    const apart = where(ne(target, 1), atLeastZero(sub(float(margin), x)), 0);
    return add(apart, where(ne(target, -1), x, 0));
  },
);

/** max(0, −target·(input1 − input2) + margin). The default of margin is 0. */
export const marginRankingLoss = declareFunction(
  "marginRankingLoss(input1, input2, target, { margin, reduction })",
  <
    T extends AnyTensor,
    const U extends AnyTensor,
    const V extends AnyTensor,
    const R extends LossReduction = "mean",
  >(
    input1: T,
    input2: U,
    target: V,
    options?: MarginOptions<R>,
  ): Tensor<Reduced<number[], R>, FloatResult<TripleDType<T, U, V>>> => {
    const values = [input1, input2, target].map(unwrap) as [Value, Value, Value];
    const { margin = 0, reduction = "mean" }: MarginOptions = options ?? {};
    const op = "marginRankingLoss";
    checkReduction(op, reduction);
    const [one, two, three] = values.map((x) => x.node.shape) as [number[], number[], number[]];
    if (one.length !== two.length || one.length !== three.length)
      throw new ShapeError(
        `margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: torch.Size(${showShape(one)}), input2: torch.Size(${showShape(two)}), target: torch.Size(${showShape(three)}) `,
      );
    const [a, b, goal] = values;
    return wrap(reduceLoss(op, atLeastZero(add(mul(neg(goal), sub(a, b)), float(margin))), reduction));
  },
);

/** 1 − cos of the rows where the target is 1, max(0, cos − margin) where it is −1. The default of margin is 0. */
export const cosineEmbeddingLoss = declareFunction(
  "cosineEmbeddingLoss(input1, input2, target, { margin, reduction })",
  <T extends AnyTensor, const U extends AnyTensor, const R extends LossReduction = "mean">(
    input1: T,
    input2: U,
    target: AnyTensor,
    options?: MarginOptions<R>,
  ): Tensor<Reduced<number[], R>, FloatResult<PairDType<T, U>>> => {
    const [a, b, goal] = [unwrap(input1), unwrap(input2), unwrap(target)];
    const { margin = 0, reduction = "mean" }: MarginOptions = options ?? {};
    const [rank, labelRank] = [a.node.shape.length, goal.node.shape.length];
    if ((rank !== 1 && rank !== 2) || labelRank !== rank - 1)
      throw new ShapeError(
        `${labelRank}D target tensor expects ${labelRank + 1}D input tensors, but found inputs with sizes ${showShape(a.node.shape)} and ${showShape(b.node.shape)}.`,
      );
    const along = (x: Value): Value => sum(x, rank - 1, false, null);
    const lengths = mul(add(along(mul(a, a)), 1e-12), add(along(mul(b, b)), 1e-12));
    const cosine = div(along(mul(a, b)), sqrt(lengths));
    const alike = where(eq(goal, 1), sub(1, cosine), 0);
    const apart = where(eq(goal, -1), atLeastZero(sub(cosine, margin)), 0);
    return wrap(reduceLoss("cosineEmbeddingLoss", add(alike, apart), reduction));
  },
);

export interface TripletMarginOptions<R extends LossReduction = LossReduction> extends MarginOptions<R> {
  /** Which norm. Default 2. */
  readonly p?: number;
  /** Added to differences. Default 1e-6. */
  readonly eps?: number;
  /** Takes the negative's distance to the anchor or to the positive, whichever is less. Default false. */
  readonly swap?: boolean;
}

/** max(0, |anchor − positive| − |anchor − negative| + margin) along the last axis. The default of margin is 1. */
export const tripletMarginLoss = declareFunction(
  "tripletMarginLoss(anchor, positive, negative, { p, eps, swap, margin, reduction })",
  <
    T extends AnyTensor,
    const U extends AnyTensor,
    const V extends AnyTensor,
    const R extends LossReduction = "mean",
  >(
    anchor: T,
    positive: U,
    negative: V,
    options?: TripletMarginOptions<R>,
  ): Tensor<Reduced<number[], R>, FloatResult<TripleDType<T, U, V>>> => {
    const { p = 2, eps = 1e-6, ...rest }: TripletMarginOptions = options ?? {};
    const distance = (a: Value, b: Value): Value => pairwiseDistance(a, b, p, eps, false);
    return wrap(tripletLoss("tripletMarginLoss", [anchor, positive, negative], distance, rest));
  },
);

/** max(0, distance(anchor, positive) − distance(anchor, negative) + margin) of three tensors with as many axes. */
function tripletLoss(
  op: string,
  three: readonly [AnyTensor, AnyTensor, AnyTensor],
  distance: (a: Value, b: Value) => Value,
  {
    margin = 1,
    swap = false,
    reduction = "mean",
  }: Pick<TripletMarginOptions, "margin" | "swap" | "reduction">,
): Value {
  const [from, like, unlike] = three.map(unwrap) as [Value, Value, Value];
  const ranks = [from, like, unlike].map((x) => x.node.shape.length);
  if (ranks.some((rank) => rank !== ranks[0]))
    throw new ShapeError(
      `The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor ${ranks[0]}D, positive ${ranks[1]}D, and negative ${ranks[2]}D inputs`,
    );
  const far = distance(from, unlike);
  const farther = swap ? minimum(far, distance(like, unlike)) : far;
  return reduceLoss(op, atLeastZero(sub(add(distance(from, like), margin), farther)), reduction);
}

export interface TripletDistanceOptions<R extends LossReduction = LossReduction>
  extends Omit<TripletMarginOptions<R>, "p" | "eps"> {
  /** The distance of two tensors' rows. Default `pairwiseDistance`. */
  readonly distanceFunction?: ((a: AnyTensor, b: AnyTensor) => AnyTensor) | null;
}

/**
 * {@link tripletMarginLoss} with a distance of the user's.
 * @throws TypeError when that returns no Tensor.
 */
export const tripletMarginWithDistanceLoss = declareFunction(
  "tripletMarginWithDistanceLoss(anchor, positive, negative, { distanceFunction, swap, margin, reduction })",
  <
    T extends AnyTensor,
    const U extends AnyTensor,
    const V extends AnyTensor,
    const R extends LossReduction = "mean",
  >(
    anchor: T,
    positive: U,
    negative: V,
    options?: TripletDistanceOptions<R>,
  ): Tensor<Reduced<number[], R>, FloatResult<TripleDType<T, U, V>>> => {
    const { distanceFunction = null, ...rest }: TripletDistanceOptions = options ?? {};
    const distance = (a: Value, b: Value): Value =>
      distanceFunction === null
        ? pairwiseDistance(a, b, 2, 1e-6, false)
        : unwrap(asUser(() => distanceFunction(wrap(a), wrap(b))));
    return wrap(tripletLoss("tripletMarginWithDistanceLoss", [anchor, positive, negative], distance, rest));
  },
);

export interface MultiMarginLossOptions<R extends LossReduction = LossReduction>
  extends WeightedLossOptions<R> {
  /** 1 or 2. Default 1. */
  readonly p?: number;
  /** Default 1. */
  readonly margin?: number;
}

/** The number of samples and of classes. A vector is one sample. */
function batchOf(shape: readonly number[]): readonly [rows: number, classes: number] {
  const [rows, classes] = shape.length === 2 ? [shape[0]!, shape[1]!] : [1, elementCount(shape)];
  if (shape.length <= 2 && classes > 0) return [rows, classes];
  throw new ShapeError(
    `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${showShape(shape)}`,
  );
}

/** Σ max(0, margin − input[target] + input[j])^p over the other classes j, divided by the number of classes. */
export const multiMarginLoss = scoreLoss(
  "target",
  "multiMarginLoss(input, target, { p, margin, weight, reduction })",
  (x, target, reduction, { p = 1, margin = 1, weight }: MultiMarginLossOptions = {}) => {
    const weights = optionalTensor(weight);
    if (p !== 1 && p !== 2) throw new RangeError(`only p == 1 and p == 2 supported (got ${p})`);
    const { shape } = x.node;
    const [rows, classes] = batchOf(shape);
    if (elementCount(target.node.shape) !== rows)
      throw new ShapeError(
        `inconsistent target size, expected ${rows} but got ${showShape(target.node.shape)}`,
      );
    const scores = record.reshape(x, [rows, classes]);
    const place = record.cast(record.reshape(target, [rows, 1]), "int64");
    const own = record.gather(scores, 1, place);
    const short = excess(add(sub(margin, own), scores));
    const costs = p === 1 ? short : mul(short, short);
    const weighed =
      weights === null ? costs : mul(costs, record.gather(record.expand(weights, [rows, classes]), 1, place));
    const others = where(eq(record.iota("int64", classes), place), 0, weighed);
    const losses = div(sum(others, 1, false, null), classes);
    // Of a vector there is one loss, in the target's shape.
    return reduceLoss("multiMarginLoss", record.reshape(losses, target.node.shape), reduction);
  },
);

/** {@link binaryCrossEntropyWithLogits} of every class, averaged over the classes (the last axis). */
export const multilabelSoftMarginLoss = scoreLoss(
  "any",
  "multilabelSoftMarginLoss(input, target, { weight, reduction })",
  (x, target, reduction, options?: WeightedLossOptions) => {
    const weight = optionalTensor(options?.weight);
    const losses = neg(add(mul(target, logSigmoid(x)), mul(sub(1, target), logSigmoid(neg(x)))));
    const weighed = weight === null ? losses : mul(losses, weight);
    return reduceLoss("multilabelSoftMarginLoss", mean(weighed, -1, false, null), reduction);
  },
);

/**
 * Σ max(0, 1 − (input[t] − input[i])) over all targets t and all other classes i. The list of targets ends at its first negative number.
 */
export const multilabelMarginLoss = scoreLoss(
  "any",
  "multilabelMarginLoss(input, target, { reduction })",
  (x, target, reduction) => {
    const { shape } = x.node;
    const places = target.node.shape;
    // A 0-d tensor is one class, like a list of one.
    const fits =
      shape.length === 2
        ? sameNumbers(shape, places)
        : shape.length < 2 && places.length < 2 && elementCount(shape) === elementCount(places);
    if (!fits)
      throw new ShapeError(
        `inconsistent target size: ${showShape(places)} for input of size: ${showShape(shape)}`,
      );
    const [rows, classes] = batchOf(shape);
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
    return reduceLoss(
      "multilabelMarginLoss",
      shape.length === 2 ? losses : record.reshape(losses, []),
      reduction,
    );
  },
);
