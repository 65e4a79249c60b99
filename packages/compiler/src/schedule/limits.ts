/** The scheduler's limits. Tests set them to extreme values, to reach paths that the defaults rarely take. */
export interface Limits {
  /** Ops in one kernel. V8 does not optimise functions that are much larger. */
  readonly ops: number;
  /** Full-size arrays that one kernel reads: one that read 48 ran 3.5 times slower than several. */
  readonly streams: number;
  /** Cells of one scratch row, so that it stays in the second-level cache. */
  readonly scratch: number;
  /** Recomputed work per element up to which no buffer is made, in units of one addition. */
  readonly recompute: number;
  /** Columns that are reduced together, a row of accumulators at a time. */
  readonly panel: number;
  /** Recent kernels that a new result may still join. */
  readonly window: number;
}

export const defaultLimits: Limits = {
  ops: 128,
  streams: 12,
  scratch: 16_384,
  recompute: 16,
  panel: 256,
  window: 8,
};
