/**
 * Straight-line code over registers: what a loop body becomes before it is bytes. Instructions are kept as a list, not written at
 * once, so that several copies of a body can be interleaved op by op: no copy's chain of dependent instructions holds up the
 * others.
 */
import type { Operation, Traits } from "../encode/operations.ts";
import type { Constant } from "./constant.ts";

/** A value of one of WebAssembly's types, by number; each is written once. */
export type Register = number & { readonly register: true };

/** A register's type. */
export type RegisterType = "v128" | "i32" | "i64" | "f32" | "f64";

/** What is spread over the lanes of a constant. */
export type LaneType = "i8x16" | "i16x8" | "i32x4" | "i64x2" | "f32x4" | "f64x2";

export type Instruction =
  /** A pure operation, or an access to memory in its place among the others. */
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
   * result = any lane of `mask` is not 0 ? helper(args) : usual. Arguments and results are v128. What is asked of a helper in a
   * row has one branch, so the helper gives `usual` again in lanes that do not ask.
   */
  | {
      readonly kind: "rarely";
      readonly mask: Register;
      readonly usual: Register;
      readonly helper: Helper;
      readonly args: readonly Register[];
      readonly result: Register;
    }
  /** A call of a function that the module imports, by name: scalar arguments and result. */
  | {
      readonly kind: "import";
      readonly name: string;
      readonly args: readonly Register[];
      readonly result: Register;
    };

/** A function of the module, written once however often it is called. Its name must be unique. */
export interface Helper {
  readonly name: string;
  readonly build: (code: Straight, ...args: Register[]) => Register;
}

/** Builds straight-line code. */
export interface Straight {
  /** Appends an operation by its name in the specification ("f32x4.add") and gives its result. */
  op(op: Operation, ...args: Register[]): Register;
  /** The same with an immediate: a lane ("f32x4.extract_lane"), 16 bytes ("i8x16.shuffle"), an offset ("v128.load"). */
  with(op: Operation, immediate: number | readonly number[], ...args: Register[]): Register;
  /** A constant in every lane, which stands in a local in front of the loop; equal ones are one register. */
  splat(lanes: LaneType, value: number | bigint): Register;
  /** A v128 constant by its two halves. */
  bits(low: bigint, high: bigint): Register;
  constant(constant: Constant): Register;
  /** A number that is not spread over lanes, such as the distance of a shift. It costs no local. */
  scalar(type: Exclude<RegisterType, "v128">, value: number | bigint): Register;
  rarely(mask: Register, usual: Register, helper: Helper, ...args: Register[]): Register;
}
