/** Ops by themselves on strided views of arrays, by loops over columns, without a loop nest that was compiled for them. */
import { type Accumulator, type DType, defaultOrder, type StridedView, type TypedArray } from "@fuseau/ir";
import { accumulatorKind, laneMatters } from "../../lower/accumulators.ts";
import { cellReader, finishOf, ownCells, positionReader, reset } from "./accumulate.ts";
import type { Bits } from "./bits.ts";
import { type Column, Columns, loadEven, type Numbers, RUN, storeEven } from "./columns.ts";
import { foldOf } from "./folds.ts";
import type { Loop } from "./pointwise.ts";

/** Elements of an array: those of the view. Along axes where they are repeated strides are 0. */
export interface Elements {
  readonly dtype: DType;
  readonly array: TypedArray;
  readonly view: StridedView;
}

/** What a loop computes of some operands. */
export interface Mapped {
  readonly loop: Loop;
  readonly dtype: DType;
  readonly operands: readonly Operand[];
}

/** A number is one element, of any dtype: a bigint of int64. */
export type Operand = Elements | Mapped | number | bigint;

/** Axes that are walked as one: their size, and the stride of each of some views. */
interface Axis {
  readonly size: number;
  readonly strides: readonly number[];
}

interface Step {
  readonly loop: Loop;
  readonly out: Column;
  readonly operands: readonly [Column, Column, Column];
}

/**
 * Computes all elements of `out` from those of the operand at the same places. All views have one shape. What the operand is made of is computed
 * for as many elements as a column has before the next.
 */
export function runStrided(operand: Operand, out: Elements): void {
  const columns = new Columns(RUN);
  const loads: { readonly of: Elements; readonly column: Column }[] = [];
  const steps: Step[] = [];
  const columnOf = (one: Operand): Column => {
    if (typeof one !== "object") {
      const column = columns.values(typeof one === "bigint" ? "int64" : "float64");
      (column as Numbers).fill(one as number);
      return column;
    }
    if ("loop" in one) {
      const [a, b = a, c = b] = one.operands.map(columnOf) as [Column, ...Column[]];
      const column = columns.values(one.dtype);
      steps.push({ loop: one.loop, out: column, operands: [a, b, c] });
      return column;
    }
    const column = columns.values(one.dtype);
    loads.push({ of: one, column });
    return column;
  };
  const result = columnOf(operand);
  const views = [out.view, ...loads.map(({ of }) => of.view)];
  const { inner, outer } = axesOf(views);
  const load = (k: number, place: number, n: number): void => {
    const { of, column } = loads[k] as (typeof loads)[number];
    loadEven(of.dtype, column, of.array, place, inner.strides[k + 1] as number, 0, n);
  };
  /** What is the same at all places is loaded once. */
  const isFixed = loads.map((_, k) => [inner, ...outer].every(({ strides }) => strides[k + 1] === 0));
  loads.forEach(({ of }, k) => {
    if (isFixed[k]) load(k, of.view.offset, Math.min(RUN, inner.size));
  });
  const runAt = (places: readonly number[]): void => {
    for (let begin = 0; begin < inner.size; begin += RUN) {
      const n = Math.min(RUN, inner.size - begin);
      for (let k = 0; k < loads.length; k++)
        if (!isFixed[k]) load(k, (places[k + 1] as number) + begin * (inner.strides[k + 1] as number), n);
      for (let k = 0; k < steps.length; k++) {
        const { loop, out: to, operands } = steps[k] as Step;
        loop(to, operands[0], operands[1], operands[2], n);
      }
      const step = inner.strides[0] as number;
      storeEven(out.dtype, result, out.array, (places[0] as number) + begin * step, step, n);
    }
  };
  forEachPlace(
    outer,
    views.map(({ offset }) => offset),
    runAt,
  );
}

/** Calls `visit` with the places of all views, in row-major order of the axes. The places are reused. */
function forEachPlace(
  axes: readonly Axis[],
  first: readonly number[],
  visit: (places: readonly number[]) => void,
): void {
  if (axes.some(({ size }) => size === 0)) return;
  const places = [...first];
  const index = axes.map(() => 0);
  for (;;) {
    visit(places);
    let k = axes.length - 1;
    for (; k >= 0; k--) {
      const { size, strides } = axes[k] as Axis;
      const isLast = index[k] === size - 1;
      index[k] = isLast ? 0 : (index[k] as number) + 1;
      for (let view = 0; view < places.length; view++)
        places[view] = (places[view] as number) + (isLast ? 1 - size : 1) * (strides[view] as number);
      if (!isLast) break;
    }
    if (k < 0) return;
  }
}

/** The axes of views of one shape, without those of one place; neighbours that all views walk as one are one. */
function mergedAxes(views: readonly StridedView[]): Axis[] {
  const { shape } = views[0] as StridedView;
  const axes: Axis[] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    const size = shape[axis] as number;
    if (size === 1) continue;
    const strides = views.map((view) => view.strides[axis] as number);
    const outer = axes.at(-1);
    if (outer?.strides.every((stride, k) => stride === size * (strides[k] as number)) === true)
      axes[axes.length - 1] = { size: outer.size * size, strides };
    else axes.push({ size, strides });
  }
  return axes;
}

/** How many elements there are, if all views are row-major without gaps; else −1. */
function sizeOfWhole(views: readonly StridedView[]): number {
  const { shape } = views[0] as StridedView;
  let count = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    for (let k = 0; k < views.length; k++) if ((views[k] as StridedView).strides[axis] !== count) return -1;
    count *= shape[axis] as number;
  }
  return count;
}

/** From so many places on, the last axis is long enough to be walked in runs. */
const SHORT = 8;

/** The axis to walk in runs, the last or else the longest, and the others. */
function axesOf(views: readonly StridedView[]): { readonly inner: Axis; readonly outer: readonly Axis[] } {
  const count = sizeOfWhole(views);
  if (count >= 0) return { inner: { size: count, strides: views.map(() => 1) }, outer: [] };
  const axes = mergedAxes(views);
  let at = axes.length - 1;
  if (at >= 0 && (axes[at] as Axis).size < SHORT)
    at = axes.reduce((best, { size }, k) => (size > (axes[best] as Axis).size ? k : best), at);
  const inner = axes[at] ?? { size: 1, strides: views.map(() => 0) };
  return { inner, outer: axes.filter((axis) => axis !== inner) };
}

export type FoldOfStrided = Pick<Accumulator, "fn" | "from" | "to" | "lanes">;

/** The most elements that are folded into one: a block of the accumulation order. */
export const MOST_FOLDED: number = defaultOrder.block;

/**
 * Folds elements into those of `out`, in the accumulation order of the bits. The operand's view has the axes of `out`, and `folded` those that
 * are folded.
 */
export function foldStrided(
  fold: FoldOfStrided,
  bits: Bits,
  out: Elements,
  operand: Elements,
  folded: StridedView,
): void {
  const accumulator: Accumulator = { ...fold, accumulator: 0, row: null };
  const { inner, outer } = axesOf([out.view, operand.view]);
  const reduced = mergedAxes([folded]);
  const count = folded.shape.reduce((product, size) => product * size, 1);
  const run = reduced.at(-1) ?? { size: 1, strides: [0] };
  // Whichever is longer is walked in runs: the results, each with cells of its own, or the elements of one result.
  const isAcross = inner.size > run.size;
  const width = isAcross ? Math.min(RUN, inner.size) : 1;
  const chunks = bits.chunksOf(accumulator, defaultOrder);
  const lanes = chunks?.lanes ?? (laneMatters(accumulator) ? fold.lanes : 1);
  const join = chunks?.fold ?? foldOf(accumulator);
  const cells = ownCells(accumulator, chunks, false, width);
  const kind = accumulatorKind(fold.fn, fold.from);
  const columns = new Columns(RUN);
  const x = columns.values(fold.from);
  const at = kind.positioned ? (columns.values("float64") as Numbers) : (x as Numbers);
  const result = columns.values(fold.to);
  const read = cellReader(accumulator, columns);
  const positions = kind.positioned ? positionReader(columns) : null;
  const finish = finishOf(accumulator, kind.partial);
  const step = isAcross ? (inner.strides[1] as number) : (run.strides[0] as number);

  /** Folds the elements that come from this place on into `n` results, which are next to each other along the inner axis. */
  const foldAt = (place: number, n: number): void => {
    reset(accumulator, cells);
    let next = 0;
    const passed = (elements: number): void => {
      next += elements;
      if (chunks !== null && (next === count || next % chunks.elements === 0))
        chunks.join(cells.partial as Numbers, width);
    };
    forEachPlace(isAcross ? reduced : reduced.slice(0, -1), [place], ([from]) => {
      if (isAcross) {
        loadEven(fold.from, x, operand.array, from as number, step, 0, n);
        if (kind.positioned) at.fill(next, 0, n);
        join.across(cells, (next & (lanes - 1)) * width, x, x, at, n);
        return passed(1);
      }
      for (let begin = 0; begin < run.size; ) {
        const room = chunks === null ? RUN : chunks.elements - (next % chunks.elements);
        const length = Math.min(RUN, room, run.size - begin);
        loadEven(fold.from, x, operand.array, (from as number) + begin * step, step, 0, length);
        if (kind.positioned) for (let i = 0; i < length; i++) at[i] = next + i;
        for (let lane = 0; lane < lanes; lane++)
          join.along(cells, lane, x, x, at, (lane - next) & (lanes - 1), lanes, length);
        passed(length);
        begin += length;
      }
    });
  };
  forEachPlace(outer, [out.view.offset, operand.view.offset], ([to, from]) => {
    for (let begin = 0; begin < inner.size; begin += width) {
      const n = Math.min(width, inner.size - begin);
      foldAt((from as number) + begin * (inner.strides[1] as number), n);
      const wholes = read(cells, eachItsOwn, n);
      finish(result, wholes, positions === null ? wholes : positions(cells, eachItsOwn, n), n);
      storeEven(
        fold.to,
        result,
        out.array,
        (to as number) + begin * (inner.strides[0] as number),
        inner.strides[0] as number,
        n,
      );
    }
  });
}

const eachItsOwn = { base: 0, step: 1 };
