/**
 * The integers of a kernel, for all elements of a run at once. Most are constant along the run or in arithmetic progression;
 * those are held as two numbers. The others are held in a column.
 */
import type { Integer, IntegerOperator } from "@fuseau/ir";
import type { Columns } from "./columns.ts";
import type { Frame } from "./frame.ts";

export type ReadInteger = (frame: Frame) => number;

export type Places =
  /** base + i · step for element i; constant where there is no step. */
  | { readonly kind: "even"; readonly base: ReadInteger; readonly step: ReadInteger | null }
  | { readonly kind: "each"; readonly read: (frame: Frame) => Int32Array };

/** The names that an integer may refer to, beside those that are constant along the run. */
export interface IntegerScope {
  readonly columns: Columns;
  /** Axes and integers that change along the run. */
  readonly axes: ReadonlyMap<number, Places>;
  readonly locals: ReadonlyMap<number, Places>;
}

const one: ReadInteger = () => 1;
export const alongRun = (axis: number): Places => ({
  kind: "even",
  base: (frame) => frame.axes[axis] as number,
  step: one,
});
const same = (base: ReadInteger): Places => ({ kind: "even", base, step: null });
export const isSame = (places: Places): places is Places & { readonly kind: "even"; readonly step: null } =>
  places.kind === "even" && places.step === null;

export function placesOf(integer: Integer, scope: IntegerScope): Places {
  switch (integer.kind) {
    case "literal": {
      const { value } = integer;
      return same(() => value);
    }
    case "size": {
      const { slot } = integer;
      return same((frame) => frame.sizes[slot] as number);
    }
    case "axis": {
      const { axis } = integer;
      return scope.axes.get(axis) ?? same((frame) => frame.axes[axis] as number);
    }
    case "local": {
      const { local } = integer;
      return scope.locals.get(local) ?? same((frame) => frame.integers[local] as number);
    }
    default: {
      const [left, right] = [placesOf(integer.left, scope), placesOf(integer.right, scope)];
      return evenly(integer.kind, left, right) ?? eachOf(integer.kind, left, right, scope.columns);
    }
  }
}

/** The operation on progressions; null where the results are no progression. */
function evenly(kind: IntegerOperator, left: Places, right: Places): Places | null {
  if (left.kind !== "even" || right.kind !== "even") return null;
  const [a, b] = [left.base, right.base];
  if (kind === "add") {
    const step =
      left.step === null || right.step === null ? (left.step ?? right.step) : sum(left.step, right.step);
    return { kind: "even", base: sum(a, b), step };
  }
  if (kind === "mul" && (left.step === null || right.step === null)) {
    const [factor, step] = left.step === null ? [a, right.step] : [b, left.step];
    const base: ReadInteger = (frame) => a(frame) * b(frame);
    return { kind: "even", base, step: step && ((frame) => factor(frame) * step(frame)) };
  }
  if (left.step !== null || right.step !== null) return null;
  if (kind === "min") return same((frame) => Math.min(a(frame), b(frame)));
  if (kind === "div") return same((frame) => Math.trunc(a(frame) / b(frame)));
  return same((frame) => a(frame) % b(frame));
}

const sum =
  (a: ReadInteger, b: ReadInteger): ReadInteger =>
  (frame) =>
    a(frame) + b(frame);

type OnPlaces = (o: Int32Array, a: Int32Array, b: Int32Array, n: number) => void;
// biome-ignore format: a loop on each line
const onPlaces: { readonly [O in IntegerOperator]: OnPlaces } = {
  add: (o, a, b, n) => { for (let i = 0; i < n; i++) o[i] = (a[i]! + b[i]!) | 0; },
  mul: (o, a, b, n) => { for (let i = 0; i < n; i++) o[i] = Math.imul(a[i]!, b[i]!); },
  div: (o, a, b, n) => { for (let i = 0; i < n; i++) o[i] = (a[i]! / b[i]!) | 0; },
  mod: (o, a, b, n) => { for (let i = 0; i < n; i++) o[i] = (a[i]! % b[i]!) | 0; },
  min: (o, a, b, n) => { for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!; },
};

function eachOf(kind: IntegerOperator, left: Places, right: Places, columns: Columns): Places {
  const [a, b] = [columnOfPlaces(left, columns), columnOfPlaces(right, columns)];
  const out = columns.places();
  const apply = onPlaces[kind];
  return {
    kind: "each",
    read: (frame) => {
      apply(out, a(frame), b(frame), frame.n);
      return out;
    },
  };
}

/** The places of all elements, in a column. */
export function columnOfPlaces(places: Places, columns: Columns): (frame: Frame) => Int32Array {
  if (places.kind === "each") return places.read;
  const out = columns.places();
  const { base, step } = places;
  return (frame) => {
    if (step === null) out.fill(base(frame), 0, frame.n);
    else progress(out, base(frame), step(frame), frame.n);
    return out;
  };
}

function progress(out: Int32Array, base: number, step: number, n: number): void {
  for (let i = 0; i < n; i++) out[i] = base + i * step;
}

/** The axes of `n` row-major places from `place` on, each in a column. */
export function unravel(
  out: readonly Int32Array[],
  sizes: readonly number[],
  place: number,
  n: number,
): void {
  let inner = 1;
  for (let k = sizes.length - 1; k >= 0; k--) {
    const size = sizes[k] as number;
    odometer(out[k] as Int32Array, size, inner, Math.floor(place / inner) % size, place % inner, n);
    inner *= size;
  }
}

/** One axis of {@link unravel}: it steps after every `inner` places. */
function odometer(
  out: Int32Array,
  size: number,
  inner: number,
  first: number,
  passed: number,
  n: number,
): void {
  let [x, left] = [first, inner - passed];
  for (let i = 0; i < n; i++) {
    out[i] = x;
    if (--left > 0) continue;
    left = inner;
    if (++x === size) x = 0;
  }
}
