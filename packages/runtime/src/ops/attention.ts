/** Attention: a softmax of products weighs values. */
import { DTypeError, isFloat } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { transpose } from "./movement.ts";
import { softmax } from "./normalization.ts";
import { add, ge, mul, sub, where } from "./pointwise.ts";
import { matmul } from "./product.ts";

const op = "scaledDotProductAttention";

/** softmax(query·keyᵀ·scale + mask)·value; a bool mask keeps where it is true. */
export function attention(
  query: Value,
  key: Value,
  value: Value,
  mask: Value | null,
  causal: boolean,
  scale: number | null,
): Value {
  if (mask !== null && causal)
    throw new TypeError(`${op}: Explicit attn_mask should not be set when is_causal=True`);
  const width = query.node.shape.at(-1) ?? 1;
  const scores = mul(matmul(op, query, transpose(op, key, -2, -1)), scale ?? 1 / Math.sqrt(width));
  return matmul(op, softmax(op, masked(scores, causal ? belowDiagonal(scores) : mask), -1, null), value);
}

function masked(scores: Value, mask: Value | null): Value {
  if (mask === null) return scores;
  if (mask.node.dtype === "bool") return where(mask, scores, -Infinity);
  if (isFloat(mask.node.dtype)) return record.cast(add(scores, mask), scores.node.dtype);
  throw new DTypeError(
    `${op}: Expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: ${mask.node.dtype}`,
  );
}

/** True where the key is not later than the query. */
function belowDiagonal(scores: Value): Value {
  const [rows, columns] = scores.node.shape.slice(-2) as [number, number];
  const row = record.reshape(record.iota("int32", rows), [rows, 1]);
  return ge(sub(row, record.iota("int32", columns)), 0);
}
