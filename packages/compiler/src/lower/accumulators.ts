/**
 * What an accumulator holds while its loop runs: a part of the accumulation order (docs/accumulation-order.md). Float sums and products
 * accumulate in float64, float64 sums with Neumaier's compensation. Sums of narrow integers accumulate exactly in float64 and are added
 * to an int64 at the end of each block.
 */
import { type Accumulator, type DType, type Fold, isFloat, isUnsigned } from "@fuseau/ir";

export interface AccumulatorKind {
  /** The dtype of the running values. */
  readonly partial: DType;
  /** Each running sum carries its compensation. */
  readonly compensated: boolean;
  /** The dtype of the total that blocks are joined to, when there are several; null when blocks make no difference. */
  readonly total: DType | null;
  /** The place of the best value is kept beside it. */
  readonly positioned: boolean;
}

export function accumulatorKind(fn: Fold, from: DType): AccumulatorKind {
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
    case "lastMax":
    case "lastMin":
      return kind(heldAs(from));
    case "argmax":
    case "argmin":
    case "lastArgmax":
    case "lastArgmin":
      return kind(heldAs(from), { positioned: true });
    case "logaddexp":
      return kind("float64");
    default:
      return fn satisfies never;
  }
}

/** float16 values are float32 in scratch, which is exact and needs no conversion. */
export const heldAs = (dtype: DType): DType => (dtype === "float16" ? "float32" : dtype);

/** True when the order assigns elements to lanes. */
export const laneMatters = ({ fn, from, lanes }: Accumulator): boolean =>
  lanes > 1 && isFloat(from) && (fn === "sum" || fn === "prod");

/** In WebAssembly, products of floats are summed in blocks of this many elements, one after another. */
export const DOT_BLOCK = 256;

/** A product of floats, which has an accumulation order of its own. */
export const isFloatDot = ({ fn, from }: Accumulator): boolean => fn === "dot" && isFloat(from);

/** A fold that calls an approximated function. Its bits are WebAssembly's alone. */
export const callsFunction = ({ fn }: Accumulator): boolean => fn === "logaddexp";

/** In WebAssembly, float32 and float16 sums along the last axis are gathered in chunks, in lanes of float32. */
export const isChunked = (accumulator: Accumulator): boolean =>
  accumulator.fn === "sum" && accumulator.from !== "float64" && laneMatters(accumulator);

/** The value that a fold starts from. */
export function identity({ fn, from }: Accumulator): number | bigint {
  const wide = accumulatorKind(fn, from).partial === "int64";
  switch (fn) {
    case "sum":
    case "dot":
      return wide ? 0n : 0;
    case "prod":
      return wide ? 1n : 1;
    case "any":
      return 0;
    case "all":
      return 1;
    case "max":
    case "argmax":
    case "lastArgmax":
    case "lastMax":
      return lowest(from);
    case "min":
    case "argmin":
    case "lastArgmin":
    case "lastMin":
      return highest(from);
    case "logaddexp":
      return -Infinity;
    default:
      return fn satisfies never;
  }
}

const bits = { bool: 1, uint8: 8, int8: 8, int16: 16, int32: 32 } as const;

function lowest(dtype: DType): number | bigint {
  if (isFloat(dtype)) return -Infinity;
  if (dtype === "int64") return -(2n ** 63n);
  return isUnsigned(dtype) ? 0 : -(2 ** (bits[dtype] - 1));
}

function highest(dtype: DType): number | bigint {
  if (isFloat(dtype)) return Infinity;
  if (dtype === "int64") return 2n ** 63n - 1n;
  return isUnsigned(dtype) ? 2 ** bits[dtype] - 1 : 2 ** (bits[dtype] - 1) - 1;
}
