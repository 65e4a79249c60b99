/**
 * Where values were recorded that may fail when they are computed: an index out of range, an integer divided by zero. The error comes at
 * the line that reads, but the fault is at the line that recorded.
 */
import { isOwnFrame } from "./compat/call-site.ts";
import type { Value } from "./value.ts";

export interface Origin {
  /** The operation that the user called. */
  readonly op: string;
  /** An error with the stack of that call, which is formatted only when it is needed; empty if the engine has no stacks. */
  readonly trace: { readonly stack?: string };
  /** How many axes `vmap` has put in front of those that the user knows. */
  readonly batchAxes: number;
}

/** So many frames of layers in layers are looked through for the user's line. */
const LAYERS = 30;

const recorded: Value[] = [];

/** True when the operation that is running has recorded something that may fail. */
export const hasFallible = (): boolean => recorded.length > 0;

/** To be called for each value that may fail when it is computed. Returns the value. */
export function fallible(value: Value): Value {
  recorded.push(value);
  return value;
}

interface Tracing {
  stackTraceLimit: number;
  captureStackTrace(target: object, above: unknown): void;
}

/** V8's own. Other engines may have the function, but not the limit. */
const tracing =
  "stackTraceLimit" in Error && "captureStackTrace" in Error ? (Error as unknown as Tracing) : null;

let isInLayer = false;

/** While `run` runs, lines of ours may lie between an operation and the user's line. */
export function inLayer<R>(run: () => R): R {
  const outer = isInLayer;
  isInLayer = true;
  try {
    return run();
  } finally {
    isInLayer = outer;
  }
}

/** The operation has ended: what it recorded belongs to the line that called `entered`. */
export function attribute(op: string, entered: unknown): void {
  const trace = {};
  if (tracing !== null) {
    // One frame costs a third of what ten cost.
    const limit = tracing.stackTraceLimit;
    tracing.stackTraceLimit = isInLayer ? LAYERS : 1;
    tracing.captureStackTrace(trace, entered);
    tracing.stackTraceLimit = limit;
  }
  const origin = { op, trace, batchAxes: 0 };
  for (const value of recorded) value.origin = origin;
  recorded.length = 0;
}

const ofEarlier = new WeakSet<Error>();

/** Notes that the error is about something that an earlier call recorded, and names that call. */
export function blameEarlier<E extends Error>(error: E): E {
  ofEarlier.add(error);
  return error;
}

export const isOfEarlier = (error: Error): boolean => ofEarlier.has(error);

/** The operation has failed: nothing that it recorded will run. */
export function abandon(): void {
  recorded.length = 0;
}

/** `; recorded at file:///work/train.js:12:7`, or nothing if the engine has no stacks. */
export function recordedAt({ trace }: Origin): string {
  const frames = trace.stack?.split("\n").filter((line) => /^\s*at /.test(line)) ?? [];
  const frame = frames.find((line) => !isOwnFrame(line)) ?? frames[0];
  const place = frame?.match(/\(([^()]+)\)$/)?.[1] ?? frame?.replace(/^\s*at (async )?/, "");
  return place === undefined ? "" : `; recorded at ${place}`;
}
