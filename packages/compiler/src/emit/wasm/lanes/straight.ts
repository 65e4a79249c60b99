/**
 * Straight-line code over registers: what a loop body becomes before it is encoded. It is a list of instructions, so that copies
 * of a body can be interleaved op by op and hide each other's latency.
 */
import type { FunctionBuilder } from "../encode/function.ts";
import type { Operation, Traits, ValueType } from "../encode/operations.ts";
import type { Constant } from "./constant.ts";

/** The number of a value of one of WebAssembly's types. Each is assigned once. */
export type Register = number & { readonly register: true };

/** A register's type. */
export type RegisterType = "v128" | "i32" | "i64" | "f32" | "f64";

/** The lane types of constants. */
export type LaneType = "i8x16" | "i16x8" | "i32x4" | "i64x2" | "f32x4" | "f64x2";

export type Instruction =
  /** A pure operation, or a load or store, which keeps its order among the others. */
  | {
      readonly kind: "operation";
      readonly op: Operation;
      readonly traits: Traits;
      readonly args: readonly Register[];
      /** The byte offset of an access, or the lane of an extract or replace; shuffles list 16 bytes. */
      readonly immediate: number | readonly number[] | null;
      /** Null for stores. */
      readonly result: Register | null;
    }
  /**
   * result = any lane of `mask` is nonzero ? helper(args) : usual. Arguments and results are v128. Consecutive calls of one
   * helper share a branch. So the helper must return `usual` in lanes whose mask is 0.
   */
  | {
      readonly kind: "rarely";
      readonly mask: Register;
      readonly usual: Register;
      readonly helper: Helper;
      readonly args: readonly Register[];
      readonly result: Register;
    }
  /** A call of a function on scalars. */
  | {
      readonly kind: "call";
      readonly callee: Callee;
      readonly args: readonly Register[];
      readonly result: Register;
    };

/** A function of the module, written once however often it is called. Its name must be unique. */
export interface Helper {
  readonly name: string;
  readonly build: (code: Straight, ...args: Register[]) => Register;
}

/** A function of scalars that the module has once, however often it is called. Its name must be unique. */
export interface Callee {
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly result: Exclude<RegisterType, "v128">;
  readonly write: (target: FunctionBuilder) => void;
}

/** Builds straight-line code. */
export interface Straight {
  /** Appends an operation, by its name in the specification ("f32x4.add"), and returns its result. */
  op(op: Operation, ...args: Register[]): Register;
  /** The same with an immediate: a lane ("f32x4.extract_lane"), 16 bytes ("i8x16.shuffle"), an offset ("v128.load"). */
  with(op: Operation, immediate: number | readonly number[], ...args: Register[]): Register;
  /** A constant in every lane. It is held in a local that is set in front of the loop; equal constants are one register. */
  splat(lanes: LaneType, value: number | bigint): Register;
  /** A v128 constant by its two halves. */
  bits(low: bigint, high: bigint): Register;
  constant(constant: Constant): Register;
  /** A scalar constant, such as the distance of a shift. It needs no local. */
  scalar(type: Exclude<RegisterType, "v128">, value: number | bigint): Register;
  rarely(mask: Register, usual: Register, helper: Helper, ...args: Register[]): Register;
}
