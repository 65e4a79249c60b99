/** Elementwise methods with parameters as functions: `clamp(x, 0, 1)` is `x.clamp(0, 1)`. */

import type { Scalar } from "@fuseau/ir";
import type { GeluOptions } from "../tensor/activation.ts";
import type { ValueOptions } from "../tensor/arithmetic.ts";
import type { RoundOptions } from "../tensor/elementary.ts";
import type { Tensor } from "../tensor/tensor.ts";
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
import { functionOf } from "./function-of.ts";

/** {@link Tensor.clamp} */
export const clamp: <
  T extends AnyTensor,
  const A extends Operand | null = null,
  const B extends Operand | null = null,
>(
  x: T,
  min?: Fits<T, A>,
  max?: FitsShape<PairShape<T, A>, B>,
) => Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>> = functionOf("clamp");

/** {@link Tensor.clamp} */
export const clip: typeof clamp = clamp;

/** {@link Tensor.lerp} */
export const lerp: <T extends AnyTensor, const B extends AnyTensor, const W extends Operand>(
  x: T,
  end: Fits<T, B>,
  weight: FitsShape<PairShape<T, B>, W>,
) => Tensor<TripleShape<T, B, W>, T["dtype"]> = functionOf("lerp");

/** {@link Tensor.addcmul} */
export const addcmul: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  tensor1: Fits<T, A>,
  tensor2: FitsShape<PairShape<T, A>, B>,
  options?: ValueOptions,
) => Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>> = functionOf("addcmul");

/** {@link Tensor.addcdiv} */
export const addcdiv: <T extends AnyTensor, const A extends AnyTensor, const B extends AnyTensor>(
  x: T,
  tensor1: Fits<T, A>,
  tensor2: FitsShape<PairShape<T, A>, B>,
  options?: ValueOptions,
) => Tensor<TripleShape<T, A, B>, TripleDType<T, A, B>> = functionOf("addcdiv");

/** {@link Tensor.nanToNum} */
export const nanToNum: <T extends AnyTensor>(
  x: T,
  nan?: number,
  posinf?: number | null,
  neginf?: number | null,
) => Same<T> = functionOf("nanToNum");

/** {@link Tensor.round} */
export const round: <T extends AnyTensor>(x: T, options?: RoundOptions) => Same<T> = functionOf("round");

/** {@link Tensor.logit} */
export const logit: <T extends AnyTensor>(x: T, eps?: number | null) => Floated<T> = functionOf("logit");

/** {@link Tensor.gelu} */
export const gelu: <T extends AnyTensor>(x: T, options?: GeluOptions) => Same<T> = functionOf("gelu");

/** {@link Tensor.softplus} */
export const softplus: <T extends AnyTensor>(x: T, beta?: number, threshold?: number) => Same<T> =
  functionOf("softplus");

/** {@link Tensor.leakyRelu} */
export const leakyRelu: <T extends AnyTensor>(x: T, negativeSlope?: number) => Same<T> =
  functionOf("leakyRelu");

/** {@link Tensor.elu} */
export const elu: <T extends AnyTensor>(x: T, alpha?: number) => Same<T> = functionOf("elu");

/** {@link Tensor.celu} */
export const celu: <T extends AnyTensor>(x: T, alpha?: number) => Same<T> = functionOf("celu");

/** {@link Tensor.prelu} */
export const prelu: <T extends AnyTensor>(x: T, weight: AnyTensor) => Same<T> = functionOf("prelu");

/** {@link Tensor.hardtanh} */
export const hardtanh: <T extends AnyTensor>(x: T, minVal?: number, maxVal?: number) => Same<T> =
  functionOf("hardtanh");

/** {@link Tensor.softshrink} */
export const softshrink: <T extends AnyTensor>(x: T, lambda?: number) => Same<T> = functionOf("softshrink");

/** {@link Tensor.hardshrink} */
export const hardshrink: <T extends AnyTensor>(x: T, lambda?: number) => Same<T> = functionOf("hardshrink");

/** {@link Tensor.threshold} */
export const threshold: <T extends AnyTensor>(x: T, limit: Scalar, value: Scalar) => Same<T> =
  functionOf("threshold");
