/** The places of triangles. PyTorch's functions of the same name. */
import { checkInteger, type DType, ShapeError } from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
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
      const offset = options?.offset ?? 0;
      checkInteger("offset", offset);
      for (const [name, size] of [
        ["row", row],
        ["col", col],
      ] as const) {
        checkInteger(name, size);
        if (size < 0) throw new ShapeError(`${name} must be non-negative, got${size}`);
      }
      const rows: number[] = [];
      const columns: number[] = [];
      for (let at = 0; at < row; at++) {
        const [first, end] =
          op === "trilIndices" ? [0, Math.min(col, at + offset + 1)] : [Math.max(0, at + offset), col];
        for (let column = first; column < end; column++) {
          rows.push(at);
          columns.push(column);
        }
      }
      const dtype = (options?.dtype ?? "int64") as D;
      return tensor([...rows, ...columns], { shape: [2, rows.length], dtype });
    },
  );

/** The rows (first) and columns (second) of the places on and below a diagonal of a `row` × `col` matrix, as int64. */
export const trilIndices = placesOf("trilIndices");

/** The rows (first) and columns (second) of the places on and above a diagonal of a `row` × `col` matrix, as int64. */
export const triuIndices = placesOf("triuIndices");
