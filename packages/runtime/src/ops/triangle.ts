/** One side of a diagonal of the last two axes, and zeros elsewhere. */
import { checkInteger, ShapeError, showShape } from "@fuseau/ir";
import { iota, reshape } from "../record.ts";
import type { Value } from "../value.ts";
import { ge, le, sub, where } from "./pointwise.ts";

/** Column minus row of every place of the last two axes. */
function offsets(x: Value, diagonal: number): Value {
  const { shape } = x.node;
  if (shape.length < 2) {
    throw new ShapeError(`input tensor must have at least 2 dimensions (got shape ${showShape(shape)})`);
  }
  checkInteger("diagonal", diagonal);
  const rows = shape[shape.length - 2]!;
  return sub(iota("int32", shape[shape.length - 1]!), reshape(iota("int32", rows), [rows, 1]));
}

export const tril = (x: Value, diagonal: number): Value =>
  where(le(offsets(x, diagonal), diagonal), x, zeroFor(x));

export const triu = (x: Value, diagonal: number): Value =>
  where(ge(offsets(x, diagonal), diagonal), x, zeroFor(x));

/** A scalar zero that does not change x's dtype. */
const zeroFor = (x: Value): number | boolean => (x.node.dtype === "bool" ? false : 0);
