/** The error record of a frame: what a kernel that gave 1 could not go on with. */

import { refuseZero } from "../../intrinsics/integer.ts";
import { outOfBounds } from "../../intrinsics/lookup.ts";

/** Offsets in bytes. `kind` tells which of the others mean something. */
export const errorRecord = {
  kind: 0,
  /** The axis of an index; the op of a division, as a place among `divisionNames`. */
  detail: 4,
  /** An int64. */
  value: 8,
  bound: 16,
  place: 20,
} as const;

export const errorKinds = { index: 1, division: 2 } as const;

export const divisionNames = ["floorDivide", "truncDivide", "remainder", "fmod"] as const;

/**
 * Throws what the other emitters would throw for the record at `at`.
 * @throws RangeError always.
 */
export function throwRecorded(memory: DataView, at: number): never {
  const detail = memory.getInt32(at + errorRecord.detail, true);
  if (memory.getInt32(at + errorRecord.kind, true) === errorKinds.division)
    refuseZero(divisionNames[detail] as string);
  const value = memory.getBigInt64(at + errorRecord.value, true);
  const bound = memory.getInt32(at + errorRecord.bound, true);
  outOfBounds(value, bound, detail, memory.getInt32(at + errorRecord.place, true));
}
