import type { DType } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";

/** A value of that shape with a small whole number everywhere. */
export function filled(dtype: DType, shape: readonly number[], number: number): Value {
  const value = record.constant(dtype, dtype === "int64" ? BigInt(number) : number);
  return shape.length === 0 ? value : record.expand(value, shape);
}

/** Zeros of a value's shape and dtype. */
export const zerosOf = ({ node: { dtype, shape } }: Value): Value => filled(dtype, shape, 0);
