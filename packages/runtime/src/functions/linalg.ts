/** PyTorch's torch.linalg, as far as it goes here: what differs from the functions of the same name, and names for the rest. */
import { type Axes, type DType, showArgument } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { checkDType } from "../ops/creation.ts";
import { cross as crossOf } from "../ops/linear.ts";
import { matrixNorm as matrixNormOf } from "../ops/matrix-norm.ts";
import { powers } from "../ops/powers.ts";
import { norm as normOf } from "../ops/reduction.ts";
import type { SumOptions } from "../tensor/reduction.ts";
import { receiver, type Tensor, tensorArgument, unwrap, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, PairDType, PairShape, Same } from "../tensor/types.ts";
import { matrixPower, multiDot, vecdot } from "./product.ts";

type NormOptions = SumOptions<boolean>;
/** Of a matrix: the root of the sum of squares, or the largest (smallest) sum of a column (±1) or row (±Infinity). */
export type MatrixOrder = "fro" | 1 | -1 | number;

const dtypeOf = (op: string, options: NormOptions): DType | null =>
  options.dtype === undefined ? null : checkDType(op, options.dtype);

/** The cross product of vectors of three along `dim` (−1). */
function cross<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: B,
  dim?: number | { readonly dim?: number },
): Tensor<PairShape<A, B>, PairDType<A, B>>;
function cross(a: AnyTensor, b: AnyTensor, dim: number | { readonly dim?: number } = -1): AnyTensor {
  const axis = typeof dim === "number" ? dim : (dim.dim ?? -1);
  const other = tensorArgument("linalg.cross", "other", b);
  return wrap(crossOf("linalg.cross", unwrap(receiver("linalg.cross", a)), other, axis));
}

/** The norm of the elements along `dim`, or of all: (Σ|x|^ord)^(1/ord), ord 2 by default. */
function vectorNorm<T extends AnyTensor>(
  x: T,
  ord?: number,
  dim?: Axes,
  options?: NormOptions,
): Tensor<number[], T["dtype"]>;
function vectorNorm(x: AnyTensor, ord = 2, dim: Axes = null, options: NormOptions = {}): AnyTensor {
  const value = unwrap(receiver("vectorNorm", x));
  return wrap(normOf(value, ord, dim, options.keepdim ?? false, dtypeOf("vectorNorm", options)));
}

/** The norm of matrices in two axes (the last two). */
function matrixNorm<T extends AnyTensor>(
  x: T,
  ord?: MatrixOrder,
  dim?: readonly number[],
  options?: NormOptions,
): Tensor<number[], T["dtype"]>;
function matrixNorm(
  x: AnyTensor,
  ord: MatrixOrder = "fro",
  dim: readonly number[] = [-2, -1],
  options: NormOptions = {},
): AnyTensor {
  const value = unwrap(receiver("matrixNorm", x));
  return wrap(matrixNormOf(value, ord, dim, options.keepdim ?? false, dtypeOf("matrixNorm", options)));
}

/** {@link matrixNorm} of two axes when an `ord` is given, else {@link vectorNorm}. */
function norm<T extends AnyTensor>(
  x: T,
  ord?: MatrixOrder | null,
  dim?: Axes,
  options?: NormOptions,
): Tensor<number[], T["dtype"]>;
function norm(
  x: AnyTensor,
  ord: MatrixOrder | null = null,
  dim: Axes = null,
  options: NormOptions = {},
): AnyTensor {
  const axes = typeof dim === "number" ? [dim] : dim;
  if (ord !== null && (axes === null ? x.ndim === 2 : axes.length === 2))
    return matrixNorm(x, ord, axes ?? [-2, -1], options);
  if (typeof ord === "string")
    throw new TypeError(`linalg.norm: linalg.norm: ord=${showArgument(ord)} is a norm of matrices`);
  return vectorNorm(x, ord ?? 2, axes, options);
}

/** The powers 0 to N − 1 (as many as the last axis has) of every element, along a new last axis. */
function vander<T extends AnyTensor>(x: T, n?: number): Tensor<number[], T["dtype"]>;
function vander(x: AnyTensor, n?: number): AnyTensor {
  return wrap(powers(unwrap(receiver("linalg.vander", x)), n ?? null));
}

export interface Linalg {
  readonly cross: typeof cross;
  readonly matrixNorm: typeof matrixNorm;
  readonly matrixPower: <T extends AnyTensor>(x: T, n: number) => Same<T>;
  readonly multiDot: typeof multiDot;
  readonly norm: typeof norm;
  readonly vander: typeof vander;
  readonly vecdot: typeof vecdot;
  readonly vectorNorm: typeof vectorNorm;
}

export const linalg: Linalg = {
  cross: operation("linalg.cross", "input, other, { dim } | input, other, dim", cross),
  matrixNorm: operation("linalg.matrixNorm", "input, ord, dim, { keepdim, dtype }", matrixNorm),
  matrixPower,
  multiDot,
  norm: operation("linalg.norm", "input, ord, dim, { keepdim, dtype }", norm),
  vander: operation("linalg.vander", "input, n", vander),
  vecdot,
  vectorNorm: operation("linalg.vectorNorm", "input, ord, dim, { keepdim, dtype }", vectorNorm),
};
