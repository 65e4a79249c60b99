/** Diagonals and the matrices they make, with x's dtype. Each is PyTorch's op of the same name. */
import { checkInteger, type Diagonal, ShapeError, showShape, wrapAxis } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { flat } from "../ops/indexing.ts";
import { diagonal } from "../ops/movement.ts";
import { as } from "../ops/operand.ts";
import { eq, sub, where } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

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

/** The last axis of x as the diagonal of two axes `dim1` and `dim2` of the result, zeros elsewhere. */
function embedded(x: Value, offset: number, dim1: number, dim2: number): Value {
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
  const padded = record.pad(x, [...none, 0], [...none, Math.abs(offset)], as(dtype, 0));
  const spread = record.reshape(padded, offset < 0 ? [...batch, 1, side] : [...batch, side, 1]);
  const distance = sub(record.iota("int32", side), record.reshape(record.iota("int32", side), [side, 1]));
  const matrix = where(eq(distance, offset), spread, dtype === "bool" ? false : 0);
  return record.permute(matrix, placed(rank, rows, columns));
}

/** Which axis of the matrices goes where: their last two to `rows` and `columns`, the others in order. */
function placed(rank: number, rows: number, columns: number): number[] {
  let next = 0;
  return Array.from({ length: rank }, (_, axis) =>
    axis === rows ? rank - 2 : axis === columns ? rank - 1 : next++,
  );
}

/** A vector on a diagonal of a matrix of zeros; of a matrix its diagonal. @throws ShapeError for more axes. */
export const diag = declare(
  "diag(offset)",
  <T extends AnyTensor, const O extends number = 0>(
    input: T,
    offset: O = 0 as O,
  ): Tensor<Diag<T[ShapeKey], O>, T["dtype"]> => {
    const x = unwrap(input);
    const { shape } = x.node;
    if (shape.length === 1) return wrap(embedded(x, offset, 0, 1));
    if (shape.length === 2) return wrap(diagonal(x, offset, 0, 1));
    throw new ShapeError(`matrix or a vector expected (got shape ${showShape(shape)})`);
  },
);

/** All elements, row-major, on a diagonal of a matrix of zeros. */
export const diagflat = declare(
  "diagflat(offset)",
  <T extends AnyTensor>(input: T, offset = 0): Tensor<[number, number], T["dtype"]> =>
    wrap(embedded(flat(unwrap(input)), offset, 0, 1)),
);

/** The last axis on a diagonal of two new axes, `dim1` (−2) and `dim2` (−1) of the result. */
export const diagEmbed = declare(
  "diagEmbed(offset, dim1, dim2)",
  <T extends AnyTensor>(input: T, offset = 0, dim1 = -2, dim2 = -1): Tensor<number[], T["dtype"]> =>
    wrap(embedded(unwrap(input), offset, dim1, dim2)),
);
