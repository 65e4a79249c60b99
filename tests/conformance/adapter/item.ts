/** `x[...]` and `x[...] = value`. */
import { type AnyTensor, Tensor, tensor } from "fuseau";
import { FloatArgument, numberOf, operandOf, SliceArgument } from "./argument.ts";
import { Unsupported } from "./unsupported.ts";

interface Indexable {
  index?(indices: readonly unknown[]): AnyTensor;
  assign_?(indices: readonly unknown[], value: unknown): AnyTensor;
}

/** Numbers and ranges go through `slice`, all else through `index`, so that both are tested. */
export function getItem(x: unknown, stored: unknown): unknown {
  const indices = indicesOf(stored);
  const target = x as Tensor & Indexable;
  if (!indices.some(isAdvanced)) return target.slice(...(indices as never[]));
  if (target.index === undefined) throw new Unsupported("index");
  return target.index(indices);
}

export function setItem(x: unknown, stored: unknown, value: unknown): unknown {
  const target = x as Tensor & Indexable;
  if (target.assign_ === undefined) throw new Unsupported("assign_");
  return target.assign_(indicesOf(stored), operandOf(value));
}

const indicesOf = (stored: unknown): unknown[] => (stored as unknown[]).map(indexOf);

/** A Python slice is a range; a list is an index of its own, since a list of numbers is a range here. */
function indexOf(index: unknown): unknown {
  if (index instanceof SliceArgument) return index.range;
  if (index instanceof FloatArgument) return numberOf(index);
  if (!Array.isArray(index)) return index;
  return tensor(index as number[], { dtype: isBoolean(index) ? "bool" : "int64" });
}

const isBoolean = (list: readonly unknown[]): boolean => typeof list.flat(9)[0] === "boolean";

const isAdvanced = (index: unknown): boolean => index instanceof Tensor || typeof index === "boolean";
