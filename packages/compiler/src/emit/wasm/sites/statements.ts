/** Statements without loops, as straight-line code. */
import {
  combinerOps,
  type DType,
  dtypes,
  type Expression,
  type Statement,
  type StoreStatement,
} from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { applyOp, choose } from "../pointwise/apply.ts";
import { randomNumbers } from "../pointwise/random.ts";
import { lane, withCount } from "../values/lanes.ts";
import { loadLanes, type Place, storeLanes } from "../values/memory.ts";
import { constantValue, type Lanes, type LaneValue } from "../values/value.ts";
import { consecutiveWords } from "./consecutive-words.ts";
import { defineIndex } from "./failures.ts";
import { indexValue, testMask, undecided } from "./indexes.ts";
import { loadAmongNeighbours } from "./neighbours.ts";
import { placeOf } from "./places.ts";
import type { Site } from "./site.ts";

type StraightStatement = Extract<
  Statement,
  { readonly kind: "integer" | "let" | "store" | "index" | "accumulate" }
>;

export function writeStatement(site: Site, statement: StraightStatement): void {
  switch (statement.kind) {
    case "integer":
      defineInteger(site, statement);
      break;
    case "let":
      site.expressions.set(statement.local, statement.value);
      site.values.set(statement.local, evaluate(site, statement.value, statement.dtype));
      break;
    case "store":
      writeStore(site, statement);
      break;
    case "index":
      defineIndex(site, statement);
      break;
    case "accumulate":
      site.accumulator(statement.accumulator).accumulate(site, statement);
      break;
    default:
      statement satisfies never;
  }
}

/**
 * Between loops an integer is computed where it is defined. Within a loop it is computed where it is used, since it may change
 * with the axis.
 */
function defineInteger(site: Site, { local, value }: Extract<StraightStatement, { kind: "integer" }>): void {
  const register = site.walk === null && !site.isBound ? site.integer(value) : null;
  if (register === null || site.code.scalarOf(register) !== null) site.definitions.set(local, value);
  else site.integers.set(local, register);
}

function evaluate(site: Site, expression: Expression, dtype: DType): LaneValue {
  switch (expression.kind) {
    case "pointwise": {
      const { fn, from, args } = expression;
      if (fn === "randomWord" || fn === "randomNormal") {
        const words = consecutiveWords(site, args);
        if (words !== null) return randomNumbers[fn](site, words);
      }
      return applyOp(
        site,
        fn,
        from,
        dtype,
        args.map((arg) => site.value(arg)),
      );
    }
    case "load": {
      const { buffer, at } = expression;
      const tests = undecided(site, expression.tests);
      if (tests === null) return constantValue(site.code, dtype === "int64" ? 0n : 0, dtype);
      const transposed = expression.tests.length === 0 ? site.transposed?.load(site, buffer, at) : null;
      if (transposed) return { ...transposed, dtype };
      const place = placeOf(site, buffer, at, tests, expression.tests.length > 0);
      const value = loadAmongNeighbours(site, buffer, place) ?? load(site, buffer, place);
      // float16 is float32 in scratch; the loaded value has the dtype of the buffer.
      return { ...value, dtype };
    }
    case "select": {
      const { cases, otherwise } = expression;
      // The first case that holds wins, so it is selected last.
      return cases.reduceRight((rest, { tests, value }) => {
        const left = undecided(site, tests);
        if (left === null) return rest;
        return left.length === 0
          ? site.value(value)
          : choose(site, testMask(site, left), site.value(value), rest);
      }, site.value(otherwise));
    }
    case "index":
      return indexValue(site, expression.at, dtype);
    case "result":
      return site.accumulator(expression.accumulator).result(site, expression.cell);
    default:
      return expression satisfies never;
  }
}

export const load = (site: Site, slot: number, place: Place, count: number = site.count): LaneValue =>
  loadFrom(site, withCount(site, count), slot, place);

function loadFrom(site: Site, lanes: Lanes, slot: number, place: Place): LaneValue {
  const { instructions } = site.code;
  const before = instructions.length;
  const value = loadLanes(lanes, site.fn.workspaces.dtypeOf(slot), place);
  for (const { result } of instructions.slice(before)) if (result !== null) site.loads.set(result, slot);
  return value;
}

export function store(site: Site, slot: number, place: Place, value: LaneValue): void {
  site.stored.add(slot);
  site.neighbours.delete(slot);
  const dtype = site.fn.workspaces.dtypeOf(slot);
  if (site.live === null) storeLanes(site, dtype, place, value);
  else storeLanes(site, dtype, laneByLane(site, dtype, place), value, true);
}

/** Stores each lane by itself. Lanes without an element have the address of the first lane, which is stored last. */
function laneByLane(site: Site, dtype: DType, place: Place): Place {
  if (place.kind !== "run") return place;
  const { address: first, offset } = place;
  const { code } = site;
  const address = (lane: number): Register =>
    lane === 0
      ? first
      : code.op("i32.add", first, site.onward(code.scalar("i32", dtypes[dtype].bytes * lane), lane));
  return { kind: "each", address, offset, everySecond: false };
}

function writeStore(site: Site, { buffer, at, value, combine }: StoreStatement): void {
  const dtype = site.fn.workspaces.dtypeOf(buffer);
  const place = placeOf(site, buffer, at);
  const given = site.value(value);
  const join = (lanes: Lanes, where: Place, x: LaneValue): LaneValue =>
    applyOp(lanes, combinerOps[combine as "sum"], dtype, dtype, [loadFrom(site, lanes, buffer, where), x]);
  const isRun = place.kind === "run" || place.kind === "reversed";
  if (isRun || site.count === 1 || (combine === "set" && place.kind === "each")) {
    store(site, buffer, place, combine === "set" ? given : join(site, place, given));
    return;
  }
  // Several lanes may have the same place, so they are stored one after another.
  site.stored.add(buffer);
  site.neighbours.delete(buffer);
  const single = withCount(site, 1);
  for (let k = 0; k < site.count; k++) {
    const x = given.uniform ? given : lane(site.code, given, k);
    const address = place.kind === "each" ? place.address(k) : place.address;
    const where: Place = { kind: "one", address, offset: place.offset };
    storeLanes(single, dtype, where, combine === "set" ? x : join(single, where, x));
  }
}
