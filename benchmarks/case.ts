/** What is measured: a case is one computation, its variants are ways to carry it out. */
import type { PeerLibrary } from "./peers/library.ts";

/**
 * fused and eager are fuseau; hand is a loop that does the same arithmetic, of which the best counts; other is shown but
 * never counts as the best; peer is another library.
 */
export type Role = "fused" | "eager" | "hand" | "other" | "peer";

export interface Variant {
  readonly name: string;
  readonly role: Role;
  /** One call, from inputs in memory to a result in memory that escapes. A promise is waited for. */
  readonly run: () => void | Promise<void>;
  /** The elements of the result, for the check before anything is timed. */
  readonly result: () => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** Runs before each batch, outside the clock. */
  readonly prepare?: () => void | Promise<void>;
}

/** A computation with inputs in memory. */
export interface Prepared {
  readonly variants: readonly Variant[];
  /** The same computation by another library, of those that are installed. */
  readonly peers?: (library: PeerLibrary) => readonly Variant[];
}

export interface Case {
  /** What `--only` selects by. */
  readonly name: string;
  readonly title: string;
  /** What a reader must know to judge the hand-written loops. */
  readonly about: string;
  /**
   * How far a loop may be from the fused result: "bits" where both do the same operations in the same order, else the
   * largest error relative to the largest element. Fused and eager are always compared bit for bit.
   */
  readonly agreement: "bits" | number;
  readonly prepare: () => Prepared | Promise<Prepared>;
}
