/** The law of summation as functions: ../js/accumulate.ts says the same as text. */
import { type Accumulator, allocate, type DType, isFloat, type TypedArray } from "@fuseau/ir";
import { accumulatorKind, identity } from "../../lower/accumulators.ts";
import { compensated } from "../compensated.ts";
import { intrinsics } from "../intrinsics/index.ts";
import { closurePointwise, type Scalar } from "./pointwise.ts";

/** The arrays behind one accumulator: `lanes` × `cells` running values, lane-major. */
export interface Cells {
  readonly partial: TypedArray;
  readonly compensation: TypedArray | null;
  readonly total: TypedArray | null;
  readonly position: TypedArray | null;
}

/** Cells for an accumulator that has none among the kernel's buffers. */
export function ownCells({ fn, from, lanes }: Accumulator, blocked: boolean): Cells {
  const kind = accumulatorKind(fn, from);
  return {
    partial: allocate(kind.partial, lanes),
    compensation: kind.compensated ? allocate("float64", lanes) : null,
    total: kind.total !== null && blocked ? allocate(kind.total, 1) : null,
    position: kind.positioned ? allocate("float64", lanes) : null,
  };
}

export function reset(
  accumulator: Accumulator,
  { partial, compensation, position }: Cells,
  length: number,
): void {
  const start = identity(accumulator);
  for (let k = 0; k < length; k++) partial[k] = start;
  compensation?.fill(0 as never, 0, length);
  position?.fill(0 as never, 0, length);
}

export function resetTotal({ fn, from }: Accumulator, total: TypedArray, cells: number): void {
  const start = isFloat(from) ? (fn === "prod" ? 1 : 0) : 0n;
  for (let k = 0; k < cells; k++) total[k] = start;
}

/** Folds one element, or one product, into a cell. */
export type Fold = (cells: Cells, cell: number, x: Scalar, y: Scalar, position: number) => void;

export function foldOf({ fn, from }: Accumulator): Fold {
  const { partial: held, compensated: careful } = accumulatorKind(fn, from);
  if (careful) return neumaier;
  if (fn === "argmax" || fn === "argmin") return firstBest(fn, from);
  if (fn === "lastArgmax" || fn === "lastArgmin") return lastBest(fn);
  const join = joinOf(fn, from, held);
  return ({ partial }, cell, x, y) => {
    partial[cell] = join(partial[cell] as Scalar, x, y);
  };
}

type Join = (held: Scalar, x: Scalar, y: Scalar) => Scalar;
type OnNumbers = (held: number, x: number, y: number) => number;
type OnInt64 = (held: bigint, x: bigint, y: bigint) => bigint;
/** The dtype decides which kind a Scalar is. */
const numbers = (join: OnNumbers): Join => join as Join;
const int64 = (join: OnInt64): Join => join as Join;

function joinOf(
  fn: Exclude<Accumulator["fn"], "argmax" | "argmin" | "lastArgmax" | "lastArgmin">,
  from: DType,
  held: DType,
): Join {
  switch (fn) {
    case "sum":
      return from === "int64" ? int64((a, x) => BigInt.asIntN(64, a + x)) : numbers((a, x) => a + x);
    case "prod":
      if (held !== "int64") return numbers((a, x) => a * x);
      return (a, x) => BigInt.asIntN(64, (a as bigint) * BigInt(x));
    case "dot":
      if (isFloat(from)) return numbers((a, x, y) => a + x * y);
      if (from === "bool") return numbers((a, x, y) => a | (x & y));
      if (from === "int64") return int64((a, x, y) => BigInt.asIntN(64, a + x * y));
      return intDot(held);
    case "any":
      return (a, x) => (a || Number(x) !== 0 ? 1 : 0);
    case "all":
      return (a, x) => (a && Number(x) !== 0 ? 1 : 0);
    case "max":
      return isFloat(from) ? numbers((a, x) => Math.max(a, x)) : larger;
    case "min":
      return isFloat(from) ? numbers((a, x) => Math.min(a, x)) : smaller;
    case "logaddexp":
      return numbers(intrinsics.logaddexp);
    default:
      return fn satisfies never;
  }
}

// Not Math.max: these are for BigInts too.
const larger: Join = (a, x) => (a >= x ? a : x);
const smaller: Join = (a, x) => (a <= x ? a : x);

function intDot(held: DType): Join {
  const wrap = closurePointwise.cast("int32", held);
  return numbers((a, x, y) => wrap((a + Math.imul(x, y)) | 0) as number);
}

const neumaier: Fold = ({ partial, compensation }, cell, element) => {
  const [sums, lost] = [partial as Float64Array, compensation as Float64Array];
  const sum = sums[cell] as number;
  const x = element as number;
  const t = sum + x;
  lost[cell] = (lost[cell] as number) + (Math.abs(sum) >= Math.abs(x) ? sum - t + x : x - t + sum);
  sums[cell] = t;
};

function firstBest(fn: "argmax" | "argmin", from: DType): Fold {
  const better: (x: Scalar, best: Scalar) => boolean =
    fn === "argmax" ? (x, best) => x > best : (x, best) => x < best;
  const lost: (x: Scalar) => boolean = isFloat(from) ? (x) => Number.isNaN(x) : () => false;
  return ({ partial, position }, cell, x, _, at) => {
    const best = partial[cell] as Scalar;
    if (better(x, best) || (lost(x) && !lost(best))) {
      partial[cell] = x;
      (position as TypedArray)[cell] = at;
    }
  };
}

/** The latest of equals, and the latest NaN. */
function lastBest(fn: "lastArgmax" | "lastArgmin"): Fold {
  const asGood: (x: Scalar, best: Scalar) => boolean =
    fn === "lastArgmax" ? (x, best) => x >= best : (x, best) => x <= best;
  return ({ partial, position }, cell, x, _, at) => {
    if (!asGood(x, partial[cell] as Scalar) && !Number.isNaN(x)) return;
    partial[cell] = x;
    (position as TypedArray)[cell] = at;
  };
}

/** All lanes of a cell as one value, by a fixed tree. */
export function foldLanes(accumulator: Accumulator, held: Cells, cell: number, cells: number): Scalar {
  const { fn, from, lanes } = accumulator;
  const { partial: dtype } = accumulatorKind(fn, from);
  const join: Join =
    fn === "sum" || fn === "prod"
      ? dtype === "int64"
        ? int64((a, x) => BigInt.asIntN(64, fn === "sum" ? a + x : a * x))
        : numbers((a, x) => (fn === "sum" ? a + x : a * x))
      : joinOf(fn as "max", from, dtype);
  let level: Scalar[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    const at = cell + lane * cells;
    const value = held.partial[at] as Scalar;
    level.push(
      held.compensation === null ? value : compensated(value as number, held.compensation[at] as number),
    );
  }
  while (level.length > 1) {
    const next: Scalar[] = [];
    for (let k = 0; k < level.length; k += 2) next.push(join(level[k] as Scalar, level[k + 1] as Scalar, 0));
    level = next;
  }
  return level[0] as Scalar;
}

/** Folds a finished block of one cell into its total. */
export function foldBlock({ fn, from }: Accumulator, total: TypedArray, cell: number, block: Scalar): void {
  const before = total[cell] as Scalar;
  if (!isFloat(from)) total[cell] = BigInt.asIntN(64, (before as bigint) + BigInt(block));
  else
    total[cell] =
      fn === "prod" ? (before as number) * (block as number) : (before as number) + (block as number);
}

/** A finished fold in the result's dtype. */
export function finish({ fn, from, to }: Accumulator, whole: Scalar, position: number): Scalar {
  switch (fn) {
    case "argmax":
    case "argmin":
    case "lastArgmax":
    case "lastArgmin":
      return BigInt(position);
    case "sum":
    case "prod":
    case "dot":
    case "logaddexp":
      if (to === "float32") return Math.fround(whole as number);
      if (to === "float16") return intrinsics.roundToFloat16(whole as number);
      return fn === "sum" && !isFloat(from) ? BigInt(whole) : whole;
    default:
      return whole;
  }
}
