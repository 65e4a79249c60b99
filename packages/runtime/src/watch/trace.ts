/** `trace` of a function returns the events of the compiler and the runtime while it runs; `trace` of a matrix is PyTorch's. */
import { type SumDType, showArgument } from "@fuseau/ir";
import { trace as ofMatrix } from "../functions/product.ts";
import { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { TraceEvent } from "./event.ts";
import { listen } from "./watching.ts";

/** The result of the function, and the events. */
export interface Trace<T> {
  readonly value: T;
  readonly events: readonly TraceEvent[];
}

/** The sum of a matrix's diagonal; of integers as int64. */
export function trace<T extends AnyTensor>(input: T): Tensor<[], SumDType<T["dtype"]>>;
/**
 * Runs `fn` and collects events: passes and their results, rewrites and their laws, decisions to store a node, cache lookups, kernels with
 * source and time, and the memory that is taken. If `fn` returns a promise, events are collected until it settles. What is recorded in `fn`
 * and computed later is not included.
 * With `onEvent`, events are passed to it as they happen, and the result is that of `fn`. The text of a pass is made when it is read, which
 * must be before `onEvent` returns. `onEvent` must not compute tensors itself.
 * @throws TypeError when an argument is no function; what `fn` throws; what `onEvent` throws, after `fn` has run.
 */
export function trace<T>(fn: () => Promise<T>): Promise<Trace<T>>;
export function trace<T>(fn: () => T): Trace<T>;
export function trace<T>(fn: () => T, onEvent: (event: TraceEvent) => void): T;
export function trace<T>(
  ...given: [fn: AnyTensor | (() => T | Promise<T>), onEvent?: (event: TraceEvent) => void]
): unknown {
  const [fn, onEvent] = given;
  // PyTorch's trace refuses other arguments.
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
      // The error must not break a compilation, so it is thrown afterwards.
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
