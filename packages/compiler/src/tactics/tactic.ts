/** Tactics: named rules that schedule a phase of a kernel for a machine (docs/scheduled-loops.md). */
import type { BufferParameter, Statement } from "@fuseau/ir";
import type { Held } from "./lane-steps.ts";
import type { Numbering } from "./numbering.ts";

/** The kernel at hand, as far as tactics know and change it. */
export interface Scheduling extends Held {
  readonly names: Numbering;
  /** Memory of this run of the kernel alone. */
  readonly isScratch: (buffer: number) => boolean;
  /** Gives the number of a private buffer that is the kernel's from now on. */
  readonly addPrivate: (buffer: Extract<BufferParameter, { readonly access: "private" }>) => number;
}

export interface Tactic {
  readonly name: string;
  /** What a statement at the top of a kernel becomes; null where the tactic is not for it. */
  readonly schedule: (statement: Statement, scheduling: Scheduling) => readonly Statement[] | null;
}
