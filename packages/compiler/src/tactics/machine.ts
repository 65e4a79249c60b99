/** What a machine has, for scheduling loops (docs/scheduled-loops.md). */
import type { Accumulator, DType, PointwiseOp } from "@fuseau/ir";
import { accumulatorKind } from "../lower/accumulators.ts";

export interface Machine {
  /** Bytes of a register, which decide the number of lanes. */
  readonly register: number;
  /** The dtype that a fold's running value has in registers. */
  readonly partialsOf: (accumulator: Accumulator) => readonly DType[];
  /** The lanes of a fold or a scan in registers: 1 if elements are taken one by one, null if any number gives the same bits. */
  readonly lanesOf: (accumulator: Accumulator, scan: boolean) => number | null;
  /** True of an op that is a function called once for each lane. */
  readonly isCalled: (fn: PointwiseOp, from: DType) => boolean;
}

/** A scalar machine, without lanes. */
export const plainMachine: Machine = {
  register: 8,
  partialsOf: ({ fn, from }) => [accumulatorKind(fn, from).partial],
  lanesOf: () => 1,
  isCalled: () => true,
};
