/** What the compiler tells those who watch it: the result of each pass, each rewrite, and each decision with what was measured. */
import type { NotFusedReason } from "./schedule/tree.ts";

/** The result of a pass. IRs are worked on in place, so `text` is to be read while the event is told. */
export interface PassEvent {
  readonly kind: "pass";
  readonly name: string;
  /** "graph", "schedule", "loops" or "program". */
  readonly makes: string;
  readonly text: string;
}

/** A rewrite rule that was applied. */
export interface RuleEvent {
  readonly kind: "rule";
  readonly name: string;
  readonly law: string;
  /** The node that was rewritten, and the one that stands for it now. */
  readonly before: string;
  readonly after: string;
}

/** A node that was given memory of its own instead of being computed where it is read. */
export interface ScheduleEvent {
  readonly kind: "schedule";
  /** The node's position in the simplified graph, and what it does. */
  readonly node: number;
  readonly op: string;
  readonly reason: NotFusedReason;
  readonly measured: number;
  readonly limit: number;
}

export type CompilerEvent = PassEvent | RuleEvent | ScheduleEvent;

export type Watch = (event: CompilerEvent) => void;
