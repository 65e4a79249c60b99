/** Tactics: named rules that schedule a phase of a kernel for a machine (docs/scheduled-loops.md). */
import type { BufferParameter, Statement } from "@fuseau/ir";
import type { Held } from "./lane-steps.ts";
import type { Numbering } from "./numbering.ts";

/** The kernel as tactics see and change it. */
export interface Scheduling extends Held {
  readonly names: Numbering;
  /** Memory private to this run of the kernel. */
  readonly isScratch: (buffer: number) => boolean;
  /** Adds a private buffer to the kernel, and gives its number. */
  readonly addPrivate: (buffer: Extract<BufferParameter, { readonly access: "private" }>) => number;
}

export interface Tactic {
  readonly name: string;
  /** The scheduled form of a statement at the top of a kernel; null where the tactic does not apply. */
  readonly schedule: (statement: Statement, scheduling: Scheduling) => readonly Statement[] | null;
}
