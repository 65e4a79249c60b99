/** Distances, angles and lengths. Each is the function of that name in torch or torch.nn.functional. */
import type { FloatResult, Reduce, SizeAt } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import * as ops from "../ops/distance.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor, PairDType, PairShape } from "../tensor/types.ts";

type CdistShape<A extends number[], B extends number[]> = A extends [number, number]
  ? B extends [number, number]
    ? [SizeAt<A, 0>, SizeAt<B, 0>]
    : number[]
  : number[];

export interface CdistOptions {
  readonly computeMode?: ops.CdistMode;
}

/**
 * The p-distance (2) of every row of x1 [..., n, k] to every row of x2 [..., m, k], as [..., n, m].
 *
 * As in PyTorch, Euclidean distances (p = 2) to or from more than 25 rows are √(|a|² + |b|² − 2 a·b), by a matrix product: several times as
 * fast, and less exact where rows are near to each other. Of equal rows they need not be 0. Rows of fewer than 16 elements are subtracted, as
 * for any other p. With `computeMode: "donotUseMmForEuclidDist"` all are; with `"useMmForEuclidDist"` there is always a product.
 * @throws RangeError for a negative p; ShapeError for vectors, or rows of different lengths; DTypeError for integers, or different dtypes;
 * TypeError for an unknown mode.
 */
export const cdist = declareFunction(
  "cdist(x1, x2, p, { computeMode })",
  <const A extends AnyTensor, const B extends AnyTensor>(
    x1: A,
    x2: B,
    p: number = 2,
    { computeMode = "useMmForEuclidDistIfNecessary" }: CdistOptions = {},
  ): Tensor<CdistShape<A[ShapeKey], B[ShapeKey]>, FloatResult<PairDType<A, B>>> =>
    wrap(ops.cdist(unwrap(x1), unwrap(x2), p, computeMode)),
);

/** The p-distances (2) between all pairs of rows of a matrix; pairs of the first row come first. */
export const pdist = declareFunction(
  "pdist(input, p)",
  <T extends AnyTensor>(input: T, p: number = 2): Tensor<[number], T["dtype"]> =>
    wrap(ops.pdist(unwrap(input), p)),
);

export interface PairwiseDistanceOptions<K extends boolean = boolean> {
  readonly p?: number;
  /** Added to every difference, 1e-6. */
  readonly eps?: number;
  readonly keepdim?: K;
}

/** The p-norm (2) of x1 − x2 + eps along the last axis. */
export const pairwiseDistance = declareFunction(
  "pairwiseDistance(x1, x2, { keepdim, p, eps })",
  <const A extends AnyTensor, const B extends AnyTensor, const K extends boolean = false>(
    x1: A,
    x2: B,
    options: PairwiseDistanceOptions<K> = {},
  ): Tensor<Reduce<PairShape<A, B>, -1, K>, FloatResult<PairDType<A, B>>> => {
    const { p = 2, eps = 1e-6, keepdim = false } = options;
    return wrap(ops.pairwiseDistance(unwrap(x1), unwrap(x2), p, eps, keepdim));
  },
);

export interface CosineSimilarityOptions<D extends number = number> {
  /** Default 1. */
  readonly dim?: D;
  /** A length below this counts as this. Default 1e-8. */
  readonly eps?: number;
}

/**
 * Σ x1·x2 / (|x1|·|x2|) along an axis.
 * @throws DTypeError unless one of the two is a float.
 */
export const cosineSimilarity = declareFunction(
  "cosineSimilarity(x1, x2, { dim, eps })",
  <const A extends AnyTensor, const B extends AnyTensor, const D extends number = 1>(
    x1: A,
    x2: B,
    options: CosineSimilarityOptions<D> = {},
  ): Tensor<Reduce<PairShape<A, B>, D>, FloatResult<PairDType<A, B>>> =>
    wrap(ops.cosineSimilarity(unwrap(x1), unwrap(x2), options.dim ?? 1, options.eps ?? 1e-8)),
);

export interface NormalizeOptions {
  readonly p?: number;
  /** Default 1. */
  readonly dim?: number | readonly number[];
  /** A norm below this counts as this. Default 1e-12. */
  readonly eps?: number;
}

/** x divided by its p-norm (2) along an axis. */
export const normalize = declareFunction(
  "normalize(input, { p, dim, eps })",
  <T extends AnyTensor>(
    input: T,
    { p = 2, dim = 1, eps = 1e-12 }: NormalizeOptions = {},
  ): Tensor<T[ShapeKey], T["dtype"]> => wrap(ops.normalize(unwrap(input), p, dim, eps)),
);
