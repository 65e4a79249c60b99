/** What a machine has, for those who schedule loops for it (docs/scheduled-loops.md). */
export interface Machine {
  /** Bytes of a register: its lanes are as many elements as fit. */
  readonly register: number;
}
