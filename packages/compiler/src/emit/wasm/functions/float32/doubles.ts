/**
 * The same four lanes in float64, as two registers: for steps that float32 is too coarse for. Operations are appended
 * for one half and then the other, so that the halves' chains run side by side.
 */
import type { Operation } from "../../encode/operations.ts";
import type { Register } from "../../lanes/straight.ts";
import type { Float32Lanes } from "./arithmetic.ts";

/** Four float64 or 64-bit integers: lanes 0 and 1, lanes 2 and 3. */
export type Doubles = readonly [low: Register, high: Register];

interface DoubleLanes {
  /** The values of float32 lanes, exactly. */
  widen(x: Register): Doubles;
  /** Rounded to float32 lanes. */
  narrow(x: Doubles): Register;
  /** The low 32 bits of each value. */
  lowBits(x: Doubles): Register;
  constant(value: number): Doubles;
  /** 64 bits in every lane. */
  pattern(bits: bigint): Doubles;
  add: Operator2;
  sub: Operator2;
  mul: Operator2;
  div: Operator2;
  sqrt: Operator1;
  trunc: Operator1;
  /** The smaller of a value, which may be NaN and then stays, and a bound. */
  atMost: Operator2;
  /** The larger of a value, which may be NaN and then stays, and a bound. */
  atLeast: Operator2;
  and: Operator2;
  or: Operator2;
  xor: Operator2;
  addInt: Operator2;
  subInt: Operator2;
  shiftLeft: Shift;
  /** Brings zeros in. */
  shiftRight: Shift;
  /** c₀ + c₁x + c₂x² + …, by Horner's scheme. */
  polynomial(x: Doubles, coefficients: readonly number[]): Doubles;
}

type Operator1 = (a: Doubles) => Doubles;
type Operator2 = (a: Doubles, b: Doubles) => Doubles;
type Shift = (a: Doubles, distance: number) => Doubles;

export function doubleLanes({ code }: Float32Lanes): DoubleLanes {
  const both = (value: Register): Doubles => [value, value];
  const unary =
    (op: Operation): Operator1 =>
    (a) => [code.op(op, a[0]), code.op(op, a[1])];
  const binary =
    (op: Operation): Operator2 =>
    (a, b) => [code.op(op, a[0], b[0]), code.op(op, a[1], b[1])];
  const shift =
    (op: Operation): Shift =>
    (a, distance) =>
      binary(op)(a, both(code.scalar("i32", distance)));
  const constant = (value: number): Doubles => both(code.splat("f64x2", value));
  const add = binary("f64x2.add");
  const mul = binary("f64x2.mul");
  const demote = unary("f32x4.demote_f64x2_zero");
  return {
    widen: (x) => [
      code.op("f64x2.promote_low_f32x4", x),
      code.op("f64x2.promote_low_f32x4", code.with("i8x16.shuffle", words(2, 3, 2, 3), x, x)),
    ],
    narrow: (x) => code.with("i8x16.shuffle", words(0, 1, 4, 5), ...demote(x)),
    lowBits: (x) => code.with("i8x16.shuffle", words(0, 2, 4, 6), ...x),
    constant,
    pattern: (bits) => both(code.splat("i64x2", bits)),
    add,
    sub: binary("f64x2.sub"),
    mul,
    div: binary("f64x2.div"),
    sqrt: unary("f64x2.sqrt"),
    trunc: unary("f64x2.trunc"),
    atMost: binary("f64x2.pmin"),
    atLeast: binary("f64x2.pmax"),
    and: binary("v128.and"),
    or: binary("v128.or"),
    xor: binary("v128.xor"),
    addInt: binary("i64x2.add"),
    subInt: binary("i64x2.sub"),
    shiftLeft: shift("i64x2.shl"),
    shiftRight: shift("i64x2.shr_u"),
    polynomial: (x, coefficients) =>
      coefficients.map(constant).reduceRight((sum, coefficient) => add(coefficient, mul(x, sum))),
  };
}

/** The bytes of four 32-bit words of two registers, for a shuffle. */
export function words(...places: readonly number[]): number[] {
  return places.flatMap((place) => [4 * place, 4 * place + 1, 4 * place + 2, 4 * place + 3]);
}
