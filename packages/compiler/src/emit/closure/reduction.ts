/** Reduce loops: their accumulators, and the blocks of the accumulation order. */
import type {
  AccumulateStatement,
  Accumulator,
  DType,
  Integer,
  ReduceStatement,
  TypedArray,
} from "@fuseau/ir";
import { accumulatorKind, laneMatters } from "../../lower/accumulators.ts";
import {
  type CellPlaces,
  type Cells,
  cellReader,
  finishOf,
  foldBlocks,
  ownCells,
  positionReader,
  reset,
  resetTotal,
  totalReader,
} from "./accumulate.ts";
import type { Chunks } from "./bits.ts";
import { type Column, Columns, type Numbers, RUN } from "./columns.ts";
import { type Fold, foldOf, running } from "./folds.ts";
import type { Frame, Run } from "./frame.ts";
import { columnOfPlaces, placesOf } from "./integers.ts";
import type { Walk } from "./walk.ts";

/** What statements need to know of an accumulator. */
export interface Accumulation {
  readonly accumulator: Accumulator;
  readonly chunks: Chunks | null;
  readonly blocked: boolean;
  readonly statement: ReduceStatement;
  /** True when each element of a run has a cell of its own, since the whole reduction lies within the run. */
  readonly spread: boolean;
}

export class Reduction {
  readonly #blocked: boolean;
  /** Elements of a block. */
  readonly #block: number;
  readonly #begin: readonly Run[];
  /** The accumulators that fold in chunks. */
  readonly #chunked: readonly { readonly id: number; readonly chunks: Chunks }[];
  readonly #endBlock: readonly Run[];

  /**
   * `walk` is the walk around the loop, `within` the one that its body is compiled for. They are the same if the loop is walked
   * in single steps.
   */
  constructor(walk: Walk, within: Walk, statement: ReduceStatement) {
    const { accumulators, blocked } = statement;
    this.#blocked = blocked;
    this.#block = walk.kernel.order.block;
    const spread = walk.loop !== null;
    const chunksOf = (accumulator: Accumulator): Chunks | null =>
      statement.scan ? null : walk.bits.chunksOf(accumulator, walk.kernel.order);
    this.#begin = accumulators.map((each) => beginOf(walk, each, chunksOf(each), blocked, spread));
    this.#chunked = accumulators.flatMap((accumulator) => {
      const chunks = chunksOf(accumulator);
      const id = accumulator.accumulator;
      walk.accumulations.set(id, { accumulator, chunks, blocked, statement, spread });
      return chunks === null ? [] : [{ id, chunks }];
    });
    this.#endBlock = blocked
      ? accumulators
          .filter(({ fn, from }) => accumulatorKind(fn, from).total !== null)
          .map((each) => endBlockOf(within, each))
      : [];
  }

  begin(frame: Frame): void {
    for (const begin of this.#begin) begin(frame);
  }

  /** How many elements are left up to the end of the block, or of a chunk. */
  room(place: number): number {
    let room = this.#blocked ? this.#block - (place % this.#block) : Number.POSITIVE_INFINITY;
    for (const { chunks } of this.#chunked)
      room = Math.min(room, chunks.elements - this.#placeIn(chunks, place));
    return room;
  }

  /** How many elements of its chunk precede a place. Chunks of sums begin where their block does. */
  #placeIn({ elements, lanes }: Chunks, place: number): number {
    return (this.#blocked && lanes > 1 ? place % this.#block : place) % elements;
  }

  /** Called when `place` elements of `count` are folded. */
  passed(frame: Frame, place: number, count: number): void {
    for (const { id, chunks } of this.#chunked) {
      if (place !== count && this.#placeIn(chunks, place) !== 0) continue;
      const { partial, width } = frame.cells[id] as Cells;
      chunks.join(partial as Numbers, width);
    }
    if (!this.#blocked || (place % this.#block !== 0 && place !== count)) return;
    for (const end of this.#endBlock) end(frame);
  }
}

function beginOf(
  walk: Walk,
  accumulator: Accumulator,
  chunks: Chunks | null,
  blocked: boolean,
  spread: boolean,
): Run {
  const { accumulator: id, row } = accumulator;
  if (row === null) {
    const cells = ownCells(accumulator, chunks, blocked, spread ? RUN : 1);
    return (frame) => {
      frame.cells[id] = cells;
      reset(accumulator, cells);
      resetTotal(accumulator, cells);
    };
  }
  const width = walk.same(row.cells);
  return (frame) => {
    const at = (slot: number | null): TypedArray | null =>
      slot === null ? null : (frame.buffers[slot] as TypedArray);
    const cells: Cells = {
      width: width(frame),
      chunks,
      partial: at(row.partial) as TypedArray,
      compensation: at(row.compensation),
      total: at(row.total),
      position: at(row.position),
    };
    frame.cells[id] = cells;
    reset(accumulator, cells);
    resetTotal(accumulator, cells);
  };
}

function endBlockOf(within: Walk, accumulator: Accumulator): Run {
  // Shared columns keep nothing from run to run, except values that were filled before the first run. Those have columns of their
  // own.
  const columns = within.loop === null ? new Columns(accumulator.row === null ? 1 : RUN) : within.columns;
  const read = cellReader(accumulator, columns);
  const { accumulator: id } = accumulator;
  return (frame) => {
    const cells = frame.cells[id] as Cells;
    if (cells.total === null) return;
    for (let first = 0; first < cells.width; first += RUN) {
      const n = Math.min(RUN, cells.width - first);
      foldBlocks(accumulator, cells.total, first, read(cells, { base: first, step: 1 }, n), n);
    }
    reset(accumulator, cells);
  };
}

/** The cell of each element. */
function cellsOf(walk: Walk, cell: Integer, spread: boolean): (frame: Frame) => CellPlaces {
  if (spread) return () => eachItsOwn;
  const places = placesOf(cell, walk);
  if (places.kind === "each") return places.read;
  const { base, step } = places;
  return (frame) => ({ base: base(frame), step: step === null ? 0 : step(frame) });
}

const eachItsOwn: CellPlaces = { base: 0, step: 1 };

export function runAccumulate(
  walk: Walk,
  { accumulator: id, cell, values, position }: AccumulateStatement,
): Run {
  const { accumulator, chunks, statement, spread } = walk.accumulations.get(id) as Accumulation;
  const fold = chunks?.fold ?? foldOf(accumulator);
  const lanes = chunks?.lanes ?? (laneMatters(accumulator) ? accumulator.lanes : 1);
  const [x, y] = values.map((value) => walk.column(value)) as [Column, Column | undefined];
  const { positioned } = accumulatorKind(accumulator.fn, accumulator.from);
  const placesAt = positioned ? positionsOf(walk, position) : () => x as Numbers;
  if (walk.loop === statement) {
    return statement.scan
      ? scanAlong(walk, accumulator, x, y ?? x, placesAt, cell)
      : foldAlong(walk, fold, lanes, accumulator, x, y ?? x, placesAt, cell);
  }
  const cellPlaces = cellsOf(walk, cell, spread);
  return (frame) => {
    const cells = frame.cells[id] as Cells;
    const at = placesAt(frame);
    const lane = (frame.place & (lanes - 1)) * cells.width;
    const places = cellPlaces(frame);
    if ("base" in places && (places.step === 1 || frame.n === 1)) {
      fold.across(cells, places.base + lane, x, y ?? x, at, frame.n);
      return;
    }
    for (let i = 0; i < frame.n; i++) {
      const own = "base" in places ? places.base + i * places.step : (places[i] as number);
      fold.along(cells, own + lane, x, y ?? x, at, i, 1, i + 1);
    }
  };
}

function foldAlong(
  walk: Walk,
  fold: Fold,
  lanes: number,
  { accumulator: id }: Accumulator,
  x: Column,
  y: Column,
  placesAt: (frame: Frame) => Numbers,
  cell: Integer,
): Run {
  const at = walk.same(cell);
  if (lanes === 1)
    return (frame) => fold.along(frame.cells[id] as Cells, at(frame), x, y, placesAt(frame), 0, 1, frame.n);
  return (frame) => {
    const cells = frame.cells[id] as Cells;
    const [base, places] = [at(frame), placesAt(frame)];
    for (let lane = 0; lane < lanes; lane++) {
      const first = (lane - frame.place) & (lanes - 1);
      fold.along(cells, base + lane * cells.width, x, y, places, first, lanes, frame.n);
    }
  };
}

function scanAlong(
  walk: Walk,
  accumulator: Accumulator,
  x: Column,
  y: Column,
  placesAt: (frame: Frame) => Numbers,
  cell: Integer,
): Run {
  const fold = foldOf(accumulator);
  const at = walk.same(cell);
  const { fn, from, accumulator: id } = accumulator;
  const kind = accumulatorKind(fn, from);
  const held = walk.columns.values(kind.partial);
  const positions = kind.positioned ? (walk.columns.values("float64") as Numbers) : null;
  walk.scanned.set(id, { held, positions });
  return (frame) =>
    running(fold, frame.cells[id] as Cells, at(frame), x, y, placesAt(frame), frame.n, held, positions);
}

function positionsOf(walk: Walk, position: Integer): (frame: Frame) => Numbers {
  const places = columnOfPlaces(placesOf(position, walk), walk.columns);
  const out = walk.columns.values("float64") as Numbers;
  return (frame) => {
    const at = places(frame);
    for (let i = 0; i < frame.n; i++) out[i] = at[i]!;
    return out;
  };
}

/** Writes the value of an accumulator to a column. */
export function readResult(walk: Walk, id: number, cell: Integer, out: Column): Run {
  const { accumulator, blocked, spread } = walk.accumulations.get(id) as Accumulation;
  const kind = accumulatorKind(accumulator.fn, accumulator.from);
  const scanned = walk.scanned.get(id);
  if (scanned !== undefined) {
    const { held, positions } = scanned;
    const finish = finishOf(accumulator, kind.partial);
    return (frame) => finish(out, held, positions ?? held, frame.n);
  }
  const isTotal = blocked && kind.total !== null;
  const finish = finishOf(accumulator, isTotal ? (kind.total as DType) : kind.partial);
  const places = cellsOf(walk, cell, spread);
  const wholes = isTotal ? totalReader(accumulator, walk.columns) : cellReader(accumulator, walk.columns);
  const positions = kind.positioned ? positionReader(walk.columns) : null;
  return (frame) => {
    const cells = frame.cells[id] as Cells;
    const at = places(frame);
    const held = wholes(cells, at, frame.n);
    finish(out, held, positions === null ? held : positions(cells, at, frame.n), frame.n);
  };
}
