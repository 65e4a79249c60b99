/** The values at which laws of arithmetic break, for each dtype; float16's are numbers that half precision holds. */
import { type DType, isFloat } from "@fuseau/ir";
import fc from "fast-check";
import { roundToFloat16 } from "../../packages/compiler/src/emit/intrinsics/float16.ts";
import type { Element } from "../differential/reference.ts";

const floats = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  3,
  1 / 3,
  NaN,
  Infinity,
  -Infinity,
  // Subnormal and next to it in float64, float32 and float16.
  5e-324,
  -5e-324,
  2.2250738585072014e-308,
  1.401298464324817e-45,
  -1.1754943508222875e-38,
  2 ** -24,
  2 ** -14,
  // The largest, and where integers stop being exact.
  1.7976931348623157e308,
  3.4028234663852886e38,
  -65504,
  2048,
  2049,
  16777216,
  16777217,
  2147483647,
  2147483648,
  -2147483649,
  2 ** 53 + 2,
  2 ** 63,
];

export const special: { readonly [D in DType]: readonly Element[] } = {
  bool: [0, 1],
  uint8: [0, 1, 2, 127, 128, 254, 255],
  int8: [-128, -127, -1, 0, 1, 2, 126, 127],
  int16: [-32768, -32767, -129, -1, 0, 1, 2, 255, 256, 32767],
  int32: [-2147483648, -2147483647, -65536, -1, 0, 1, 2, 16777217, 2147483646, 2147483647],
  int64: [
    -9223372036854775808n,
    -9223372036854775807n,
    -2147483649n,
    -1n,
    0n,
    1n,
    2n,
    2147483648n,
    9007199254740993n,
    9223372036854775807n,
  ],
  float16: [...new Set(floats.map(roundToFloat16)), -0],
  float32: [...new Set(floats.map(Math.fround)), -0],
  float64: [...new Set(floats), -0],
};

/** Special values, and any others of the dtype. */
export function elements(dtype: DType, length: number): fc.Arbitrary<Element[]> {
  const one = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...special[dtype]) },
    { weight: 1, arbitrary: any(dtype) },
  );
  return fc.array(one, { minLength: length, maxLength: length });
}

function any(dtype: DType): fc.Arbitrary<Element> {
  switch (dtype) {
    case "float64":
      return fc.double();
    case "float32":
      return fc.float();
    case "float16":
      return fc.float().map(roundToFloat16);
    case "int64":
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case "bool":
      return fc.constantFrom(0, 1);
    default: {
      const all = special[dtype] as readonly number[];
      return fc.integer({ min: Math.min(...all), max: Math.max(...all) });
    }
  }
}

/** 1, 0 and other numbers as an element of the dtype. */
export const elementOf = (dtype: DType, value: number): Element =>
  dtype === "int64" ? BigInt(value) : value;

/** −0 is a value of its own in the floats, and 0 elsewhere. */
export const zeros = (dtype: DType): readonly Element[] => (isFloat(dtype) ? [0, -0] : [elementOf(dtype, 0)]);
