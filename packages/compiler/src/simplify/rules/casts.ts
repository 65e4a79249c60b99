/** Casts that cancel or join. */
import { type DType, dtypes, type FloatDType, isFloat, isInt } from "@fuseau/ir";
import { P } from "ts-pattern";
import { roundToFloat16 } from "../../emit/intrinsics/float16.ts";
import { of, op, select } from "../terms/pattern.ts";
import { fits } from "../terms/range.ts";
import { type Rule, rule } from "../terms/rule.ts";
import { operand } from "../terms/term.ts";

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

/** The largest integer up to which floats represent all integers. */
const furthest: { readonly [D in FloatDType]: number } = {
  float16: 2 ** 11,
  float32: 2 ** 24,
  float64: 2 ** 53,
};

/** True when the dtype represents exactly this value; −0 counts as 0. */
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

const x = select("x");
const int = P.when(isInt);
const inner = select("inner");

export const casts: readonly Rule[] = [
  rule({
    name: "cast to its own",
    at: ["cast"],
    when: (_, term) => operand(term).dtype === term.dtype,
    law: "cast(x, dtype of x) → x",
    gives: (_, __, term) => operand(term),
  }),
  rule({
    name: "cast of a cast that holds all",
    at: ["cast"],
    pattern: of({ ...op("cast", x), dtype: inner }),
    when: ({ x, inner }) => holds(inner, x.dtype),
    law: "cast(cast(x, m), d) → cast(x, d) where m holds every value of x's dtype exactly",
    gives: ({ x }, terms, { dtype }) => terms.cast(x, dtype),
  }),
  rule({
    name: "cast of a cast of integers",
    at: ["cast"],
    pattern: {
      dtype: int,
      ...of({ ...op("cast", P.select("x", { dtype: int })), dtype: P.select("inner", int) }),
    },
    when: ({ inner }, { dtype }) => dtypes[inner].bytes >= dtypes[dtype].bytes,
    law: "cast(cast(i, m), d) → cast(i, d) for integers where m is at least as wide as d (both keep the lowest bits)",
    gives: ({ x }, terms, { dtype }) => terms.cast(x, dtype),
  }),
  rule({
    name: "cast of an iota",
    at: ["cast"],
    pattern: of({ fn: "iota", range: select("range"), node: { shape: [select("length")] } }),
    law: "cast(iota, d) → an iota of d where d counts so far exactly",
    gives: ({ range, length }, terms, { dtype }) => {
      if (range?.[1] !== length - 1 || dtype === "bool") return undefined;
      const counts = isFloat(dtype) ? range[1] <= furthest[dtype] : fits(dtype, range);
      return counts ? terms.iota(dtype, length) : undefined;
    },
  }),
];
