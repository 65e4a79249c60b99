/** Elementwise methods with parameters as functions: `clamp(x, 0, 1)` is `x.clamp(0, 1)`. */
import type { Scalar } from "@fuseau/ir";
import type { GeluOptions } from "../tensor/activation.ts";
import type { ValueOptions } from "../tensor/arithmetic.ts";
import type { RoundOptions } from "../tensor/elementary.ts";
import { receiver, type Tensor } from "../tensor/tensor.ts";
import type {
  AnyTensor,
  Fits,
  FitsShape,
  Floated,
  Operand,
  PairShape,
  Same,
  TripleDType,
  TripleShape,
} from "../tensor/types.ts";

/** {@link Tensor.clamp} */
export function clamp<
  T extends AnyTensor,
  const A extends Operand | null = null,
  const B extends Operand | null = null,
>(
  x: T,
  min?: Fits<T, A>,
  max?: FitsShape<PairShape<T, A>, B>,
): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
export function clamp(x: AnyTensor, min?: Operand | null, max?: Operand | null): AnyTensor {
  return receiver("clamp", x).clamp(min, max);
}

/** {@link Tensor.clamp} */
export const clip: typeof clamp = clamp;

/** {@link Tensor.lerp} */
export function lerp<T extends AnyTensor, const B extends AnyTensor, const W extends Operand>(
  x: T,
  end: Fits<T, B>,
  weight: FitsShape<PairShape<T, B>, W>,
): Tensor<TripleShape<T, B, W>, T["dtype"]>;
export function lerp(x: AnyTensor, end: AnyTensor, weight: Operand): AnyTensor {
  return receiver("lerp", x).lerp(end, weight);
}

/** {@link Tensor.addcmul} */
export function addcmul<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  tensor1: Fits<T, A>,
  tensor2: FitsShape<PairShape<T, A>, B>,
  options?: ValueOptions,
): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
export function addcmul(
  x: AnyTensor,
  tensor1: AnyTensor,
  tensor2: AnyTensor,
  options?: ValueOptions,
): AnyTensor {
  return receiver("addcmul", x).addcmul(tensor1, tensor2, options);
}

/** {@link Tensor.addcdiv} */
export function addcdiv<T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  tensor1: Fits<T, A>,
  tensor2: FitsShape<PairShape<T, A>, B>,
  options?: ValueOptions,
): Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>>;
export function addcdiv(
  x: AnyTensor,
  tensor1: AnyTensor,
  tensor2: AnyTensor,
  options?: ValueOptions,
): AnyTensor {
  return receiver("addcdiv", x).addcdiv(tensor1, tensor2, options);
}

/** {@link Tensor.nanToNum} */
export function nanToNum<T extends AnyTensor>(
  x: T,
  nan?: number,
  posinf?: number | null,
  neginf?: number | null,
): Same<T> {
  return receiver("nanToNum", x).nanToNum(nan, posinf, neginf);
}

/** {@link Tensor.round} */
export function round<T extends AnyTensor>(x: T, options?: RoundOptions): Same<T> {
  return receiver("round", x).round(options);
}

/** {@link Tensor.logit} */
export function logit<T extends AnyTensor>(x: T, eps?: number | null): Floated<T> {
  return receiver("logit", x).logit(eps);
}

/** {@link Tensor.gelu} */
export function gelu<T extends AnyTensor>(x: T, options?: GeluOptions): Same<T> {
  return receiver("gelu", x).gelu(options);
}

/** {@link Tensor.softplus} */
export function softplus<T extends AnyTensor>(x: T, beta?: number, threshold?: number): Same<T> {
  return receiver("softplus", x).softplus(beta, threshold);
}

/** {@link Tensor.leakyRelu} */
export function leakyRelu<T extends AnyTensor>(x: T, negativeSlope?: number): Same<T> {
  return receiver("leakyRelu", x).leakyRelu(negativeSlope);
}

/** {@link Tensor.elu} */
export function elu<T extends AnyTensor>(x: T, alpha?: number): Same<T> {
  return receiver("elu", x).elu(alpha);
}

/** {@link Tensor.celu} */
export function celu<T extends AnyTensor>(x: T, alpha?: number): Same<T> {
  return receiver("celu", x).celu(alpha);
}

/** {@link Tensor.prelu} */
export function prelu<T extends AnyTensor>(x: T, weight: AnyTensor): Same<T> {
  return receiver("prelu", x).prelu(weight);
}

/** {@link Tensor.hardtanh} */
export function hardtanh<T extends AnyTensor>(x: T, minVal?: number, maxVal?: number): Same<T> {
  return receiver("hardtanh", x).hardtanh(minVal, maxVal);
}

/** {@link Tensor.softshrink} */
export function softshrink<T extends AnyTensor>(x: T, lambda?: number): Same<T> {
  return receiver("softshrink", x).softshrink(lambda);
}

/** {@link Tensor.hardshrink} */
export function hardshrink<T extends AnyTensor>(x: T, lambda?: number): Same<T> {
  return receiver("hardshrink", x).hardshrink(lambda);
}

/** {@link Tensor.threshold} */
export function threshold<T extends AnyTensor>(x: T, limit: Scalar, value: Scalar): Same<T> {
  return receiver("threshold", x).threshold(limit, value);
}
