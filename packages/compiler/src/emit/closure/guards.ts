/**
 * The elements of a run for which tests hold. Where the tested integers are in arithmetic progression they are a stretch of the
 * run, else a mask.
 */
import type { Test } from "@fuseau/ir";
import type { Columns } from "./columns.ts";
import type { Frame } from "./frame.ts";
import {
  columnOfPlaces,
  type IntegerScope,
  isSame,
  type Places,
  placesOf,
  type ReadInteger,
} from "./integers.ts";

/** Elements from `from` to before `to`. */
interface Stretch {
  from: number;
  to: number;
}

type Guard =
  | { readonly kind: "stretch"; readonly find: (frame: Frame) => Stretch }
  /** 1 where the tests hold, else 0. */
  | { readonly kind: "mask"; readonly find: (frame: Frame) => Int32Array };

export function guardOf(tests: readonly Test[], scope: IntegerScope): Guard {
  const read = tests.map(({ at, low, high }) => ({
    at: placesOf(at, scope),
    low: low && placesOf(low, scope),
    high: high && placesOf(high, scope),
  }));
  const bounds: Bound[] = [];
  for (const { at, low, high } of read) {
    if (at.kind !== "even" || (low !== null && !isSame(low)) || (high !== null && !isSame(high)))
      return { kind: "mask", find: mask(read, scope.columns) };
    bounds.push({ base: at.base, step: at.step, low: low?.base ?? null, high: high?.base ?? null });
  }
  const stretch: Stretch = { from: 0, to: 0 };
  return {
    kind: "stretch",
    find: (frame) => {
      stretch.from = 0;
      stretch.to = frame.n;
      for (const bound of bounds) narrow(stretch, bound, frame);
      if (stretch.to < stretch.from) stretch.to = stretch.from;
      return stretch;
    },
  };
}

interface Bound {
  readonly base: ReadInteger;
  readonly step: ReadInteger | null;
  readonly low: ReadInteger | null;
  readonly high: ReadInteger | null;
}

function narrow(stretch: Stretch, bound: Bound, frame: Frame): void {
  const base = bound.base(frame);
  const step = bound.step === null ? 0 : bound.step(frame);
  const low = bound.low === null ? -Infinity : bound.low(frame);
  const high = bound.high === null ? Infinity : bound.high(frame);
  if (step === 0) {
    if (base < low || base >= high) stretch.to = 0;
    return;
  }
  // low <= base + i · step < high
  const [first, end] =
    step > 0
      ? [Math.ceil((low - base) / step), Math.ceil((high - base) / step)]
      : [Math.floor((base - high) / -step) + 1, Math.floor((base - low) / -step) + 1];
  stretch.from = Math.max(stretch.from, first);
  stretch.to = Math.min(stretch.to, end);
}

interface ReadTest {
  readonly at: Places;
  readonly low: Places | null;
  readonly high: Places | null;
}

function mask(tests: readonly ReadTest[], columns: Columns): (frame: Frame) => Int32Array {
  const out = columns.places();
  const read = tests.map(({ at, low, high }) => ({
    at: columnOfPlaces(at, columns),
    low: low && columnOfPlaces(low, columns),
    high: high && columnOfPlaces(high, columns),
  }));
  return (frame) => {
    const { n } = frame;
    out.fill(1, 0, n);
    for (const { at, low, high } of read) {
      const places = at(frame);
      if (low !== null) atLeast(out, places, low(frame), n);
      if (high !== null) below(out, places, high(frame), n);
    }
    return out;
  };
}

function atLeast(out: Int32Array, at: Int32Array, low: Int32Array, n: number): void {
  for (let i = 0; i < n; i++) if (at[i]! < low[i]!) out[i] = 0;
}

function below(out: Int32Array, at: Int32Array, high: Int32Array, n: number): void {
  for (let i = 0; i < n; i++) if (at[i]! >= high[i]!) out[i] = 0;
}
