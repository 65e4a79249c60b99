/**
 * What a sort moves about: a key as an unsigned number in the order of the keys, and where it was, if anyone asks for that. A
 * place stands behind a key of 64 bits (a v128), and in the low half of an i64 whose high half is a key of 32 bits.
 */
import type { DType } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";

export interface Element {
  readonly name: string;
  readonly keyBits: 32 | 64;
  readonly places: boolean;
  readonly bytes: 4 | 8 | 16;
  /** The type of the word that begins with an element. */
  readonly type: "i32" | "i64";
  /** Where the key begins in that word. */
  readonly keyShift: 0 | 32;
  /** Moves of whole elements. */
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

/** The element of keys of a dtype. float16 is float32 in scratch. */
export const elementOf = (dtype: DType, places: boolean): Element =>
  element(dtype === "float64" || dtype === "int64" ? 64 : 32, places);

/** Keys that fill a vector. */
export const lanesOf = ({ keyBits }: Element): 2 | 4 => (keyBits === 32 ? 4 : 2);
