/** The state of one call of a kernel. */
import type { TypedArray } from "@fuseau/ir";
import type { Cells } from "./accumulate.ts";

export interface Frame {
  readonly buffers: readonly TypedArray[];
  readonly sizes: readonly number[];
  readonly scalars: readonly (number | bigint)[];
  /** The iteration of each loop; of the loop that a run walks, the first iteration of the run. */
  readonly axes: number[];
  readonly integers: number[];
  /** The difference of integers[k] between two neighbouring elements of the run. */
  readonly steps: number[];
  readonly cells: Cells[];
  /** Elements of the current run; 1 outside of runs. */
  n: number;
  /** Row-major place, among the reduced elements, of the current element or of the first element of the current run. */
  place: number;
}

export type Run = (frame: Frame) => void;
