/** Diagonals, the matrices they make, and the places of triangles. */
import type { DType } from "@fuseau/ir";
import { triangleIndices } from "../ops/diagonals.ts";
import type { Diag } from "../tensor/diagonals.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { type CreationOptions, tensor } from "./creation.ts";

/** {@link Tensor.diag} */
export function diag<T extends AnyTensor, const O extends number = 0>(
  x: T,
  offset?: O,
): Tensor<Diag<T[ShapeKey], O>, T["dtype"]>;
export function diag(x: AnyTensor, offset = 0): AnyTensor {
  return receiver("diag", x).diag(offset);
}

/** {@link Tensor.diagflat} */
export function diagflat<T extends AnyTensor>(x: T, offset = 0): Tensor<[number, number], T["dtype"]> {
  return receiver("diagflat", x).diagflat(offset);
}

/** {@link Tensor.diagEmbed} */
export function diagEmbed<T extends AnyTensor>(
  x: T,
  offset = 0,
  dim1 = -2,
  dim2 = -1,
): Tensor<number[], T["dtype"]> {
  return receiver("diagEmbed", x).diagEmbed(offset, dim1, dim2);
}

/** The rows (first) and columns (second) of the places on and below a diagonal of a `row` × `col` matrix, as int64. */
export function trilIndices<D extends DType = "int64">(
  row: number,
  col: number,
  options?: CreationOptions<D> & { readonly offset?: number },
): Tensor<[2, number], NoInfer<D>>;
export function trilIndices(row: number, col: number, options: TriangleOptions = {}): AnyTensor {
  return placesOf("trilIndices", row, col, options);
}

/** The rows (first) and columns (second) of the places on and above a diagonal of a `row` × `col` matrix, as int64. */
export function triuIndices<D extends DType = "int64">(
  row: number,
  col: number,
  options?: CreationOptions<D> & { readonly offset?: number },
): Tensor<[2, number], NoInfer<D>>;
export function triuIndices(row: number, col: number, options: TriangleOptions = {}): AnyTensor {
  return placesOf("triuIndices", row, col, options);
}

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
