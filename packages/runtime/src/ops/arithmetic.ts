/** Arithmetic that PyTorch defines by other arithmetic. Sources: the ops of the same name on pytorch.org/docs/stable. */
import { type DType, DTypeError, isFloat, type Scalar } from "@fuseau/ir";
import { fallible } from "../origin.ts";
import { cast } from "../record.ts";
import { Value } from "../value.ts";
import {
  as,
  exactly,
  floating,
  onlyFloat,
  promoteAll,
  promotePair,
  type Term,
  torchName,
  wide,
} from "./operand.ts";
import {
  abs,
  add,
  and,
  div,
  eq,
  exp,
  ge,
  gt,
  le,
  lt,
  map,
  maximum,
  minimum,
  mul,
  or,
  promoted,
  sub,
  where,
  zip,
} from "./pointwise.ts";
import { pointwiseRule } from "./rule.ts";

/**
 * Integer division, and its remainder.
 * @throws RangeError for an integer divided by the integer 0, when it is computed.
 */
export function divideWhole(
  fn: "floorDivide" | "truncDivide" | "remainder" | "fmod",
  a: Term,
  b: Term,
): Value {
  if (!(b instanceof Value) && (b === 0 || b === 0n) && !isFloat(promotePair(a, b)))
    throw new RangeError(`ZeroDivisionError (an integer divided by 0; by float(0) it is infinite or NaN)`);
  const result = zip(fn, a, b);
  return b instanceof Value && !isFloat(result.node.dtype) ? fallible(result) : result;
}

/**
 * NaN in any operand gives NaN. Where min > max the result is max. Where x equals a bound, x has the whole gradient; where an operand is
 * NaN, none has any.
 */
export function clamp(op: string, x: Value, min: Term | null, max: Term | null): Value {
  if (min === null && max === null)
    throw new TypeError("clamp: torch.clamp: At least one of 'min' or 'max' must not be None");
  const terms = [x, min, max].filter((term): term is Term => term !== null);
  // All three are promoted together: an upper limit of 2.5 makes floats of the integers that a lower one of −1 is compared with.
  const dtype = promoteAll(terms);
  const [value, ...bounds] = [as(dtype, x), ...terms.slice(1).map((bound) => exactly(dtype, bound))] as [
    Value,
    ...Value[],
  ];
  const low = min === null ? null : (bounds.shift() as Value);
  const high = max === null ? null : (bounds.shift() as Value);
  const inputs = [value, ...[low, high].filter((bound) => bound !== null)];
  const compute = (): Value => {
    const raised = low === null ? value : maximum(value, low);
    return high === null ? raised : minimum(raised, high);
  };
  const shares = [
    (g: Value): Value => {
      const isAbove = low === null ? null : ge(value, low);
      const isBelow = high === null ? null : le(value, high);
      return where([isAbove, isBelow].filter((condition) => condition !== null).reduce(and), g, 0);
    },
  ];
  if (low !== null)
    shares.push((g) => {
      const isBelow = lt(value, low);
      return where(high === null ? isBelow : and(isBelow, lt(low, high)), g, 0);
    });
  if (high !== null)
    shares.push((g) => {
      const isAbove = gt(value, high);
      return where(low === null ? isAbove : or(isAbove, lt(high, low)), g, 0);
    });
  return pointwiseRule(op, inputs, compute, shares);
}

/** x limited on one side; either may be a scalar. */
export function clampPair(op: string, x: Term, bound: Term, side: "min" | "max"): Value {
  const value = as(promotePair(x, bound), x);
  return side === "min" ? clamp(op, value, bound, null) : clamp(op, value, null, bound);
}

/** start + weight·(end − start), computed from whichever end is nearer, so that it is exact at both. */
export function lerp(start: Value, end: Value, weight: Term): Value {
  onlyFloat(start);
  if (start.node.dtype !== end.node.dtype)
    throw new DTypeError(
      `expected dtype ${torchName[start.node.dtype]} for \`end\` but got dtype ${torchName[end.node.dtype]}`,
    );
  if (weight instanceof Value && weight.node.dtype !== start.node.dtype)
    throw new DTypeError(
      `expected dtype ${torchName[start.node.dtype]} for \`weight\` but got dtype ${torchName[weight.node.dtype]}`,
    );
  if (start.node.dtype === "float16")
    return cast(lerp(wide(start), wide(end), weight instanceof Value ? wide(weight) : weight), "float16");
  const share = as(start.node.dtype, weight);
  const compute = (): Value => {
    const difference = sub(end, start);
    const fromStart = add(start, mul(weight, difference));
    const fromEnd = sub(end, mul(difference, sub(1, share)));
    if (weight instanceof Value) return where(lt(abs(weight), 0.5), fromStart, fromEnd);
    return Math.abs(Number(typeof weight === "object" ? weight.float : weight)) < 0.5 ? fromStart : fromEnd;
  };
  const inputs = weight instanceof Value ? [start, end, weight] : [start, end];
  return pointwiseRule("lerp", inputs, compute, [
    (g) => mul(g, sub(1, share)),
    (g) => mul(g, share),
    (g) => mul(g, sub(end, start)),
  ]);
}

/**
 * x + value·a/b.
 * @throws DTypeError when all are integers.
 */
export function addcdiv(x: Value, a: Value, b: Value, value: Scalar): Value {
  const [start, left, right] = promoted(x, a, b) as [Value, Value, Value];
  if (!isFloat(start.node.dtype))
    throw new DTypeError(
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. (cast one of them first)",
    );
  return add(start, div(mul(left, scaling(start, value)), right));
}

/** @throws DTypeError for a float that would scale integers, RangeError for an integer that the dtype does not hold. */
export function scaling(start: Value, value: Scalar): Term {
  const { dtype } = start.node;
  // A factor of floats keeps its digits until it is multiplied with: float16 holds fewer.
  if (promotePair(start, value) === dtype) return isFloat(dtype) ? value : exactly(dtype, value);
  throw new DTypeError(
    `For integral input tensors, argument alpha must not be a floating point number. (value of a ${start.node.dtype} tensor)`,
  );
}

/** log(exp(a) + exp(b)) without overflow. Equal infinities are returned, since their difference would be NaN. */
export function logaddexp(x: Term, y: Term): Value {
  const [a, b] = floats(x, y);
  const compute = (): Value => {
    const apart = add(maximum(a, b), map("log1p", exp(negated(abs(sub(a, b))))));
    return where(and(eq(a, b), map("isinf", a)), a, apart);
  };
  return pointwiseRule("logaddexp", [a, b], compute, [
    (g) => mul(g, map("sigmoid", sub(a, b))),
    (g) => mul(g, map("sigmoid", sub(b, a))),
  ]);
}

/** log2(2^a + 2^b) without overflow. */
export function logaddexp2(x: Term, y: Term): Value {
  const [a, b] = floats(x, y);
  const compute = (): Value => {
    const apart = mul(map("log1p", map("exp2", negated(abs(sub(a, b))))), Math.LOG2E);
    return where(and(eq(a, b), map("isinf", a)), a, add(maximum(a, b), apart));
  };
  return pointwiseRule("logaddexp2", [a, b], compute, [
    (g) => mul(g, map("sigmoid", mul(sub(a, b), Math.LN2))),
    (g) => mul(g, map("sigmoid", mul(sub(b, a), Math.LN2))),
  ]);
}

/** Two operands in the dtype that they are promoted to, which must be floating. */
function floats(x: Term, y: Term): readonly [Value, Value] {
  const dtype = promotePair(x, y);
  return [onlyFloat(as(dtype, x)), onlyFloat(as(dtype, y))];
}

/** Two operands of one dtype. A scalar gets the other's dtype, if that holds it. */
function alike(x: Term, y: Term, message: (a: DType, b: DType) => string): readonly [Value, Value] {
  const dtype = promotePair(x, y);
  const [a, b] = [x, y].map((term) => (term instanceof Value ? term.node.dtype : dtype)) as [DType, DType];
  if (a !== b) throw new DTypeError(`${message(a, b)}`);
  return [as(dtype, x), as(dtype, y)];
}

const negated = (x: Value): Value => map("neg", x);

/** x·log(y), and 0 where x is 0, unless y is NaN. */
export const xlogy = (x: Term, y: Term): Value => timesLog("xlogy", x, y);

/** x·log1p(y), and 0 where x is 0, unless y is NaN. */
export const xlog1py = (x: Term, y: Term): Value => timesLog("xlog1py", x, y);

function timesLog(op: "xlogy" | "xlog1py", x: Term, y: Term): Value {
  const shift = op === "xlogy" ? 0 : 1;
  const dtype = promotePair(x, y);
  // A scalar is converted to float beside integers, since as an integer it might wrap.
  const computed = isFloat(dtype) ? dtype : "float32";
  const [left, right] = [as(computed, x), as(computed, y)];
  const product = (): Value => mul(left, map(shift === 0 ? "log" : "log1p", right));
  const compute = (): Value => where(map("isnan", right), NaN, where(eq(left, 0), 0, product()));
  return pointwiseRule(op, [left, right], compute, [
    (g) => where(and(eq(left, 0), le(right, 0 - shift)), 0, timesLog(op, g, right)),
    (g) => mul(g, div(left, shift === 0 ? right : add(right, shift))),
  ]);
}

/** 0 below zero, 1 above it, and `values` at zero. */
export function heaviside(input: Term, atZero: Term): Value {
  const [x, values] = alike(
    input,
    atZero,
    (a, b) => `heaviside is not yet implemented for tensors with different dtypes. (${a} and ${b})`,
  );
  return where(eq(x, 0), values, cast(gt(x, 0), x.node.dtype));
}

/**
 * True where |a − b| ≤ atol + rtol·|b|, or both are equal (as infinities of one sign are), or, if asked for, both are NaN.
 * @throws DTypeError for different dtypes.
 */
export function isclose(x: Term, y: Term, rtol: number, atol: number, equalNan: boolean): Value {
  const [a, b] = alike(x, y, (own, other) => `${torchName[own]} did not match ${torchName[other]}`);
  if (!(rtol >= 0)) throw new RangeError(`rtol must be greater than or equal to zero, but got ${rtol}`);
  if (!(atol >= 0)) throw new RangeError(`atol must be greater than or equal to zero, but got ${atol}`);
  const equal = eq(a, b);
  const same = equalNan && isFloat(a.node.dtype) ? or(equal, and(map("isnan", a), map("isnan", b))) : equal;
  if (rtol === 0 && atol === 0) return same;
  const other = floating(b);
  const difference = abs(sub(a.node.dtype === "bool" ? cast(a, "uint8") : a, other));
  return or(same, and(map("isfinite", difference), le(difference, add(atol, abs(mul(other, rtol))))));
}
