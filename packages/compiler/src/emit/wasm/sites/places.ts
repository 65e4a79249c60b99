/** Addresses of loads and stores, for the lanes of a site. */
import { dtypes, type Integer, type Test } from "@fuseau/ir";
import {
  asNumber,
  type Monomial,
  numberIn,
  type Polynomial,
  split,
  without,
} from "../../../tactics/polynomial.ts";
import type { Register } from "../lanes/straight.ts";
import type { Place } from "../values/memory.ts";
import type { Pointer } from "./pointers.ts";
import type { Site } from "./site.ts";

/** How neighbouring lanes lie in memory, by the stride in elements. */
const evenSteps: ReadonlyMap<number | undefined, Place["kind"]> = new Map([
  [0, "one"],
  [1, "run"],
  [-1, "reversed"],
]);

/** How the lanes' elements lie in memory, and the address of each. */
interface Walked {
  readonly kind: Place["kind"];
  readonly address: (lane: number) => Register;
  readonly offset: number;
  readonly everySecond: boolean;
}

/**
 * The addresses that the lanes access. Where a test fails, the address is one of zeros. `isTested` is true as well of a place whose tests
 * are known to hold: without its constant it may lie before the buffer.
 */
export function placeOf(
  site: Site,
  slot: number,
  at: Integer,
  tests: readonly Test[] = [],
  isTested: boolean = tests.length > 0,
): Place {
  const { bytes } = dtypes[site.fn.workspaces.dtypeOf(slot)];
  const walked = walk(site, slot, site.polynomial(at), bytes, !isTested);
  const { kind, address, offset, everySecond } = tests.length === 0 ? walked : guarded(site, walked, tests);
  if (kind === "each") return { kind, address, offset, everySecond };
  return { kind, address: address(kind === "reversed" ? site.count - 1 : 0), offset };
}

/**
 * The part of an index that is constant along the loop is in the pointer's start, the part with a constant stride in the
 * pointer's step. A positive constant becomes the access's offset if `constants` is true, which says that the pointer without it
 * lies within the buffer.
 */
function walk(site: Site, slot: number, at: Polynomial, bytes: number, constants: boolean): Walked {
  if (site.walk === null) {
    const address = site.addressOf(slot, at, bytes);
    return { kind: "one", address: () => address, offset: 0, everySecond: false };
  }
  const { axis, pointers } = site.walk;
  const alongAxis = ({ factors }: Monomial): boolean =>
    factors.filter((each) => site.varies(each)).length === 1 &&
    factors.some((each) => each.kind === "axis" && each.axis === axis);
  const { chosen: even, rest } = split(at, alongAxis);
  const uneven = split(rest, ({ factors }) => factors.some((each) => site.varies(each)));
  const number = numberIn(uneven.rest);
  const behind = constants && number > 0;
  const base = behind ? split(uneven.rest, ({ factors }) => factors.length > 0).chosen : uneven.rest;
  const step = without(even, { kind: "axis", axis });
  const pointer = pointers.get(slot, base, step, bytes);
  const steps = asNumber(step);
  const first = addressIn(site, pointer);
  const stride =
    pointer.stride === null ? site.code.scalar("i32", steps! * bytes) : site.input(pointer.stride, "i32");
  const evenly = (lane: number): Register => {
    if (lane === 0 || steps === 0) return first;
    if (site.live === null) return site.code.op("i32.add", evenly(lane - 1), stride);
    const distance =
      pointer.stride === null ? site.code.scalar("i32", steps! * bytes * lane) : site.times(stride, lane);
    return site.code.op("i32.add", first, site.onward(distance, lane));
  };
  const address = (lane: number): Register => {
    if (uneven.chosen.length === 0) return evenly(lane);
    return site.code.op("i32.add", evenly(lane), site.times(site.valueOf(uneven.chosen, lane), bytes));
  };
  const isAlike = !uneven.chosen.some(({ factors }) => factors.some((each) => site.differs(each)));
  const regular = isAlike ? evenSteps.get(steps) : undefined;
  // A reversed run begins at the address of the last lane, which may have no element.
  const isEven = regular !== undefined && (regular !== "reversed" || site.live === null);
  const kind = site.count === 1 ? "one" : isEven ? regular : "each";
  const everySecond = steps === 2 && isAlike;
  return { kind, address, offset: behind ? number * bytes : 0, everySecond };
}

function addressIn(site: Site, { local, step, from }: Pointer): Register {
  if (from !== null)
    return site.code.op("i32.add", site.varyingInput(from.local, "i32"), site.input(local, "i32"));
  return asNumber(step) === 0 ? site.input(local, "i32") : site.varyingInput(local, "i32");
}

/** The same addresses, but that of zeros where tests fail. */
function guarded(site: Site, { kind, address, offset }: Walked, tests: readonly Test[]): Walked {
  const { code } = site;
  const zeros = site.input(site.fn.zeros(), "i32");
  const varies = site.count > 1 && tests.some((test) => testVaries(site, test));
  const chosen = (lane: number): Register => {
    const holds = code.op("i32.sub", code.scalar("i32", 0), conditionOf(site, tests, lane));
    return code.op("i32.add", zeros, code.op("i32.and", code.op("i32.sub", address(lane), zeros), holds));
  };
  return { kind: varies ? "each" : kind, address: chosen, offset, everySecond: false };
}

export const testVaries = (site: Site, { at, low, high }: Test): boolean =>
  [at, low, high].some((part) => part !== null && site.varies(site.inline(part)));

/** 1 if all tests hold in a lane, else 0. */
export function conditionOf(site: Site, tests: readonly Test[], lane: number): Register {
  const { code } = site;
  const conditions: Register[] = [];
  for (const { at, low, high } of tests) {
    const index = site.integer(at, lane);
    if (low !== null) conditions.push(code.op("i32.ge_s", index, site.integer(low, lane)));
    if (high !== null) conditions.push(code.op("i32.lt_s", index, site.integer(high, lane)));
  }
  if (conditions.length === 0) return code.scalar("i32", 1);
  return conditions.reduce((a, b) => code.op("i32.and", a, b));
}
