/** Distances, angles and lengths. Each is the function of that name in torch or torch.nn.functional. */

import type { SizeAt } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import * as ops from "../ops/distance.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { receiver, type Tensor, tensorArgument, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, Same } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.dist} */
export const dist: <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
  p?: number,
) => Tensor<[], PairDType<A, B>> = functionOf("dist");

/** {@link Tensor.renorm} */
export const renorm: <T extends AnyTensor>(x: T, p: number, dim: number, maxnorm: number) => Same<T> =
  functionOf("renorm");

/** The p-distance (2) of every row of x1 [..., n, k] to every row of x2 [..., m, k], as [..., n, m]. */
export const cdist: <const A extends AnyTensor, const B extends AnyTensor>(
  x1: A,
  x2: B,
  p?: number,
) => Tensor<CdistShape<A[ShapeKey], B[ShapeKey]>, A["dtype"]> = operation(
  "cdist",
  "x1, x2, p",
  (x1: AnyTensor, x2: AnyTensor, p = 2): AnyTensor =>
    wrap(ops.cdist(tensorArgument("cdist", "x1", x1), tensorArgument("cdist", "x2", x2), p)),
);

export type CdistShape<A extends number[], B extends number[]> = A extends [number, number]
  ? B extends [number, number]
    ? [SizeAt<A, 0>, SizeAt<B, 0>]
    : number[]
  : number[];

/** The p-distances (2) of every two rows of a matrix, the pairs of the first row first. */
export const pdist: <T extends AnyTensor>(x: T, p?: number) => Tensor<[number], T["dtype"]> = operation(
  "pdist",
  "input, p",
  (x: AnyTensor, p = 2): AnyTensor => wrap(ops.pdist(unwrap(receiver("pdist", x)), p)),
);

export interface PairwiseDistanceOptions {
  readonly p?: number;
  /** Added to every difference, 1e-6. */
  readonly eps?: number;
  readonly keepdim?: boolean;
}

/** The p-norm (2) of x1 − x2 + eps along the last axis. */
export const pairwiseDistance: <const A extends AnyTensor, const B extends AnyTensor>(
  x1: A,
  x2: B,
  options?: PairwiseDistanceOptions,
) => Tensor<number[], PairDType<A, B>> = operation(
  "pairwiseDistance",
  "x1, x2, { keepdim, p, eps }",
  (
    x1: AnyTensor,
    x2: AnyTensor,
    { p = 2, eps = 1e-6, keepdim = false }: PairwiseDistanceOptions = {},
  ): AnyTensor => {
    const a = tensorArgument("pairwiseDistance", "x1", x1);
    const b = tensorArgument("pairwiseDistance", "x2", x2);
    return wrap(ops.pairwiseDistance(a, b, p, eps, keepdim));
  },
);

export interface CosineSimilarityOptions {
  /** 1. */
  readonly dim?: number;
  /** What no length is taken below, 1e-8. */
  readonly eps?: number;
}

/** Σ x1·x2 / (|x1|·|x2|) along an axis. */
export const cosineSimilarity: <const A extends AnyTensor, const B extends AnyTensor>(
  x1: A,
  x2: B,
  options?: CosineSimilarityOptions,
) => Tensor<number[], PairDType<A, B>> = operation(
  "cosineSimilarity",
  "x1, x2, { dim, eps }",
  (x1: AnyTensor, x2: AnyTensor, { dim = 1, eps = 1e-8 }: CosineSimilarityOptions = {}): AnyTensor => {
    const a = tensorArgument("cosineSimilarity", "x1", x1);
    const b = tensorArgument("cosineSimilarity", "x2", x2);
    return wrap(ops.cosineSimilarity(a, b, dim, eps));
  },
);

export interface NormalizeOptions {
  readonly p?: number;
  /** 1. */
  readonly dim?: number | readonly number[];
  /** What the norm is not taken below, 1e-12. */
  readonly eps?: number;
}

/** x over its p-norm (2) along an axis. */
export const normalize: <T extends AnyTensor>(x: T, options?: NormalizeOptions) => Same<T> = operation(
  "normalize",
  "input, { p, dim, eps }",
  (x: AnyTensor, { p = 2, dim = 1, eps = 1e-12 }: NormalizeOptions = {}): AnyTensor =>
    wrap(ops.normalize(unwrap(receiver("normalize", x)), p, dim, eps)),
);
