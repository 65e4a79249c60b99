/** Extracts and replaces single lanes, for ops that no instruction computes on all lanes. */
import type { LaneType, Register, Straight } from "../lanes/straight.ts";

const lanesOf = { i8x16: 16, i16x8: 8, i32x4: 4, i64x2: 2, f32x4: 4, f64x2: 2 } as const;

/** One lane as a number. Narrow integers are sign-extended unless they are `unsigned`. */
export function extractLane(
  code: Straight,
  lanes: LaneType,
  register: Register,
  lane: number,
  unsigned = false,
): Register {
  if (lanes === "i8x16" || lanes === "i16x8")
    return code.with(`${lanes}.extract_lane_${unsigned ? "u" : "s"}`, lane, register);
  return code.with(`${lanes}.extract_lane`, lane, register);
}

/** A register of `count` lanes, each from `make`. A single one is splat. */
export function fromLanes(
  code: Straight,
  lanes: LaneType,
  count: number,
  make: (lane: number) => Register,
): Register {
  let result = code.op(`${lanes}.splat`, make(0));
  for (let lane = 1; lane < Math.min(count, lanesOf[lanes]); lane++)
    result = code.with(`${lanes}.replace_lane`, lane, result, make(lane));
  return result;
}
