/** The one-operand methods as functions: `exp(x)` is `x.exp()`. */

import type { Squared } from "../tensor/elementary.ts";
import type { AnyTensor, Floated, Same, Truth } from "../tensor/types.ts";
import { functionOf } from "./function-of.ts";

/** x's shape and dtype. */
export type SameFunction = <T extends AnyTensor>(x: T) => Same<T>;
/** x's shape; integers and bools become float32. */
export type FloatFunction = <T extends AnyTensor>(x: T) => Floated<T>;
/** x's shape, bool. */
export type TruthFunction = <T extends AnyTensor>(x: T) => Truth<T>;

/** {@link Tensor.neg} */
export const neg: SameFunction = functionOf("neg");
/** {@link Tensor.positive} */
export const positive: SameFunction = functionOf("positive");
/** {@link Tensor.abs} */
export const abs: SameFunction = functionOf("abs");
/** {@link Tensor.sign} */
export const sign: SameFunction = functionOf("sign");
/** {@link Tensor.sgn} */
export const sgn: SameFunction = functionOf("sgn");
/** {@link Tensor.square} */
export const square: <T extends AnyTensor>(x: T) => Squared<T> = functionOf("square");
/** {@link Tensor.floor} */
export const floor: SameFunction = functionOf("floor");
/** {@link Tensor.ceil} */
export const ceil: SameFunction = functionOf("ceil");
/** {@link Tensor.trunc} */
export const trunc: SameFunction = functionOf("trunc");
/** {@link Tensor.frac} */
export const frac: SameFunction = functionOf("frac");
/** {@link Tensor.bitwiseNot} */
export const bitwiseNot: SameFunction = functionOf("bitwiseNot");
/** {@link Tensor.relu} */
export const relu: SameFunction = functionOf("relu");
/** {@link Tensor.relu6} */
export const relu6: SameFunction = functionOf("relu6");
/** {@link Tensor.silu} */
export const silu: SameFunction = functionOf("silu");
/** {@link Tensor.mish} */
export const mish: SameFunction = functionOf("mish");
/** {@link Tensor.logSigmoid} */
export const logSigmoid: SameFunction = functionOf("logSigmoid");
/** {@link Tensor.selu} */
export const selu: SameFunction = functionOf("selu");
/** {@link Tensor.hardsigmoid} */
export const hardsigmoid: SameFunction = functionOf("hardsigmoid");
/** {@link Tensor.hardswish} */
export const hardswish: SameFunction = functionOf("hardswish");

/** {@link Tensor.sqrt} */
export const sqrt: FloatFunction = functionOf("sqrt");
/** {@link Tensor.rsqrt} */
export const rsqrt: FloatFunction = functionOf("rsqrt");
/** {@link Tensor.reciprocal} */
export const reciprocal: FloatFunction = functionOf("reciprocal");
/** {@link Tensor.exp} */
export const exp: FloatFunction = functionOf("exp");
/** {@link Tensor.exp2} */
export const exp2: FloatFunction = functionOf("exp2");
/** {@link Tensor.expm1} */
export const expm1: FloatFunction = functionOf("expm1");
/** {@link Tensor.log} */
export const log: FloatFunction = functionOf("log");
/** {@link Tensor.log2} */
export const log2: FloatFunction = functionOf("log2");
/** {@link Tensor.log10} */
export const log10: FloatFunction = functionOf("log10");
/** {@link Tensor.log1p} */
export const log1p: FloatFunction = functionOf("log1p");
/** {@link Tensor.sigmoid} */
export const sigmoid: FloatFunction = functionOf("sigmoid");
/** {@link Tensor.sin} */
export const sin: FloatFunction = functionOf("sin");
/** {@link Tensor.cos} */
export const cos: FloatFunction = functionOf("cos");
/** {@link Tensor.tan} */
export const tan: FloatFunction = functionOf("tan");
/** {@link Tensor.asin} */
export const asin: FloatFunction = functionOf("asin");
/** {@link Tensor.acos} */
export const acos: FloatFunction = functionOf("acos");
/** {@link Tensor.atan} */
export const atan: FloatFunction = functionOf("atan");
/** {@link Tensor.sinh} */
export const sinh: FloatFunction = functionOf("sinh");
/** {@link Tensor.cosh} */
export const cosh: FloatFunction = functionOf("cosh");
/** {@link Tensor.tanh} */
export const tanh: FloatFunction = functionOf("tanh");
/** {@link Tensor.asinh} */
export const asinh: FloatFunction = functionOf("asinh");
/** {@link Tensor.acosh} */
export const acosh: FloatFunction = functionOf("acosh");
/** {@link Tensor.atanh} */
export const atanh: FloatFunction = functionOf("atanh");
/** {@link Tensor.sinc} */
export const sinc: FloatFunction = functionOf("sinc");
/** {@link Tensor.deg2rad} */
export const deg2rad: FloatFunction = functionOf("deg2rad");
/** {@link Tensor.rad2deg} */
export const rad2deg: FloatFunction = functionOf("rad2deg");
/** {@link Tensor.erf} */
export const erf: FloatFunction = functionOf("erf");
/** {@link Tensor.erfc} */
export const erfc: FloatFunction = functionOf("erfc");
/** {@link Tensor.erfinv} */
export const erfinv: FloatFunction = functionOf("erfinv");
/** {@link Tensor.lgamma} */
export const lgamma: FloatFunction = functionOf("lgamma");
/** {@link Tensor.digamma} */
export const digamma: FloatFunction = functionOf("digamma");
/** {@link Tensor.softsign} */
export const softsign: FloatFunction = functionOf("softsign");
/** {@link Tensor.tanhshrink} */
export const tanhshrink: FloatFunction = functionOf("tanhshrink");

/** {@link Tensor.isnan} */
export const isnan: TruthFunction = functionOf("isnan");
/** {@link Tensor.isinf} */
export const isinf: TruthFunction = functionOf("isinf");
/** {@link Tensor.isfinite} */
export const isfinite: TruthFunction = functionOf("isfinite");
/** {@link Tensor.signbit} */
export const signbit: TruthFunction = functionOf("signbit");
/** {@link Tensor.logicalNot} */
export const logicalNot: TruthFunction = functionOf("logicalNot");
/** {@link Tensor.isposinf} */
export const isposinf: TruthFunction = functionOf("isposinf");
/** {@link Tensor.isneginf} */
export const isneginf: TruthFunction = functionOf("isneginf");
/** {@link Tensor.isreal} */
export const isreal: TruthFunction = functionOf("isreal");
