/**
 * Derivatives of the pointwise primitives: for each operand, `t` times the partial derivative, with PyTorch's conventions
 * (tools/autograd/derivatives.yaml). Each is linear in `t`, so that it serves both modes: in backward mode `t` is the gradient of the
 * result, in forward mode the tangent of the operand. Shapes broadcast; the caller sums over repeated axes.
 */
import type { PointwiseOp } from "@fuseau/ir";
import {
  add,
  and,
  div,
  eq,
  exp,
  ge,
  gt,
  le,
  log,
  lt,
  map,
  mul,
  ne,
  neg,
  not,
  or,
  pow,
  sub,
  where,
  zip,
} from "../../ops/pointwise.ts";
import { trigamma } from "../../ops/special.ts";
import { withoutSlope } from "../../tape/rule.ts";
import type { Value } from "../../value.ts";

/** `t` times the partial derivative, where r is the op's result for x and y (and z). */
type Partial = (t: Value, r: Value, x: Value, y: Value, z: Value) => Value;

/** The derivative is 0 wherever it exists. */
export const flat = Symbol("flat");

/** The partial derivatives by operand; null where PyTorch has none, or the operand is never a float. */
type Row = readonly (Partial | typeof flat | null)[];

const squared = (x: Value): Value => mul(x, x);
const oneMinus = (x: Value): Value => add(neg(x), 1);
const identity: Partial = (t) => t;
const keepWhere = (condition: Value, t: Value): Value => where(condition, t, 0);

/** Of two equal operands each has half. NaN goes to both. */
const extreme = (loses: (x: Value, y: Value) => Value): Row => {
  const half = (t: Value, x: Value, y: Value): Value => where(loses(x, y), 0, where(eq(x, y), div(t, 2), t));
  return [(t, _r, x, y) => half(t, x, y), (t, _r, x, y) => half(t, y, x)];
};

/** The first operand has the whole gradient where both are equal or the other is NaN. */
const fExtreme = (wins: (x: Value, y: Value) => Value): Row => {
  const first = (x: Value, y: Value): Value => or(wins(x, y), ne(y, y));
  return [(t, _r, x, y) => keepWhere(first(x, y), t), (t, _r, x, y) => keepWhere(not(first(x, y)), t)];
};

const flatRow: Row = [flat, flat];
const none: Row = [null, null, null];

export const partials: { readonly [Op in PointwiseOp]: Row } = {
  add: [identity, identity],
  sub: [identity, (t) => neg(t)],
  mul: [(t, _r, _x, y) => mul(t, y), (t, _r, x) => mul(t, x)],
  div: [(t, _r, _x, y) => div(t, y), (t, r, _x, y) => mul(neg(t), div(r, y))],
  floorDivide: flatRow,
  truncDivide: flatRow,
  remainder: [identity, (t, _r, x, y) => mul(neg(t), zip("floorDivide", x, y))],
  fmod: [identity, (t, _r, x, y) => mul(neg(t), zip("truncDivide", x, y))],
  pow: [
    // An exponent of 0 is not decremented to −1. The unused branch would be infinite at 0, and its derivative NaN.
    (t, _r, x, y) => {
      const isConstant = eq(y, 0);
      return where(isConstant, 0, mul(t, mul(y, pow(x, where(isConstant, 0, sub(y, 1))))));
    },
    (t, r, x, y) => where(and(eq(x, 0), ge(y, 0)), 0, mul(t, mul(r, log(x)))),
  ],
  maximum: extreme(lt),
  minimum: extreme(gt),
  fmax: fExtreme(ge),
  fmin: fExtreme(le),
  atan2: [
    (t, _r, x, y) => mul(t, div(y, add(squared(x), squared(y)))),
    (t, _r, x, y) => mul(t, div(neg(x), add(squared(x), squared(y)))),
  ],
  hypot: [(t, r, x) => mul(t, div(x, r)), (t, r, _x, y) => mul(t, div(y, r))],
  copysign: [(t, r, x) => where(eq(x, 0), 0, mul(t, div(r, x))), flat],
  nextafter: none,
  gcd: none,
  lcm: none,
  neg: [(t) => neg(t)],
  abs: [(t, _r, x) => mul(t, map("sign", x))],
  sign: flatRow,
  // PyTorch's slope depends on x, with a derivative of 0.
  relu: [(t, r, x) => withoutSlope("relu", [x], where(le(r, 0), 0, t))],

  floor: flatRow,
  ceil: flatRow,
  trunc: flatRow,
  round: flatRow,

  sqrt: [(t, r) => div(t, mul(r, 2))],
  rsqrt: [(t, r) => mul(mul(t, -0.5), mul(squared(r), r))],
  reciprocal: [(t, r) => mul(neg(t), squared(r))],
  exp: [(t, r) => mul(t, r)],
  exp2: [(t, r) => mul(t, mul(r, Math.LN2))],
  expm1: [(t, r) => mul(t, add(r, 1))],
  log: [(t, _r, x) => div(t, x)],
  log2: [(t, _r, x) => div(t, mul(x, Math.LN2))],
  log10: [(t, _r, x) => div(t, mul(x, Math.LN10))],
  log1p: [(t, _r, x) => div(t, add(x, 1))],
  sigmoid: [(t, r) => mul(t, mul(oneMinus(r), r))],

  sin: [(t, _r, x) => mul(t, map("cos", x))],
  cos: [(t, _r, x) => mul(t, neg(map("sin", x)))],
  tan: [(t, r) => mul(t, add(squared(r), 1))],
  asin: [(t, _r, x) => mul(t, map("rsqrt", oneMinus(squared(x))))],
  acos: [(t, _r, x) => mul(neg(t), map("rsqrt", oneMinus(squared(x))))],
  atan: [(t, _r, x) => div(t, add(squared(x), 1))],
  sinh: [(t, _r, x) => mul(t, map("cosh", x))],
  cosh: [(t, _r, x) => mul(t, map("sinh", x))],
  tanh: [(t, r) => mul(t, oneMinus(squared(r)))],
  asinh: [(t, _r, x) => mul(t, map("rsqrt", add(squared(x), 1)))],
  acosh: [(t, _r, x) => mul(t, map("rsqrt", sub(squared(x), 1)))],
  atanh: [(t, _r, x) => div(t, oneMinus(squared(x)))],

  erf: [(t, _r, x) => mul(t, mul(exp(neg(squared(x))), 2 / Math.sqrt(Math.PI)))],
  erfc: [(t, _r, x) => mul(t, mul(exp(neg(squared(x))), -2 / Math.sqrt(Math.PI)))],
  erfinv: [(t, r) => mul(t, mul(exp(squared(r)), Math.sqrt(Math.PI) / 2))],
  ndtri: [(t, r) => mul(t, mul(exp(mul(squared(r), 0.5)), Math.sqrt(2 * Math.PI)))],
  lgamma: [(t, _r, x) => mul(t, map("digamma", x))],
  digamma: [(t, _r, x) => mul(t, trigamma(x))],

  eq: none,
  ne: none,
  lt: none,
  le: none,
  gt: none,
  ge: none,
  isnan: none,
  isinf: none,
  isfinite: none,
  signbit: none,
  logicalAnd: none,
  logicalOr: none,
  logicalXor: none,
  logicalNot: none,
  bitwiseAnd: none,
  bitwiseOr: none,
  bitwiseXor: none,
  bitwiseNot: none,
  bitwiseLeftShift: none,
  bitwiseRightShift: none,

  where: [null, (t, _r, condition) => where(condition, t, 0), (t, _r, condition) => where(condition, 0, t)],
  // The caller casts to the dtype of the operand, or of the result.
  cast: [identity],
  randomWord: none,
  randomNormal: none,
};
