/**
 * Short contiguous rows, one for each lane of the loop around: points in a few dimensions. The elements of a row are loaded as lanes, one row
 * after another. Folds are transposed in the end, so that rows are lanes again; results of elements are stored as they are. The results are
 * the bits of the unrolled loop, in fewer instructions.
 */
import {
  axesOfLoop,
  dtypes,
  type ForStatement,
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
  const rows = new Rows(
    site,
    fold,
    Array.from({ length: registers }, (_, k) => LANES * k),
  );
  const folds = new Map(accumulators.map((each) => [each.accumulator, [] as Register[]]));
  const joinings = new Map(accumulators.map((each) => [each.accumulator, joining(each)]));
  for (let row = 0; row < site.count; row++) {
    const value = rows.row(row);
    for (const each of fold.body) {
      if (each.kind !== "accumulate") continue;
      const x = value(each.values[0]!);
      const all = Array.from({ length: registers }, (_, k) => x.registers[x.uniform ? 0 : k]!);
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
    for (const each of loop.body)
      if (each.kind === "store") stores.push(rows.store(each, row, value(each.value)));
  }
  rows.leave();
  // Lanes without an element have the address of the first lane. Storing the first lane last overwrites them.
  for (const store of stores.reverse()) store();
}

const lengthOf = (loop: Loop): number => (axesOfLoop(loop)[0]!.extent as { readonly value: number }).value;

/** The rows of a site's lanes. */
class Rows {
  readonly #site: Site;
  readonly #axis: number;
  readonly #loop: Loop;
  /** The places in a row where its registers begin. */
  readonly #starts: readonly number[];
  /** What has been loaded, by its place; rows may share it. */
  readonly #loaded = new Map<string, LaneValue>();

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

  /** The values of a row, in the lanes of its registers. */
  row(row: number): (operand: Operand) => LaneValue {
    const site = this.#site;
    const lanes = withCount(site, LANES * this.#starts.length);
    const values = new Map<number, LaneValue>();
    const operand = (value: Operand): LaneValue => {
      const own = value.kind === "local" ? values.get(value.local) : undefined;
      if (own !== undefined) return own;
      const outer = site.value(value);
      return outer.uniform ? outer : lane(site.code, outer, row);
    };
    for (const each of this.#loop.body) {
      if (each.kind !== "let") continue;
      const { value, local, dtype } = each;
      if (value.kind === "load") values.set(local, this.#load(value.buffer, value.at, row));
      else if (value.kind === "pointwise")
        values.set(local, applyOp(lanes, value.fn, value.from, dtype, value.args.map(operand)));
    }
    return operand;
  }

  /** Stores a value of a row, when it is called. */
  store({ buffer, at }: StoreStatement, row: number, value: LaneValue): () => void {
    const site = this.#site;
    const dtype = site.fn.workspaces.dtypeOf(buffer);
    const { address, offset } = this.#placeOf(buffer, at, row);
    const four = withCount(site, LANES);
    return () => {
      site.stored.add(buffer);
      site.neighbours.delete(buffer);
      for (const [k, start] of this.#starts.entries()) {
        const register = value.registers[value.uniform ? 0 : k]!;
        const place: Place = { kind: "run", address, offset: offset + start * dtypes[dtype].bytes };
        storeLanes(four, dtype, place, { ...value, uniform: false, registers: [register] });
      }
    };
  }

  #load(slot: number, at: StoreStatement["at"], row: number): LaneValue {
    const site = this.#site;
    site.unbind(this.#axis);
    const isRun = asNumber(stepAlong(site.polynomial(at), this.#axis)!) === 1;
    site.bind(this.#axis, { kind: "literal", value: 0 });
    const { address, offset } = this.#placeOf(slot, at, row);
    const key = `${slot} ${isRun} ${address} ${offset}`;
    let value = this.#loaded.get(key);
    if (value === undefined) {
      value = isRun
        ? this.#loadRow(slot, address, offset)
        : load(site, slot, { kind: "one", address, offset }, LANES);
      this.#loaded.set(key, value);
    }
    return value;
  }

  #placeOf(slot: number, at: StoreStatement["at"], row: number): { address: Register; offset: number } {
    const site = this.#site;
    return ofLane(placeOf(site, slot, at), row, site.count, dtypes[site.fn.workspaces.dtypeOf(slot)].bytes);
  }

  #loadRow(slot: number, address: Register, offset: number): LaneValue {
    const site = this.#site;
    if (site.fn.workspaces.dtypeOf(slot) === "bool") return this.#maskRow(slot, address, offset);
    const loads = this.#starts.map((start) =>
      load(site, slot, { kind: "run", address, offset: offset + start * WIDTH }, LANES),
    );
    return { ...loads[0]!, registers: loads.flatMap(({ registers }) => registers) };
  }

  /** Two registers of a mask are loaded at once, unless they overlap. */
  #maskRow(slot: number, address: Register, offset: number): LaneValue {
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
    return { dtype: "bool", width: WIDTH, uniform: false, registers };
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
