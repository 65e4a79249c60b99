/** The error record of a frame: the failure of a kernel that returned 1. */

import { refuseZero } from "../../intrinsics/integer.ts";
import { outOfBounds } from "../../intrinsics/lookup.ts";

/** Offsets in bytes. `kind` says which of the other fields are valid. */
export const errorRecord = {
  kind: 0,
  /** Of an index, its axis; of a division, the op's index in `divisionNames`. */
  detail: 4,
  /** An int64. */
  value: 8,
  bound: 16,
  place: 20,
} as const;

export const errorKinds = { index: 1, division: 2 } as const;

export const divisionNames = ["floorDivide", "truncDivide", "remainder", "fmod"] as const;

/**
 * Throws the error that the other emitters would throw for the record at `at`.
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
