/** Diagonals and the matrices they make, with x's dtype. Each is PyTorch's op of the same name. */
import type { Diagonal } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import * as ops from "../ops/diagonals.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

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

/** A vector on a diagonal of a matrix of zeros; of a matrix its diagonal. @throws ShapeError for more axes. */
export const diag = declare(
  "diag(offset)",
  <T extends AnyTensor, const O extends number = 0>(
    input: T,
    offset: O = 0 as O,
  ): Tensor<Diag<T[ShapeKey], O>, T["dtype"]> => wrap(ops.diag(unwrap(input), offset)),
);

/** All elements, row-major, on a diagonal of a matrix of zeros. */
export const diagflat = declare(
  "diagflat(offset)",
  <T extends AnyTensor>(input: T, offset = 0): Tensor<[number, number], T["dtype"]> =>
    wrap(ops.diagflat(unwrap(input), offset)),
);

/** The last axis on a diagonal of two new axes, `dim1` (−2) and `dim2` (−1) of the result. */
export const diagEmbed = declare(
  "diagEmbed(offset, dim1, dim2)",
  <T extends AnyTensor>(input: T, offset = 0, dim1 = -2, dim2 = -1): Tensor<number[], T["dtype"]> =>
    wrap(ops.diagEmbed(unwrap(input), offset, dim1, dim2)),
);
