/** Attention: weighted sums of values, with softmax of products as weights. */
import { DTypeError, elementCount, isFloat } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { transpose } from "./movement.ts";
import { softmax } from "./normalization.ts";
import { add, eq, ge, mul, sub, where } from "./pointwise.ts";
import { matmul } from "./product.ts";
import { extreme } from "./reduction.ts";

const op = "scaledDotProductAttention";

/** softmax(query·keyᵀ·scale + mask)·value. A bool mask keeps the keys where it is true. A query without keys gives 0. */
export function attention(
  query: Value,
  key: Value,
  value: Value,
  mask: Value | null,
  causal: boolean,
  scale: number | null,
): Value {
  if (mask !== null && causal)
    throw new TypeError(`Explicit attn_mask should not be set when is_causal=True`);
  const width = query.node.shape.at(-1) ?? 1;
  const scores = mul(matmul(query, transpose(key, -2, -1)), scale ?? 1 / Math.sqrt(width));
  if (mask !== null) return matmul(softmaxOfSome(masked(scores, mask)), value);
  // With a causal mask alone, every query has at least the first key.
  return matmul(softmax(op, causal ? masked(scores, belowDiagonal(scores)) : scores, -1, null), value);
}

/** The softmax of each row; 0 for a row that is −∞ throughout, as in PyTorch since 2.5 (`_safe_softmax`). */
function softmaxOfSome(scores: Value): Value {
  const weights = softmax(op, scores, -1, null);
  if (elementCount(scores.node.shape) === 0) return weights;
  return where(eq(extreme(op, "max", scores, -1, true), -Infinity), 0, weights);
}

function masked(scores: Value, mask: Value): Value {
  if (mask.node.dtype === "bool") return where(mask, scores, -Infinity);
  if (isFloat(mask.node.dtype)) return record.cast(add(scores, mask), scores.node.dtype);
  throw new DTypeError(
    `Expected attn_mask dtype to be bool or to match query dtype, but got attn_mask.dtype: ${mask.node.dtype}`,
  );
}

/** True where the key is not after the query. */
function belowDiagonal(scores: Value): Value {
  const [rows, columns] = scores.node.shape.slice(-2) as [number, number];
  const row = record.reshape(record.iota("int32", rows), [rows, 1]);
  return ge(sub(row, record.iota("int32", columns)), 0);
}
