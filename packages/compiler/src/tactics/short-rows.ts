/**
 * Short contiguous rows, one for each lane of the loop around: points in a few dimensions. The elements of a row are lanes, one row after
 * another. Sums and extrema of rows are transposed in the end, so that rows are lanes again.
 */
import {
  type Accumulator,
  axesOfLoop,
  type DType,
  type Integer,
  inline,
  type Loop,
  type LoopAxis,
  type PointwiseOp,
  pointwiseOps,
  type Statement,
  statementsIn,
} from "@fuseau/ir";
import { type Held, LONG_BODY } from "./lane-steps.ts";
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
 * True of a body that computes in lanes of 32 bits and in masks alone, and reads and stores what is contiguous along the row, or reads what
 * is the same for all of it. Windows that begin one place after the other are contiguous along the loop around too, whose axis is `lanes`:
 * they need no transposition. In a vector nothing is loaded from a buffer that a loop within it stores to, so all rows are loaded first.
 */
export function isTransposed(loop: Loop, lanes: Lanes, held: Held): boolean {
  const [{ axis, extent }, ...inner] = axesOfLoop(loop) as [LoopAxis, ...LoopAxis[]];
  if (inner.length > 0 || extent.kind !== "literal") return false;
  if (extent.value < LANES || extent.value > MOST) return false;
  if (loop.kind === "for" ? loop.ordered : !isFold(loop, held)) return false;
  const integers = new Map<number, Integer>();
  for (const each of statementsIn(lanes.body))
    if (each.kind === "integer") integers.set(each.local, each.value);
  const isRow = (at: Integer, orUniform = false): boolean => {
    const place = polynomialOf(inline(at, (local) => integers.get(local)));
    const stepOf = (each: number): number | undefined => {
      const step = stepAlong(place, each);
      return step === null ? undefined : asNumber(step);
    };
    const step = stepOf(axis);
    return (orUniform && step === 0) || (step === 1 && ![-1, 1, 2].includes(stepOf(lanes.axis) ?? 0));
  };
  // Lanes without an element compute all the same.
  const isPadded = extent.value % LANES !== 0;
  const isAllowed = (fn: PointwiseOp): boolean =>
    !pointwiseOps[fn].mayFail && !(isPadded && pointwiseOps[fn].cost >= LONG_BODY);
  for (const each of loop.body) {
    if (each.kind === "integer") integers.set(each.local, each.value);
    else if (each.kind === "store") {
      if (loop.kind === "reduce") return false;
      if (each.combine !== "set" || !isInFours(held.dtypeOf(each.buffer)) || !isRow(each.at)) return false;
    } else if (each.kind === "let" && isInFours(each.dtype)) {
      const { value } = each;
      if (value.kind === "pointwise" && isInFours(value.from) && isAllowed(value.fn)) continue;
      if (value.kind !== "load" || value.tests.length > 0 || !isInFours(held.dtypeOf(value.buffer)))
        return false;
      if (!isRow(value.at, true)) return false;
    } else if (each.kind !== "accumulate" || loop.kind !== "reduce") return false;
  }
  return true;
}

/** True of sums and extrema of float32. With any order, and as many elements at once as there are, bits are the same. */
const isFold = (
  { accumulators, row, scan }: Loop & { readonly kind: "reduce" },
  { machine }: Held,
): boolean =>
  !scan &&
  row.length === 0 &&
  accumulators.every(
    (each) => each.from === "float32" && (isExtremum(each) || machine.lanesOf(each, false) === MOST),
  );

const isExtremum = ({ fn }: Accumulator): boolean => fn === "max" || fn === "min";

const isInFours = (dtype: DType): boolean => dtype === "float32" || dtype === "int32" || dtype === "bool";
