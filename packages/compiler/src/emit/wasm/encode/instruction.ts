/** The codes of instructions that are no operations (types, constants, locals, calls, control), and of types. */
import type { ValueType } from "./operations.ts";

/** The number of a function of a module. */
export type FunctionIndex = number;

/**
 * The byte offset of a load or store, or the lane of an extract or replace. Loads and stores of a lane list offset and lane; a
 * shuffle lists 16 bytes. Null means the offset 0.
 */
export type Immediate = number | readonly number[] | null;

export const valueTypeCodes: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

export const plainCodes = {
  unreachable: 0x00,
  else: 0x05,
  end: 0x0b,
  return: 0x0f,
  drop: 0x1a,
  select: 0x1b,
} as const;
/** A block type follows. */
export const openCodes = { block: 0x02, loop: 0x03, if: 0x04 } as const;
/** The number of constructs to leave follows. The jump goes to the end of the outermost of these, or to the start of a loop. */
export const jumpCodes = { br: 0x0c, br_if: 0x0d } as const;
export const callCode = 0x10;
export const localCodes = { get: 0x20, set: 0x21, tee: 0x22 } as const;
export const constantCodes = { i32: 0x41, i64: 0x42, f32: 0x43, f64: 0x44 } as const;
/** The block type of a construct without a result. */
export const emptyType = 0x40;
/** The prefix of vector operations, and the number of their constant. */
export const lanePrefix = 0xfd;
export const laneConstant = 0x0c;
