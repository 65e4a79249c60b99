/** What the compiler asks of whoever makes the kernels. It decides where values are kept and how loops run, never what they are. */
import type { LoopKernel } from "@fuseau/ir";
import type { ProductLoops } from "../tactics/products/loops.ts";
import type { Scheduler } from "../tactics/schedule-loops.ts";
import type { Costs } from "./cost.ts";

/** A machine: what it has, how loops are scheduled for it, and what things cost there. */
export interface Target extends Scheduler {
  readonly costs: Costs;
  /**
   * How the products of a kernel are made, by accumulator: in loops of their own, or in plain ones that are as good. What is missing is
   * summed element by element.
   */
  products(kernel: LoopKernel, sizes: readonly number[]): ReadonlyMap<number, ProductLoops | "plain">;
}
