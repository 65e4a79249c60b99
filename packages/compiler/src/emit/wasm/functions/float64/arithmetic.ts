/**
 * Arithmetic on two float64 lanes, so that a formula in registers reads as a formula: names of operations, and sums and
 * products whose rounding errors are kept.
 */
import type { Register, Straight } from "../../lanes/straight.ts";

/** An unevaluated sum: `low` is what `high` lacks. */
export interface Sum {
  readonly high: Register;
  readonly low: Register;
}

export interface Float64Lanes {
  /** Where the operations go. */
  readonly code: Straight;
  constant(value: number): Register;
  /** 64 bits in every lane. */
  pattern(bits: bigint): Register;
  add: Operator2;
  sub: Operator2;
  mul: Operator2;
  div: Operator2;
  sqrt: Operator1;
  negative: Operator1;
  magnitude: Operator1;
  nearest: Operator1;
  /** The smaller of a value, which may be NaN and then stays, and a bound. */
  atMost: Operator2;
  /** The larger of a value, which may be NaN and then stays, and a bound. */
  atLeast: Operator2;
  less: Operator2;
  lessOrEqual: Operator2;
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
  lessInt: Operator2;
  shiftLeft: Shift;
  /** Brings zeros in. */
  shiftRight: Shift;
  /** c₀ + c₁x + c₂x² + …, by Horner's scheme. */
  polynomial(x: Register, coefficients: readonly number[]): Register;
  /** The sign bit of a value, the rest 0. */
  sign: Operator1;
  /** The upper 26 bits of a significand, and exactly what is left. */
  halves(a: Register): Sum;
  /** a + b and its rounding error, where |a| ≥ |b| or a = 0 (Dekker 1971). */
  orderedSum(a: Register, b: Register): Sum;
  /** a + b and its rounding error (Knuth's TwoSum). */
  exactSum(a: Register, b: Register): Sum;
  /** a · b and its rounding error, as long as that is not subnormal (Dekker 1971). */
  exactProduct(a: Register, b: Register): Sum;
}

type Operator1 = (a: Register) => Register;
type Operator2 = (a: Register, b: Register) => Register;
type Shift = (a: Register, distance: number) => Register;

export function float64Lanes(code: Straight): Float64Lanes {
  const constant = (value: number): Register => code.splat("f64x2", value);
  const pattern = (bits: bigint): Register => code.splat("i64x2", bits);
  const add: Operator2 = (a, b) => code.op("f64x2.add", a, b);
  const sub: Operator2 = (a, b) => code.op("f64x2.sub", a, b);
  const mul: Operator2 = (a, b) => code.op("f64x2.mul", a, b);
  const and: Operator2 = (a, b) => code.op("v128.and", a, b);
  const halves = (a: Register): Sum => {
    const high = and(a, pattern(UPPER_HALF));
    return { high, low: sub(a, high) };
  };
  return {
    code,
    constant,
    pattern,
    add,
    sub,
    mul,
    div: (a, b) => code.op("f64x2.div", a, b),
    sqrt: (a) => code.op("f64x2.sqrt", a),
    negative: (a) => code.op("f64x2.neg", a),
    magnitude: (a) => code.op("f64x2.abs", a),
    nearest: (a) => code.op("f64x2.nearest", a),
    atMost: (a, b) => code.op("f64x2.pmin", a, b),
    atLeast: (a, b) => code.op("f64x2.pmax", a, b),
    less: (a, b) => code.op("f64x2.lt", a, b),
    lessOrEqual: (a, b) => code.op("f64x2.le", a, b),
    equal: (a, b) => code.op("f64x2.eq", a, b),
    unequal: (a, b) => code.op("f64x2.ne", a, b),
    and,
    except: (a, b) => code.op("v128.andnot", a, b),
    or: (a, b) => code.op("v128.or", a, b),
    xor: (a, b) => code.op("v128.xor", a, b),
    select: (mask, then, otherwise) => code.op("v128.bitselect", then, otherwise, mask),
    addInt: (a, b) => code.op("i64x2.add", a, b),
    subInt: (a, b) => code.op("i64x2.sub", a, b),
    lessInt: (a, b) => code.op("i64x2.lt_s", a, b),
    shiftLeft: (a, distance) => code.op("i64x2.shl", a, code.scalar("i32", distance)),
    shiftRight: (a, distance) => code.op("i64x2.shr_u", a, code.scalar("i32", distance)),
    polynomial: (x, coefficients) =>
      coefficients.map(constant).reduceRight((sum, coefficient) => add(coefficient, mul(x, sum))),
    sign: (a) => and(a, constant(-0)),
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
