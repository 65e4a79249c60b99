/** The two-operand methods as functions, whose first operand may be a scalar too: `sub(1, x)`. */
import type { Broadcast, FloatResult } from "@fuseau/ir";
import {
  divide,
  divideWhole,
  heaviside as heavisideOf,
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
import { receiver, type Tensor, tensorArgument, term, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, FitsShape, Operand, OperandsDType, ShapeOf, TripleShape } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** The operand on the right of A, or the message. */
type Beside<A, B> = FitsShape<ShapeOf<A>, B>;
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

function functionOf(result: "same", name: Primitive): PairFunction;
function functionOf(result: "float", name: Primitive): PairFloatFunction;
function functionOf(result: "truth", name: Primitive): PairTruthFunction;
function functionOf(_result: string, name: Primitive): (a: Operand, b: Operand) => AnyTensor {
  return (a, b) => wrap(zip(name, term(a), term(b)));
}

function logicFunction(name: "logicalAnd" | "logicalOr" | "logicalXor"): PairTruthFunction;
function logicFunction(
  name: "logicalAnd" | "logicalOr" | "logicalXor",
): (a: Operand, b: Operand) => AnyTensor {
  return (a, b) => wrap(logic(name, term(a), term(b)));
}

function wholeFunction(name: "floorDivide" | "remainder" | "fmod"): PairFunction;
function wholeFunction(name: "floorDivide" | "remainder" | "fmod"): (a: Operand, b: Operand) => AnyTensor {
  return (a, b) => wrap(divideWhole(name, term(a), term(b)));
}

/** {@link Tensor.add} */
export function add<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
): Tensor<Shape2<A, B>, OperandsDType<A, B>>;
export function add(a: Operand, b: Operand, options?: AlphaOptions): AnyTensor {
  const alpha = options?.alpha;
  if (alpha === undefined) return wrap(zip("add", term(a), term(b)));
  return wrap(addScaled(checkedTerm("add", a), checkedTerm("add", b), alpha));
}

/** {@link Tensor.sub} */
export function sub<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
): Tensor<Shape2<A, B>, OperandsDType<A, B>>;
export function sub(a: Operand, b: Operand, options?: AlphaOptions): AnyTensor {
  const alpha = options?.alpha;
  if (alpha === undefined) return wrap(minus(term(a), term(b)));
  return wrap(subScaled(checkedTerm("sub", a), checkedTerm("sub", b), alpha));
}

/** {@link Tensor.rsub} */
export function rsub<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
  options?: AlphaOptions,
): Tensor<Shape2<A, B>, OperandsDType<A, B>>;
export function rsub(a: Operand, b: Operand, options?: AlphaOptions): AnyTensor {
  return sub(b as AnyTensor, a as AnyTensor, options);
}

/** {@link Tensor.mul} */
export function mul<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
): Tensor<Shape2<A, B>, OperandsDType<A, B>>;
export function mul(a: Operand, b: Operand): AnyTensor {
  return wrap(times(term(a), term(b)));
}

/** {@link Tensor.div} */
export function div<const A extends Operand, const B extends Operand, const Mode extends RoundingMode = null>(
  a: A,
  b: Beside<A, B>,
  options?: { readonly roundingMode?: Mode },
): Tensor<Shape2<A, B>, Mode extends null ? FloatResult<OperandsDType<A, B>> : OperandsDType<A, B>>;
export function div(a: Operand, b: Operand, options?: { readonly roundingMode?: RoundingMode }): AnyTensor {
  return wrap(divide(term(a), term(b), options?.roundingMode ?? null));
}

/** {@link Tensor.pow} */
export function pow<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
): Tensor<Shape2<A, B>, OperandsDType<A, B>>;
export function pow(a: Operand, b: Operand): AnyTensor {
  return wrap(power(term(a), term(b)));
}

/** {@link Tensor.xlogy} */
export function xlogy<const A extends Operand, const B extends Operand>(
  a: A,
  b: Beside<A, B>,
): Tensor<Shape2<A, B>, FloatResult<OperandsDType<A, B>>>;
export function xlogy(a: Operand, b: Operand): AnyTensor {
  return wrap(xlogyOf(term(a), term(b)));
}

/** Two tensors' dtype. */
export type TensorPairFunction = <const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: Beside<A, B>,
) => Tensor<Shape2<A, B>, OperandsDType<A, B>>;

function ofTensors(name: string, run: (a: Value, b: Value) => Value): TensorPairFunction;
function ofTensors(
  name: string,
  run: (a: Value, b: Value) => Value,
): (a: AnyTensor, b: AnyTensor) => AnyTensor {
  return (a, b) => wrap(run(tensorArgument(name, "input", a), tensorArgument(name, "other", b)));
}

/** {@link Tensor.logaddexp} */
export const logaddexp: TensorPairFunction = ofTensors("logaddexp", logaddexpOf);
/** {@link Tensor.logaddexp2} */
export const logaddexp2: TensorPairFunction = ofTensors("logaddexp2", logaddexp2Of);
/** {@link Tensor.heaviside} */
export const heaviside: TensorPairFunction = ofTensors("heaviside", heavisideOf);

/** {@link Tensor.ldexp} */
export function ldexp<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: Beside<A, B>,
): Tensor<Shape2<A, B>, FloatResult<OperandsDType<A, B>>>;
export function ldexp(a: AnyTensor, b: AnyTensor): AnyTensor {
  return wrap(ldexpOf(tensorArgument("ldexp", "input", a), tensorArgument("ldexp", "other", b)));
}

/** {@link Tensor.isclose} */
export function isclose<const A extends AnyTensor, const B extends AnyTensor>(
  a: A,
  b: Beside<A, B>,
  options?: CloseOptions,
): Tensor<Shape2<A, B>, "bool">;
export function isclose(a: AnyTensor, b: AnyTensor, options?: CloseOptions): AnyTensor {
  return receiver("isclose", a).isclose(b, options);
}

/** `a` where the bool condition holds, `b` elsewhere. @throws DTypeError when the condition is not bool. */
export function where<const C extends AnyTensor, const A extends Operand, const B extends Operand>(
  condition: C,
  a: Beside<C, A>,
  b: FitsShape<Shape2<C, A>, B>,
): Tensor<TripleShape<C, A, B>, OperandsDType<A, B>>;
export function where(condition: AnyTensor, a: Operand, b: Operand): AnyTensor {
  return wrap(
    choose(tensorArgument("where", "condition", condition), checkedTerm("where", a), checkedTerm("where", b)),
  );
}

/** {@link Tensor.floorDivide} */
export const floorDivide: PairFunction = wholeFunction("floorDivide");
/** {@link Tensor.remainder} */
export const remainder: PairFunction = wholeFunction("remainder");
/** {@link Tensor.fmod} */
export const fmod: PairFunction = wholeFunction("fmod");
/** {@link Tensor.maximum} */
export const maximum: PairFunction = functionOf("same", "maximum");
/** {@link Tensor.minimum} */
export const minimum: PairFunction = functionOf("same", "minimum");
/** {@link Tensor.fmax} */
export const fmax: PairFunction = functionOf("same", "fmax");
/** {@link Tensor.fmin} */
export const fmin: PairFunction = functionOf("same", "fmin");
/** {@link Tensor.gcd} */
export const gcd: PairFunction = functionOf("same", "gcd");
/** {@link Tensor.lcm} */
export const lcm: PairFunction = functionOf("same", "lcm");
/** {@link Tensor.bitwiseAnd} */
export const bitwiseAnd: PairFunction = functionOf("same", "bitwiseAnd");
/** {@link Tensor.bitwiseOr} */
export const bitwiseOr: PairFunction = functionOf("same", "bitwiseOr");
/** {@link Tensor.bitwiseXor} */
export const bitwiseXor: PairFunction = functionOf("same", "bitwiseXor");
/** {@link Tensor.bitwiseLeftShift} */
export const bitwiseLeftShift: PairFunction = functionOf("same", "bitwiseLeftShift");
/** {@link Tensor.bitwiseRightShift} */
export const bitwiseRightShift: PairFunction = functionOf("same", "bitwiseRightShift");
/** {@link Tensor.trueDivide} */
export const trueDivide: PairFloatFunction = functionOf("float", "div");
/** {@link Tensor.atan2} */
export const atan2: PairFloatFunction = functionOf("float", "atan2");
/** {@link Tensor.hypot} */
export const hypot: PairFloatFunction = functionOf("float", "hypot");
/** {@link Tensor.copysign} */
export const copysign: PairFloatFunction = functionOf("float", "copysign");
/** {@link Tensor.nextafter} */
export const nextafter: PairFloatFunction = functionOf("float", "nextafter");
/** {@link Tensor.eq} */
export const eq: PairTruthFunction = functionOf("truth", "eq");
/** {@link Tensor.ne} */
export const ne: PairTruthFunction = functionOf("truth", "ne");
/** {@link Tensor.lt} */
export const lt: PairTruthFunction = functionOf("truth", "lt");
/** {@link Tensor.le} */
export const le: PairTruthFunction = functionOf("truth", "le");
/** {@link Tensor.gt} */
export const gt: PairTruthFunction = functionOf("truth", "gt");
/** {@link Tensor.ge} */
export const ge: PairTruthFunction = functionOf("truth", "ge");
/** {@link Tensor.logicalAnd} */
export const logicalAnd: PairTruthFunction = logicFunction("logicalAnd");
/** {@link Tensor.logicalOr} */
export const logicalOr: PairTruthFunction = logicFunction("logicalOr");
/** {@link Tensor.logicalXor} */
export const logicalXor: PairTruthFunction = logicFunction("logicalXor");
