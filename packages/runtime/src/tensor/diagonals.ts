import type { Diagonal } from "@fuseau/ir";
import * as ops from "../ops/diagonals.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "./handle.ts";
import type { AnyTensor, Erased } from "./types.ts";

/** A vector's matrix, or a matrix's vector. */
export type Diag<S extends number[], O extends number> = number extends S["length"]
  ? number[]
  : S extends [infer N extends number]
    ? O extends 0
      ? [N, N]
      : [number, number]
    : S["length"] extends 2
      ? Diagonal<S, O, 0, 1>
      : number[];

/** Diagonals and the matrices they make, with x's dtype. Each is PyTorch's op of the same name. */
export interface DiagonalMethods {
  /** A vector on a diagonal of a matrix of zeros; of a matrix its diagonal. @throws ShapeError for more axes. */
  diag<T extends AnyTensor, const O extends number = 0>(
    this: T,
    offset?: O,
  ): Tensor<Diag<T[ShapeKey], O>, T["dtype"]>;
  /** All elements, row-major, on a diagonal of a matrix of zeros. */
  diagflat<T extends AnyTensor>(this: T, offset?: number): Tensor<[number, number], T["dtype"]>;
  /** The last axis on a diagonal of two new axes, `dim1` (−2) and `dim2` (−1) of the result. */
  diagEmbed<T extends AnyTensor>(
    this: T,
    offset?: number,
    dim1?: number,
    dim2?: number,
  ): Tensor<number[], T["dtype"]>;
}

export const diagonalMethods: Erased<DiagonalMethods> = {
  diag(offset = 0) {
    return wrap(ops.diag(unwrap(this), offset));
  },
  diagflat(offset = 0) {
    return wrap(ops.diagflat(unwrap(this), offset));
  },
  diagEmbed(offset = 0, dim1 = -2, dim2 = -1) {
    return wrap(ops.diagEmbed(unwrap(this), offset, dim1, dim2));
  },
};
