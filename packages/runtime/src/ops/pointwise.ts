/** Pointwise primitives on values and scalars: operands are promoted, then one node is recorded. */
import {
  computeDType,
  type DType,
  DTypeError,
  isFloat,
  type PointwiseOp,
  resultDType,
  type Scalar,
} from "@fuseau/ir";
import { binary, cast, where as record, unary } from "../record.ts";
import { Value } from "../value.ts";
import {
  as,
  checkTerm,
  exactly,
  promoteAll,
  promotePair,
  scalarDType,
  type Term,
  torchName,
} from "./operand.ts";

type Logical = "logicalAnd" | "logicalOr" | "logicalXor";
type Primitive = Exclude<PointwiseOp, "cast" | "where" | "logicalNot" | Logical>;

/** Every op except the logical ones computes in a float operand's own dtype. This common case needs no table. */
const computesAsItIs = (dtype: DType): boolean => dtype === "float32" || dtype === "float64";

/** `fn` of one value, in the dtype that it computes in. */
export function map(fn: Primitive, x: Value): Value {
  const { dtype } = x.node;
  return unary(fn, computesAsItIs(dtype) ? x : cast(x, computeDType(fn, dtype)));
}

/** `fn` of two operands, in the dtype that they are promoted to. */
export function zip(fn: Primitive, a: Term, b: Term): Value {
  if (a instanceof Value && computesAsItIs(a.node.dtype)) {
    const { dtype } = a.node;
    if (typeof b === "number") return binary(fn, a, as(dtype, b));
    if (b instanceof Value && b.node.dtype === dtype) return binary(fn, a, b);
  }
  const dtype = computeDType(fn, promotePair(a, b));
  // PyTorch multiplies and divides float16 by a scalar in float32.
  const single = dtype === "float16" && (fn === "mul" || fn === "div") && !(isValue(a) && isValue(b));
  const computed = single ? "float32" : dtype;
  return cast(binary(fn, as(computed, a), as(computed, b)), resultDType(fn, dtype));
}

const isValue = (term: Term): term is Value => term instanceof Value;

/** The value as bool: true where it is not 0. */
export function logic(fn: Logical, a: Term, b: Term): Value {
  checkTerm(a);
  checkTerm(b);
  return binary(fn, as("bool", a), as("bool", b));
}

export const not = (x: Value): Value => unary("logicalNot", cast(x, "bool"));

export const add = (a: Term, b: Term): Value => zip("add", a, b);
export const mul = (a: Term, b: Term): Value => zip("mul", a, b);
export const div = (a: Term, b: Term): Value => zip("div", a, b);
export const maximum = (a: Term, b: Term): Value => zip("maximum", a, b);
export const minimum = (a: Term, b: Term): Value => zip("minimum", a, b);
export const eq = (a: Term, b: Term): Value => zip("eq", a, b);
export const ne = (a: Term, b: Term): Value => zip("ne", a, b);
export const lt = (a: Term, b: Term): Value => zip("lt", a, b);
export const le = (a: Term, b: Term): Value => zip("le", a, b);
export const gt = (a: Term, b: Term): Value => zip("gt", a, b);
export const ge = (a: Term, b: Term): Value => zip("ge", a, b);
export const and = (a: Term, b: Term): Value => logic("logicalAnd", a, b);
export const or = (a: Term, b: Term): Value => logic("logicalOr", a, b);
export const abs = (x: Value): Value => map("abs", x);
export const exp = (x: Value): Value => map("exp", x);
export const log = (x: Value): Value => map("log", x);
export const sqrt = (x: Value): Value => map("sqrt", x);

/**
 * a − b.
 * @throws DTypeError for a bool operand, with PyTorch's advice.
 */
export function sub(a: Term, b: Term): Value {
  if (isBool(a) || isBool(b)) refuseBools(a, b);
  return zip("sub", a, b);
}

function refuseBools(a: Term, b: Term): void {
  const boolA = isBool(a);
  const boolB = isBool(b);
  if (boolA && boolB)
    throw new DTypeError(
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead. (here: bitwiseXor or logicalXor)",
    );
  if (boolA || boolB)
    throw new DTypeError(
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead. (here: bitwiseNot or logicalNot)",
    );
}

const isBool = (term: Term): boolean =>
  term instanceof Value ? term.node.dtype === "bool" : typeof term === "boolean";

export function neg(x: Value): Value {
  if (x.node.dtype === "bool")
    throw new DTypeError(
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead. (here: bitwiseNot or logicalNot)",
    );
  return map("neg", x);
}

/** `a` where the condition holds, `b` elsewhere. It selects, and never multiplies by a mask. A uint8 condition holds where it is not 0. */
export function where(condition: Value, a: Term, b: Term): Value {
  if (condition.node.dtype === "uint8") return where(zip("ne", condition, 0), a, b);
  if (condition.node.dtype !== "bool")
    throw new DTypeError(
      `where expected condition to be a boolean tensor, but got a tensor with dtype ${torchName[condition.node.dtype]} (compare first, e.g. x.ne(0))`,
    );
  const dtype = promotePair(a, b);
  return record(condition, exactly(dtype, a), exactly(dtype, b));
}

/**
 * The exponents, if they are numbers, that PyTorch computes without pow, so that `x.pow(0.5)` of −∞ is NaN and of −0 is −0; and what it
 * computes.
 */
const exponents: ReadonlyMap<number, (x: Value) => Value> = new Map([
  [2, (x) => mul(x, x)],
  [3, (x) => mul(mul(x, x), x)],
  [0.5, sqrt],
  [-0.5, (x) => map("rsqrt", x)],
  [-1, (x) => map("reciprocal", x)],
  [-2, (x) => map("reciprocal", mul(x, x))],
]);

/**
 * `a` to the power `b`. Integers stay integers.
 * @throws DTypeError for an integer to a negative integer scalar.
 */
export function pow(a: Term, b: Term): Value {
  const dtype = promotePair(a, b);
  if (!isFloat(dtype) && !(b instanceof Value) && Number(b) < 0)
    throw new DTypeError(
      "Integers to negative integer powers are not allowed. (make one of them floating, e.g. float(2))",
    );
  if (!isFloat(dtype)) return zip("pow", a, exactly(dtype, b));
  if (!(a instanceof Value) || b instanceof Value) return zip("pow", a, b);
  // Which of them it is decides what is recorded, so a jitted function has a recording for each exponent.
  const exponent = Number(typeof b === "object" ? b.float : b);
  const of = exponents.get(exponent);
  // Of float16 PyTorch takes no roots, so that −∞ to the power 0.5 is ∞, and it rounds once.
  if (of === undefined || (dtype === "float16" && Math.abs(exponent) === 0.5)) return zip("pow", a, b);
  return cast(of(as(dtype === "float16" ? "float32" : dtype, a)), dtype);
}

/** a + alpha·b, computed in the dtype that a and b are promoted to. */
export const addScaled = (a: Term, b: Term, alpha: Scalar): Value => add(a, scaled(a, b, alpha));

/** a − alpha·b, computed in the dtype that a and b are promoted to. */
export function subScaled(a: Term, b: Term, alpha: Scalar): Value {
  refuseBools(a, b);
  return sub(a, scaled(a, b, alpha));
}

function scaled(a: Term, b: Term, alpha: Scalar): Value {
  const dtype = promotePair(a, b);
  checkAlpha(dtype, alpha);
  return zip("mul", as(dtype, b), exactly(dtype, alpha));
}

/** @throws DTypeError for a factor of a higher category than the operands' dtype. */
export function checkAlpha(dtype: DType, alpha: Scalar): void {
  checkTerm(alpha);
  const spoken = scalarDType(alpha);
  if (isFloat(spoken) && !isFloat(dtype))
    throw new DTypeError(
      `For integral input tensors, argument alpha must not be a floating point number. (the operands are ${dtype})`,
    );
  if (spoken === "bool" && dtype !== "bool")
    throw new DTypeError(`Boolean alpha only supported for Boolean results. (the operands are ${dtype})`);
}

/** `fn` of three operands, in the dtype that they are promoted to. */
export function promoted(...terms: readonly Term[]): readonly Value[] {
  const dtype = promoteAll(terms);
  return terms.map((term) => as(dtype, term));
}
