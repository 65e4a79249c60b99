/** The events that watchers get, as data. */
import type { CompilerEvent, Emitter } from "@fuseau/compiler";
import type { LinearCounters } from "../memory/blocks.ts";

/** A cache lookup. */
export interface CacheEvent {
  readonly kind: "cache";
  readonly cache: "programs" | "kernels";
  readonly hit: boolean;
  /** The kernel, or the results of the program. */
  readonly of: string;
  readonly why: string;
}

/** The emitter that was chosen for a program. */
export interface EmitterEvent {
  readonly kind: "emitter";
  readonly emitter: Emitter;
  readonly reason: string;
}

/** A kernel that has run. */
export interface KernelEvent {
  readonly kind: "kernel";
  readonly name: string;
  readonly emitter: Emitter;
  /** The generated text, made when it is read; empty for closures, which have none. */
  readonly source: string;
  readonly ms: number;
}

/** The memory that a program is about to take, in bytes. */
export interface MemoryEvent {
  readonly kind: "memory";
  readonly inputs: number;
  /** Results that have memory of their own. */
  readonly results: number;
  /** Results that are written over an input. */
  readonly inPlace: number;
  /** Intermediates and scratch. */
  readonly arena: number;
  /** The linear memory before the run. */
  readonly linear: LinearCounters;
}

/** An event of `trace`. Those of the compiler have the kinds `pass`, `rule` and `schedule`. */
export type TraceEvent = CompilerEvent | CacheEvent | EmitterEvent | KernelEvent | MemoryEvent;
