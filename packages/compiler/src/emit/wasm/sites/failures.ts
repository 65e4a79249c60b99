/**
 * What happens when an index is out of range or an integer is divided by 0. A single lane writes the error record and ends the
 * function. With several lanes the failure is only recorded; the loop then abandons the step, and the loop of single elements
 * repeats it.
 */
import type { IndexStatement } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { divisionNames, errorKinds, errorRecord } from "../plan/error.ts";
import { castValue } from "../values/cast.ts";
import { extractLane } from "../values/each-lane.ts";
import { firstLanes } from "../values/lanes.ts";
import type { LaneValue } from "../values/value.ts";
import { parameters } from "./phase-function.ts";
import type { Site } from "./site.ts";

export function refuseDivision(site: Site, op: string, mask: LaneValue): void {
  const { code, count } = site;
  const lanes = mask.uniform ? 1 : count;
  let zero = mask.registers[0]!;
  for (const register of mask.registers.slice(1)) zero = code.op("v128.or", zero, register);
  // Lanes beyond the elements may be 0.
  if (!mask.uniform && lanes * mask.width < 16)
    zero = code.op("v128.and", zero, code.bits((1n << BigInt(8 * lanes * mask.width)) - 1n, 0n));
  const failed = code.op("v128.any_true", zero);
  if (count > 1) {
    note(site, failed);
    return;
  }
  const detail = divisionNames.indexOf(op as (typeof divisionNames)[number]);
  giveUp(site, failed, { kind: errorKinds.division, detail });
}

/** Defines an integer local as the index in each lane; 0 where it is out of range. */
export function defineIndex(site: Site, statement: IndexStatement): void {
  const read = site.value(statement.value);
  const wide = read.dtype === "int64";
  const value = wide ? read : castValue(site, read, "int32");
  if (site.count > 1) defineIndexes(site, statement, value, wide);
  else defineOne(site, statement, value, wide);
}

function defineOne(site: Site, { local, size, axis, place }: IndexStatement, read: LaneValue, wide: boolean) {
  const { code } = site;
  const value = extractLane(code, wide ? "i64x2" : "i32x4", read.registers[0]!, 0);
  const bound = site.integer(size);
  // Compared as unsigned, a negative index is above every size.
  const inside = wide
    ? code.op("i64.lt_u", value, code.op("i64.extend_i32_s", bound))
    : code.op("i32.lt_u", value, bound);
  const index = code.op("i32.mul", wide ? code.op("i32.wrap_i64", value) : value, inside);
  site.laneIntegers.set(local, [index]);
  site.integers.set(local, index);
  giveUp(site, code.op("i32.eqz", inside), {
    kind: errorKinds.index,
    detail: axis,
    value: wide ? value : code.op("i64.extend_i32_s", value),
    bound,
    place: site.integer(place),
  });
}

function defineIndexes(site: Site, { local, size }: IndexStatement, value: LaneValue, wide: boolean): void {
  const { code } = site;
  const bound = site.integer(size);
  const bounds = wide
    ? code.op("i64x2.splat", code.op("i64.extend_i32_s", bound))
    : code.op("i32x4.splat", bound);
  const count = value.uniform ? 1 : site.count;
  const perRegister = wide ? 2 : 4;
  const outside = value.registers.map((register) => {
    if (!wide) return code.op("i32x4.ge_u", register, bounds);
    const negative = code.op("i64x2.lt_s", register, code.splat("i64x2", 0));
    return code.op("v128.or", negative, code.op("i64x2.ge_s", register, bounds));
  });
  let any = outside.reduce((a, b) => code.op("v128.or", a, b));
  if (count < perRegister && !value.uniform)
    any = code.op("v128.and", any, firstLanes(code, count, value.width));
  note(site, code.op("v128.any_true", any));
  const safe = value.registers.map((register, k) => code.op("v128.andnot", register, outside[k]!));
  site.laneIntegers.set(
    local,
    Array.from({ length: count }, (_, k) => {
      const register = safe[Math.floor(k / perRegister)]!;
      const index = extractLane(code, wide ? "i64x2" : "i32x4", register, k % perRegister);
      return wide ? code.op("i32.wrap_i64", index) : index;
    }),
  );
}

function note(site: Site, failed: Register): void {
  site.failed = site.failed === null ? failed : site.code.op("i32.or", site.failed, failed);
}

interface Failure {
  readonly kind: number;
  readonly detail: number;
  readonly value?: Register;
  readonly bound?: Register;
  readonly place?: Register;
}

/** If `failed`, fills the error record and ends the function. */
function giveUp(site: Site, failed: Register, failure: Failure): void {
  const { target, frame } = site.fn;
  const { kind, detail, value, bound, place } = failure;
  const record = (field: keyof typeof errorRecord, push: () => void): void => {
    target.get(parameters.frame);
    push();
    target.op(field === "value" ? "i64.store" : "i32.store", frame.error + errorRecord[field]);
  };
  const write = (): void => {
    site.get(failed);
    target.ifThen(() => {
      record("kind", () => target.i32(kind));
      record("detail", () => target.i32(detail));
      if (value !== undefined) record("value", () => site.get(value));
      if (bound !== undefined) record("bound", () => site.get(bound));
      if (place !== undefined) record("place", () => site.get(place));
      target.i32(1).return();
    });
  };
  const reads = [failed, value, bound, place].filter((register) => register !== undefined);
  site.interrupt({ reads, write });
}
