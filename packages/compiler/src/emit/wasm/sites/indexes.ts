/** Integers of the loop IR as values, and tests as masks. */
import type { DType, Integer, Test } from "@fuseau/ir";
import { asNumber, split, without } from "../../../tactics/polynomial.ts";
import type { Register } from "../lanes/straight.ts";
import { applyOp } from "../pointwise/apply.ts";
import { castValue } from "../values/cast.ts";
import { fromLanes } from "../values/each-lane.ts";
import { numbersFrom } from "../values/lanes.ts";
import { type LaneValue, registersFor } from "../values/value.ts";
import { conditionOf, testVaries } from "./places.ts";
import type { Site } from "./site.ts";

/** The integer of each lane, converted from int32 to a dtype. */
export const indexValue = (site: Site, integer: Integer, dtype: DType): LaneValue =>
  castValue(site, int32Value(site, integer), dtype);

function int32Value(site: Site, integer: Integer): LaneValue {
  const { code, count } = site;
  const made = (uniform: boolean, registers: readonly Register[]): LaneValue => ({
    dtype: "int32",
    width: 4,
    uniform,
    registers,
  });
  const polynomial = site.polynomial(integer);
  const { chosen: varying } = split(polynomial, ({ factors }) => factors.some((each) => site.varies(each)));
  if (count === 1 || varying.length === 0) return made(true, [code.op("i32x4.splat", site.integer(integer))]);
  const registers = registersFor(count, 4);
  const axis = site.walk!.axis;
  const even = varying.every(
    ({ factors }) =>
      factors.filter((each) => site.varies(each)).length === 1 &&
      factors.some((each) => each.kind === "axis" && each.axis === axis),
  );
  if (!even) {
    const lane = (k: number, n: number): Register => site.integer(integer, 4 * k + n);
    return made(
      false,
      Array.from({ length: registers }, (_, k) => fromLanes(code, "i32x4", count, (n) => lane(k, n))),
    );
  }
  const first = code.op("i32x4.splat", site.integer(integer));
  const step = code.op("i32x4.splat", site.valueOf(without(varying, { kind: "axis", axis })));
  return made(
    false,
    Array.from({ length: registers }, (_, k) =>
      code.op("i32x4.add", first, code.op("i32x4.mul", step, numbersFrom(code, 4 * k, 4))),
    ),
  );
}

/** The tests that are not known to hold, as those of an unrolled loop may be; null where one is known to fail. */
export function undecided(site: Site, tests: readonly Test[]): readonly Test[] | null {
  const left: Test[] = [];
  for (const test of tests) {
    const numberOf = (part: Integer): number | undefined => asNumber(site.polynomial(part));
    const at = numberOf(test.at);
    const [low, high] = [test.low, test.high].map((bound) => (bound === null ? null : numberOf(bound)));
    if (at === undefined || low === undefined || high === undefined) left.push(test);
    else if ((low !== null && at < low) || (high !== null && at >= high)) return null;
  }
  return left;
}

/** A mask that is set where all tests hold. */
export function testMask(site: Site, tests: readonly Test[]): LaneValue {
  const { code } = site;
  if (!tests.some((test) => testVaries(site, test))) {
    const holds = code.op("i32.sub", code.scalar("i32", 0), conditionOf(site, tests, 0));
    return { dtype: "bool", width: 4, uniform: true, registers: [code.op("i32x4.splat", holds)] };
  }
  const masks = tests.flatMap(({ at, low, high }) => {
    const index = int32Value(site, at);
    const compared = (fn: "ge" | "lt", bound: Integer | null): LaneValue[] =>
      bound === null ? [] : [applyOp(site, fn, "int32", "bool", [index, int32Value(site, bound)])];
    return [...compared("ge", low), ...compared("lt", high)];
  });
  return masks.reduce((a, b) => applyOp(site, "logicalAnd", "bool", "bool", [a, b]));
}
