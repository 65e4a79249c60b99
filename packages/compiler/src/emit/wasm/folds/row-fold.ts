/**
 * A row of accumulators in memory: `cells` of them side by side for each lane of the order, lane-major. In a body that is written
 * for several places at once, a cell is read where it is first folded into, and written at the end.
 */
import { type AccumulateStatement, type Accumulator, type Integer, printInteger } from "@fuseau/ir";
import { accumulatorKind, isFloatDot, laneMatters } from "../../../lower/accumulators.ts";
import { applyOp } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { indexValue } from "../sites/indexes.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load, store } from "../sites/statements.ts";
import { castValue } from "../values/cast.ts";
import { constantValue, type LaneValue } from "../values/value.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";
import { combine, finish, lift, plain, type State, settled } from "./fold.ts";
import { chunkOfStates, tree } from "./lanes.ts";
import { addProduct, productType } from "./products.ts";

const integer = (kind: "add" | "mul" | "mod", left: Integer, right: Integer): Integer => ({
  kind,
  left,
  right,
});
const literal = (value: number): Integer => ({ kind: "literal", value });

/** Buffers of the kernel, or workspaces of ours; null where the fold has no such thing. */
export interface RowSlots {
  readonly partial: number;
  readonly compensation: number | null;
  readonly position: number | null;
  /** What chunks are added to: two float64 for each cell. */
  readonly running: number | null;
  /** What blocks are added to. */
  readonly total: number | null;
}

interface Held {
  readonly cell: Integer;
  state: State;
}

/** How a row accumulates: what the loop IR's own buffers hold, but for float32 lanes. */
export function rowAccumulationOf(accumulator: Accumulator): Accumulation {
  const { fn, from } = accumulator;
  const accumulation = accumulationOf(accumulator);
  if (accumulation.chunked) return accumulation;
  // Blocks of theirs are short, and begin with 0.
  if (isFloatDot(accumulator)) return { ...accumulation, total: accumulation.partial };
  const { partial, total } = accumulatorKind(fn, from);
  const start = fn === "sum" && partial === "float64" ? 0 : accumulation.start;
  return {
    ...accumulation,
    lanes: laneMatters(accumulator) ? 8 : 1,
    chunked: false,
    condensed: false,
    marked: false,
    signed: false,
    partial,
    total,
    start,
  };
}

export class RowFold implements AccumulatorHome {
  readonly accumulator: Accumulator;
  readonly accumulation: Accumulation;
  readonly cells: Integer;
  readonly slots: RowSlots;
  /** The place of the element at hand among those that are folded: it tells the lane. */
  place: Integer = literal(0);
  readonly #held = new Map<Site, Map<string, Held>>();

  constructor(accumulator: Accumulator, cells: Integer, slots: RowSlots) {
    this.accumulator = accumulator;
    this.accumulation = rowAccumulationOf(accumulator);
    this.cells = cells;
    this.slots = slots;
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
    if (held !== undefined) return finish(site, this.accumulator, settled(site, held.state));
    const { total, running } = this.slots;
    const slot = total ?? running;
    if (slot === null) return finish(site, this.accumulator, this.#whole(site, cell));
    return finish(site, this.accumulator, plain(load(site, slot, placeOf(site, slot, cell))));
  }

  // What is done to each cell between blocks and chunks

  reset(site: Site, cell: Integer): void {
    const { accumulation } = this;
    const zero = constantValue(site.code, 0, "float64");
    const state: State = {
      ...plain(constantValue(site.code, accumulation.start, accumulation.partial)),
      compensation: accumulation.compensated ? zero : null,
      position: accumulation.positioned ? zero : null,
    };
    for (let lane = 0; lane < accumulation.lanes; lane++) this.#store(site, this.#lane(cell, lane), state);
  }

  resetRunning(site: Site, cell: Integer): void {
    const slot = this.slots.running!;
    for (const lane of [0, 1])
      store(site, slot, placeOf(site, slot, this.#lane(cell, lane)), constantValue(site.code, 0, "float64"));
  }

  resetTotal(site: Site, cell: Integer): void {
    const slot = this.slots.total!;
    const one = this.accumulator.fn === "prod" ? 1 : 0;
    const total = this.accumulation.total!;
    const start = constantValue(site.code, total === "int64" ? BigInt(one) : one, total);
    store(site, slot, placeOf(site, slot, cell), start);
  }

  /** Sets what the blocks of a single cell have come to. */
  setTotal(site: Site, total: LaneValue): void {
    const slot = this.slots.total!;
    store(site, slot, placeOf(site, slot, literal(0)), total);
  }

  /** Adds the sixteen float32 of a cell to its two float64. */
  foldChunk(site: Site, cell: Integer): void {
    const slot = this.slots.running!;
    const states = Array.from({ length: 16 }, (_, lane) => this.#load(site, this.#lane(cell, lane)));
    chunkOfStates(site, this.accumulator, this.accumulation, states).forEach((chunk, lane) => {
      const place = placeOf(site, slot, this.#lane(cell, lane));
      store(site, slot, place, sum(site, load(site, slot, place), chunk!.value));
    });
  }

  /** Adds both float64 of a cell: what a block comes to. */
  joinRunning(site: Site, cell: Integer): void {
    const slot = this.slots.running!;
    const place = placeOf(site, slot, cell);
    const other = load(site, slot, placeOf(site, slot, this.#lane(cell, 1)));
    store(site, slot, place, sum(site, load(site, slot, place), other));
  }

  /** Adds what the block came to, to the total. */
  foldBlock(site: Site, cell: Integer): void {
    const { running } = this.slots;
    const slot = this.slots.total!;
    const dtype = this.accumulation.total!;
    const place = placeOf(site, slot, cell);
    const block =
      running === null ? this.#whole(site, cell).value : load(site, running, placeOf(site, running, cell));
    const fn = this.accumulator.fn === "prod" ? "mul" : "add";
    const total = applyOp(site, fn, dtype, dtype, [load(site, slot, place), castValue(site, block, dtype)]);
    store(site, slot, place, total);
  }

  #whole(site: Site, cell: Integer): State {
    const states = Array.from({ length: this.accumulation.lanes }, (_, lane) =>
      settled(site, this.#load(site, this.#lane(cell, lane))),
    );
    return tree(site, this.accumulator, this.accumulation, states)!;
  }

  /** Writes what a body holds of the row. */
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

  /** The cell in the lane of the element at hand. */
  #at(cell: Integer): Integer {
    const { lanes } = this.accumulation;
    if (lanes === 1) return cell;
    return integer("add", cell, integer("mul", integer("mod", this.place, literal(lanes)), this.cells));
  }

  #lane(cell: Integer, lane: number): Integer {
    return lane === 0 ? cell : integer("add", cell, integer("mul", this.cells, literal(lane)));
  }

  #load(site: Site, at: Integer): State {
    const { partial, compensation, position } = this.slots;
    const read = (slot: number | null): LaneValue | null =>
      slot === null ? null : load(site, slot, placeOf(site, slot, at));
    return { ...plain(read(partial)!), compensation: read(compensation), position: read(position) };
  }

  #store(site: Site, at: Integer, state: State): void {
    const { partial, compensation, position } = this.slots;
    const write = (slot: number | null, value: LaneValue | null): void => {
      if (slot !== null) store(site, slot, placeOf(site, slot, at), value!);
    };
    write(partial, state.value);
    write(compensation, state.compensation);
    write(position, state.position);
  }
}

const sum = (site: Site, a: LaneValue, b: LaneValue): LaneValue =>
  applyOp(site, "add", "float64", "float64", [a, b]);

const key = (site: Site, cell: Integer): string => printInteger(site.inline(cell));
