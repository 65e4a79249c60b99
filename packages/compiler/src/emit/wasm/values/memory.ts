/** Loads and stores of elements in lanes. */
import { type DType, dtypes } from "@fuseau/ir";
import type { Operation } from "../encode/operations.ts";
import type { Register } from "../lanes/straight.ts";
import { transposed } from "../lanes/transpose.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import { interleaved } from "./interleave.ts";
import {
  elementsOf,
  integerLanes,
  type Lanes,
  type LaneValue,
  registersFor,
  type Width,
  widthOf,
} from "./value.ts";
import { maskOf, resize } from "./widths.ts";

/** How the lanes' elements lie in memory. `offset` is a constant distance from the address, in bytes. */
export type Place =
  /** One element for all lanes. */
  | { readonly kind: "one"; readonly address: Register; readonly offset: number }
  /** Contiguous elements. */
  | { readonly kind: "run"; readonly address: Register; readonly offset: number }
  /** Contiguous elements, reversed; the address is that of the last lane. */
  | { readonly kind: "reversed"; readonly address: Register; readonly offset: number }
  /** Each element at an address of its own. */
  | {
      readonly kind: "each";
      readonly address: (lane: number) => Register;
      readonly offset: number;
      /** True if the stride is 2 elements. */
      readonly everySecond: boolean;
    };

export function loadLanes(lanes: Lanes, dtype: DType, place: Place): LaneValue {
  return decode(lanes, dtype, loadRaw(lanes, dtypes[dtype].bytes as Width, place), place.kind === "one");
}

/** Converts stored elements to the form in which values are held. */
function decode(lanes: Lanes, dtype: DType, raw: readonly Register[], uniform: boolean): LaneValue {
  const { code } = lanes;
  const count = elementsOf(lanes, { uniform });
  const made = (registers: readonly Register[]): LaneValue => ({
    dtype,
    width: widthOf[dtype],
    uniform,
    registers,
  });
  if (dtype === "bool")
    return made(raw.map((register) => code.op("i8x16.ne", register, code.splat("i64x2", 0))));
  if (dtype !== "float16") return made(raw);
  const bits = resize(code, raw, count, 2, 4, "unsigned");
  return made(interleaved(code, bits.length, (k) => decodeFloat16(code, bits[k]!)));
}

/** Loads contiguous elements, without conversion. */
function loadRun(
  { code, count }: Pick<Lanes, "code" | "count">,
  width: Width,
  address: Register,
  offset: number,
): readonly Register[] {
  const bytes = count * width;
  if (bytes < 16) {
    const op = bytes >= 4 ? `v128.load${8 * bytes}_zero` : `v128.load${8 * bytes}_splat`;
    return [code.with(op as Operation, offset, address)];
  }
  return Array.from({ length: bytes / 16 }, (_, k) => code.with("v128.load", offset + 16 * k, address));
}

function loadRaw(lanes: Lanes, width: Width, place: Place): readonly Register[] {
  const { code, count } = lanes;
  const bits = 8 * width;
  switch (place.kind) {
    case "reversed":
      return reversed(lanes, width, loadRaw(lanes, width, { ...place, kind: "run" }));
    case "one":
      return [code.with(`v128.load${bits}_splat` as Operation, place.offset, place.address)];
    case "run":
      return loadRun(lanes, width, place.address, place.offset);
    case "each":
      return interleaved(code, registersFor(count, width), (k) => {
        const first = k * (16 / width);
        let register = code.with(`v128.load${bits}_splat` as Operation, place.offset, place.address(first));
        for (let lane = 1; lane < Math.min(16 / width, count); lane++) {
          register = code.with(
            `v128.load${bits}_lane` as Operation,
            [place.offset, lane],
            place.address(first + lane),
            register,
          );
        }
        return register;
      });
    default:
      return place satisfies never;
  }
}

/** Reverses the elements of registers. */
function reversed({ code, count }: Lanes, width: Width, registers: readonly Register[]): readonly Register[] {
  const elements = Math.min(count, 16 / width);
  const bytes = Array.from({ length: 16 }, (_, byte) => {
    const lane = Math.floor(byte / width);
    return lane < elements ? (elements - 1 - lane) * width + (byte % width) : byte;
  });
  return registers.map((register) => code.with("i8x16.shuffle", bytes, register, register)).reverse();
}

/** Lanes with addresses of their own are stored one after another, from the first, or with `backwards` from the last. */
export function storeLanes(
  lanes: Lanes,
  dtype: DType,
  place: Place,
  value: LaneValue,
  backwards = false,
): void {
  const { code } = lanes;
  const count = place.kind === "one" ? 1 : lanes.count;
  const width = dtypes[dtype].bytes as Width;
  const encoded = encode(lanes, dtype, value);
  const isReversed = place.kind === "reversed" && !value.uniform;
  const registers = isReversed ? reversed(lanes, width, encoded) : encoded;
  const register = (k: number): Register => registers[value.uniform ? 0 : k]!;
  const bytes = count * width;
  if (place.kind !== "one" && place.kind !== "each" && bytes >= 16) {
    for (let k = 0; k < bytes / 16; k++)
      code.store("v128.store", place.offset + 16 * k, place.address, register(k));
    return;
  }
  if (place.kind !== "each") {
    code.store(`v128.store${8 * bytes}_lane` as Operation, [place.offset, 0], place.address, register(0));
    return;
  }
  const perRegister = 16 / width;
  for (let k = 0; k < count; k++) {
    const lane = backwards ? count - 1 - k : k;
    const from = register(Math.floor(lane / perRegister));
    const immediate = [place.offset, lane % perRegister];
    code.store(`v128.store${8 * width}_lane` as Operation, immediate, place.address(lane), from);
  }
}

export type EachPlace = Extract<Place, { readonly kind: "each" }>;

/**
 * Loads `side` contiguous elements from the place of each lane on, and transposes: the first register has the first element of
 * all lanes, and so on. `side` elements fill a register, or are as many as the lanes.
 */
export function loadTransposed(
  lanes: Lanes,
  dtype: DType,
  { address, offset }: EachPlace,
  side: number,
): LaneValue[] {
  const { code, count } = lanes;
  const width = dtypes[dtype].bytes as Width;
  const row = { code, count: side };
  const squares = Array.from({ length: count / side }, (_, k) => {
    const loaded = Array.from(
      { length: side },
      (_, lane) => loadRun(row, width, address(k * side + lane), offset)[0]!,
    );
    return transposed(code, width, loaded);
  });
  return Array.from({ length: side }, (_, k) =>
    decode(
      lanes,
      dtype,
      squares.map((columns) => columns[k]!),
      false,
    ),
  );
}

/** Converts a value to lanes as wide as its stored elements. */
function encode(lanes: Lanes, dtype: DType, value: LaneValue): readonly Register[] {
  const { code } = lanes;
  const count = elementsOf(lanes, value);
  if (dtype === "bool") {
    const one = code.splat(integerLanes[1], 1);
    return maskOf(code, value, lanes.count, 1).map((register) => code.op("v128.and", register, one));
  }
  if (dtype !== "float16") return value.registers;
  const bits = interleaved(code, value.registers.length, (k) => encodeFloat16(code, value.registers[k]!));
  return resize(code, bits, count, 4, 2, "unsigned");
}
