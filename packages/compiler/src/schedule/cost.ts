/**
 * What work costs on the emitter that will run it, in nanoseconds on one thread. `benchmarks/costs.ts` measures these on the
 * machine at hand; docs/schedule.md lists what was found. They decide where values are kept, never what they are.
 */
import type { Emitter } from "../emit/emit.ts";

export interface Costs {
  /** One multiplication of a matrix product, in the emitter's own loops for products: in tiles, or along memory. */
  readonly product: number;
  /** The same where the loops of a reader leave no room for those. */
  readonly productApart: number;
  /** One byte written to memory and read again. */
  readonly byte: number;
  /** One kernel more. */
  readonly kernel: number;
}

export const costs: Readonly<Record<Emitter, Costs>> = {
  wasm: { product: 0.06, productApart: 3, byte: 0.25, kernel: 1_500 },
  js: { product: 0.8, productApart: 3, byte: 0.25, kernel: 300 },
  closure: { product: 40, productApart: 40, byte: 0.5, kernel: 300 },
};

/** What computing a node among its readers' loops is estimated to cost, and what storing it does. */
export interface Comparison {
  readonly fused: number;
  readonly stored: number;
}
