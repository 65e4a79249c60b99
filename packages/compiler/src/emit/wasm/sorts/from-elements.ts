/** Converts sorted elements to keys and places. */
import { type DType, isFloat } from "@fuseau/ir";
import { add, roundDown } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Operation } from "../encode/operations.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { type Element, elementOf, lanesOf } from "./element.ts";
import { prepared } from "./prepared.ts";
import { keyBytes } from "./to-elements.ts";

export interface Wanted {
  readonly dtype: DType;
  readonly descending: boolean;
  readonly sorted: boolean;
  readonly places: boolean;
}

/** from_elements(elements, length, keys, order): writes what is wanted. All NaNs have the same bits, and no zero is −0. */
export function fromElements(module: ModuleBuilder, wanted: Wanted): FunctionIndex {
  const { dtype, descending, sorted, places } = wanted;
  const element = elementOf(dtype, places);
  const lanes = lanesOf(element);
  const name = `keys_${dtype}${descending ? "_descending" : ""}${sorted ? "_sorted" : ""}${places ? "_placed" : ""}`;
  return module.procedure(name, "elements length keys order", (target, variables) => {
    const { elements, length, keys, order } = variables;
    const addresses = [target.define(elements), target.define(keys), target.define(order)] as const;
    const sizes = [element.bytes, keyBytes(dtype), 4];
    const k = target.define(0);
    const whole = target.define(roundDown(length, lanes));
    for (const [end, count] of [
      [whole, lanes],
      [length, 1],
    ] as const) {
      const step = prepared(target, addresses, [], (code, [from, to, placesTo]) => {
        const read = loadElements(code, element, from!);
        if (sorted)
          storeLanes(
            code,
            to!,
            narrowed(code, dtype, keyOf(code, wanted, read.keys)),
            count * keyBytes(dtype),
          );
        if (read.places !== null) storeLanes(code, placesTo!, read.places, count * 4);
        return [];
      });
      target.forRange(k.local, end.local, count, () => {
        step();
        addresses.forEach((address, part) => {
          target.assign(address, add(address, count * sizes[part]!));
        });
      });
    }
  });
}

const EVEN_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD_WORDS = EVEN_WORDS.map((byte) => byte + 4);
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
/** Shuffles the low words of the high halves to the front. */
const PLACES = [8, 9, 10, 11, 24, 25, 26, 27, 0, 0, 0, 0, 0, 0, 0, 0];

function loadElements(
  code: StraightCode,
  { keyBits, places }: Element,
  at: Register,
): { keys: Register; places: Register | null } {
  const first = code.with("v128.load", 0, at);
  if (!places) return { keys: first, places: null };
  const second = code.with("v128.load", 16, at);
  const [keysFrom, placesFrom] = keyBits === 32 ? [ODD_WORDS, EVEN_WORDS] : [LOW_HALVES, PLACES];
  return {
    keys: code.with("i8x16.shuffle", keysFrom, first, second),
    places: code.with("i8x16.shuffle", placesFrom, first, second),
  };
}

function keyOf(code: StraightCode, { dtype, descending }: Wanted, ordered: Register): Register {
  const wide = elementOf(dtype, false).keyBits === 64;
  const lanes = wide ? "i64x2" : "i32x4";
  const first = code.splat(lanes, wide ? 1n << 63n : 0x8000_0000);
  const key = descending ? code.op("v128.not", ordered) : ordered;
  if (!isFloat(dtype)) return code.op("v128.xor", key, first);
  const positive = code.op(`${lanes}.shr_s`, key, code.scalar("i32", wide ? 63 : 31));
  return code.op("v128.xor", key, code.op("v128.or", code.op("v128.not", positive), first));
}

/** Moves the low bytes of all keys to the front. */
function narrowed(code: StraightCode, dtype: DType, keys: Register): Register {
  const bytes = keyBytes(dtype);
  if (bytes >= 4) return keys;
  const kept = [0, 1, 2, 3].flatMap((lane) => Array.from({ length: bytes }, (_, byte) => 4 * lane + byte));
  return code.with("i8x16.shuffle", [...kept, ...new Array<number>(16 - kept.length).fill(0)], keys, keys);
}

const laneStores: Readonly<Record<number, Operation>> = {
  1: "v128.store8_lane",
  2: "v128.store16_lane",
  4: "v128.store32_lane",
  8: "v128.store64_lane",
};

/** Stores the first `bytes` bytes of a vector. */
function storeLanes(code: StraightCode, to: Register, value: Register, bytes: number): void {
  const lane = laneStores[bytes];
  if (lane === undefined) code.store("v128.store", 0, to, value);
  else code.store(lane, [0, 0], to, value);
}
