/** The methods of probability and physics as functions: `erfcx(x)` is `x.erfcx()`. */

import { operation } from "../entry/operation.ts";
import * as ops from "../ops/special.ts";
import type { ShapeKey } from "../tensor/handle.ts";
import { type Tensor, wrap } from "../tensor/tensor.ts";
import type { AnyTensor, Floated, Operand, PairShape, ShapeOf } from "../tensor/types.ts";
import type { FloatFunction } from "./elementwise.ts";
import { functionOf } from "./function-of.ts";
import { operandsOf, pairOf } from "./pair-of.ts";
import type { Beside, PairFloatFunction } from "./pairs.ts";

/** {@link Tensor.i0} */
export const i0: FloatFunction = functionOf("i0");
/** {@link Tensor.i0e} */
export const i0e: FloatFunction = functionOf("i0e");
/** {@link Tensor.i1} */
export const i1: FloatFunction = functionOf("i1");
/** {@link Tensor.i1e} */
export const i1e: FloatFunction = functionOf("i1e");
/** {@link Tensor.erfcx} */
export const erfcx: FloatFunction = functionOf("erfcx");
/** {@link Tensor.entr} */
export const entr: FloatFunction = functionOf("entr");
/** {@link Tensor.ndtr} */
export const ndtr: FloatFunction = functionOf("ndtr");
/** {@link Tensor.logNdtr} */
export const logNdtr: FloatFunction = functionOf("logNdtr");

/** {@link Tensor.frexp} */
export const frexp: <T extends AnyTensor>(
  x: T,
) => { readonly mantissa: Floated<T>; readonly exponent: Tensor<T[ShapeKey], "int32"> } = functionOf("frexp");

/** {@link Tensor.xlog1py}; either operand may be a scalar. */
export const xlog1py: PairFloatFunction = pairOf("float", "xlog1py", ops.xlog1py);

/** {@link Tensor.floatPower}; either operand may be a scalar. */
export const floatPower: <const A extends Operand, const B extends Operand>(
  base: A,
  exponent: Beside<A, B>,
) => Tensor<PairShape<Tensor<ShapeOf<A>>, B>, "float64"> = operation(
  "floatPower",
  "base, exponent",
  (base: Operand, exponent: Operand): AnyTensor =>
    wrap(ops.floatPower(...operandsOf("floatPower", base, exponent))),
);
