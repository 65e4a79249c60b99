/**
 * What a sort moves: a key as an unsigned number in the order of the keys and, if wanted, its original place. With a key of 64
 * bits the place follows it, in a v128. With a key of 32 bits it is the low half of an i64, and the key the high half.
 */
import type { DType } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";

export interface Element {
  readonly name: string;
  readonly keyBits: 32 | 64;
  readonly places: boolean;
  readonly bytes: 4 | 8 | 16;
  /** The type of the first word of an element. */
  readonly type: "i32" | "i64";
  /** The key's position in that word, in bits. */
  readonly keyShift: 0 | 32;
  /** For moves of whole elements: the type of a local, and the instructions. */
  readonly local: "i32" | "i64" | "v128";
  readonly load: Operation;
  readonly store: Operation;
}

const element = (keyBits: 32 | 64, places: boolean): Element => {
  const bytes = places ? (keyBits === 32 ? 8 : 16) : keyBits === 32 ? 4 : 8;
  const local = bytes === 4 ? "i32" : bytes === 8 ? "i64" : "v128";
  return {
    name: `${keyBits}${places ? "_placed" : ""}`,
    keyBits,
    places,
    bytes,
    type: bytes === 4 ? "i32" : "i64",
    keyShift: places && keyBits === 32 ? 32 : 0,
    local,
    load: `${local}.load`,
    store: `${local}.store`,
  };
};

/** The element for keys of a dtype. float16 is float32 in scratch. */
export const elementOf = (dtype: DType, places: boolean): Element =>
  element(dtype === "float64" || dtype === "int64" ? 64 : 32, places);

/** Keys in a vector. */
export const lanesOf = ({ keyBits }: Element): 2 | 4 => (keyBits === 32 ? 4 : 2);
