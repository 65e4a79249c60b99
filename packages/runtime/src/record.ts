/** Records primitives: each function builds a node (which checks and infers) and the value that stands for it. */
import {
  build,
  type Combiner,
  type DType,
  type PointwiseOp,
  type Reducer,
  type Scanner,
  type Shape,
  type StridedView,
} from "@fuseau/ir";
import { copied, settleJoined, storedBeneath } from "./joined.ts";
import { fallible } from "./origin.ts";
import type { Storage } from "./storage.ts";
import { tracing } from "./tracing.ts";
import { Value } from "./value.ts";

const none: readonly Value[] = [];

/** A value whose elements are given. */
export function stored(dtype: DType, shape: Shape, storage: Storage): Value {
  const value = new Value(build.input(dtype, shape), none, storage);
  if (tracing !== null) tracing.constant(value);
  return value;
}

export const constant = (dtype: DType, value: number | bigint): Value =>
  new Value(build.constant(dtype, value), none, null);

const numbers = new WeakMap<Value, number | bigint>();

/** A 0-d value that the compiler knows nothing about. */
export function scalar(dtype: DType, value: number | bigint): Value {
  const made = new Value(build.scalar(dtype), none, null);
  numbers.set(made, value);
  return made;
}

/** The number behind a {@link scalar}. */
export const numberOf = (value: Value): number | bigint => numbers.get(value) as number | bigint;

export const iota = (dtype: DType, length: number): Value => new Value(build.iota(dtype, length), none, null);

export const unary = (fn: Exclude<PointwiseOp, "cast">, x: Value): Value =>
  new Value(build.pointwise(fn, [x.node]), [x], null);

let watcher: ((op: string, operands: readonly Value[]) => void) | null = null;

/** Calls `watch` with the operands of every later pointwise op of two or three operands. */
export function watchOperands(watch: typeof watcher): void {
  watcher = watch;
}

export function binary(fn: Exclude<PointwiseOp, "cast">, a: Value, b: Value): Value {
  if (watcher !== null) watcher(fn, [a, b]);
  return new Value(build.pointwise(fn, [a.node, b.node]), [a, b], null);
}

export function where(condition: Value, a: Value, b: Value): Value {
  if (watcher !== null) watcher("where", [condition, a, b]);
  return new Value(build.pointwise("where", [condition.node, a.node, b.node]), [condition, a, b], null);
}

/** All operands are float64; their shapes broadcast. */
export const randomWord = (counter: Value, keyLow: Value, keyHigh: Value): Value =>
  new Value(
    build.pointwise("randomWord", [counter.node, keyLow.node, keyHigh.node]),
    [counter, keyLow, keyHigh],
    null,
  );

/** The same operands; the result is float32. */
export const randomNormal = (counter: Value, keyLow: Value, keyHigh: Value): Value =>
  new Value(
    build.pointwise("randomNormal", [counter.node, keyLow.node, keyHigh.node]),
    [counter, keyLow, keyHigh],
    null,
  );

/** `x` itself if it has that dtype. */
export const cast = (x: Value, dtype: DType): Value =>
  x.node.dtype === dtype ? x : new Value(build.cast(x.node, dtype), [x], null);

export const reduce = (fn: Reducer, x: Value, axes: readonly number[]): Value =>
  new Value(build.reduce(fn, x.node, axes), [x], null);

export const reshape = (x: Value, shape: Shape): Value => new Value(build.reshape(x.node, shape), [x], null);

export const permute = (x: Value, axes: readonly number[]): Value =>
  new Value(build.permute(x.node, axes), [x], null);

export const expand = (x: Value, shape: Shape): Value => new Value(build.expand(x.node, shape), [x], null);

export const slice = (x: Value, starts: readonly number[], steps: readonly number[], sizes: Shape): Value =>
  new Value(build.slice(x.node, starts, steps, sizes), [x], null);

export const pad = (x: Value, before: readonly number[], after: readonly number[], fill: Value): Value =>
  new Value(build.pad(x.node, before, after, fill.node), [x, fill], null);

/** The most operands of one concat node. More are joined by concats of concats, so that kernels stay of bounded size. */
const MOST_JOINED = 12;

export function concat(given: readonly Value[], axis: number): Value {
  if (tracing === null) for (const value of given) settleJoined(value);
  const values = given.length > MOST_JOINED && tracing === null ? withCopies(given, axis) : given;
  if (values.length > MOST_JOINED) {
    // Always as many, so that the rounds of a loop that adds to a list are alike however many there are.
    const parts: Value[] = [];
    for (let first = 0; first < values.length; first += MOST_JOINED)
      parts.push(concat(values.slice(first, first + MOST_JOINED), axis));
    return concat(parts, axis);
  }
  if (values.length === 1) return values[0] as Value;
  const nodes = values.map((value) => value.node);
  return new Value(build.concat(nodes, axis), values, null);
}

/** The same list, where small stored values that are neighbours are one. */
function withCopies(values: readonly Value[], axis: number): readonly Value[] {
  const result: Value[] = [];
  let first = 0;
  while (first < values.length) {
    const storages: Storage[] = [];
    for (let next = first; next < values.length; next++) {
      const storage = storedBeneath(values[next] as Value);
      if (storage === null) break;
      storages.push(storage);
    }
    if (storages.length > 1) {
      const run = values.slice(first, first + storages.length);
      const { dtype, shape } = build.concat(
        run.map(({ node }) => node),
        axis,
      );
      result.push(stored(dtype, shape, copied(run, storages, axis)));
    } else result.push(values[first] as Value);
    first += Math.max(1, storages.length);
  }
  return result;
}

export const diagonal = (x: Value, offset: number, axis1: number, axis2: number): Value =>
  new Value(build.diagonal(x.node, offset, axis1, axis2), [x], null);

export const contract = (a: Value, b: Value): Value =>
  new Value(build.contract(a.node, b.node), [a, b], null);

export const asStrided = (x: Value, window: StridedView): Value =>
  new Value(build.asStrided(x.node, window), [x], null);

/** `value` has the window's shape and x's dtype. No two places of the window are the same element. */
export const update = (x: Value, window: StridedView, value: Value): Value =>
  new Value(build.update(x.node, window, value.node), [x, value], null);

/**
 * `index` is int64 or int32 and has x's rank. It is no longer than x along any axis except `axis`. An index out of range fails when it is
 * computed.
 */
export const gather = (x: Value, axis: number, index: Value): Value => fallible(pick(x, axis, index));

/** A gather whose index is known to be in range. */
export const pick = (x: Value, axis: number, index: Value): Value =>
  new Value(build.gather(x.node, axis, index.node), [x, index], null);

/** `index` is no longer than `source`, and no longer than `x` along any axis except `axis`. */
export const scatter = (x: Value, axis: number, index: Value, source: Value, combine: Combiner): Value =>
  fallible(
    new Value(build.scatter(x.node, axis, index.node, source.node, combine), [x, index, source], null),
  );

/** Sums and products take floats or int64. */
export const scan = (fn: Scanner, x: Value, axis: number): Value =>
  new Value(build.scan(fn, x.node, axis), [x], null);

export const argsort = (x: Value, axis: number, descending: boolean): Value =>
  new Value(build.argsort(x.node, axis, descending), [x], null);
