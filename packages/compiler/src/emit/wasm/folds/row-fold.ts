/**
 * A row of accumulators in memory: `cells` for each lane of the accumulation order, lane-major. A body that is written for
 * several places at once loads a cell when it first folds into it, and stores it at the end.
 */
import { type AccumulateStatement, type Accumulator, type Integer, printInteger } from "@fuseau/ir";
import { accumulatorKind, isFloatDot, laneMatters } from "../../../lower/accumulators.ts";
import { lanesFor, stepsOf } from "../../../tactics/lane-steps.ts";
import { applyOp } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { indexValue } from "../sites/indexes.ts";
import { keep } from "../sites/keep.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load, store } from "../sites/statements.ts";
import { StraightLoop } from "../sites/straight-loop.ts";
import { castValue } from "../values/cast.ts";
import { constantValue, type LaneValue, widthOf } from "../values/value.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";
import { combine, finish, firstSigns, lift, plain, resultOf, type State, settled } from "./fold.ts";
import type { OrderedFold } from "./in-order.ts";
import { chunkOfStates, tree } from "./lanes.ts";
import { addProduct, productType } from "./products.ts";

const integer = (kind: "add" | "mul" | "mod", left: Integer, right: Integer): Integer => ({
  kind,
  left,
  right,
});
const literal = (value: number): Integer => ({ kind: "literal", value });

/** Buffers of the kernel, or workspaces; null where the fold does not need one. */
export interface RowSlots {
  readonly partial: number;
  readonly compensation: number | null;
  readonly position: number | null;
  /** What an extremum of floats records. */
  readonly lost: number | null;
  readonly signs: number | null;
  /** The two float64 sums of chunks, for each cell. */
  readonly running: number | null;
  /** The totals of blocks. */
  readonly total: number | null;
}

interface Held {
  readonly cell: Integer;
  state: State;
}

/** How a row accumulates. It is what the buffers of the loop IR hold, except for float32 sums in lanes. */
export function rowAccumulationOf(accumulator: Accumulator): Accumulation {
  const { fn, from } = accumulator;
  const accumulation = accumulationOf(accumulator);
  if (accumulation.chunked) return accumulation;
  // Blocks of float dots start from 0 and are added to a total.
  if (isFloatDot(accumulator)) return { ...accumulation, total: accumulation.partial };
  const { partial, total } = accumulatorKind(fn, from);
  const start = fn === "sum" && partial === "float64" ? 0 : accumulation.start;
  return {
    ...accumulation,
    lanes: laneMatters(accumulator) ? 8 : 1,
    chunked: false,
    condensed: false,
    marked: accumulation.signed,
    partial,
    total,
    start,
  };
}

export class RowFold implements AccumulatorHome, OrderedFold {
  readonly accumulator: Accumulator;
  readonly accumulation: Accumulation;
  readonly cells: Integer;
  readonly slots: RowSlots;
  /** The place of the current element among those that are folded; it determines the lane. */
  place: Integer = literal(0);
  readonly #held = new Map<Site, Map<string, Held>>();
  /** What its fields say is joined once, at the end: the results of a scan are read before. */
  readonly #isSettled: boolean;

  constructor(accumulator: Accumulator, cells: Integer, slots: RowSlots, isScan: boolean) {
    this.accumulator = accumulator;
    this.accumulation = rowAccumulationOf(accumulator);
    this.cells = cells;
    this.slots = slots;
    const { compensated, lanes, signed } = this.accumulation;
    this.#isSettled =
      !isScan && slots.total === null && slots.running === null && (signed || compensated || lanes > 1);
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const { accumulator, accumulation } = this;
    const held = this.#cell(site, statement.cell);
    if (isFloatDot(accumulator))
      held.state = plain(addProduct(site, held.state.value, statement, productType(accumulator)));
    else {
      const values = statement.values.map((value) => site.value(value));
      const x = lift(site, accumulator, accumulation, values);
      const position = accumulation.positioned ? indexValue(site, statement.position, "float64") : null;
      held.state = combine(site, accumulator, accumulation, held.state, x, position);
    }
    if (site.walk === null) this.#write(site);
  }

  result(site: Site, cell: Integer): LaneValue {
    const held = this.#held.get(site)?.get(key(site, cell));
    if (held !== undefined) return resultOf(site, this.accumulator, held.state);
    const { total, running, partial } = this.slots;
    const slot = total ?? running ?? (this.#isSettled ? partial : null);
    if (slot === null) return finish(site, this.accumulator, this.#whole(site, cell));
    return finish(site, this.accumulator, plain(this.#get(site, slot, cell)));
  }

  get isBlocked(): boolean {
    return this.slots.total !== null;
  }

  startTotal(block: Site): void {
    const dtype = this.accumulation.total!;
    const one = this.accumulator.fn === "prod" ? 1 : 0;
    this.#eachCell(block, (site, cell) =>
      this.#put(
        site,
        this.slots.total,
        cell,
        constantValue(site.code, dtype === "int64" ? BigInt(one) : one, dtype),
      ),
    );
  }

  startBlock(block: Site): void {
    const { running } = this.slots;
    if (running === null) this.startChunk(block);
    else
      this.#eachCell(block, (site, cell) => {
        for (const lane of [0, 1])
          this.#put(site, running, this.#lane(cell, lane), constantValue(site.code, 0, "float64"));
      });
  }

  /** Adds the two float64 of each cell, and adds the block's result to the total. */
  endBlock(block: Site): void {
    const { partial, running, total } = this.slots;
    if (this.#isSettled)
      this.#eachCell(block, (site, cell) => {
        this.#put(site, partial, cell, this.#whole(site, cell).value);
      });
    if (running !== null)
      this.#eachCell(block, (site, cell) =>
        this.#add(site, running, cell, this.#get(site, running, this.#lane(cell, 1)), "add"),
      );
    if (total === null) return;
    const dtype = this.accumulation.total!;
    const fn = this.accumulator.fn === "prod" ? "mul" : "add";
    this.#eachCell(block, (site, cell) => {
      const whole = running === null ? this.#whole(site, cell).value : this.#get(site, running, cell);
      this.#add(site, total, cell, castValue(site, whole, dtype), fn);
    });
  }

  startChunk(block: Site): void {
    const { compensated, lanes, partial, positioned, signed, start } = this.accumulation;
    this.#eachCell(block, (site, cell) => {
      const zero = constantValue(site.code, 0, "float64");
      const state: State = {
        ...plain(constantValue(site.code, start, partial)),
        compensation: compensated ? zero : null,
        position: positioned ? zero : null,
        lost: signed ? constantValue(site.code, 0, partial) : null,
        signs: signed ? firstSigns(site.code, this.accumulation) : null,
      };
      for (let lane = 0; lane < lanes; lane++) this.#store(site, this.#lane(cell, lane), state);
    });
  }

  /** Adds the sixteen float32 lanes of each cell to its two float64 sums. */
  endChunk(block: Site): void {
    this.#eachCell(block, (site, cell) => {
      const states = Array.from({ length: 16 }, (_, lane) => this.#load(site, this.#lane(cell, lane)));
      chunkOfStates(site, this.accumulator, this.accumulation, states).forEach((chunk, lane) => {
        this.#add(site, this.slots.running!, this.#lane(cell, lane), chunk!.value, "add");
      });
    });
  }

  /** Sets the total of a row of one cell. */
  setTotal(site: Site, total: LaneValue): void {
    this.#put(site, this.slots.total, literal(0), total);
  }

  #eachCell(block: Site, write: (site: Site, cell: Integer) => void): void {
    const { cells, accumulation } = this;
    if (cells.kind === "literal" && cells.value === 1) {
      write(block, literal(0));
      block.flush();
      return;
    }
    const end = block.fn.target.local("i32");
    keep(block, end, block.integer(cells));
    const widest = accumulation.total === null ? widthOf[accumulation.partial] : 8;
    const own = block.fn.numbering.axis();
    const vector = { kind: "vector", ...lanesFor(block.fn.held.machine, { widest, cost: 0 }) } as const;
    const loop = new StraightLoop(block, own.axis, stepsOf(vector), (site) => {
      write(site, own);
      return [];
    });
    loop.start(block, block.code.scalar("i32", 0));
    loop.run(end);
  }

  #get(site: Site, slot: number, at: Integer): LaneValue {
    return load(site, slot, placeOf(site, slot, at));
  }

  #put(site: Site, slot: number | null, at: Integer, value: LaneValue | null): void {
    if (slot !== null) store(site, slot, placeOf(site, slot, at), value!);
  }

  #add(site: Site, slot: number, at: Integer, value: LaneValue, fn: "add" | "mul"): void {
    const { dtype } = value;
    this.#put(site, slot, at, applyOp(site, fn, dtype, dtype, [this.#get(site, slot, at), value]));
  }

  #whole(site: Site, cell: Integer): State {
    const states = Array.from({ length: this.accumulation.lanes }, (_, lane) =>
      settled(site, this.accumulator, this.#load(site, this.#lane(cell, lane))),
    );
    return tree(site, this.accumulator, this.accumulation, states)!;
  }

  /** Stores the cells that a body has loaded. */
  #write(site: Site): void {
    for (const { cell, state } of this.#held.get(site)?.values() ?? [])
      this.#store(site, this.#at(cell), state);
    this.#held.delete(site);
  }

  #cell(site: Site, cell: Integer): Held {
    let cells = this.#held.get(site);
    if (cells === undefined) {
      cells = new Map();
      this.#held.set(site, cells);
      if (site.walk !== null) site.endings.push(() => this.#write(site));
    }
    const name = key(site, cell);
    let held = cells.get(name);
    if (held === undefined) {
      held = { cell: site.inline(cell), state: this.#load(site, this.#at(cell)) };
      cells.set(name, held);
    }
    return held;
  }

  /** The cell, in the lane of the current element. */
  #at(cell: Integer): Integer {
    const { lanes } = this.accumulation;
    if (lanes === 1) return cell;
    return integer("add", cell, integer("mul", integer("mod", this.place, literal(lanes)), this.cells));
  }

  #lane(cell: Integer, lane: number): Integer {
    return lane === 0 ? cell : integer("add", cell, integer("mul", this.cells, literal(lane)));
  }

  #load(site: Site, at: Integer): State {
    const { partial, compensation, position, lost, signs } = this.slots;
    const read = (slot: number | null): LaneValue | null =>
      slot === null ? null : this.#get(site, slot, at);
    return {
      ...plain(this.#get(site, partial, at)),
      compensation: read(compensation),
      position: read(position),
      lost: read(lost),
      signs: read(signs),
    };
  }

  #store(site: Site, at: Integer, state: State): void {
    const { partial, compensation, position, lost, signs } = this.slots;
    this.#put(site, partial, at, state.value);
    this.#put(site, compensation, at, state.compensation);
    this.#put(site, position, at, state.position);
    this.#put(site, lost, at, state.lost);
    this.#put(site, signs, at, state.signs);
  }
}

const key = (site: Site, cell: Integer): string => printInteger(site.inline(cell));
