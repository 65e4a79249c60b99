/**
 * Converts keys to elements. Of a float's bits the sign bit is flipped, and all others too where it was set. −0 becomes the bits
 * of 0, and any NaN becomes all ones. Descending, all bits are flipped.
 */
import { type DType, dtypes, isFloat } from "@fuseau/ir";
import { add, choose, less, mul, sub, type Variable } from "../encode/expression.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { interleavedHalves } from "../lanes/transpose.ts";
import { elementOf, lanesOf } from "./element.ts";
import { prepared } from "./prepared.ts";
import { record as parts } from "./record.ts";

/** Bytes of a key. */
export const keyBytes = (dtype: DType): number => (dtype === "float16" ? 4 : dtypes[dtype].bytes);

/** to_elements(keys, length, elements, record), for at least one key. It writes up to 32 bytes past the last element. */
export function toElements(
  module: ModuleBuilder,
  dtype: DType,
  descending: boolean,
  places: boolean,
): FunctionIndex {
  const element = elementOf(dtype, places);
  const lanes = lanesOf(element);
  const name = `elements_${dtype}${descending ? "_descending" : ""}${places ? "_placed" : ""}`;
  return module.procedure(name, "keys length elements record", (target, variables) => {
    const { keys, length, elements, record } = variables;
    const [any, all, lost] = [0, 1, 2].map((): Variable => ({ local: target.local("v128") }));
    const held = [any, all, lost] as readonly Variable[];
    target.v128(-1n, -1n).set(all!.local);
    const from = target.define(0);
    const to = target.define(0);
    const k = target.define(0);
    const step = prepared(target, [from, to, k], held, (code, [source, sink, first], [or, and, special]) => {
      const raw = loadKeys(code, dtype, source!);
      const { key, lost: changed } = keyOf(code, dtype, descending, raw);
      if (places) storePlaced(code, element.keyBits, key, first!, sink!);
      else code.store("v128.store", 0, sink!, key);
      const met = changed === null ? special! : code.op("v128.or", special!, changed);
      return [code.op("v128.or", or!, key), code.op("v128.and", and!, key), met];
    });
    // The last vector ends with the last key, overlapping the one before, so that only bits of keys are recorded.
    const last = target.define(choose(less(length, lanes), 0, sub(length, lanes)));
    target.loop((again) => {
      target.assign(from, add(keys, mul(k, keyBytes(dtype))));
      target.assign(to, add(elements, mul(k, element.bytes)));
      step();
      target.block((done) => {
        target.push({ op: "i32.ge_s", args: [k, last] }).brIf(done);
        const next = add(k, lanes);
        target.assign(k, choose(less(last, next), last, next));
        target.br(again);
      });
    });
    [parts.any, parts.all, parts.lost].forEach((offset, part) => {
      target.store("v128.store", record, held[part]!, offset);
    });
  });
}

/** Loads a vector of keys: integers widened to lanes of 32 or 64 bits, floats as they are. */
export function loadKeys(code: StraightCode, dtype: DType, at: Register): Register {
  switch (dtype) {
    case "bool":
    case "uint8":
      return code.op(
        "i32x4.extend_low_i16x8_u",
        code.op("i16x8.extend_low_i8x16_u", code.with("v128.load32_zero", 0, at)),
      );
    case "int8":
      return code.op(
        "i32x4.extend_low_i16x8_s",
        code.op("i16x8.extend_low_i8x16_s", code.with("v128.load32_zero", 0, at)),
      );
    case "int16":
      return code.with("v128.load16x4_s", 0, at);
    default:
      return code.with("v128.load", 0, at);
  }
}

export function keyOf(
  code: StraightCode,
  dtype: DType,
  descending: boolean,
  raw: Register,
): { key: Register; lost: Register | null } {
  const wide = elementOf(dtype, false).keyBits === 64;
  const lanes = wide ? "i64x2" : "i32x4";
  const bits = wide ? 64 : 32;
  const first = code.splat(lanes, wide ? 1n << 63n : 0x8000_0000);
  const flipped = (key: Register): Register => (descending ? code.op("v128.not", key) : key);
  if (!isFloat(dtype)) return { key: flipped(code.op("v128.xor", raw, first)), lost: null };
  const floats = wide ? "f64x2" : "f32x4";
  const number = code.op(`${floats}.add`, raw, code.splat(floats, 0));
  const sign = code.op(`${lanes}.shr_s`, number, code.scalar("i32", bits - 1));
  const nan = code.op(`${floats}.ne`, raw, raw);
  const ordered = code.op("v128.xor", number, code.op("v128.or", sign, first));
  return {
    key: flipped(code.op("v128.or", ordered, nan)),
    lost: code.op("v128.or", nan, code.op(`${lanes}.eq`, raw, first)),
  };
}

/** Stores a vector of keys with their places; the first key's place is `k`. */
function storePlaced(code: StraightCode, keyBits: 32 | 64, key: Register, k: Register, to: Register): void {
  if (keyBits === 32) {
    const places = code.op("i32x4.add", code.op("i32x4.splat", k), code.bits(0x1_0000_0000n, 0x3_0000_0002n));
    code.store("v128.store", 0, to, interleavedHalves(code, 4, "lower", places, key));
    code.store("v128.store", 16, to, interleavedHalves(code, 4, "upper", places, key));
    return;
  }
  const places = code.op(
    "i64x2.add",
    code.op("i64x2.splat", code.op("i64.extend_i32_u", k)),
    code.bits(0n, 1n),
  );
  code.store("v128.store", 0, to, interleavedHalves(code, 8, "lower", key, places));
  code.store("v128.store", 16, to, interleavedHalves(code, 8, "upper", key, places));
}
