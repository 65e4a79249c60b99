/** A program as somebody writes it who thinks neither of memory nor of kernels, and a plain loop that does the same. */
export interface NaiveProgram {
  /** What the loop is, where it is not plain typed arrays. */
  readonly against?: string;
  /** How many times what the loop takes it may take. */
  readonly mostTime: number;
  /** Relative difference that float32, other orders of summing or other random numbers explain. */
  readonly tolerance: number;
  /** Both begin with the same inputs, which are made before time counts, and give a number for comparison. */
  readonly fuseau: () => () => number;
  readonly loop: () => () => number;
}
