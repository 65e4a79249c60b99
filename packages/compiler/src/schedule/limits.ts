/** The scheduler's named constants. Tests set them to extremes, since rare paths hide behind large limits. */
export interface Limits {
  /** Ops in one kernel. V8 stops optimising functions far larger than this. */
  readonly ops: number;
  /** Full-size arrays that one kernel reads: one that read 48 ran 3.5 times slower than several. */
  readonly streams: number;
  /** Cells of one scratch row, so that it stays in the second-level cache. */
  readonly scratch: number;
  /** Recomputed work, per element, in units of one addition, that a buffer of its own is not worth. */
  readonly recompute: number;
  /** Columns that are reduced together, a row of accumulators at a time. */
  readonly panel: number;
  /** Kernels that a new result may still join. */
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
