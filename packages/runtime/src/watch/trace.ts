/** `trace` of a function gives what the compiler and the runtime do while it runs; of a matrix it is PyTorch's `trace`. */
import { type SumDType, showArgument } from "@fuseau/ir";
import { trace as ofMatrix } from "../functions/product.ts";
import { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { TraceEvent } from "./event.ts";
import { listen } from "./watching.ts";

/** What a function gave, and what happened meanwhile. */
export interface Trace<T> {
  readonly value: T;
  readonly events: readonly TraceEvent[];
}

/** The sum of a matrix's diagonal; of integers as int64. */
export function trace<T extends AnyTensor>(input: T): Tensor<[], SumDType<T["dtype"]>>;
/**
 * Runs `fn` and collects what happens: passes and what they made, rewrites and their laws, decisions to store a node, looks into
 * caches, kernels with source and time, and what memory is taken. Of a promise that `fn` gives, events are collected until it
 * settles. What was recorded in `fn` and is computed later is not among them.
 *
 * With `onEvent` events are handed over as they happen, and what `fn` gives is given. The text of a pass is made when it is
 * read, and is to be read before `onEvent` returns; `onEvent` must not compute tensors itself.
 * @throws TypeError when an argument is no function; what `fn` throws; what `onEvent` throws, when `fn` has run.
 */
export function trace<T>(fn: () => Promise<T>): Promise<Trace<T>>;
export function trace<T>(fn: () => T): Trace<T>;
export function trace<T>(fn: () => T, onEvent: (event: TraceEvent) => void): T;
export function trace<T>(
  ...given: [fn: AnyTensor | (() => T | Promise<T>), onEvent?: (event: TraceEvent) => void]
): unknown {
  const [fn, onEvent] = given;
  // It refuses what else was given.
  if (fn instanceof Tensor) return (ofMatrix as (...given: unknown[]) => unknown)(...given);
  if (typeof fn !== "function")
    throw new TypeError(
      `trace: takes a tensor, whose diagonal it sums, or a function to watch, not ${showArgument(fn)}`,
    );
  if (onEvent !== undefined) {
    if (typeof onEvent !== "function")
      throw new TypeError(`trace: onEvent must be a function, not ${showArgument(onEvent)}`);
    return watched(fn, onEvent, (value) => value);
  }
  const events: TraceEvent[] = [];
  const collect = (event: TraceEvent): void => {
    events.push(event.kind === "pass" ? { ...event } : event);
  };
  return watched(fn, collect, (value) => ({ value, events }));
}

function watched<T, R>(
  fn: () => T | Promise<T>,
  onEvent: (event: TraceEvent) => void,
  gives: (value: T) => R,
): R | Promise<R> {
  const failures: unknown[] = [];
  const stop = listen((event) => {
    try {
      onEvent(event);
    } catch (error) {
      // A compilation is not to break over it, so it is thrown afterwards.
      failures.push(error);
    }
  });
  const done = (value: T): R => {
    stop();
    if (failures.length > 0) throw failures[0];
    return gives(value);
  };
  let value: T | Promise<T>;
  try {
    value = fn();
  } catch (error) {
    stop();
    throw error;
  }
  if (!(value instanceof Promise)) return done(value);
  return value.then(done, (error: unknown) => {
    stop();
    throw error;
  });
}
