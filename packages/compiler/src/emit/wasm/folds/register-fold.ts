/** An accumulator whose partial results are in locals while a loop of steps runs. */
import type { AccumulateStatement, Accumulator, Integer } from "@fuseau/ir";
import type { Local } from "../encode/function.ts";
import type { Register } from "../lanes/straight.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { indexValue } from "../sites/indexes.ts";
import type { PhaseFunction } from "../sites/phase-function.ts";
import type { Site } from "../sites/site.ts";
import type { Carried } from "../sites/straight-loop.ts";
import { firstLanes, lane, numbersFrom, withCount } from "../values/lanes.ts";
import {
  constantValue,
  integerLanes,
  type LaneValue,
  registersFor,
  type Width,
  widthOf,
} from "../values/value.ts";
import { maskOf } from "../values/widths.ts";
import { type Accumulation, accumulationOf } from "./accumulation.ts";
import { condensed } from "./condensed.ts";
import {
  alone,
  combine,
  eachField,
  firstSigns,
  follow,
  isLatest,
  lift,
  plain,
  resultOf,
  type State,
} from "./fold.ts";
import { type Home, Homes } from "./homes.ts";
import type { OrderedFold } from "./in-order.ts";
import { chunkOf, group, whole } from "./lanes.ts";

type Field = keyof State;

export class RegisterFold implements AccumulatorHome, OrderedFold {
  readonly accumulator: Accumulator;
  readonly accumulation: Accumulation;
  readonly isBlocked: boolean;
  /** The number of partial results. */
  readonly lanes: number;
  /** `#running`: the two float64 lanes to which chunks are added. `#total`: the total of the blocks of a float sum or product. */
  readonly #running: Local | null;
  readonly #total: Local | null;
  readonly #fn: PhaseFunction;
  /** The row-major place of an element minus its position on the last axis; null if they are equal. */
  readonly #offset: Integer | null;
  readonly #homes: Homes;
  readonly #fields = new Map<Field, readonly Home[]>();
  /** The width of the elements; for bool that of the masks. */
  #width: Width;
  readonly #after = new Map<Site, State>();
  /** In steps of a scan: the states after each element. */
  readonly #kept = new Map<Site, State>();

  /** `step`: elements of the longest step of the loop. `blocked`: there may be several blocks. */
  constructor(
    fn: PhaseFunction,
    accumulator: Accumulator,
    step: number,
    offset: Integer | null,
    blocked: boolean,
    isSpilled: boolean,
  ) {
    this.#fn = fn;
    this.accumulator = accumulator;
    this.accumulation = accumulationOf(accumulator);
    this.lanes = this.accumulation.condensed ? 2 : this.accumulation.free ? step : this.accumulation.lanes;
    this.isBlocked = blocked && this.accumulation.total !== null;
    this.#running = this.accumulation.chunked ? fn.target.local("v128") : null;
    this.#total = this.isBlocked ? fn.target.local("v128") : null;
    this.#homes = new Homes(fn, isSpilled);
    this.#offset = offset;
    this.#width = widthOf[this.accumulation.partial];
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const { accumulator, accumulation, lanes } = this;
    const values = statement.values.map((value) => site.value(value));
    // Spilled partial results are loaded only here, after the code that computes the elements.
    if (this.#homes.areMemory)
      site.interrupt({ reads: values.flatMap(({ registers }) => registers), write() {} });
    if (accumulation.condensed) {
      this.#condense(site, neutral(site, values[0]!, 0));
      return;
    }
    const x = this.#sized(site, lift(site, accumulator, accumulation, values));
    const lifted = neutral(site, x, accumulation.start);
    const position = accumulation.positioned ? indexValue(site, statement.position, "int32") : null;
    if (isLatest(accumulator) && site.count > 1) {
      this.#scan(site, accumulator, lifted, position);
      return;
    }
    let state = this.#state(site);
    if (site.count >= lanes) {
      for (let from = 0; from < site.count; from += lanes) {
        const x = group(lifted, from, lanes);
        const at = position && group(position, from, lanes);
        state = combine(withCount(site, lanes), accumulator, accumulation, state, x, at);
      }
    } else if (accumulation.free) state = this.#intoFirst(site, state, lifted, position);
    else state = this.#intoPlace(site, state, lifted);
    this.#after.set(site, state);
  }

  /**
   * Scans the elements of a step, register by register. Within a register each lane is joined to those before it in a logarithmic
   * number of steps. Only one join per register depends on the register before.
   */
  #scan(
    site: Site,
    accumulator: Parameters<typeof follow>[1],
    x: LaneValue,
    position: LaneValue | null,
  ): void {
    const { accumulation } = this;
    const { code } = site;
    const perRegister = 16 / x.width;
    const lanes = withCount(site, perRegister);
    const after = (before: State, behind: State): State =>
      follow(lanes, accumulator, accumulation, before, behind);
    const delayed = (state: State, by: number): State =>
      eachField(state, (value, field) => {
        const bytes = Array.from({ length: 16 }, (_, k) =>
          k < by * value.width ? k : 16 + k - by * value.width,
        );
        const start = this.#start(site, field).registers[0]!;
        return {
          ...value,
          uniform: false,
          registers: [code.with("i8x16.shuffle", bytes, start, value.registers[0]!)],
        };
      });
    let state = this.#state(site);
    const kept: State[] = [];
    for (let from = 0; from < site.count; from += perRegister) {
      const at = position && group(position, from, perRegister);
      let own = alone(lanes, accumulator, accumulation, group(x, from, perRegister), at);
      for (let by = 1; by < perRegister; by *= 2) own = after(delayed(own, by), own);
      kept.push(after(state, own));
      state = after(
        state,
        eachField(own, (value) => lane(code, value, perRegister - 1)),
      );
    }
    this.#after.set(site, state);
    this.#kept.set(
      site,
      eachField(kept[0]!, (value, field) => ({
        ...value,
        registers: kept.flatMap((each) => each[field]!.registers),
      })),
    );
  }

  #condense(site: Site, x: LaneValue): void {
    const pair = withCount(site, 2);
    this.#after.set(
      site,
      combine(pair, this.accumulator, this.accumulation, this.#state(site), condensed(site, x), null),
    );
  }

  /** Within a scan, the results after each element. */
  result(site: Site): LaneValue {
    return resultOf(site, this.accumulator, this.#kept.get(site) ?? this.#state(site));
  }

  /** The registers that the loop has to carry after a step. */
  carried(site: Site): Carried[] {
    const state = this.#after.get(site);
    if (state === undefined) return [];
    return this.#names().flatMap((field) =>
      this.#homesOf(field).flatMap((home, k) =>
        this.#homes.carry(site, home, (state[field] as LaneValue).registers[k]!),
      ),
    );
  }

  startTotal(site: Site): void {
    const start = constantValue(site.code, this.accumulator.fn === "prod" ? 1 : 0, "float64");
    set(site, this.#total!, start.registers[0]!);
  }

  startBlock(site: Site): void {
    if (this.#running === null) this.startChunk(site);
    else set(site, this.#running, site.code.splat("f64x2", 0));
  }

  endBlock(site: Site): void {
    if (this.#total === null) return;
    const added = { ...this.accumulation, partial: "float64", compensated: false } as const;
    const block = this.block(site).value;
    const { value } = combine(site, this.accumulator, added, this.whole(site), block, null);
    set(site, this.#total, value.registers[0]!);
  }

  startChunk(site: Site): void {
    for (const field of this.#names()) {
      const start = this.#start(site, field);
      for (const home of this.#homesOf(field)) this.#homes.write(site, home, start.registers[0]!);
    }
  }

  endChunk(site: Site): void {
    const running = this.#running!;
    const chunk = chunkOf(site, this.#read(site, this.lanes).value).registers[0]!;
    set(site, running, site.code.op("f64x2.add", site.varyingInput(running, "v128"), chunk));
  }

  /** Joins all elements, in code of the site. */
  whole(site: Site): State {
    return this.#total === null
      ? this.block(site)
      : plain(site.held({ dtype: "float64", width: 8, local: this.#total }));
  }

  /** Joins the partial results of the current block. */
  block(site: Site): State {
    const { accumulator, accumulation, lanes } = this;
    if (this.#running === null) return whole(site, accumulator, accumulation, this.#read(site, lanes), lanes);
    const registers = [site.input(this.#running, "v128")];
    const state = plain({ dtype: "float64", width: 8, uniform: false, registers });
    return whole(site, accumulator, { ...accumulation, partial: "float64" }, state, 2);
  }

  #names(): readonly Field[] {
    const { compensated, positioned, marked, signed } = this.accumulation;
    return [
      "value",
      ...(compensated ? ["compensation" as const] : []),
      ...(positioned ? ["position" as const] : []),
      ...(marked ? ["lost" as const] : []),
      ...(signed ? ["signs" as const] : []),
    ];
  }

  /** The initial value of a field. */
  #start({ code }: Site, field: Field): LaneValue {
    const { start, partial } = this.accumulation;
    switch (field) {
      case "value":
        return constantValue(code, start, partial);
      case "signs":
        return firstSigns(code, this.accumulation);
      case "compensation":
        return constantValue(code, 0, "float64");
      case "position":
        return constantValue(code, 0, "int32");
      case "lost":
        return constantValue(code, 0, "bool");
      default:
        return field satisfies never;
    }
  }

  #homesOf(field: Field): readonly Home[] {
    let homes = this.#fields.get(field);
    if (homes === undefined) {
      const count = registersFor(this.lanes, field === "position" ? 4 : this.#width);
      homes = Array.from({ length: count }, () => this.#homes.add());
      this.#fields.set(field, homes);
    }
    return homes;
  }

  /** The partial results after the code that the site has so far. */
  #state(site: Site): State {
    return this.#after.get(site) ?? this.#read(site, this.lanes);
  }

  #read(site: Site, count: number): State {
    const uniform = this.lanes === 1;
    const { partial, compensated, positioned, marked, signed } = this.accumulation;
    const read = (field: Field, dtype: LaneValue["dtype"], width: Width): LaneValue => {
      const homes = this.#homesOf(field).slice(0, registersFor(count, width));
      return { dtype, width, uniform, registers: homes.map((home) => this.#homes.read(site, home)) };
    };
    return {
      value: read("value", partial, this.#width),
      compensation: compensated ? read("compensation", "float64", 8) : null,
      position: positioned ? read("position", "int32", 4) : null,
      lost: marked ? read("lost", "bool", this.#width) : null,
      signs: signed ? read("signs", partial, this.#width) : null,
    };
  }

  /** Brings a mask to the width of the fold's masks, which the first mask determines. */
  #sized(site: Site, value: LaneValue): LaneValue {
    if (value.dtype !== "bool") return value;
    if (this.#fields.size === 0) this.#width = value.width;
    const registers = maskOf(site.code, value, site.count, this.#width);
    return { ...value, width: this.#width, registers };
  }

  /** Folds a step with fewer elements than lanes into the first lanes, for folds where any lane will do. */
  #intoFirst(site: Site, state: State, x: LaneValue, position: LaneValue | null): State {
    const { count } = site;
    const before = firstOf(state, count);
    const after = combine(withCount(site, count), this.accumulator, this.accumulation, before, x, position);
    const all = x.uniform && repeatable.has(this.accumulator.fn);
    return replaced(state, after, (now, old, width) =>
      all || count * width >= 16
        ? now
        : site.code.op("v128.bitselect", now, old, firstLanes(site.code, count, width)),
    );
  }

  /**
   * Folds a step with fewer elements than lanes, each into the lane of its place. A step of several elements begins at a multiple
   * of their number.
   */
  #intoPlace(site: Site, state: State, x: LaneValue): State {
    const { code, count } = site;
    const { lanes } = this;
    const repeated: LaneValue = x.uniform
      ? x
      : {
          ...x,
          registers: Array.from(
            { length: registersFor(lanes, x.width) },
            (_, k) => x.registers[k % x.registers.length]!,
          ),
        };
    const after = combine(withCount(site, lanes), this.accumulator, this.accumulation, state, repeated, null);
    const axis: Integer = { kind: "axis", axis: site.walk!.axis };
    const place = site.integer(
      this.#offset === null ? axis : { kind: "add", left: axis, right: this.#offset },
    );
    const first = code.op("i32.and", place, code.scalar("i32", lanes - 1));
    return replaced(state, after, (now, old, width, k) =>
      code.op("v128.bitselect", now, old, placeMask(site, first, count, width as 4 | 8, k)),
    );
  }
}

/** The first `count` partial results. */
const firstOf = (state: State, count: number): State =>
  eachField(state, (value) => ({
    ...value,
    registers: value.registers.slice(0, registersFor(count, value.width)),
  }));

/** The state with the registers that `choose` gives, where `after` has some. */
function replaced(
  state: State,
  after: State,
  choose: (now: Register, old: Register, width: Width, k: number) => Register,
): State {
  return eachField(state, (old, field) => {
    const now = after[field];
    if (now === null) return old;
    const registers = old.registers.map((register, k) =>
      k < now.registers.length ? choose(now.registers[k]!, register, old.width, k) : register,
    );
    return { ...old, registers };
  });
}

/** Replaces the lanes without an element by the initial value of the fold. */
function neutral(site: Site, value: LaneValue, start: number | bigint): LaneValue {
  const { code, count, live } = site;
  if (live === null) return value;
  const perRegister = 16 / value.width;
  const type = integerLanes[value.width];
  const splat = splatOf(code, live, value.width);
  const instead = constantValue(code, start, value.dtype).registers[0]!;
  const registers = Array.from({ length: registersFor(count, value.width) }, (_, k) => {
    const has = code.op(`${type}.gt_s`, splat, numbersFrom(code, k * perRegister, value.width));
    const x = value.registers[value.uniform ? 0 : k]!;
    return start === 0 || start === 0n
      ? code.op("v128.and", x, has)
      : code.op("v128.bitselect", x, instead, has);
  });
  return { ...value, uniform: false, registers };
}

/** Splats an i32, in lanes of a width. */
const splatOf = (code: Site["code"], register: Register, width: Width): Register =>
  width === 8
    ? code.op("i64x2.splat", code.op("i64.extend_i32_u", register))
    : code.op(`${integerLanes[width] as "i8x16" | "i16x8" | "i32x4"}.splat`, register);

/** Folds into which an element may be folded twice. */
const repeatable: ReadonlySet<string> = new Set(["max", "min", "any", "all"]);

/** A mask of the lanes in register k that a step of `count` elements folds into. `first` is the lane of its first element. */
function placeMask({ code }: Site, first: Register, count: number, width: 4 | 8, k: number): Register {
  const type = integerLanes[width];
  const perRegister = 16 / width;
  const splat = splatOf(code, first, width);
  const numbers = Array.from({ length: perRegister }, (_, n) => {
    const lane = perRegister * k + n;
    return BigInt(count === 1 ? lane : Math.floor(lane / count) * count);
  });
  const half = (from: number): bigint =>
    width === 8 ? numbers[from / 2]! : numbers[from]! | (numbers[from + 1]! << 32n);
  return code.op(`${type}.eq`, splat, code.bits(half(0), half(2)));
}

function set(site: Site, local: Local, register: Register): void {
  site.flush();
  site.get(register);
  site.fn.target.set(local);
}
