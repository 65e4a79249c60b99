import type { DType, Scalar } from "@fuseau/ir";
import { cast, constant } from "../record.ts";
import type { Value } from "../value.ts";
import { boundOf, checkSpacing, full, numberOf, spaced } from "./creation.ts";
import { checkTerm } from "./operand.ts";
import { pow } from "./pointwise.ts";

/** base to the powers from `start` to `end`, evenly spaced; computed in float64 and rounded once. */
export function logspace(start: Scalar, end: Scalar, steps: number, base: number, dtype?: DType): Value {
  const op = "logspace";
  checkTerm(op, base);
  const result = checkSpacing(op, [start, end], steps, dtype);
  if (steps < 2) return full(op, [steps], numberOf(base) ** numberOf(start), result);
  const powers = spaced(boundOf(op, "start", start, result), boundOf(op, "end", end, result), steps);
  return cast(pow(constant("float64", numberOf(base)), powers), result);
}
