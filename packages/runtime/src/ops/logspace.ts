import { checkInteger, checkShape, type DType, type Scalar } from "@fuseau/ir";
import { cast, constant } from "../record.ts";
import type { Value } from "../value.ts";
import { dtypeOr, linspace } from "./creation.ts";
import { checkTerm } from "./operand.ts";
import { pow } from "./pointwise.ts";

/** base to the powers from `start` to `end`, evenly spaced; computed in float64 and rounded once. */
export function logspace(start: Scalar, end: Scalar, steps: number, base: number, dtype?: DType): Value {
  const op = "logspace";
  for (const bound of [start, end, base]) checkTerm(op, bound);
  const result = dtypeOr(op, dtype, "float32");
  checkInteger(op, "steps", steps);
  if (steps < 0) throw new RangeError(`${op}: number of steps must be non-negative (got ${steps})`);
  checkShape(op, [steps]);
  return cast(pow(constant("float64", base), linspace(start, end, steps, "float64")), result);
}
