/** Arithmetic on four float32 lanes. */
import type { Helper, Register, Straight } from "../../lanes/straight.ts";
import { type FloatLanes, floatLanes, type Operator1, type Operator2, type Shift } from "../lanes.ts";

export interface Float32Lanes extends FloatLanes<number> {
  mulInt: Operator2;
  maxInt: Operator2;
  /** Shifts copies of the sign in. */
  shiftRightSigned: Shift;
  /** An integer as a float32. */
  fromInt: Operator1;
  /** The polynomial as two polynomials in x², whose chains are independent. It rounds slightly more. */
  splitPolynomial(x: Register, square: Register, coefficients: readonly number[]): Register;
}

/** Appends operations on such lanes. */
export type Float32Function = (lanes: Float32Lanes, ...args: Register[]) => Register;

/** A function of the module, by its name. */
export const helper = (name: string, build: Float32Function): Helper => ({
  name,
  build: (code, ...args) => build(float32Lanes(code), ...args),
});

export function float32Lanes(code: Straight): Float32Lanes {
  const lanes = floatLanes<number>(code, "f32x4", "i32x4");
  const { add, mul, polynomial } = lanes;
  return {
    ...lanes,
    mulInt: (a, b) => code.op("i32x4.mul", a, b),
    maxInt: (a, b) => code.op("i32x4.max_s", a, b),
    shiftRightSigned: (a, distance) => code.op("i32x4.shr_s", a, code.scalar("i32", distance)),
    fromInt: (a) => code.op("f32x4.convert_i32x4_s", a),
    splitPolynomial: (x, square, coefficients) => {
      const even = coefficients.filter((_, power) => power % 2 === 0);
      const odd = coefficients.filter((_, power) => power % 2 === 1);
      return add(polynomial(square, even), mul(x, polynomial(square, odd)));
    },
  };
}
