/** The places of triangles. PyTorch's functions of the same name. */
import type { DType } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { triangleIndices } from "../ops/diagonals.ts";
import type { Tensor } from "../tensor/handle.ts";
import { tensor } from "./creation.ts";

const placesOf = (op: "trilIndices" | "triuIndices") =>
  declareFunction(
    `${op}(row, col, { dtype, offset })`,
    <D extends DType = "int64">(
      row: number,
      col: number,
      options?: { readonly dtype?: D; readonly offset?: number },
    ): Tensor<[2, number], NoInfer<D>> => {
      const [rows, columns] = triangleIndices(op, row, col, options?.offset ?? 0);
      const dtype = (options?.dtype ?? "int64") as D;
      return tensor([...rows, ...columns], { shape: [2, rows.length], dtype });
    },
  );

/** The rows (first) and columns (second) of the places on and below a diagonal of a `row` × `col` matrix, as int64. */
export const trilIndices = placesOf("trilIndices");

/** The rows (first) and columns (second) of the places on and above a diagonal of a `row` × `col` matrix, as int64. */
export const triuIndices = placesOf("triuIndices");
