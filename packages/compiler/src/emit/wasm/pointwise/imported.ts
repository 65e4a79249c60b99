/**
 * Ops without a lane function: each lane is a call of a JavaScript function that the module imports. A float op is computed in
 * float64 and rounded, as the other emitters do it.
 */
import { type DType, isFloat, type PointwiseOp } from "@fuseau/ir";
import { intrinsics } from "../../intrinsics/index.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "../values/each-lane.ts";
import { laneTypeOf } from "../values/value.ts";

type HostFunction = (...args: never[]) => unknown;

/** What modules may import, by name: functions of numbers, and of BigInts where the name ends in Int64. */
export const importable: Readonly<Record<string, HostFunction>> = {
  ...pick(intrinsics, ["erfinv", "lgamma", "digamma"]),
  ...pick(intrinsics, ["nextafterFloat16", "nextafterFloat32", "nextafterFloat64"]),
  ...pick(intrinsics, ["gcdInt", "lcmInt", "powInt", "gcdInt64", "lcmInt64", "powInt64"]),
};

function pick<T>(from: T, names: readonly (keyof T & string)[]): Record<string, HostFunction> {
  return Object.fromEntries(names.map((name) => [name, from[name] as HostFunction]));
}

/** The import that computes an op on a dtype, or undefined where there is none. */
export function importFor(fn: PointwiseOp, dtype: DType): string | undefined {
  const name = nameOf(fn, dtype);
  return Object.hasOwn(importable, name) ? name : undefined;
}

function nameOf(fn: PointwiseOp, dtype: DType): string {
  if (!isFloat(dtype)) return `${fn}${dtype === "int64" ? "Int64" : "Int"}`;
  return fn === "nextafter" ? `nextafterFloat${{ float16: 16, float32: 32, float64: 64 }[dtype]}` : fn;
}

/** Calls an import for the first `count` lanes. */
export function callEachLane(
  code: StraightCode,
  name: string,
  dtype: DType,
  count: number,
  args: readonly Register[],
): Register {
  const lanes = laneTypeOf[dtype];
  const single = lanes === "f32x4";
  const type = lanes === "i64x2" ? "i64" : isFloat(dtype) ? "f64" : "i32";
  return fromLanes(code, lanes, count, (lane) => {
    const numbers = args.map((register) => {
      const number = extractLane(code, lanes, register, lane, dtype === "uint8");
      return single ? code.op("f64.promote_f32", number) : number;
    });
    const result = code.import(name, type, ...numbers);
    return single ? code.op("f32.demote_f64", result) : result;
  });
}
