/**
 * Arithmetic on four float32 lanes, so that a formula in registers reads as a formula. Nothing here but names: each
 * method but the polynomials appends one operation. A {@link Float32Lanes.select} is three in machine code.
 */
import type { Register, Straight } from "../../lanes/straight.ts";

export interface Float32Lanes {
  constant(value: number): Register;
  /** 32 bits in every lane. */
  pattern(bits: number): Register;
  add: Operator2;
  sub: Operator2;
  mul: Operator2;
  div: Operator2;
  sqrt: Operator1;
  magnitude: Operator1;
  nearest: Operator1;
  /** The smaller of a value, which may be NaN and then stays, and a bound. */
  atMost: Operator2;
  /** The larger of a value, which may be NaN and then stays, and a bound. */
  atLeast: Operator2;
  less: Operator2;
  equal: Operator2;
  unequal: Operator2;
  and: Operator2;
  /** The bits of the first where the second has none. */
  except: Operator2;
  or: Operator2;
  xor: Operator2;
  /** The second value where the mask is set, else the third. */
  select(mask: Register, then: Register, otherwise: Register): Register;
  addInt: Operator2;
  subInt: Operator2;
  mulInt: Operator2;
  maxInt: Operator2;
  lessInt: Operator2;
  shiftLeft: Shift;
  /** Brings zeros in. */
  shiftRight: Shift;
  /** Brings copies of the sign in. */
  shiftRightSigned: Shift;
  /** An integer as a float32. */
  fromInt: Operator1;
  /** c₀ + c₁x + c₂x² + …, by Horner's scheme. */
  polynomial(x: Register, coefficients: readonly number[]): Register;
  /** The same as two polynomials in x², whose chains run side by side. It rounds a little more. */
  splitPolynomial(x: Register, square: Register, coefficients: readonly number[]): Register;
  /** The sign bit of a value, the rest 0. */
  sign: Operator1;
}

type Operator1 = (a: Register) => Register;
type Operator2 = (a: Register, b: Register) => Register;
type Shift = (a: Register, distance: number) => Register;

export function float32Lanes(code: Straight): Float32Lanes {
  const constant = (value: number): Register => code.splat("f32x4", value);
  const add: Operator2 = (a, b) => code.op("f32x4.add", a, b);
  const mul: Operator2 = (a, b) => code.op("f32x4.mul", a, b);
  const and: Operator2 = (a, b) => code.op("v128.and", a, b);
  const polynomial: Float32Lanes["polynomial"] = (x, coefficients) =>
    coefficients.map(constant).reduceRight((sum, coefficient) => add(coefficient, mul(x, sum)));
  return {
    constant,
    pattern: (bits) => code.splat("i32x4", bits),
    add,
    sub: (a, b) => code.op("f32x4.sub", a, b),
    mul,
    div: (a, b) => code.op("f32x4.div", a, b),
    sqrt: (a) => code.op("f32x4.sqrt", a),
    magnitude: (a) => code.op("f32x4.abs", a),
    nearest: (a) => code.op("f32x4.nearest", a),
    atMost: (a, b) => code.op("f32x4.pmin", a, b),
    atLeast: (a, b) => code.op("f32x4.pmax", a, b),
    less: (a, b) => code.op("f32x4.lt", a, b),
    equal: (a, b) => code.op("f32x4.eq", a, b),
    unequal: (a, b) => code.op("f32x4.ne", a, b),
    and,
    except: (a, b) => code.op("v128.andnot", a, b),
    or: (a, b) => code.op("v128.or", a, b),
    xor: (a, b) => code.op("v128.xor", a, b),
    select: (mask, then, otherwise) => code.op("v128.bitselect", then, otherwise, mask),
    addInt: (a, b) => code.op("i32x4.add", a, b),
    subInt: (a, b) => code.op("i32x4.sub", a, b),
    mulInt: (a, b) => code.op("i32x4.mul", a, b),
    maxInt: (a, b) => code.op("i32x4.max_s", a, b),
    lessInt: (a, b) => code.op("i32x4.lt_s", a, b),
    shiftLeft: (a, distance) => code.op("i32x4.shl", a, code.scalar("i32", distance)),
    shiftRight: (a, distance) => code.op("i32x4.shr_u", a, code.scalar("i32", distance)),
    shiftRightSigned: (a, distance) => code.op("i32x4.shr_s", a, code.scalar("i32", distance)),
    fromInt: (a) => code.op("f32x4.convert_i32x4_s", a),
    polynomial,
    splitPolynomial: (x, square, coefficients) => {
      const even = coefficients.filter((_, power) => power % 2 === 0);
      const odd = coefficients.filter((_, power) => power % 2 === 1);
      return add(polynomial(square, even), mul(x, polynomial(square, odd)));
    },
    sign: (a) => and(a, constant(-0)),
  };
}
