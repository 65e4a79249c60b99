/** Arithmetic on two float64 lanes, and sums and products whose rounding errors are kept. */
import type { Helper, Register, Straight } from "../../lanes/straight.ts";
import { type FloatLanes, floatLanes } from "../lanes.ts";

/** An unevaluated sum: `low` is what `high` lacks. */
export interface Sum {
  readonly high: Register;
  readonly low: Register;
}

export interface Float64Lanes extends FloatLanes<bigint> {
  /** The upper 26 bits of a significand, and exactly what is left. */
  halves(a: Register): Sum;
  /** a + b and its rounding error, where |a| ≥ |b| or a = 0 (Dekker 1971). */
  orderedSum(a: Register, b: Register): Sum;
  /** a + b and its rounding error (Knuth's TwoSum). */
  exactSum(a: Register, b: Register): Sum;
  /** a · b and its rounding error, as long as that is not subnormal (Dekker 1971). */
  exactProduct(a: Register, b: Register): Sum;
}

/** Appends operations on such lanes. */
export type Float64Function = (lanes: Float64Lanes, ...args: Register[]) => Register;

/** A function of the module, by its name. */
export const helper = (name: string, build: Float64Function): Helper => ({
  name,
  build: (code, ...args) => build(float64Lanes(code), ...args),
});

export function float64Lanes(code: Straight): Float64Lanes {
  const lanes = floatLanes<bigint>(code, "f64x2", "i64x2");
  const { add, sub, mul, and, pattern } = lanes;
  const halves = (a: Register): Sum => {
    const high = and(a, pattern(UPPER_HALF));
    return { high, low: sub(a, high) };
  };
  return {
    ...lanes,
    halves,
    orderedSum(a, b) {
      const high = add(a, b);
      return { high, low: add(sub(a, high), b) };
    },
    exactSum(a, b) {
      const high = add(a, b);
      const fromB = sub(high, a);
      return { high, low: add(sub(a, sub(high, fromB)), sub(b, fromB)) };
    },
    exactProduct(a, b) {
      const high = mul(a, b);
      const x = halves(a);
      const y = halves(b);
      const cross = add(mul(x.high, y.low), mul(x.low, y.high));
      return { high, low: add(add(sub(mul(x.high, y.high), high), cross), mul(x.low, y.low)) };
    },
  };
}

/** The products of two such halves are exact. */
const UPPER_HALF = 0xffff_ffff_f800_0000n;
