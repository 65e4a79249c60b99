/** How elements join the cells of an accumulator: a loop for each function that folds and each kind of array. */
import { type Accumulator, type DType, isFloat } from "@fuseau/ir";
import { intrinsics } from "../intrinsics/index.ts";
import { compensated } from "../shared/compensated.ts";
import type { Cells } from "./accumulate.ts";
import type { Column, Numbers, Words } from "./columns.ts";

/** How elements, or products, join cells. `at` are the elements' places, for folds that record them. */
export interface Fold {
  /** Folds the elements first, first + step … before n into one cell. */
  along(
    h: Cells,
    cell: number,
    x: Column,
    y: Column,
    at: Numbers,
    first: number,
    step: number,
    n: number,
  ): void;
  /** Folds element i into cell + i. */
  across(h: Cells, cell: number, x: Column, y: Column, at: Numbers, n: number): void;
}

/** The dtypes determine the kinds of arrays P and X. */
interface FoldOf<P, X> {
  along(p: P, cell: number, x: X, y: X, first: number, step: number, n: number): void;
  across(p: P, cell: number, x: X, y: X, n: number): void;
}

function plain<P, X>({ along, across }: FoldOf<P, X>): Fold {
  return {
    along: (h, cell, x, y, _, first, step, n) => along(h.partial as P, cell, x as X, y as X, first, step, n),
    across: (h, cell, x, y, _, n) => across(h.partial as P, cell, x as X, y as X, n),
  };
}

export function foldOf({ fn, from }: Accumulator): Fold {
  switch (fn) {
    case "sum":
      return from === "int64" ? sumWords : from === "float64" ? neumaier : sum;
    case "prod":
      return isFloat(from) ? prod : from === "int64" ? prodWords : prodIntegers;
    case "dot":
      if (isFloat(from)) return dot;
      return from === "bool" ? dotBool : from === "int64" ? dotWords : dotIntegers;
    case "any":
      return any;
    case "all":
      return all;
    case "max":
      return from === "int64" ? maxWords : max;
    case "min":
      return from === "int64" ? minWords : min;
    case "argmax":
      return argmax;
    case "argmin":
      return argmin;
    case "lastArgmax":
      return lastArgmax;
    case "lastArgmin":
      return lastArgmin;
    case "lastMax":
      return from === "int64" ? maxWords : lastMax;
    case "lastMin":
      return from === "int64" ? minWords : lastMin;
    case "logaddexp":
      return logaddexp;
    default:
      return fn satisfies never;
  }
}

// biome-ignore-start format: a loop on each line
export const sum: Fold = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s += x[i]!;
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = p[cell + i]! + x[i]!;
  },
});
const sumWords = plain<Words, Words>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = BigInt.asIntN(64, s + x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = BigInt.asIntN(64, p[cell + i]! + x[i]!);
  },
});
export const prod: Fold = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s *= x[i]!;
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = p[cell + i]! * x[i]!;
  },
});
const prodWords = plain<Words, Words>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = BigInt.asIntN(64, s * x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = BigInt.asIntN(64, p[cell + i]! * x[i]!);
  },
});
const prodIntegers = plain<Words, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = BigInt.asIntN(64, s * BigInt(x[i]!));
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = BigInt.asIntN(64, p[cell + i]! * BigInt(x[i]!));
  },
});
const dot = plain<Numbers, Numbers>({
  along(p, cell, x, y, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s += x[i]! * y[i]!;
    p[cell] = s;
  },
  across(p, cell, x, y, n) {
    for (let i = 0; i < n; i++) p[cell + i] = p[cell + i]! + x[i]! * y[i]!;
  },
});
/** For float32 lanes: each sum is rounded. */
export const sumOfSingles: Fold = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = Math.fround(s + x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = Math.fround(p[cell + i]! + x[i]!);
  },
});
const dotOfSingles = plain<Numbers, Numbers>({
  along(p, cell, x, y, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = Math.fround(s + Math.fround(x[i]! * y[i]!));
    p[cell] = s;
  },
  across(p, cell, x, y, n) {
    for (let i = 0; i < n; i++) p[cell + i] = Math.fround(p[cell + i]! + Math.fround(x[i]! * y[i]!));
  },
});
/** Rounds each product and each sum to float32, as lanes do. */
export const dotInLanes = (from: DType): Fold => (from === "float64" ? dot : dotOfSingles);
const dotBool = plain<Uint8Array, Numbers>({
  along(p, cell, x, y, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s |= x[i]! & y[i]!;
    p[cell] = s;
  },
  across(p, cell, x, y, n) {
    for (let i = 0; i < n; i++) p[cell + i] = p[cell + i]! | (x[i]! & y[i]!);
  },
});
const dotWords = plain<Words, Words>({
  along(p, cell, x, y, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = BigInt.asIntN(64, s + x[i]! * y[i]!);
    p[cell] = s;
  },
  across(p, cell, x, y, n) {
    for (let i = 0; i < n; i++) p[cell + i] = BigInt.asIntN(64, p[cell + i]! + x[i]! * y[i]!);
  },
});
/** Storing to the array wraps to its own width. Wrapping to 32 bits before that does not change the result. */
const dotIntegers = plain<Int32Array, Numbers>({
  along(p, cell, x, y, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = (s + Math.imul(x[i]!, y[i]!)) | 0;
    p[cell] = s;
  },
  across(p, cell, x, y, n) {
    for (let i = 0; i < n; i++) p[cell + i] = (p[cell + i]! + Math.imul(x[i]!, y[i]!)) | 0;
  },
});
const any = plain<Uint8Array, Column>({
  along(p, cell, x, _, first, step, n) {
    for (let i = first; i < n; i += step) if (Number(x[i]) !== 0) p[cell] = 1;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (Number(x[i]) !== 0) p[cell + i] = 1;
  },
});
const all = plain<Uint8Array, Column>({
  along(p, cell, x, _, first, step, n) {
    for (let i = first; i < n; i += step) if (Number(x[i]) === 0) p[cell] = 0;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (Number(x[i]) === 0) p[cell + i] = 0;
  },
});
const max = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = Math.max(s, x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = Math.max(p[cell + i]!, x[i]!);
  },
});
const min = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = Math.min(s, x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = Math.min(p[cell + i]!, x[i]!);
  },
});
// Of equal elements the last one wins: the result has the sign of the last zero. For equal BigInts it makes no difference.
const lastMax = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) if (x[i]! >= s || Number.isNaN(x[i]!)) s = x[i]!;
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (x[i]! >= p[cell + i]! || Number.isNaN(x[i]!)) p[cell + i] = x[i]!;
  },
});
const lastMin = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) if (x[i]! <= s || Number.isNaN(x[i]!)) s = x[i]!;
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (x[i]! <= p[cell + i]! || Number.isNaN(x[i]!)) p[cell + i] = x[i]!;
  },
});
const maxWords = plain<Words, Words>({
  along(p, cell, x, _, first, step, n) {
    for (let i = first; i < n; i += step) if (x[i]! > p[cell]!) p[cell] = x[i]!;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (x[i]! > p[cell + i]!) p[cell + i] = x[i]!;
  },
});
const minWords = plain<Words, Words>({
  along(p, cell, x, _, first, step, n) {
    for (let i = first; i < n; i += step) if (x[i]! < p[cell]!) p[cell] = x[i]!;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) if (x[i]! < p[cell + i]!) p[cell + i] = x[i]!;
  },
});
const logaddexp = plain<Numbers, Numbers>({
  along(p, cell, x, _, first, step, n) {
    let s = p[cell]!;
    for (let i = first; i < n; i += step) s = intrinsics.logaddexp(s, x[i]!);
    p[cell] = s;
  },
  across(p, cell, x, _, n) {
    for (let i = 0; i < n; i++) p[cell + i] = intrinsics.logaddexp(p[cell + i]!, x[i]!);
  },
});
// biome-ignore-end format: as above

/** Neumaier's sum: keeps what each addition lost, whichever operand is larger. */
const neumaier: Fold = {
  along(h, cell, x, _, __, first, step, n) {
    const [sums, lost] = [h.partial as Numbers, h.compensation as Numbers];
    let [s, loss] = [sums[cell]!, lost[cell]!];
    for (let i = first; i < n; i += step) {
      const element = x[i] as number;
      const t = s + element;
      loss += Math.abs(s) >= Math.abs(element) ? s - t + element : element - t + s;
      s = t;
    }
    sums[cell] = s;
    lost[cell] = loss;
  },
  across(h, cell, x, _, __, n) {
    const [sums, lost] = [h.partial as Numbers, h.compensation as Numbers];
    for (let i = 0; i < n; i++) {
      const s = sums[cell + i]!;
      const element = x[i] as number;
      const t = s + element;
      lost[cell + i] =
        lost[cell + i]! + (Math.abs(s) >= Math.abs(element) ? s - t + element : element - t + s);
      sums[cell + i] = t;
    }
  },
};

type Scalar = number | bigint;

/** A fold that records the place of the element it keeps. */
function positioned(
  run: (
    p: Numbers,
    places: Numbers,
    cell: number,
    x: Numbers,
    at: Numbers,
    first: number,
    step: number,
    n: number,
  ) => void,
): Fold {
  return {
    along: (h, cell, x, _, at, first, step, n) =>
      run(h.partial as Numbers, h.position as Numbers, cell, x as Numbers, at, first, step, n),
    across(h, cell, x, _, at, n) {
      for (let i = 0; i < n; i++)
        run(h.partial as Numbers, h.position as Numbers, cell + i, x as Numbers, at, i, 1, i + 1);
    },
  };
}

// argmax and argmin keep the first of equal elements and the first NaN; lastArgmax and lastArgmin the last. The same comparisons
// serve BigInts.
const argmax = positioned((p, places, cell, x, at, first, step, n) => {
  let best = p[cell]!;
  for (let i = first; i < n; i += step) {
    const value = x[i]!;
    if (!(value > best || (Number.isNaN(value) && !Number.isNaN(best)))) continue;
    best = value;
    places[cell] = at[i]!;
  }
  p[cell] = best;
});
const argmin = positioned((p, places, cell, x, at, first, step, n) => {
  let best = p[cell]!;
  for (let i = first; i < n; i += step) {
    const value = x[i]!;
    if (!(value < best || (Number.isNaN(value) && !Number.isNaN(best)))) continue;
    best = value;
    places[cell] = at[i]!;
  }
  p[cell] = best;
});
const lastArgmax = positioned((p, places, cell, x, at, first, step, n) => {
  let best = p[cell]!;
  for (let i = first; i < n; i += step) {
    const value = x[i]!;
    if (!(value >= best || Number.isNaN(value))) continue;
    best = value;
    places[cell] = at[i]!;
  }
  p[cell] = best;
});
const lastArgmin = positioned((p, places, cell, x, at, first, step, n) => {
  let best = p[cell]!;
  for (let i = first; i < n; i += step) {
    const value = x[i]!;
    if (!(value <= best || Number.isNaN(value))) continue;
    best = value;
    places[cell] = at[i]!;
  }
  p[cell] = best;
});

/** Folds a run into one cell, and records the cell's value after each element. */
export function running(
  fold: Fold,
  h: Cells,
  cell: number,
  x: Column,
  y: Column,
  at: Numbers,
  n: number,
  held: Column,
  positions: Numbers | null,
): void {
  const { partial, compensation, position } = h;
  for (let i = 0; i < n; i++) {
    fold.along(h, cell, x, y, at, i, 1, i + 1);
    const value = partial[cell] as Scalar;
    held[i] = compensation === null ? value : compensated(value as number, compensation[cell] as number);
    if (positions !== null) positions[i] = (position as Numbers)[cell]!;
  }
}
