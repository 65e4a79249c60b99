/** What the scheduler asks of whoever makes the kernels. It decides where values are kept, never what they are. */
import type { LoopKernel } from "@fuseau/ir";
import type { Costs, ProductLoops } from "./cost.ts";

export interface Target {
  readonly costs: Costs;
  /**
   * How the products of a kernel are made, by accumulator: in loops of their own, or in plain ones that are as good. What is missing is
   * summed element by element.
   */
  products(kernel: LoopKernel, sizes: readonly number[]): ReadonlyMap<number, ProductLoops | "plain">;
}
