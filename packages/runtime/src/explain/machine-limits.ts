/**
 * Measures this machine's limits: one kernel does nothing but move memory, another does little but multiply and add. It runs only when
 * timed kernels are explained.
 */
import type { Shape } from "@fuseau/ir";
import type { Backend } from "../backends/backend.ts";
import { computeAlone } from "../execute/compute.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { now } from "../threads/host.ts";
import { getThreads } from "../threads/thread-count.ts";
import type { Value } from "../value.ts";

export interface MachineLimits {
  readonly bytesPerSecond: number;
  readonly flopsPerSecond: number;
}

/** Elements that do not fit in any cache together with as many results. */
const MANY = 2 ** 22;
/** How long one measured product should take, in nanoseconds. */
const PRODUCT_TIME = 8e6;
const TRIES = 5;

const none: ReadonlySet<Value> = new Set();
const known = new Map<string, MachineLimits>();

/** The limits for kernels made by a backend, on the present number of threads. The first call takes about a tenth of a second. */
export function limitsOf({ name, target }: Backend): MachineLimits {
  const key = `${name} ${getThreads()}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const size = 8 * Math.ceil(Math.cbrt(PRODUCT_TIME / target.costs.product) / 8);
  const moved = ones([MANY]);
  const factor = ones([size, size]);
  const limits: MachineLimits = {
    bytesPerSecond: (8 * MANY) / secondsOf(() => record.unary("neg", moved), name),
    flopsPerSecond: (2 * size ** 3) / secondsOf(() => record.contract(factor, factor), name),
  };
  moved.storage?.release();
  factor.storage?.release();
  known.set(key, limits);
  return limits;
}

const ones = (shape: Shape): Value =>
  record.stored(
    "float32",
    shape,
    new Storage("float32", new Float32Array(shape[0]! * (shape[1] ?? 1)).fill(1)),
  );

/** The best of several tries; the first of them warms up. */
function secondsOf(make: () => Value, emitter: Backend["name"]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let k = 0; k <= TRIES; k++) {
    const value = make();
    const begin = now();
    computeAlone([value], none, { emitter });
    const seconds = (now() - begin) / 1_000;
    value.storage?.release();
    if (k > 0) best = Math.min(best, seconds);
  }
  return best;
}
