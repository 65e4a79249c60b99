/**
 * What an accumulator holds while its loop runs. Part of the law of summation (docs/summation.md): float sums and products
 * gather in float64, float64 sums with Neumaier's compensation; sums of narrow integers gather exactly in float64 and fold
 * into int64 at the end of each block.
 */
import { type DType, isFloat, type Reducer } from "@fuseau/ir";

export interface AccumulatorKind {
  /** What the running values are kept in. */
  readonly partial: DType;
  /** Each running sum carries the error it has lost so far. */
  readonly compensated: boolean;
  /** What blocks fold into, when there is more than one; null when blocks make no difference. */
  readonly total: DType | null;
  /** The place of the best value is kept beside it. */
  readonly positioned: boolean;
}

export function accumulatorKind(fn: Reducer | "dot", from: DType): AccumulatorKind {
  const kind = (partial: DType, more: Partial<AccumulatorKind> = {}): AccumulatorKind => ({
    partial,
    compensated: false,
    total: null,
    positioned: false,
    ...more,
  });
  switch (fn) {
    case "sum":
      if (from === "int64") return kind("int64");
      if (!isFloat(from)) return kind("float64", { total: "int64" });
      return kind("float64", { compensated: from === "float64", total: "float64" });
    case "prod":
      return isFloat(from) ? kind("float64", { total: "float64" }) : kind("int64");
    case "dot":
      return isFloat(from) ? kind("float64") : kind(from);
    case "any":
    case "all":
      return kind("bool");
    case "max":
    case "min":
      return kind(heldAs(from));
    case "argmax":
    case "argmin":
      return kind(heldAs(from), { positioned: true });
    default:
      return fn satisfies never;
  }
}

/** float16 values pass through scratch as float32, which holds them exactly and needs no conversion. */
export const heldAs = (dtype: DType): DType => (dtype === "float16" ? "float32" : dtype);
