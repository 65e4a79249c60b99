/** The two-operand methods as functions, whose first operand may be a scalar too: `sub(1, x)`. One at least is a tensor. */

import type { Broadcast, FloatResult, Scalar } from "@fuseau/ir";
import { operation } from "../entry/operation.ts";
import {
  divide,
  divideWhole,
  heaviside as heavisideOf,
  isclose as iscloseOf,
  ldexp as ldexpOf,
  logaddexp2 as logaddexp2Of,
  logaddexp as logaddexpOf,
  type RoundingMode,
  xlogy as xlogyOf,
} from "../ops/arithmetic.ts";
import {
  addScaled,
  where as choose,
  logic,
  sub as minus,
  pow as power,
  subScaled,
  mul as times,
  zip,
} from "../ops/pointwise.ts";
import type { AlphaOptions } from "../tensor/arithmetic.ts";
import type { CloseOptions } from "../tensor/comparison.ts";
import { checkedTerm } from "../tensor/handle.ts";
import { type Tensor, tensorArgument, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, FitsShape, Operand, OperandsDType, ShapeOf, TripleShape } from "../tensor/types.ts";
import { operandsOf, pairOf, type Records } from "./pair-of.ts";

/** The operand on the right of A, or the message. Either may be a scalar, but not both. */
export type Beside<A, B> = A extends Scalar
  ? B extends Scalar
    ? "one operand at least must be a Tensor"
    : B
  : FitsShape<ShapeOf<A>, B>;
type Shape2<A, B> = Broadcast<ShapeOf<A>, ShapeOf<B>>;

/** Both operands' dtype. */
export type PairFunction = <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>>;
/** Both operands' dtype as float. */
export type PairFloatFunction = <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, FloatResult<OperandsDType<A, B>>>;
/** A bool for every pair. */
export type PairTruthFunction = <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, "bool">;

type Primitive = Parameters<typeof zip>[0];
const zipping =
  (fn: Primitive): Records =>
  (a, b) =>
    zip(fn, a, b);

/** {@link Tensor.add} */
export const add: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>> = operation(
  "add",
  "input, other, { alpha }",
  (a: Operand, b: Operand, options?: AlphaOptions): AnyTensor => {
    const alpha = options?.alpha;
    const [left, right] = operandsOf("add", a, b);
    return wrap(alpha === undefined ? zip("add", left, right) : addScaled(left, right, alpha));
  },
);

/** {@link Tensor.sub} */
export const sub: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>> = operation(
  "sub",
  "input, other, { alpha }",
  (a: Operand, b: Operand, options?: AlphaOptions): AnyTensor => {
    const alpha = options?.alpha;
    const [left, right] = operandsOf("sub", a, b);
    return wrap(alpha === undefined ? minus(left, right) : subScaled(left, right, alpha));
  },
);

/** {@link Tensor.rsub} */
export const rsub: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>> = operation(
  "rsub",
  "input, other, { alpha }",
  (a: Operand, b: Operand, options?: AlphaOptions): AnyTensor => sub(b as AnyTensor, a as AnyTensor, options),
);

/** {@link Tensor.mul} */
export const mul: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>> = operation(
  "mul",
  "input, other",
  (a: Operand, b: Operand): AnyTensor => wrap(times(...operandsOf("mul", a, b))),
);

/** {@link Tensor.div} */
export const div: <const A extends Operand, const B extends Operand, const Mode extends RoundingMode = null>(
  a: A,
  b: Beside<A, B>,
  options?: { readonly roundingMode?: Mode },
) => Tensor<Shape2<A, B>, Mode extends null ? FloatResult<OperandsDType<A, B>> : OperandsDType<A, B>> =
  operation(
    "div",
    "input, other, { roundingMode }",
    (a: Operand, b: Operand, options?: { readonly roundingMode?: RoundingMode }): AnyTensor =>
      wrap(divide(...operandsOf("div", a, b), options?.roundingMode ?? null)),
  );

/** {@link Tensor.pow} */
export const pow: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>> = operation(
  "pow",
  "input, other",
  (a: Operand, b: Operand): AnyTensor => wrap(power(...operandsOf("pow", a, b))),
);

/** {@link Tensor.xlogy} */
export const xlogy: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, FloatResult<OperandsDType<A, B>>> = operation(
  "xlogy",
  "input, other",
  (a: Operand, b: Operand): AnyTensor => wrap(xlogyOf(...operandsOf("xlogy", a, b))),
);

/** {@link Tensor.logaddexp} */
export const logaddexp: PairFunction = pairOf("same", "logaddexp", logaddexpOf);
/** {@link Tensor.logaddexp2} */
export const logaddexp2: PairFunction = pairOf("same", "logaddexp2", logaddexp2Of);
/** {@link Tensor.heaviside} */
export const heaviside: PairFunction = pairOf("same", "heaviside", heavisideOf);

/** {@link Tensor.ldexp} */
export const ldexp: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, FloatResult<OperandsDType<A, B>>> = operation(
  "ldexp",
  "input, other",
  (a: Operand, b: Operand): AnyTensor => wrap(ldexpOf(...operandsOf("ldexp", a, b))),
);

/** {@link Tensor.isclose} */
export const isclose: <const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: CloseOptions,
) => Tensor<Shape2<A, B>, "bool"> = operation(
  "isclose",
  "input, other, { rtol, atol, equalNan }",
  (a: Operand, b: Operand, options: CloseOptions = {}): AnyTensor => {
    const { rtol = 1e-5, atol = 1e-8, equalNan = false } = options;
    return wrap(iscloseOf("isclose", ...operandsOf("isclose", a, b), rtol, atol, equalNan));
  },
);

/** `a` where the bool condition holds, `b` elsewhere. @throws DTypeError when the condition is not bool. */
export const where: <const C extends AnyTensor, const A extends Operand, const B extends Operand>(
  condition: C,
  a: Beside<C, A>,
  b: FitsShape<Shape2<C, A>, B>,
) => Tensor<TripleShape<C, A, B>, OperandsDType<A, B>> = operation(
  "where",
  "condition, a, b",
  (condition: AnyTensor, a: Operand, b: Operand): AnyTensor =>
    wrap(
      choose(
        tensorArgument("where", "condition", condition),
        checkedTerm("where", a),
        checkedTerm("where", b),
      ),
    ),
);

/** {@link Tensor.floorDivide} */
export const floorDivide: PairFunction = pairOf("same", "floorDivide", (a, b) =>
  divideWhole("floorDivide", a, b),
);
/** {@link Tensor.remainder} */
export const remainder: PairFunction = pairOf("same", "remainder", (a, b) => divideWhole("remainder", a, b));
/** {@link Tensor.fmod} */
export const fmod: PairFunction = pairOf("same", "fmod", (a, b) => divideWhole("fmod", a, b));
/** {@link Tensor.maximum} */
export const maximum: PairFunction = pairOf("same", "maximum", zipping("maximum"));
/** {@link Tensor.minimum} */
export const minimum: PairFunction = pairOf("same", "minimum", zipping("minimum"));
/** {@link Tensor.fmax} */
export const fmax: PairFunction = pairOf("same", "fmax", zipping("fmax"));
/** {@link Tensor.fmin} */
export const fmin: PairFunction = pairOf("same", "fmin", zipping("fmin"));
/** {@link Tensor.gcd} */
export const gcd: PairFunction = pairOf("same", "gcd", zipping("gcd"));
/** {@link Tensor.lcm} */
export const lcm: PairFunction = pairOf("same", "lcm", zipping("lcm"));
/** {@link Tensor.bitwiseAnd} */
export const bitwiseAnd: PairFunction = pairOf("same", "bitwiseAnd", zipping("bitwiseAnd"));
/** {@link Tensor.bitwiseOr} */
export const bitwiseOr: PairFunction = pairOf("same", "bitwiseOr", zipping("bitwiseOr"));
/** {@link Tensor.bitwiseXor} */
export const bitwiseXor: PairFunction = pairOf("same", "bitwiseXor", zipping("bitwiseXor"));
/** {@link Tensor.bitwiseLeftShift} */
export const bitwiseLeftShift: PairFunction = pairOf("same", "bitwiseLeftShift", zipping("bitwiseLeftShift"));
/** {@link Tensor.bitwiseRightShift} */
export const bitwiseRightShift: PairFunction = pairOf(
  "same",
  "bitwiseRightShift",
  zipping("bitwiseRightShift"),
);
/** {@link Tensor.trueDivide} */
export const trueDivide: PairFloatFunction = pairOf("float", "trueDivide", zipping("div"));
/** {@link Tensor.atan2} */
export const atan2: PairFloatFunction = pairOf("float", "atan2", zipping("atan2"));
/** {@link Tensor.hypot} */
export const hypot: PairFloatFunction = pairOf("float", "hypot", zipping("hypot"));
/** {@link Tensor.copysign} */
export const copysign: PairFloatFunction = pairOf("float", "copysign", zipping("copysign"));
/** {@link Tensor.nextafter} */
export const nextafter: PairFloatFunction = pairOf("float", "nextafter", zipping("nextafter"));
/** {@link Tensor.eq} */
export const eq: PairTruthFunction = pairOf("truth", "eq", zipping("eq"));
/** {@link Tensor.ne} */
export const ne: PairTruthFunction = pairOf("truth", "ne", zipping("ne"));
/** {@link Tensor.lt} */
export const lt: PairTruthFunction = pairOf("truth", "lt", zipping("lt"));
/** {@link Tensor.le} */
export const le: PairTruthFunction = pairOf("truth", "le", zipping("le"));
/** {@link Tensor.gt} */
export const gt: PairTruthFunction = pairOf("truth", "gt", zipping("gt"));
/** {@link Tensor.ge} */
export const ge: PairTruthFunction = pairOf("truth", "ge", zipping("ge"));
/** {@link Tensor.logicalAnd} */
export const logicalAnd: PairTruthFunction = pairOf("truth", "logicalAnd", (a, b) =>
  logic("logicalAnd", a, b),
);
/** {@link Tensor.logicalOr} */
export const logicalOr: PairTruthFunction = pairOf("truth", "logicalOr", (a, b) => logic("logicalOr", a, b));
/** {@link Tensor.logicalXor} */
export const logicalXor: PairTruthFunction = pairOf("truth", "logicalXor", (a, b) =>
  logic("logicalXor", a, b),
);
