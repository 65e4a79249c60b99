/** Settings at their extremes, which reach paths that ordinary graphs hardly ever do. */
import type { Limits } from "@fuseau/compiler";
import { type AccumulationOrder, defaultOrder } from "@fuseau/ir";
import fc from "fast-check";

export const limits: fc.Arbitrary<Partial<Limits>> = fc.record({
  ops: fc.constantFrom(1, 2, 4, 128),
  streams: fc.constantFrom(1, 3, 12),
  scratch: fc.constantFrom(1, 4, 40, 16_384),
  panel: fc.constantFrom(1, 2, 3, 256),
  recompute: fc.constantFrom(0, 3, 16, 1e12),
  window: fc.constantFrom(0, 1, 8),
});

/** Blocks and chunks so small that small sums have several. */
export const orders: fc.Arbitrary<AccumulationOrder> = fc.constantFrom(
  defaultOrder,
  { block: 16, chunk: 16 },
  { block: 64, chunk: 16 },
  { block: 64, chunk: 32 },
);
