/** Numbers that ops take from the host, such as a generator's next words. A jitted function reads them anew at each call. */
import type { DType, Scalar } from "@fuseau/ir";
import { constant } from "../record.ts";
import { tracing } from "../tracing.ts";
import type { Value } from "../value.ts";
import { elementOf, floatAt } from "./operand.ts";

/** The numbers as 0-d values of a dtype. How far the host's state advances may depend on sizes. */
export function numbersPerCall(dtype: DType, read: () => readonly number[]): Value[] {
  if (tracing === null) return read().map((number) => constant(dtype, elementOf(dtype, number)));
  const { slot, numbers } = tracing.perCall(read, true);
  const outer = tracing;
  return numbers.map((_, k) => outer.numberAt(slot + k, dtype));
}

/** The number as an operand. */
export function numberPerCall(read: () => number): Scalar {
  if (tracing === null) return read();
  const { slot, numbers } = tracing.perCall(() => [read()]);
  return floatAt(slot, numbers[0] as number);
}
