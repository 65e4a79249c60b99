/** Limits at their extremes reach paths that ordinary graphs hardly ever do. */
import type { Limits } from "@fuseau/compiler";
import fc from "fast-check";

export const limits: fc.Arbitrary<Partial<Limits>> = fc.record({
  ops: fc.constantFrom(1, 2, 4, 128),
  streams: fc.constantFrom(1, 3, 12),
  scratch: fc.constantFrom(1, 4, 40, 16_384),
  panel: fc.constantFrom(1, 2, 3, 256),
  recompute: fc.constantFrom(0, 3, 16, 1e12),
  window: fc.constantFrom(0, 1, 8),
});
