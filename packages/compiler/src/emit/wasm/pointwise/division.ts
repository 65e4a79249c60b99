/**
 * Integer quotients and remainders, which lanes have no instruction for. Up to 16 bits are divided as float32, and up to
 * 51 bits as float64. That is exact: rounding the quotient of such integers never moves it up to an integer. Longer int64s are
 * divided lane by lane.
 */
import { type IntDType, isUnsigned } from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Helper, Register, Straight } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "../values/each-lane.ts";
import { doublesOf, farInt64s, inLowWords, int64sOf } from "../values/exact-doubles.ts";
import { widthOf } from "../values/value.ts";
import { resize, upperHalf } from "../values/widths.ts";

export interface Division {
  readonly rounding: "floor" | "trunc";
  readonly wanted: "quotient" | "rest";
}

/** Divides lanes of a dtype. The result for a divisor of 0 is undefined. */
export function divide(division: Division, dtype: IntDType): LaneFunction {
  switch (dtype) {
    case "int64":
      return (code, a, b) => divideInt64(code, division, a, b);
    case "int32":
      return (code, a, b) => divideInt32(code, division, a, b);
    default:
      return (code, a, b) => divideNarrow(code, division, dtype, a, b);
  }
}

function divideNarrow(
  code: Straight,
  division: Division,
  dtype: "uint8" | "int8" | "int16",
  a: Register,
  b: Register,
): Register {
  const width = widthOf[dtype];
  const count = 16 / width;
  const sign = isUnsigned(dtype) ? "unsigned" : "signed";
  const dividends = resize(code, [a], count, width, 4, sign);
  const divisors = resize(code, [b], count, width, 4, sign);
  const results = dividends.map((dividend, k) => {
    const divisor = divisors[k]!;
    const quotient = code.op(
      "i32x4.trunc_sat_f32x4_s",
      code.op(
        `f32x4.${division.rounding}`,
        code.op(
          "f32x4.div",
          code.op("f32x4.convert_i32x4_s", dividend),
          code.op("f32x4.convert_i32x4_s", divisor),
        ),
      ),
    );
    return division.wanted === "quotient" ? quotient : restOf(code, dividend, divisor, quotient);
  });
  return resize(code, results, count, 4, width, "signed")[0]!;
}

const restOf = (code: Straight, a: Register, b: Register, quotient: Register): Register =>
  code.op("i32x4.sub", a, code.op("i32x4.mul", quotient, b));

function divideInt32(code: Straight, division: Division, a: Register, b: Register): Register {
  const half = (dividend: Register, divisor: Register): Register => {
    const exact = code.op(
      "f64x2.div",
      code.op("f64x2.convert_low_i32x4_s", dividend),
      code.op("f64x2.convert_low_i32x4_s", divisor),
    );
    return inLowWords(code, code.op(`f64x2.${division.rounding}`, exact));
  };
  const quotient = resize(
    code,
    [half(a, b), half(upperHalf(code, a), upperHalf(code, b))],
    4,
    8,
    4,
    "signed",
  )[0]!;
  return division.wanted === "quotient" ? quotient : restOf(code, a, b, quotient);
}

function divideInt64(code: Straight, { rounding, wanted }: Division, a: Register, b: Register): Register {
  const [x, y] = [doublesOf(code, a), doublesOf(code, b)];
  const quotient = code.op(`f64x2.${rounding}`, code.op("f64x2.div", x, y));
  // The product is exact too: it is at most 2^52.
  const result =
    wanted === "quotient" ? quotient : code.op("f64x2.sub", x, code.op("f64x2.mul", quotient, y));
  const far = code.op("v128.or", farInt64s(code, a), farInt64s(code, b));
  return code.rarely(far, int64sOf(code, result), longDivision[rounding][wanted], a, b);
}

/** A divisor of 0 would trap, and −1 would for the least dividend. Both are replaced by 1; for −1 the dividend is negated. */
const longDivisionOf = ({ rounding, wanted }: Division): Helper => ({
  name: `int64 ${wanted} (${rounding})`,
  build(code, a, b) {
    const negates = code.op("i64x2.eq", b, code.splat("i64x2", -1));
    const zero = code.op("i64x2.eq", b, code.splat("i64x2", 0));
    const divisor = code.op("v128.bitselect", code.splat("i64x2", 1), b, code.op("v128.or", negates, zero));
    const cut = fromLanes(code, "i64x2", 2, (lane) =>
      code.op("i64.div_s", extractLane(code, "i64x2", a, lane), extractLane(code, "i64x2", divisor, lane)),
    );
    const truncated = code.op("v128.bitselect", code.op("i64x2.neg", a), cut, negates);
    const rest = code.op("i64x2.sub", a, code.op("i64x2.mul", truncated, b));
    if (rounding === "trunc") return wanted === "quotient" ? truncated : rest;
    // Rounding toward −∞: one less, if the remainder is not 0 and its sign differs from the divisor's.
    const differ = code.op("i64x2.lt_s", code.op("v128.xor", rest, b), code.splat("i64x2", 0));
    const lower = code.op("v128.and", differ, code.op("i64x2.ne", rest, code.splat("i64x2", 0)));
    if (wanted === "quotient") return code.op("i64x2.add", truncated, lower);
    return code.op("i64x2.add", rest, code.op("v128.and", b, lower));
  },
});

const longDivision = {
  floor: {
    quotient: longDivisionOf({ rounding: "floor", wanted: "quotient" }),
    rest: longDivisionOf({ rounding: "floor", wanted: "rest" }),
  },
  trunc: {
    quotient: longDivisionOf({ rounding: "trunc", wanted: "quotient" }),
    rest: longDivisionOf({ rounding: "trunc", wanted: "rest" }),
  },
};
