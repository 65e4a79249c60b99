/**
 * Short contiguous rows, one for each lane of the loop around: points in a few dimensions. The elements of a row are loaded as lanes, one row
 * after another. Folds are transposed in the end, so that rows are lanes again; results of elements are stored as they are. The results are
 * the bits of the unrolled loop, in fewer instructions.
 */
import {
  axesOfLoop,
  dtypes,
  type ForStatement,
  InternalError,
  type Loop,
  type LoopAxis,
  type Operand,
  type ReduceStatement,
  type StoreStatement,
} from "@fuseau/ir";
import { asNumber } from "../../../tactics/polynomial.ts";
import { stepAlong } from "../../../tactics/strides.ts";
import { type Joining, joining, UnrolledFold } from "../folds/unrolled-fold.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { applyOp } from "../pointwise/apply.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load } from "../sites/statements.ts";
import { firstLanes, lane, withCount } from "../values/lanes.ts";
import { type Place, storeLanes } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";

/** Lanes of a register, and their bytes. */
const [LANES, WIDTH] = [4, 4] as const;

/** Writes a fold of short rows, for as many rows as the site has lanes. */
export function writeShortFold(site: Site, fold: ReduceStatement): void {
  const { accumulators } = fold;
  const length = lengthOf(fold);
  const registers = Math.ceil(length / LANES);
  const mask = length % LANES === 0 ? null : firstLanes(site.code, length % LANES, WIDTH);
  const starts = Array.from({ length: registers }, (_, k) => LANES * k);
  const rows = new Rows(site, fold, starts);
  const folds = new Map(accumulators.map((each) => [each.accumulator, [] as Register[]]));
  const joinings = new Map(accumulators.map((each) => [each.accumulator, joining(each)]));
  for (let row = 0; row < site.count; row++) {
    const value = rows.row(row);
    for (const each of fold.body) {
      if (each.kind !== "accumulate") continue;
      const all = starts.map((_, k) => value(each.values[0]!, k).registers[0]!);
      const join = joinings.get(each.accumulator)!;
      folds.get(each.accumulator)!.push(folded(site.code, all, mask, join));
    }
  }
  rows.leave();
  for (const accumulator of accumulators) {
    const home = new UnrolledFold(accumulator, site.fn.kernel.order.chunk);
    home.giveRows(folds.get(accumulator.accumulator)!);
    site.accumulators.set(accumulator.accumulator, home);
  }
}

/** A row of up to four registers folded to four lanes, each of every fourth element. `mask`: the lanes of the last one that have an element. */
function folded(
  code: StraightCode,
  all: readonly Register[],
  mask: Register | null,
  joining: Joining,
): Register {
  const [first, ...others] = all as readonly [Register, ...Register[]];
  const last = others.pop();
  const four = [first, ...others];
  // Lanes without an element add 0, and take an element of the first register once more to an extremum.
  if (last !== undefined)
    four.push(
      mask === null
        ? last
        : joining === "f32x4.add"
          ? code.op("v128.and", last, mask)
          : code.op("v128.bitselect", last, first, mask),
    );
  const pair = (a: Register, b: Register | undefined): Register =>
    b === undefined ? a : code.op(joining, a, b);
  const low = pair(four[0]!, four[1]);
  return four.length > 2 ? pair(low, pair(four[2]!, four[3])) : low;
}

/** Writes a loop over short rows, for as many rows as the site has lanes. */
export function writeShortRows(site: Site, loop: ForStatement): void {
  const length = lengthOf(loop);
  const starts = Array.from({ length: Math.ceil(length / LANES) }, (_, k) =>
    // The last register of a row repeats elements of the one before: nothing behind the row is stored to.
    Math.min(LANES * k, length - LANES),
  );
  const rows = new Rows(site, loop, starts);
  const stores: (() => void)[] = [];
  for (let row = 0; row < site.count; row++) {
    const value = rows.row(row);
    for (const each of loop.body) {
      if (each.kind === "store") stores.push(rows.store(each, row, value));
      else if (each.kind !== "let" && each.kind !== "integer")
        throw new InternalError(`a short row with a statement "${each.kind}" in it`);
    }
  }
  rows.leave();
  // Lanes without an element have the address of the first lane. Storing the first lane last overwrites them.
  for (const store of stores.reverse()) store();
}

const lengthOf = (loop: Loop): number => (axesOfLoop(loop)[0]!.extent as { readonly value: number }).value;

/** The value of an operand in a register of a row. */
type RowValues = (operand: Operand, register: number) => LaneValue;

/** The rows of a site's lanes. */
class Rows {
  readonly #site: Site;
  readonly #axis: number;
  readonly #loop: Loop;
  /** The places in a row where its registers begin. */
  readonly #starts: readonly number[];
  /** What has been loaded, by its place; rows may share it. */
  readonly #loaded = new Map<string, readonly LaneValue[]>();

  constructor(site: Site, loop: Loop, starts: readonly number[]) {
    this.#site = site;
    this.#loop = loop;
    this.#starts = starts;
    this.#axis = (axesOfLoop(loop)[0] as LoopAxis).axis;
    for (const each of loop.body) if (each.kind === "integer") site.definitions.set(each.local, each.value);
    site.bind(this.#axis, { kind: "literal", value: 0 });
  }

  leave(): void {
    this.#site.unbind(this.#axis);
  }

  /** The values of a row: four elements in a register. */
  row(row: number): RowValues {
    const site = this.#site;
    const lanes = withCount(site, LANES);
    const values = new Map<number, readonly LaneValue[]>();
    const found = (value: Operand, k: number): LaneValue => {
      const own = value.kind === "local" ? values.get(value.local) : undefined;
      if (own !== undefined) return own[k]!;
      const outer = site.value(value);
      return outer.uniform ? outer : lane(site.code, outer, row);
    };
    for (const each of this.#loop.body) {
      if (each.kind !== "let") continue;
      const { value, local, dtype } = each;
      if (value.kind === "load") values.set(local, this.#load(value.buffer, value.at, row));
      else if (value.kind === "pointwise") {
        const registers = this.#starts.map((_, k) => {
          const args = value.args.map((arg) => found(arg, k));
          return applyOp(lanes, value.fn, value.from, dtype, args);
        });
        values.set(local, registers);
      }
    }
    return found;
  }

  /** Stores a value of a row, when it is called. */
  store({ buffer, at, value }: StoreStatement, row: number, found: RowValues): () => void {
    const site = this.#site;
    const dtype = site.fn.workspaces.dtypeOf(buffer);
    const { address, offset } = this.#placeOf(buffer, at, row);
    const values = this.#starts.map((_, k) => found(value, k));
    return () => {
      site.stored.add(buffer);
      site.neighbours.delete(buffer);
      for (const [k, start] of this.#starts.entries()) {
        const place: Place = { kind: "run", address, offset: offset + start * dtypes[dtype].bytes };
        storeLanes(withCount(site, LANES), dtype, place, values[k]!);
      }
    };
  }

  #load(slot: number, at: StoreStatement["at"], row: number): readonly LaneValue[] {
    const site = this.#site;
    site.unbind(this.#axis);
    const isRun = asNumber(stepAlong(site.polynomial(at), this.#axis)!) === 1;
    site.bind(this.#axis, { kind: "literal", value: 0 });
    const { address, offset } = this.#placeOf(slot, at, row);
    const key = `${slot} ${isRun} ${address} ${offset}`;
    let values = this.#loaded.get(key);
    if (values === undefined) {
      values = isRun
        ? this.#loadRow(slot, address, offset)
        : this.#starts.map(() => load(site, slot, { kind: "one", address, offset }, LANES));
      this.#loaded.set(key, values);
    }
    return values;
  }

  #placeOf(slot: number, at: StoreStatement["at"], row: number): { address: Register; offset: number } {
    const site = this.#site;
    return ofLane(placeOf(site, slot, at), row, site.count, dtypes[site.fn.workspaces.dtypeOf(slot)].bytes);
  }

  #loadRow(slot: number, address: Register, offset: number): readonly LaneValue[] {
    const site = this.#site;
    if (site.fn.workspaces.dtypeOf(slot) === "bool") return this.#maskRow(slot, address, offset);
    return this.#starts.map((start) =>
      load(site, slot, { kind: "run", address, offset: offset + start * WIDTH }, LANES),
    );
  }

  /** Two registers of a mask are loaded at once, unless they overlap. */
  #maskRow(slot: number, address: Register, offset: number): readonly LaneValue[] {
    const { code, loads } = this.#site;
    const registers: Register[] = [];
    while (registers.length < this.#starts.length) {
      const [start, next] = this.#starts.slice(registers.length) as [number, number?];
      const loaded = code.with("v128.load8x8_s", offset + start, address);
      loads.set(loaded, slot);
      const isSet = code.op("i16x8.ne", loaded, code.splat("i64x2", 0));
      registers.push(code.op("i32x4.extend_low_i16x8_s", isSet));
      if (next === start + LANES) registers.push(code.op("i32x4.extend_high_i16x8_s", isSet));
    }
    return registers.map((register) => ({
      dtype: "bool",
      width: WIDTH,
      uniform: false,
      registers: [register],
    }));
  }
}

/** The address of one lane's element. */
function ofLane(
  place: Place,
  row: number,
  count: number,
  bytes: number,
): { readonly address: Register; readonly offset: number } {
  switch (place.kind) {
    case "each":
      return { address: place.address(row), offset: place.offset };
    case "run":
      return { address: place.address, offset: place.offset + row * bytes };
    case "reversed":
      return { address: place.address, offset: place.offset + (count - 1 - row) * bytes };
    case "one":
      return place;
    default:
      return place satisfies never;
  }
}
