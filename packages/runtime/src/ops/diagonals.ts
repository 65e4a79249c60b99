/** Matrices made of diagonals, and places named by their row and column. */
import { checkInteger, type DType, elementCount, ShapeError, showShape, wrapAxis } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { diagonal } from "./movement.ts";
import { eq, sub, where } from "./pointwise.ts";

/** The last axis of x as the diagonal of two axes `dim1` and `dim2` of the result, zeros elsewhere. */
export function diagEmbed(x: Value, offset: number, dim1: number, dim2: number): Value {
  checkInteger("offset", offset);
  const { shape, dtype } = x.node;
  if (shape.length === 0) {
    throw new RangeError("Dimension specified as -1 but tensor has no dimensions");
  }
  const rank = shape.length + 1;
  const places = new Array<number>(rank).fill(1);
  const rows = wrapAxis(dim1, places);
  const columns = wrapAxis(dim2, places);
  if (rows === columns) {
    throw new ShapeError(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  }
  const side = shape.at(-1)! + Math.abs(offset);
  const batch = shape.slice(0, -1);
  // The shorter way counts the diagonal's places: rows above it, columns below.
  const none = batch.map(() => 0);
  const padded = record.pad(
    x,
    [...none, 0],
    [...none, Math.abs(offset)],
    record.constant(dtype, zero(dtype)),
  );
  const spread = record.reshape(padded, offset < 0 ? [...batch, 1, side] : [...batch, side, 1]);
  const distance = sub(record.iota("int32", side), record.reshape(record.iota("int32", side), [side, 1]));
  const matrix = where(eq(distance, offset), spread, dtype === "bool" ? false : 0);
  return record.permute(matrix, placed(rank, rows, columns));
}

const zero = (dtype: DType): number | bigint => (dtype === "int64" ? 0n : 0);

/** Which axis of the matrices goes where: their last two to `rows` and `columns`, the others in order. */
function placed(rank: number, rows: number, columns: number): number[] {
  let next = 0;
  return Array.from({ length: rank }, (_, axis) =>
    axis === rows ? rank - 2 : axis === columns ? rank - 1 : next++,
  );
}

/** A vector as the diagonal of a matrix, and the diagonal of a matrix as a vector. */
export function diag(x: Value, offset: number): Value {
  const { shape } = x.node;
  if (shape.length === 1) return diagEmbed(x, offset, 0, 1);
  if (shape.length === 2) return diagonal(x, offset, 0, 1);
  throw new ShapeError(`matrix or a vector expected (got shape ${showShape(shape)})`);
}

export const diagflat = (x: Value, offset: number): Value =>
  diagEmbed(record.reshape(x, [elementCount(x.node.shape)]), offset, 0, 1);

/** The places on one side of a diagonal, row by row: rows, then columns. */
export function triangleIndices(
  op: "trilIndices" | "triuIndices",
  rows: number,
  columns: number,
  offset: number,
): [rows: number[], columns: number[]] {
  checkInteger("offset", offset);
  for (const [name, size] of [
    ["row", rows],
    ["col", columns],
  ] as const) {
    checkInteger(name, size);
    if (size < 0) throw new ShapeError(`${name} must be non-negative, got${size}`);
  }
  const places: [number[], number[]] = [[], []];
  for (let row = 0; row < rows; row++) {
    const [first, end] =
      op === "trilIndices" ? [0, Math.min(columns, row + offset + 1)] : [Math.max(0, row + offset), columns];
    for (let column = first; column < end; column++) {
      places[0].push(row);
      places[1].push(column);
    }
  }
  return places;
}
