import type { DType } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";

/** A small whole number at every place of a shape. */
export function filled(dtype: DType, shape: readonly number[], number: number): Value {
  const value = record.constant(dtype, dtype === "int64" ? BigInt(number) : number);
  return shape.length === 0 ? value : record.expand(value, shape);
}

/** Zeros of a value's shape and dtype. */
export const zerosOf = ({ node: { dtype, shape } }: Value): Value => filled(dtype, shape, 0);
