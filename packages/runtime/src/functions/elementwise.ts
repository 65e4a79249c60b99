/** The one-operand methods as functions: `exp(x)` is `x.exp()`. */
import { activationMethods } from "../tensor/activation.ts";
import { comparisonMethods } from "../tensor/comparison.ts";
import { elementaryMethods, type Squared } from "../tensor/elementary.ts";
import { receiver, tensorArgument } from "../tensor/tensor.ts";
import type { AnyTensor, Floated, Same, Truth } from "../tensor/types.ts";

/** x's shape and dtype. */
export type SameFunction = <T extends AnyTensor>(x: T) => Same<T>;
/** x's shape; integers and bools become float32. */
export type FloatFunction = <T extends AnyTensor>(x: T) => Floated<T>;
/** x's shape, bool. */
export type TruthFunction = <T extends AnyTensor>(x: T) => Truth<T>;

const methods = {
  ...elementaryMethods,
  ...activationMethods,
  isposinf: comparisonMethods.isposinf,
  isneginf: comparisonMethods.isneginf,
  isreal: comparisonMethods.isreal,
};

type Name = {
  [N in keyof typeof methods]: [] extends Parameters<(typeof methods)[N]> ? N : never;
}[keyof typeof methods];

function functionOf(result: "same", name: Name): SameFunction;
function functionOf(result: "float", name: Name): FloatFunction;
function functionOf(result: "truth", name: Name): TruthFunction;
function functionOf(_result: string, name: Name): (x: AnyTensor) => AnyTensor {
  const method = methods[name];
  return (x) => {
    tensorArgument(name, "input", x);
    return method.call(x);
  };
}

/** {@link Tensor.neg} */
export const neg: SameFunction = functionOf("same", "neg");
/** {@link Tensor.positive} */
export const positive: SameFunction = functionOf("same", "positive");
/** {@link Tensor.abs} */
export const abs: SameFunction = functionOf("same", "abs");
/** {@link Tensor.sign} */
export const sign: SameFunction = functionOf("same", "sign");
/** {@link Tensor.sgn} */
export const sgn: SameFunction = functionOf("same", "sgn");
/** {@link Tensor.square} */
export function square<T extends AnyTensor>(x: T): Squared<T> {
  return receiver("square", x).square();
}
/** {@link Tensor.floor} */
export const floor: SameFunction = functionOf("same", "floor");
/** {@link Tensor.ceil} */
export const ceil: SameFunction = functionOf("same", "ceil");
/** {@link Tensor.trunc} */
export const trunc: SameFunction = functionOf("same", "trunc");
/** {@link Tensor.frac} */
export const frac: SameFunction = functionOf("same", "frac");
/** {@link Tensor.bitwiseNot} */
export const bitwiseNot: SameFunction = functionOf("same", "bitwiseNot");
/** {@link Tensor.relu} */
export const relu: SameFunction = functionOf("same", "relu");
/** {@link Tensor.relu6} */
export const relu6: SameFunction = functionOf("same", "relu6");
/** {@link Tensor.silu} */
export const silu: SameFunction = functionOf("same", "silu");
/** {@link Tensor.mish} */
export const mish: SameFunction = functionOf("same", "mish");
/** {@link Tensor.logSigmoid} */
export const logSigmoid: SameFunction = functionOf("same", "logSigmoid");
/** {@link Tensor.selu} */
export const selu: SameFunction = functionOf("same", "selu");
/** {@link Tensor.hardsigmoid} */
export const hardsigmoid: SameFunction = functionOf("same", "hardsigmoid");
/** {@link Tensor.hardswish} */
export const hardswish: SameFunction = functionOf("same", "hardswish");

/** {@link Tensor.sqrt} */
export const sqrt: FloatFunction = functionOf("float", "sqrt");
/** {@link Tensor.rsqrt} */
export const rsqrt: FloatFunction = functionOf("float", "rsqrt");
/** {@link Tensor.reciprocal} */
export const reciprocal: FloatFunction = functionOf("float", "reciprocal");
/** {@link Tensor.exp} */
export const exp: FloatFunction = functionOf("float", "exp");
/** {@link Tensor.exp2} */
export const exp2: FloatFunction = functionOf("float", "exp2");
/** {@link Tensor.expm1} */
export const expm1: FloatFunction = functionOf("float", "expm1");
/** {@link Tensor.log} */
export const log: FloatFunction = functionOf("float", "log");
/** {@link Tensor.log2} */
export const log2: FloatFunction = functionOf("float", "log2");
/** {@link Tensor.log10} */
export const log10: FloatFunction = functionOf("float", "log10");
/** {@link Tensor.log1p} */
export const log1p: FloatFunction = functionOf("float", "log1p");
/** {@link Tensor.sigmoid} */
export const sigmoid: FloatFunction = functionOf("float", "sigmoid");
/** {@link Tensor.sin} */
export const sin: FloatFunction = functionOf("float", "sin");
/** {@link Tensor.cos} */
export const cos: FloatFunction = functionOf("float", "cos");
/** {@link Tensor.tan} */
export const tan: FloatFunction = functionOf("float", "tan");
/** {@link Tensor.asin} */
export const asin: FloatFunction = functionOf("float", "asin");
/** {@link Tensor.acos} */
export const acos: FloatFunction = functionOf("float", "acos");
/** {@link Tensor.atan} */
export const atan: FloatFunction = functionOf("float", "atan");
/** {@link Tensor.sinh} */
export const sinh: FloatFunction = functionOf("float", "sinh");
/** {@link Tensor.cosh} */
export const cosh: FloatFunction = functionOf("float", "cosh");
/** {@link Tensor.tanh} */
export const tanh: FloatFunction = functionOf("float", "tanh");
/** {@link Tensor.asinh} */
export const asinh: FloatFunction = functionOf("float", "asinh");
/** {@link Tensor.acosh} */
export const acosh: FloatFunction = functionOf("float", "acosh");
/** {@link Tensor.atanh} */
export const atanh: FloatFunction = functionOf("float", "atanh");
/** {@link Tensor.sinc} */
export const sinc: FloatFunction = functionOf("float", "sinc");
/** {@link Tensor.deg2rad} */
export const deg2rad: FloatFunction = functionOf("float", "deg2rad");
/** {@link Tensor.rad2deg} */
export const rad2deg: FloatFunction = functionOf("float", "rad2deg");
/** {@link Tensor.erf} */
export const erf: FloatFunction = functionOf("float", "erf");
/** {@link Tensor.erfc} */
export const erfc: FloatFunction = functionOf("float", "erfc");
/** {@link Tensor.erfinv} */
export const erfinv: FloatFunction = functionOf("float", "erfinv");
/** {@link Tensor.lgamma} */
export const lgamma: FloatFunction = functionOf("float", "lgamma");
/** {@link Tensor.digamma} */
export const digamma: FloatFunction = functionOf("float", "digamma");
/** {@link Tensor.softsign} */
export const softsign: FloatFunction = functionOf("float", "softsign");
/** {@link Tensor.tanhshrink} */
export const tanhshrink: FloatFunction = functionOf("float", "tanhshrink");

/** {@link Tensor.isnan} */
export const isnan: TruthFunction = functionOf("truth", "isnan");
/** {@link Tensor.isinf} */
export const isinf: TruthFunction = functionOf("truth", "isinf");
/** {@link Tensor.isfinite} */
export const isfinite: TruthFunction = functionOf("truth", "isfinite");
/** {@link Tensor.signbit} */
export const signbit: TruthFunction = functionOf("truth", "signbit");
/** {@link Tensor.logicalNot} */
export const logicalNot: TruthFunction = functionOf("truth", "logicalNot");
/** {@link Tensor.isposinf} */
export const isposinf: TruthFunction = functionOf("truth", "isposinf");
/** {@link Tensor.isneginf} */
export const isneginf: TruthFunction = functionOf("truth", "isneginf");
/** {@link Tensor.isreal} */
export const isreal: TruthFunction = functionOf("truth", "isreal");
