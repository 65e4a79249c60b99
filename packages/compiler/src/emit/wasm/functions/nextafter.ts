/**
 * C's nextafter in lanes. Floats of one sign are ordered as their bits are, so a step adds to the bits or subtracts from them.
 * ../../intrinsics/nextafter.ts is the same for numbers.
 */
import type { FloatDType } from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register, Straight } from "../lanes/straight.ts";

/** Lanes of a float and of integers of its width, how far apart floats are in bits, and the smallest of them. */
interface Format {
  readonly float: "f32x4" | "f64x2";
  readonly integer: "i32x4" | "i64x2";
  readonly one: number | bigint;
  readonly smallest: number;
}

/** A float16 is held as a float32, whose mantissa has 13 bits more. */
const half: Format = { float: "f32x4", integer: "i32x4", one: 2 ** 13, smallest: 2 ** -24 };
const single: Format = { float: "f32x4", integer: "i32x4", one: 1, smallest: 2 ** -149 };
const double: Format = { float: "f64x2", integer: "i64x2", one: 1n, smallest: Number.MIN_VALUE };

/** The next float from x toward y: y where they are equal, NaN where either is. */
const stepping =
  (format: Format): LaneFunction =>
  (code, x, y) => {
    const { float, integer, one } = format;
    const zero = code.splat(float, 0);
    const rises = code.op(`${float}.lt`, x, y);
    const outward = code.op("v128.xor", rises, code.op(`${float}.lt`, x, zero));
    const step = code.splat(integer, one);
    const stepped = code.op(
      "v128.bitselect",
      code.op(`${integer}.add`, x, step),
      code.op(`${integer}.sub`, x, step),
      outward,
    );
    const smallest = code.splat(float, format.smallest);
    const sign = code.op("v128.and", y, code.splat(float, -0));
    const fromZero = code.op("v128.or", smallest, sign);
    const near = format === half ? amongHalves(code, x, rises, outward, stepped) : stepped;
    const moved = code.op("v128.bitselect", fromZero, near, code.op(`${float}.eq`, x, zero));
    const equalOrMoved = code.op("v128.bitselect", y, moved, code.op(`${float}.eq`, x, y));
    const ordered = code.op("v128.and", code.op(`${float}.eq`, x, x), code.op(`${float}.eq`, y, y));
    return code.op("v128.bitselect", equalOrMoved, code.splat(float, Number.NaN), ordered);
  };

/** float16's subnormal numbers are evenly spaced, and its largest finite number is 65504. */
function amongHalves(
  code: Straight,
  x: Register,
  rises: Register,
  outward: Register,
  stepped: Register,
): Register {
  const magnitude = code.op("f32x4.abs", x);
  const sign = code.op("v128.and", x, code.splat("f32x4", -0));
  const spacing = code.splat("f32x4", 2 ** -24);
  const least = code.splat("f32x4", 2 ** -14);
  // A step never crosses 0, and reaches it with its sign.
  const evenly = code.op(
    "v128.or",
    code.op("v128.bitselect", code.op("f32x4.add", x, spacing), code.op("f32x4.sub", x, spacing), rises),
    sign,
  );
  const isSubnormal = code.op(
    "v128.bitselect",
    code.op("f32x4.lt", magnitude, least),
    code.op("f32x4.le", magnitude, least),
    outward,
  );
  const largest = code.splat("f32x4", 65504);
  // Beyond the largest lies ∞, and back from ∞ lies the largest.
  const leaves = code.op("v128.and", outward, code.op("f32x4.eq", magnitude, largest));
  const returns = code.op("f32x4.eq", magnitude, code.splat("f32x4", Number.POSITIVE_INFINITY));
  const inner = code.op("v128.bitselect", evenly, stepped, isSubnormal);
  const overflowed = code.op("v128.or", code.splat("f32x4", Number.POSITIVE_INFINITY), sign);
  const finite = code.op("v128.bitselect", overflowed, inner, leaves);
  return code.op("v128.bitselect", code.op("v128.or", largest, sign), finite, returns);
}

export const nextafter: Readonly<Record<FloatDType, LaneFunction>> = {
  float16: stepping(half),
  float32: stepping(single),
  float64: stepping(double),
};
