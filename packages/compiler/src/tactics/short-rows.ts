/**
 * Sums and extrema of short contiguous rows, one for each lane of the loop around: points in a few dimensions. The elements of
 * consecutive rows are loaded as lanes, and transposed in the end so that rows are lanes.
 */
import { type Accumulator, type Integer, inline, type ReduceStatement, type Statement } from "@fuseau/ir";
import type { Held } from "./lane-steps.ts";
import { asNumber, polynomialOf } from "./polynomial.ts";
import { stepAlong } from "./strides.ts";

/** The loop whose iterations are lanes. */
export interface Lanes {
  readonly axis: number;
  readonly body: readonly Statement[];
}

/** Elements of a register, and lanes of the order: each lane gets at most one element. */
const [LANES, MOST] = [4, 16];

/**
 * True of a body that computes in float32 alone, and reads what is contiguous along the row or the same for all of it. Windows that begin
 * one place after the other are contiguous along the loop around too, whose axis is `lanes`: they need no transposition.
 */
export function isTransposed(
  { accumulators, axes, row, body, scan }: ReduceStatement,
  lanes: Lanes,
  held: Held,
): boolean {
  const [{ axis, extent }] = axes as readonly [ReduceStatement["axes"][number]];
  if (scan || axes.length > 1 || row.length > 0 || extent.kind !== "literal") return false;
  if (extent.value < LANES || extent.value > MOST) return false;
  // Taking an element twice does not change an extremum.
  if (extent.value % LANES !== 0 && !accumulators.every(isExtremum)) return false;
  const integers = new Map<number, Integer>();
  for (const each of lanes.body) if (each.kind === "integer") integers.set(each.local, each.value);
  const isAlong = (place: Integer): boolean => {
    const polynomial = polynomialOf(inline(place, (local) => integers.get(local)));
    const stepOf = (each: number): number | undefined => {
      const step = stepAlong(polynomial, each);
      return step === null ? undefined : asNumber(step);
    };
    const step = stepOf(axis);
    return step === 0 || (step === 1 && ![1, 2].includes(stepOf(lanes.axis) ?? 0));
  };
  for (const each of body) {
    if (each.kind === "integer") integers.set(each.local, each.value);
    else if (each.kind === "let" && each.dtype === "float32") {
      const { value } = each;
      if (value.kind === "pointwise" && value.from === "float32") continue;
      if (value.kind !== "load" || value.tests.length > 0 || held.dtypeOf(value.buffer) !== "float32")
        return false;
      if (!isAlong(value.at)) return false;
    } else if (each.kind !== "accumulate") return false;
  }
  const isSum = (each: Accumulator): boolean => held.machine.lanesOf(each, false) === MOST;
  return accumulators.every((each) => each.from === "float32" && (isSum(each) || isExtremum(each)));
}

/** With any order, and as many elements at once as there are. */
const isExtremum = ({ fn }: Accumulator): boolean => fn === "max" || fn === "min";
