/** Casts that cancel or join. */
import { type DType, dtypes, type FloatDType, isFloat, isInt } from "@fuseau/ir";
import { roundToFloat16 } from "../../emit/intrinsics/float16.ts";
import { fits } from "../range.ts";
import type { Rule } from "../rule.ts";
import type { Term } from "../term.ts";

const held: { readonly [D in DType]: readonly DType[] } = {
  bool: ["bool"],
  uint8: ["bool", "uint8"],
  int8: ["bool", "int8"],
  int16: ["bool", "uint8", "int8", "int16"],
  int32: ["bool", "uint8", "int8", "int16", "int32"],
  int64: ["bool", "uint8", "int8", "int16", "int32", "int64"],
  float16: ["bool", "uint8", "int8", "float16"],
  float32: ["bool", "uint8", "int8", "int16", "float16", "float32"],
  float64: ["bool", "uint8", "int8", "int16", "int32", "float16", "float32", "float64"],
};

/** True when `wide` has every value of `dtype`, exactly. */
export const holds = (wide: DType, dtype: DType): boolean => held[wide].includes(dtype);

/** How far floats count without a gap. */
const furthest: { readonly [D in FloatDType]: number } = {
  float16: 2 ** 11,
  float32: 2 ** 24,
  float64: 2 ** 53,
};

/** True when the dtype has this very value; −0 counts as 0. */
export function represents(dtype: DType, value: number | bigint): boolean {
  const number = Number(value);
  if (typeof value === "bigint" && BigInt(number) !== value) return false;
  switch (dtype) {
    case "float64":
      return true;
    case "float32":
      return Object.is(Math.fround(number), number);
    case "float16":
      return Object.is(roundToFloat16(number), number);
    default:
      return Number.isInteger(number) && fits(dtype, [number, number]);
  }
}

export const casts: readonly Rule[] = [
  {
    at: ["cast"],
    law: "cast(x, dtype of x) → x",
    apply: ({ inputs: [x], dtype }) => (x?.dtype === dtype ? x : undefined),
  },
  {
    at: ["cast"],
    law: "cast(cast(x, m), d) → cast(x, d) where m holds every value of x's dtype exactly",
    apply: ({ inputs: [inner], dtype }, terms) => {
      if (inner?.fn !== "cast") return undefined;
      const [source] = inner.inputs as [Term];
      return holds(inner.dtype, source.dtype) ? terms.cast(source, dtype) : undefined;
    },
  },
  {
    at: ["cast"],
    law: "cast(cast(i, m), d) → cast(i, d) for integers where m is at least as wide as d (both keep the lowest bits)",
    apply: ({ inputs: [inner], dtype }, terms) => {
      if (inner?.fn !== "cast" || !isInt(inner.dtype) || !isInt(dtype)) return undefined;
      const [source] = inner.inputs as [Term];
      const keeps = isInt(source.dtype) && dtypes[inner.dtype].bytes >= dtypes[dtype].bytes;
      return keeps ? terms.cast(source, dtype) : undefined;
    },
  },
  {
    at: ["cast"],
    law: "cast(iota, d) → an iota of d where d counts so far exactly",
    apply: ({ inputs: [x], dtype }, terms) => {
      if (x?.fn !== "iota" || x.range === undefined || dtype === "bool") return undefined;
      const last = x.range[1];
      const counts = isFloat(dtype) ? last <= furthest[dtype] : fits(dtype, x.range);
      return counts && last === (x.node.shape[0] as number) - 1 ? terms.iota(dtype, last + 1) : undefined;
    },
  },
];
