/** What the compiler needs of a target. A target decides where values are kept and how loops run, never the results. */
import type { LoopKernel } from "@fuseau/ir";
import type { ProductLoops } from "../tactics/products/loops.ts";
import type { Scheduler } from "../tactics/schedule-loops.ts";
import type { Costs } from "./cost.ts";

/** A machine: its registers and lanes, how loops are scheduled for it, and its costs. */
export interface Target extends Scheduler {
  readonly costs: Costs;
  /**
   * How the products of a kernel are made, by accumulator: in loops of their own, or in plain ones that are as fast. A product that is
   * missing is summed element by element.
   */
  products(kernel: LoopKernel, sizes: readonly number[]): ReadonlyMap<number, ProductLoops | "plain">;
}
