/** What a machine has, for those who schedule loops for it (docs/scheduled-loops.md). */
import type { Accumulator, DType, PointwiseOp } from "@fuseau/ir";
import { accumulatorKind } from "../lower/accumulators.ts";

export interface Machine {
  /** Bytes of a register: its lanes are as many elements as fit. */
  readonly register: number;
  /** What a fold in registers is held in while it goes on. */
  readonly partialsOf: (accumulator: Accumulator) => readonly DType[];
  /** In how many lanes a loop folds or scans in registers: 1 where one by one, null where any number gives the same. */
  readonly lanesOf: (accumulator: Accumulator, scan: boolean) => number | null;
  /** Whether an op is a function that is called for each lane. */
  readonly isCalled: (fn: PointwiseOp, from: DType) => boolean;
}

/** One of numbers, without lanes. */
export const plainMachine: Machine = {
  register: 8,
  partialsOf: ({ fn, from }) => [accumulatorKind(fn, from).partial],
  lanesOf: () => 1,
  isCalled: () => true,
};
