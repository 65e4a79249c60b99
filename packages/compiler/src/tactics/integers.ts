/** Integers of the loop IR, built of others. */
import type { Integer, IntegerOperator } from "@fuseau/ir";

const binary =
  (kind: IntegerOperator) =>
  (left: Integer | number, right: Integer | number): Integer => ({
    kind,
    left: integer(left),
    right: integer(right),
  });

/** True of values known before a kernel runs: work items and memory can be counted by them. */
export const isSized = ({ kind }: Integer): boolean => kind === "size" || kind === "literal";

export const isAtMost = (extent: Integer, size: number): boolean =>
  extent.kind === "literal" && extent.value <= size;

export const integer = (value: Integer | number): Integer =>
  typeof value === "number" ? { kind: "literal", value } : value;

export const plus: ReturnType<typeof binary> = binary("add");
export const times: ReturnType<typeof binary> = binary("mul");
export const over: ReturnType<typeof binary> = binary("div");
export const rest: ReturnType<typeof binary> = binary("mod");
export const least: ReturnType<typeof binary> = binary("min");

/** The quotient that is rounded up. */
export const overUp = (value: Integer, divisor: Integer | number): Integer =>
  over(plus(plus(value, divisor), -1), divisor);
