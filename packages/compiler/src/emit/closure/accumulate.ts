/**
 * The accumulation order as loops over columns; ../js/accumulate.ts is the same as text. Elements join their cells in order,
 * whether a run folds into one cell or into a cell for each element.
 */
import { type Accumulator, allocate, type DType, isFloat, type TypedArray } from "@fuseau/ir";
import { type AccumulatorKind, accumulatorKind, identity } from "../../lower/accumulators.ts";
import { intrinsics } from "../intrinsics/index.ts";
import { compensated } from "../shared/compensated.ts";
import type { Chunks } from "./bits.ts";
import { type Column, type Columns, loadEven, loadsOf, type Numbers, type Words } from "./columns.ts";
import { prod, sum } from "./folds.ts";
import { integerToWords, pointwiseLoop } from "./pointwise.ts";

/** The arrays of one accumulator: `lanes` × `width` partial results, lane-major. */
export interface Cells {
  readonly width: number;
  /** Null when the accumulator does not fold in chunks. */
  readonly chunks: Chunks | null;
  readonly partial: TypedArray;
  readonly compensation: TypedArray | null;
  readonly total: TypedArray | null;
  readonly position: TypedArray | null;
}

/** Allocates `width` cells for an accumulator without a row of buffers in the kernel. */
export function ownCells(
  { fn, from, lanes }: Accumulator,
  chunks: Chunks | null,
  blocked: boolean,
  width: number,
): Cells {
  const kind = accumulatorKind(fn, from);
  return {
    width,
    chunks,
    partial: allocate(kind.partial, (chunks?.cells ?? lanes) * width),
    compensation: kind.compensated ? allocate("float64", lanes * width) : null,
    total: kind.total !== null && blocked ? allocate(kind.total, width) : null,
    position: kind.positioned ? allocate("float64", lanes * width) : null,
  };
}

export function reset(
  accumulator: Accumulator,
  { width, chunks, partial, compensation, position }: Cells,
): void {
  const length = width * (chunks?.cells ?? accumulator.lanes);
  (partial as Numbers).fill(identity(accumulator) as number, 0, length);
  (compensation as Numbers | null)?.fill(0, 0, length);
  (position as Numbers | null)?.fill(0, 0, length);
}

export function resetTotal({ fn, from }: Accumulator, { width, total }: Cells): void {
  (total as Numbers | null)?.fill((isFloat(from) ? (fn === "prod" ? 1 : 0) : 0n) as number, 0, width);
}

/** The cells of a run: in arithmetic progression, or one by one. */
export type CellPlaces = { readonly base: number; readonly step: number } | Int32Array;

/** Reads n cells into a column; the lanes of each are joined by a fixed tree. */
type ReadCells = (h: Cells, places: CellPlaces, n: number) => Column;

export function cellReader(accumulator: Accumulator, columns: Columns): ReadCells {
  const { fn, from, lanes } = accumulator;
  const kind = accumulatorKind(fn, from);
  const level = Array.from({ length: lanes }, () => columns.values(kind.partial));
  const lost = kind.compensated ? (columns.values("float64") as Numbers) : null;
  const join = lanes > 1 ? joinOf(accumulator, kind) : null;
  return (h, places, n) => {
    if (h.chunks !== null) return readChunks(h, h.chunks, places, level[0] as Numbers, n);
    for (let lane = 0; lane < lanes; lane++) {
      const column = level[lane] as Column;
      readLane(kind.partial, column, h.partial, places, lane * h.width, n);
      if (lost === null) continue;
      readLane("float64", lost, h.compensation as TypedArray, places, lane * h.width, n);
      for (let i = 0; i < n; i++) column[i] = compensated(column[i] as number, lost[i]!);
    }
    for (let distance = 1; distance < lanes; distance *= 2)
      for (let lane = 0; lane < lanes; lane += 2 * distance) {
        const [left, right] = [level[lane] as Column, level[lane + distance] as Column];
        join?.(left, left, right, right, n);
      }
    return level[0] as Column;
  };
}

/** Reads the totals of all chunks of n cells into a column. */
function readChunks(
  { partial, width }: Cells,
  chunks: Chunks,
  places: CellPlaces,
  out: Numbers,
  n: number,
): Column {
  for (let i = 0; i < n; i++) {
    const cell = "base" in places ? places.base + i * places.step : (places[i] as number);
    out[i] = chunks.read(partial as Numbers, width, cell);
  }
  return out;
}

/** Reads the places of the elements that the cells keep. */
export function positionReader(columns: Columns): ReadCells {
  const column = columns.values("float64");
  return (h, places, n) => {
    readLane("float64", column, h.position as TypedArray, places, 0, n);
    return column;
  };
}

/** Reads the totals of finished blocks. */
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
  // Partial results are wider than the elements: nothing is rounded here.
  const wide = partial === "int64" ? "int64" : "float64";
  if (fn === "sum" || fn === "prod") return pointwiseLoop(fn === "sum" ? "add" : "mul", wide, wide);
  if (fn === "max" || fn === "min") return pointwiseLoop(fn === "max" ? "maximum" : "minimum", from, from);
  return pointwiseLoop(fn === "any" ? "logicalOr" : "logicalAnd", "bool", "bool");
}

/** Adds finished blocks, one for each cell, to the cells' totals, from cell `first` on. */
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
    { width: 0, chunks: null, partial: total, compensation: null, total: null, position: null },
    first,
    blocks,
    blocks,
    blocks as Numbers,
    n,
  );
}

/** Converts finished folds to the result's dtype. With blocks, `wholes` have the dtype of totals. */
type Finish = (out: Column, wholes: Column, positions: Column, n: number) => void;

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
      // The result is rounded once, here.
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

/** Rounds float64 to float16 once; a cast would round to float32 first. */
const toFloat16: Finish = (out, wholes, _, n) => {
  for (let i = 0; i < n; i++) out[i] = intrinsics.roundToFloat16(wholes[i] as number);
};
