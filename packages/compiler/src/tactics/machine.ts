/** What a machine has, for those who schedule loops for it (docs/scheduled-loops.md). */
import type { Accumulator, DType } from "@fuseau/ir";

export interface Machine {
  /** Bytes of a register: its lanes are as many elements as fit. */
  readonly register: number;
  /** What a fold in registers is held in while it goes on. */
  readonly partialsOf: (accumulator: Accumulator) => readonly DType[];
}
