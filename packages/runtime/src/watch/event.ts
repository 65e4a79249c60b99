/** What those who watch are told of, as data. */
import type { CompilerEvent, Emitter } from "@fuseau/compiler";
import type { LinearCounters } from "../memory/blocks.ts";

/** A look into a cache. */
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

/** What a program is about to take, in bytes. */
export interface MemoryEvent {
  readonly kind: "memory";
  readonly inputs: number;
  /** Results that have memory of their own. */
  readonly results: number;
  /** Results that lie where an input was. */
  readonly inPlace: number;
  /** Intermediates and scratch. */
  readonly arena: number;
  /** The linear memory as it is before. */
  readonly linear: LinearCounters;
}

/** An event of `trace`; `kind` tells which. Those of the compiler are `pass`, `rule` and `schedule`. */
export type TraceEvent = CompilerEvent | CacheEvent | EmitterEvent | KernelEvent | MemoryEvent;
