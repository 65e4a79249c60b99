/** What one call of a kernel works on. */
import type { TypedArray } from "@fuseau/ir";
import type { Cells } from "./accumulate.ts";

export interface Frame {
  readonly buffers: readonly TypedArray[];
  readonly sizes: readonly number[];
  readonly scalars: readonly (number | bigint)[];
  /** Where each loop stands; of the loop that a run walks, where the run starts. */
  readonly axes: number[];
  readonly integers: number[];
  /** How far integers[k] goes from one element of the run to the next. */
  readonly steps: number[];
  readonly cells: Cells[];
  /** Elements of the run at hand; 1 outside of runs. */
  n: number;
  /** Row-major place, among the reduced elements, of the first element of a run along a reduction, or of the one at hand. */
  place: number;
}

export type Run = (frame: Frame) => void;
