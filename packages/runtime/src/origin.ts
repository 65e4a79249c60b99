/**
 * Where the values were recorded that may fail when they run: an index out of range, an integer divided by zero. The line that
 * reads is where the error comes; the line that recorded is where the fault is.
 */
import type { Value } from "./value.ts";

export interface Origin {
  /** What the user called. */
  readonly op: string;
  /** Holds the stack of that call, which is formatted only when it is asked for; empty where the engine cannot tell. */
  readonly trace: { readonly stack?: string };
}

const recorded: Value[] = [];

/** True when the operation that is running has recorded something that may fail. */
export const hasFallible = (): boolean => recorded.length > 0;

/** To be called for each value that may fail when it runs; gives the value. */
export function fallible(value: Value): Value {
  recorded.push(value);
  return value;
}

interface Tracing {
  stackTraceLimit: number;
  captureStackTrace(target: object, above: unknown): void;
}

/** V8's own; other engines may have the function, but no limit. */
const tracing =
  "stackTraceLimit" in Error && "captureStackTrace" in Error ? (Error as unknown as Tracing) : null;

/** The operation is done: what it recorded is its own, and comes from the line that called `entered`. */
export function attribute(op: string, entered: unknown): void {
  const trace = {};
  if (tracing !== null) {
    // One frame costs a third of what ten do.
    const limit = tracing.stackTraceLimit;
    tracing.stackTraceLimit = 1;
    tracing.captureStackTrace(trace, entered);
    tracing.stackTraceLimit = limit;
  }
  const origin = { op, trace };
  for (const value of recorded) value.origin = origin;
  recorded.length = 0;
}

const ofEarlier = new WeakSet<Error>();

/** The error is of what an earlier call recorded, and names that one. */
export function blameEarlier<E extends Error>(error: E): E {
  ofEarlier.add(error);
  return error;
}

export const isOfEarlier = (error: Error): boolean => ofEarlier.has(error);

/** The operation has failed: nothing of it will ever run. */
export function abandon(): void {
  recorded.length = 0;
}

/** `; recorded at file:///work/train.js:12:7`, or nothing where the engine cannot tell. */
export function recordedAt({ trace }: Origin): string {
  const frame = trace.stack?.split("\n").find((line) => /^\s*at /.test(line));
  const place = frame?.match(/\(([^()]+)\)$/)?.[1] ?? frame?.replace(/^\s*at (async )?/, "");
  return place === undefined ? "" : `; recorded at ${place}`;
}
