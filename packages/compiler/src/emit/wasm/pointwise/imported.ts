/**
 * Ops without lane functions: for each lane a JavaScript function is called, which the module imports. A float op is computed in
 * float64 and rounded, as in the other emitters.
 */
import { type DType, isFloat, isUnsigned } from "@fuseau/ir";
import { intrinsics } from "../../intrinsics/index.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { extractLane, fromLanes } from "../values/each-lane.ts";
import { laneTypeOf } from "../values/value.ts";

// biome-ignore format: a list of names
const importNames = [
  "nextafterFloat16", "nextafterFloat32", "nextafterFloat64", "gcdInt", "lcmInt", "powInt",
  "gcdInt64", "lcmInt64", "powInt64",
] as const;
export type ImportName = (typeof importNames)[number];

type HostFunction = (...args: never[]) => unknown;

/** What modules may import, by name: functions of numbers, or of BigInts if the name ends in Int64. */
export const importable: Readonly<Record<string, HostFunction>> = Object.fromEntries(
  importNames.map((name) => [name, intrinsics[name] as HostFunction]),
);

/** Calls an imported function for each of the first `count` lanes. */
export function callEachLane(
  code: StraightCode,
  name: ImportName,
  dtype: DType,
  count: number,
  args: readonly Register[],
): Register {
  const lanes = laneTypeOf[dtype];
  const single = lanes === "f32x4";
  const type = lanes === "i64x2" ? "i64" : isFloat(dtype) ? "f64" : "i32";
  return fromLanes(code, lanes, count, (lane) => {
    const numbers = args.map((register) => {
      const number = extractLane(code, lanes, register, lane, isUnsigned(dtype));
      return single ? code.op("f64.promote_f32", number) : number;
    });
    const result = code.import(name, type, ...numbers);
    return single ? code.op("f32.demote_f64", result) : result;
  });
}
