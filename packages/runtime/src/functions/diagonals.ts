/** Diagonals, the matrices they make, and the places of triangles. */

import type { DType } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import { triangleIndices } from "../ops/diagonals.ts";
import type { Diag } from "../tensor/diagonals.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type CreationOptions, tensor } from "./creation.ts";
import { functionOf } from "./function-of.ts";

/** {@link Tensor.diag} */
export const diag: <T extends AnyTensor, const O extends number = 0>(
  x: T,
  offset?: O,
) => Tensor<Diag<T[ShapeKey], O>, T["dtype"]> = functionOf("diag");

/** {@link Tensor.diagflat} */
export const diagflat: <T extends AnyTensor>(x: T, offset?: number) => Tensor<[number, number], T["dtype"]> =
  functionOf("diagflat");

/** {@link Tensor.diagEmbed} */
export const diagEmbed: <T extends AnyTensor>(
  x: T,
  offset?: number,
  dim1?: number,
  dim2?: number,
) => Tensor<number[], T["dtype"]> = functionOf("diagEmbed");

/** The rows (first) and columns (second) of the places on and below a diagonal of a `row` × `col` matrix, as int64. */
export const trilIndices: <D extends DType = "int64">(
  row: number,
  col: number,
  options?: CreationOptions<D> & { readonly offset?: number },
) => Tensor<[2, number], NoInfer<D>> = operation(
  "trilIndices",
  "row, col, { dtype, offset }",
  (row: number, col: number, options: TriangleOptions = {}): AnyTensor =>
    placesOf("trilIndices", row, col, options),
);

/** The rows (first) and columns (second) of the places on and above a diagonal of a `row` × `col` matrix, as int64. */
export const triuIndices: <D extends DType = "int64">(
  row: number,
  col: number,
  options?: CreationOptions<D> & { readonly offset?: number },
) => Tensor<[2, number], NoInfer<D>> = operation(
  "triuIndices",
  "row, col, { dtype, offset }",
  (row: number, col: number, options: TriangleOptions = {}): AnyTensor =>
    placesOf("triuIndices", row, col, options),
);

interface TriangleOptions extends CreationOptions {
  readonly offset?: number;
}

function placesOf(
  op: "trilIndices" | "triuIndices",
  row: number,
  col: number,
  { offset = 0, dtype = "int64" }: TriangleOptions,
): AnyTensor {
  const [rows, columns] = triangleIndices(op, row, col, offset);
  return tensor([...rows, ...columns], { shape: [2, rows.length], dtype });
}
