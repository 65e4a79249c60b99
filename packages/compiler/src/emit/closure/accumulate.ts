/**
 * The law of summation as loops over columns: ../js/accumulate.ts says the same as text. Elements join their cells in their
 * order, whether a run of them goes to one cell or to one cell each.
 */
import { type Accumulator, allocate, type DType, isFloat, type TypedArray } from "@fuseau/ir";
import { type AccumulatorKind, accumulatorKind, identity } from "../../lower/accumulators.ts";
import { intrinsics } from "../intrinsics/index.ts";
import { compensated } from "../shared/compensated.ts";
import { type Column, type Columns, loadEven, loadsOf, type Numbers, type Words } from "./columns.ts";
import { integerToWords, pointwiseLoop } from "./pointwise.ts";

/** The arrays behind one accumulator: `lanes` × `width` running values, lane-major. */
export interface Cells {
  readonly width: number;
  readonly partial: TypedArray;
  readonly compensation: TypedArray | null;
  readonly total: TypedArray | null;
  readonly position: TypedArray | null;
}

/** `width` cells for an accumulator that has none among the kernel's buffers. */
export function ownCells({ fn, from, lanes }: Accumulator, blocked: boolean, width: number): Cells {
  const kind = accumulatorKind(fn, from);
  return {
    width,
    partial: allocate(kind.partial, lanes * width),
    compensation: kind.compensated ? allocate("float64", lanes * width) : null,
    total: kind.total !== null && blocked ? allocate(kind.total, width) : null,
    position: kind.positioned ? allocate("float64", lanes * width) : null,
  };
}

export function reset(accumulator: Accumulator, { width, partial, compensation, position }: Cells): void {
  const length = width * accumulator.lanes;
  (partial as Numbers).fill(identity(accumulator) as number, 0, length);
  (compensation as Numbers | null)?.fill(0, 0, length);
  (position as Numbers | null)?.fill(0, 0, length);
}

export function resetTotal({ fn, from }: Accumulator, { width, total }: Cells): void {
  (total as Numbers | null)?.fill((isFloat(from) ? (fn === "prod" ? 1 : 0) : 0n) as number, 0, width);
}

/** How elements, or products, join cells; `at` are their places, for folds that keep those. */
export interface Fold {
  /** One cell takes the elements first, first + step … before n. */
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
  /** Cell + i takes element i. */
  across(h: Cells, cell: number, x: Column, y: Column, at: Numbers, n: number): void;
}

/** The dtypes decide which kinds of arrays these are. */
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
    case "logaddexp":
      return logaddexp;
    default:
      return fn satisfies never;
  }
}

// biome-ignore-start format: a loop on each line
const sum = plain<Numbers, Numbers>({
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
const prod = plain<Numbers, Numbers>({
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
/** The array wraps what it is given to its own width; all widths agree modulo theirs. */
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

/** What each addition loses is kept, whichever operand is the larger. */
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

/** Keeps the place of what it takes. */
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

// Of equals the first, and the first NaN; or the last, and the last NaN. Comparisons of BigInts are written alike.
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

/** Folds a run into one cell, and keeps what the cell holds after each element. */
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

/** Cells in arithmetic progression, or any. */
export type CellPlaces = { readonly base: number; readonly step: number } | Int32Array;

/** What n cells hold, all lanes of each joined by a fixed tree, in a column. */
export type ReadCells = (h: Cells, places: CellPlaces, n: number) => Column;

export function cellReader(accumulator: Accumulator, columns: Columns): ReadCells {
  const { fn, from, lanes } = accumulator;
  const kind = accumulatorKind(fn, from);
  const level = Array.from({ length: lanes }, () => columns.values(kind.partial));
  const lost = kind.compensated ? (columns.values("float64") as Numbers) : null;
  const join = lanes > 1 ? joinOf(accumulator, kind) : null;
  return (h, places, n) => {
    for (let lane = 0; lane < lanes; lane++) {
      const column = level[lane] as Column;
      readLane(kind.partial, column, h.partial, places, lane * h.width, n);
      if (lost === null) continue;
      readLane("float64", lost, h.compensation as TypedArray, places, lane * h.width, n);
      for (let i = 0; i < n; i++) column[i] = compensated(column[i] as number, lost[i]!);
    }
    for (let apart = 1; apart < lanes; apart *= 2)
      for (let lane = 0; lane < lanes; lane += 2 * apart) {
        const [left, right] = [level[lane] as Column, level[lane + apart] as Column];
        join?.(left, left, right, right, n);
      }
    return level[0] as Column;
  };
}

/** Where each cell's best element stood. */
export function positionReader(columns: Columns): ReadCells {
  const column = columns.values("float64");
  return (h, places, n) => {
    readLane("float64", column, h.position as TypedArray, places, 0, n);
    return column;
  };
}

/** The totals of finished blocks. */
export function totalReader({ fn, from }: Accumulator, columns: Columns): ReadCells {
  const dtype = accumulatorKind(fn, from).total as DType;
  const column = columns.values(dtype);
  return (h, places, n) => {
    readLane(dtype, column, h.total as TypedArray, places, 0, n);
    return column;
  };
}

function readLane(
  dtype: DType,
  column: Column,
  array: TypedArray,
  places: CellPlaces,
  lane: number,
  n: number,
): void {
  if ("base" in places) loadEven(dtype, column, array, places.base + lane, places.step, 0, n);
  else loadsOf(dtype).each(column, array.subarray(lane), places, 0, n);
}

function joinOf({ fn, from }: Accumulator, { partial }: AccumulatorKind): ReturnType<typeof pointwiseLoop> {
  // Running values are wider than the elements: nothing is rounded here.
  const wide = partial === "int64" ? "int64" : "float64";
  if (fn === "sum" || fn === "prod") return pointwiseLoop(fn === "sum" ? "add" : "mul", wide, wide);
  if (fn === "max" || fn === "min") return pointwiseLoop(fn === "max" ? "maximum" : "minimum", from, from);
  return pointwiseLoop(fn === "any" ? "logicalOr" : "logicalAnd", "bool", "bool");
}

/** Folds finished blocks, one of each cell, into their totals, from cell `first` on. */
export function foldBlocks(
  { fn, from }: Accumulator,
  total: TypedArray,
  first: number,
  blocks: Column,
  n: number,
): void {
  if (!isFloat(from)) {
    const totals = total as Words;
    for (let i = 0; i < n; i++)
      totals[first + i] = BigInt.asIntN(64, totals[first + i]! + BigInt(blocks[i] as number));
    return;
  }
  const fold = fn === "prod" ? prod : sum;
  fold.across(
    { width: 0, partial: total, compensation: null, total: null, position: null },
    first,
    blocks,
    blocks,
    blocks as Numbers,
    n,
  );
}

/** Brings finished folds into the result's dtype; `wholes` are of the dtype of totals where there are blocks. */
export type Finish = (out: Column, wholes: Column, positions: Column, n: number) => void;

export function finishOf({ fn, from, to }: Accumulator, held: DType): Finish {
  switch (fn) {
    case "argmax":
    case "argmin":
    case "lastArgmax":
    case "lastArgmin":
      return (out, _, positions, n) => integerToWords(out as Words, positions as Numbers, out, out, n);
    case "sum":
    case "prod":
    case "dot":
    case "logaddexp": {
      if (to === "float16") return toFloat16;
      if (fn === "sum" && !isFloat(from) && held !== "int64")
        return (out, wholes, _, n) => integerToWords(out as Words, wholes as Numbers, out, out, n);
      // One rounding, at the end.
      const cast = isFloat(to) ? pointwiseLoop("cast", "float64", to) : pointwiseLoop("cast", to, to);
      return (out, wholes, _, n) => cast(out, wholes, wholes, wholes, n);
    }
    default: {
      const { partial } = accumulatorKind(fn, from);
      const copy = pointwiseLoop("cast", partial, partial);
      return (out, wholes, _, n) => copy(out, wholes, wholes, wholes, n);
    }
  }
}

/** From float64 at once, where a cast goes by way of float32. */
const toFloat16: Finish = (out, wholes, _, n) => {
  for (let i = 0; i < n; i++) out[i] = intrinsics.roundToFloat16(wholes[i] as number);
};
