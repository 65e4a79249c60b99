/**
 * What work costs on the emitter that will run it, on one thread. docs/schedule.md tells where each number is from. They
 * decide where values are kept, never what they are.
 */
import type { PointwiseOp } from "@fuseau/ir";
import type { Emitter } from "../emit/emit.ts";

export interface Costs {
  /** Nanoseconds of one unit of cost, an addition, in a loop over memory. */
  readonly unit: number;
  /** Units of operations that cost more here than the table of operations says. */
  readonly ops: Partial<Readonly<Record<PointwiseOp, number>>>;
  /** Nanoseconds of one byte written to memory and read again. */
  readonly byte: number;
  /** Nanoseconds of one kernel more. */
  readonly kernel: number;
  /** Nanoseconds of one multiplication of a product: in the emitter's own loops for them, and in any others. */
  readonly product: number;
  readonly productApart: number;
  /** How many elements a step of a loop works on, and what a shorter step costs as a part of it. */
  readonly step: number;
  readonly shortStep: number;
  /** How much slower elements are one by one: in a scan, or beside the only row or column of a product. */
  readonly serial: number;
  /** How much slower in a short loop that is written out, its elements apart in memory. */
  readonly unrolled: number;
  /** How much slower where each joins one of a row of sums in memory. */
  readonly beside: number;
  /** Units of a load whose neighbours are apart in memory, at a quotient or at an index from data; and of a test. */
  readonly apart: number;
  readonly scattered: number;
  readonly test: number;
}

export const costs: Readonly<Record<Emitter, Costs>> = {
  wasm: {
    unit: 0.11,
    ops: { randomWord: 130, lgamma: 300, digamma: 300, erfinv: 300, nextafter: 300 },
    byte: 0.12,
    kernel: 1_500,
    product: 0.06,
    productApart: 3,
    step: 16,
    shortStep: 0.5,
    serial: 4,
    unrolled: 1.5,
    beside: 1.5,
    apart: 4,
    scattered: 12,
    test: 12,
  },
  js: {
    unit: 0.6,
    ops: {},
    byte: 0.2,
    kernel: 300,
    product: 0.8,
    productApart: 3,
    step: 1,
    shortStep: 1,
    serial: 1,
    unrolled: 1,
    beside: 1,
    apart: 1,
    scattered: 2,
    test: 2,
  },
  closure: {
    unit: 10,
    ops: {},
    byte: 0.5,
    kernel: 300,
    product: 40,
    productApart: 40,
    step: 1,
    shortStep: 1,
    serial: 1,
    unrolled: 1,
    beside: 1,
    apart: 1,
    scattered: 1,
    test: 1,
  },
};

/** What computing a node among its readers' loops is estimated to cost, and what storing it does: nanoseconds. */
export interface Comparison {
  readonly fused: number;
  readonly stored: number;
}
