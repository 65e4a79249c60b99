/** The events of the compiler: the result of each pass, each rewrite, and each decision with the measured values. */
import type { NotFusedReason } from "./schedule/tree.ts";

/** The result of a pass. IRs are changed in place, so `text` must be read during the event. */
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
  /** The node that was rewritten, and its replacement. */
  readonly before: string;
  readonly after: string;
}

/** A node that is stored instead of being computed where it is read. */
export interface ScheduleEvent {
  readonly kind: "schedule";
  /** The node's position in the simplified graph, and its op. */
  readonly node: number;
  readonly op: string;
  readonly reason: NotFusedReason;
  readonly measured: number;
  readonly limit: number;
}

export type CompilerEvent = PassEvent | RuleEvent | ScheduleEvent;

export type Watch = (event: CompilerEvent) => void;
