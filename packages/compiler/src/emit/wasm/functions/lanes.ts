/** Arithmetic on lanes of floats: names for operations, and Horner's scheme, so that formulas on registers read as formulas. */
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register, Straight } from "../lanes/straight.ts";

/** `Bits` is the type in which bit patterns are written. */
export interface FloatLanes<Bits extends number | bigint> {
  /** The code to which operations are appended. */
  readonly code: Straight;
  readonly rarely: Straight["rarely"];
  constant(value: number): Register;
  /** The same bits in every lane. */
  pattern(bits: Bits): Register;
  add: Operator2;
  sub: Operator2;
  mul: Operator2;
  div: Operator2;
  sqrt: Operator1;
  negative: Operator1;
  magnitude: Operator1;
  nearest: Operator1;
  floor: Operator1;
  /** The smaller of a value and a bound; NaN if the value is NaN. */
  atMost: Operator2;
  /** The larger of a value and a bound; NaN if the value is NaN. */
  atLeast: Operator2;
  less: Operator2;
  lessOrEqual: Operator2;
  equal: Operator2;
  unequal: Operator2;
  and: Operator2;
  /** The bits of the first operand that the second one has not. */
  except: Operator2;
  or: Operator2;
  xor: Operator2;
  /** The second value where the mask is set, else the third. It takes three machine instructions. */
  select(mask: Register, then: Register, otherwise: Register): Register;
  addInt: Operator2;
  subInt: Operator2;
  lessInt: Operator2;
  shiftLeft: Shift;
  /** Shifts zeros in. */
  shiftRight: Shift;
  /** c₀ + c₁x + c₂x² + …, by Horner's scheme. */
  polynomial(x: Register, coefficients: readonly number[]): Register;
  /** The sign bit of a value; all other bits are 0. */
  sign: Operator1;
}

export type Operator1 = (a: Register) => Register;
export type Operator2 = (a: Register, b: Register) => Register;
export type Shift = (a: Register, distance: number) => Register;

/** Operations on lanes of floats and on integers of the same width. */
export function floatLanes<Bits extends number | bigint>(
  code: Straight,
  float: "f32x4" | "f64x2",
  int: "i32x4" | "i64x2",
): FloatLanes<Bits> {
  const constant = (value: number): Register => code.splat(float, value);
  const add: Operator2 = (a, b) => code.op(`${float}.add`, a, b);
  const mul: Operator2 = (a, b) => code.op(`${float}.mul`, a, b);
  const and: Operator2 = (a, b) => code.op("v128.and", a, b);
  return {
    code,
    rarely: (mask, usual, helper, ...args) => code.rarely(mask, usual, helper, ...args),
    constant,
    pattern: (bits) => code.splat(int, bits),
    add,
    sub: (a, b) => code.op(`${float}.sub`, a, b),
    mul,
    div: (a, b) => code.op(`${float}.div`, a, b),
    sqrt: (a) => code.op(`${float}.sqrt`, a),
    negative: (a) => code.op(`${float}.neg`, a),
    magnitude: (a) => code.op(`${float}.abs`, a),
    nearest: (a) => code.op(`${float}.nearest`, a),
    floor: (a) => code.op(`${float}.floor`, a),
    atMost: (a, b) => code.op(`${float}.pmin`, a, b),
    atLeast: (a, b) => code.op(`${float}.pmax`, a, b),
    less: (a, b) => code.op(`${float}.lt`, a, b),
    lessOrEqual: (a, b) => code.op(`${float}.le`, a, b),
    equal: (a, b) => code.op(`${float}.eq`, a, b),
    unequal: (a, b) => code.op(`${float}.ne`, a, b),
    and,
    except: (a, b) => code.op("v128.andnot", a, b),
    or: (a, b) => code.op("v128.or", a, b),
    xor: (a, b) => code.op("v128.xor", a, b),
    select: (mask, then, otherwise) => code.op("v128.bitselect", then, otherwise, mask),
    addInt: (a, b) => code.op(`${int}.add`, a, b),
    subInt: (a, b) => code.op(`${int}.sub`, a, b),
    lessInt: (a, b) => code.op(`${int}.lt_s`, a, b),
    shiftLeft: (a, distance) => code.op(`${int}.shl`, a, code.scalar("i32", distance)),
    shiftRight: (a, distance) => code.op(`${int}.shr_u`, a, code.scalar("i32", distance)),
    polynomial: (x, coefficients) =>
      coefficients.map(constant).reduceRight((sum, coefficient) => add(coefficient, mul(x, sum))),
    sign: (a) => and(a, constant(-0)),
  };
}

/** The ops that have lane functions. */
// biome-ignore format: a list of names
export type FloatName =
  | "exp" | "exp2" | "expm1" | "log" | "log2" | "log10" | "log1p" | "sigmoid" | "sin" | "cos" | "tan" | "asin" | "acos"
  | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "erf" | "erfc" | "erfinv" | "ndtri"
  | "lgamma" | "digamma" | "pow" | "hypot"
  | "fmod" | "remainder" | "floorDivide";

/** Turns functions on lanes into functions that append to any code. */
export const ofCode = <L>(
  lanesOf: (code: Straight) => L,
  functions: Readonly<Record<FloatName, (lanes: L, ...args: Register[]) => Register>>,
): Readonly<Record<FloatName, LaneFunction>> =>
  Object.fromEntries(
    Object.entries(functions).map(([name, build]): [string, LaneFunction] => [
      name,
      (code, ...args) => build(lanesOf(code), ...args),
    ]),
  ) as Record<FloatName, LaneFunction>;
