/** Limits of dtypes, and promotion. PyTorch's functions of the same name. */

import {
  broadcastShapes as broadcast,
  checkShape,
  type DType,
  type FloatDType,
  type IntDType,
  canCast as isCastable,
  isFloat,
  isInt,
  type Promote,
  promoteTypes as promoted,
  showArgument,
} from "@fuseau/ir";
import { declareFunction } from "../declare/declaration.ts";
import { checkDType } from "../ops/creation.ts";
import { promoteAll } from "../ops/operand.ts";
import { Tensor, term } from "../tensor/handle.ts";
import type { AnyTensor, Operand, OperandsDType } from "../tensor/types.ts";

/** The dtype that arithmetic of two operands is done in. Tensors with axes decide first, then 0-d tensors, then scalars. */
export const resultType = declareFunction(
  "resultType(a, b)",
  <const A extends Operand, const B extends Operand>(a: A, b: B): OperandsDType<A, B> =>
    promoteAll([term(a), term(b)]) as OperandsDType<A, B>,
);

/**
 * The shape that all these shapes broadcast to. A number is a shape of one axis.
 * @throws ShapeError when they do not broadcast.
 */
export const broadcastShapes = declareFunction(
  "broadcastShapes(...shapes)",
  (...shapes: readonly (number | readonly number[])[]): number[] => {
    const lists = shapes.map((shape) => (typeof shape === "number" ? [shape] : shape));
    for (const shape of lists) checkShape(shape);
    return lists.reduce((a, b) => broadcast(a, b), []).slice();
  },
);

/**
 * The smallest dtype that holds both.
 * @throws DTypeError for an unknown dtype.
 */
export const promoteTypes = declareFunction(
  "promoteTypes(a, b)",
  <A extends DType, B extends DType>(a: A, b: B): Promote<A, B> => {
    checkDType(a);
    checkDType(b);
    return promoted(a, b);
  },
);

/**
 * True when values may become `to` in place: the category does not fall from float to integer to bool.
 * @throws DTypeError for what is no dtype.
 */
export const canCast = declareFunction("canCast(from, to)", (from: DType, to: DType): boolean =>
  isCastable(checkDType(from), checkDType(to)),
);

/** The limits of a floating dtype. */
export interface FloatInfo<D extends FloatDType = FloatDType> {
  readonly dtype: D;
  readonly bits: number;
  /** The distance from 1 to the next larger number. */
  readonly eps: number;
  readonly max: number;
  readonly min: number;
  /** The smallest positive normal number. */
  readonly tiny: number;
  /** `tiny`, by its other name. */
  readonly smallestNormal: number;
  /** The decimal resolution: 10 to the power of minus the decimal digits that every number keeps. */
  readonly resolution: number;
}

const floats: { readonly [D in FloatDType]: Omit<FloatInfo<D>, "dtype" | "min" | "smallestNormal"> } = {
  float16: { bits: 16, eps: 2 ** -10, max: 65504, tiny: 2 ** -14, resolution: 1e-3 },
  float32: { bits: 32, eps: 2 ** -23, max: (2 - 2 ** -23) * 2 ** 127, tiny: 2 ** -126, resolution: 1e-6 },
  float64: { bits: 64, eps: 2 ** -52, max: Number.MAX_VALUE, tiny: 2 ** -1022, resolution: 1e-15 },
};

/** The limits of a floating dtype, float32 by default. @throws TypeError for another dtype. */
export const finfo = declareFunction(
  "finfo(dtype)",
  <D extends FloatDType = "float32">(dtype: D = "float32" as D): FloatInfo<NoInfer<D>> => {
    if (!isFloat(checkDType(dtype)))
      throw new TypeError(
        `torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo' (got ${showArgument(dtype)}; use iinfo)`,
      );
    const { bits, eps, max, tiny, resolution } = floats[dtype];
    return { dtype, bits, eps, max, min: -max, tiny, smallestNormal: tiny, resolution };
  },
);

/** The limits of an integer dtype; those of int64 are bigints. */
export interface IntegerInfo<D extends IntDType = IntDType> {
  readonly dtype: D;
  readonly bits: number;
  readonly max: D extends "int64" ? bigint : number;
  readonly min: D extends "int64" ? bigint : number;
}

const integers: { readonly [D in IntDType]: IntegerInfo<D> } = {
  uint8: { dtype: "uint8", bits: 8, max: 255, min: 0 },
  int8: { dtype: "int8", bits: 8, max: 127, min: -128 },
  int16: { dtype: "int16", bits: 16, max: 32_767, min: -32_768 },
  int32: { dtype: "int32", bits: 32, max: 2_147_483_647, min: -2_147_483_648 },
  int64: { dtype: "int64", bits: 64, max: 2n ** 63n - 1n, min: -(2n ** 63n) },
};

/** The limits of an integer dtype. @throws TypeError for another dtype. */
export const iinfo = declareFunction("iinfo(dtype)", <D extends IntDType>(dtype: D): IntegerInfo<D> => {
  const found: DType = checkDType(dtype);
  if (isInt(found)) return { ...integers[dtype] };
  if (found === "bool") throw new TypeError("torch.bool is not supported by torch.iinfo");
  throw new TypeError(
    `torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo' (got "${found}"; use finfo)`,
  );
});

/** True for a tensor of this library. */
export const isTensor = (value: unknown): value is AnyTensor => value instanceof Tensor;
