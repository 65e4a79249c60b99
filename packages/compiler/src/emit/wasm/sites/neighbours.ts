/**
 * Loads of lanes with a stride. For each lane the 16 bytes around its element are loaded, and the element is picked from them.
 * That takes as many instructions as loading elements alone, and an unrolled body next reads the neighbours, which are loaded
 * already. With a stride of 2, four elements of 32 bits are in two vectors. Of a mask the 4 bytes around each element are loaded.
 */
import { dtypes } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { columnOf } from "../lanes/transpose.ts";
import type { EachPlace, Place } from "../values/memory.ts";
import { type LaneValue, registersFor } from "../values/value.ts";
import type { Site } from "./site.ts";

/** The loaded bytes, by buffer, and by address and offset. */
export type Neighbours = Map<number, Map<string, readonly Register[]>>;

const AROUND = 16;
const WORD = 4;

/** Loads the elements of all lanes; null if this way does not apply. */
export function loadAmongNeighbours(site: Site, slot: number, place: Place): LaneValue | null {
  const dtype = site.fn.workspaces.dtypeOf(slot);
  const { bytes } = dtypes[dtype];
  if (place.kind !== "each" || site.count === 1) return null;
  if (dtype === "bool") return mask(site, slot, place);
  if ((bytes !== 4 && bytes !== 8) || site.count * bytes < AROUND) return null;
  const registers = place.everySecond
    ? everySecond(site, slot, place, bytes)
    : each(site, slot, place, bytes);
  return { dtype, width: bytes, uniform: false, registers };
}

function each(site: Site, slot: number, place: EachPlace, bytes: 4 | 8): Register[] {
  const addresses = Array.from({ length: site.count }, (_, lane) => place.address(lane));
  const within = place.offset % AROUND;
  const offset = place.offset - within;
  const around = loadedOnce(site, slot, `${offset} ${addresses}`, () =>
    addresses.map((address) => ({ address, offset })),
  );
  const perRegister = AROUND / bytes;
  return Array.from({ length: site.count / perRegister }, (_, k) =>
    columnOf(site.code, around.slice(k * perRegister, (k + 1) * perRegister), within / bytes),
  );
}

/**
 * For a stride of 2: two vectors contain the elements of a register. Those in between are read with an odd offset, from the same
 * vectors.
 */
function everySecond(site: Site, slot: number, place: EachPlace, bytes: 4 | 8): Register[] {
  const within = place.offset % (2 * bytes);
  const count = (2 * site.count * bytes) / AROUND;
  const address = place.address(0);
  const offset = place.offset - within;
  const loaded = loadedOnce(site, slot, `${offset} on, ${count} of ${address}`, () =>
    Array.from({ length: count }, (_, k) => ({ address, offset: offset + AROUND * k })),
  );
  const taken = Array.from(
    { length: AROUND },
    (_, byte) => within + 2 * bytes * Math.floor(byte / bytes) + (byte % bytes),
  );
  return Array.from({ length: count / 2 }, (_, k) =>
    site.code.with("i8x16.shuffle", taken, loaded[2 * k]!, loaded[2 * k + 1]!),
  );
}

/** The words around the bytes of a mask, as lanes; each register has four. */
function words(site: Site, slot: number, place: EachPlace): readonly Register[] {
  const addresses = Array.from({ length: site.count }, (_, lane) => place.address(lane));
  const offset = place.offset - (place.offset % WORD);
  return once(site, slot, `words ${offset} ${addresses}`, () =>
    Array.from({ length: registersFor(site.count, WORD) }, (_, k) => {
      const [first, ...others] = addresses.slice(4 * k, 4 * k + 4);
      return others.reduce(
        (register, address, lane) =>
          site.code.with("v128.load32_lane", [offset, lane + 1], address, register),
        site.code.with("v128.load32_splat", offset, first!),
      );
    }),
  );
}

/** A byte of each word becomes a mask as wide as the word, or twice as wide if there are only two. */
function mask(site: Site, slot: number, place: EachPlace): LaneValue {
  const { code, count } = site;
  const width = count === 2 ? 8 : WORD;
  const within = place.offset % WORD;
  const taken = Array.from({ length: AROUND }, (_, byte) => WORD * Math.floor(byte / width) + within);
  const registers = words(site, slot, place).map((loaded) => {
    const isSet = code.op("i8x16.ne", loaded, code.splat("i64x2", 0));
    return code.with("i8x16.shuffle", taken, isSet, isSet);
  });
  return { dtype: "bool", width, uniform: false, registers };
}

interface Bytes {
  readonly address: Register;
  readonly offset: number;
}

/** Equal keys stand for equal addresses. */
function loadedOnce(
  site: Site,
  slot: number,
  key: string,
  places: () => readonly Bytes[],
): readonly Register[] {
  return once(site, slot, key, () =>
    places().map(({ address, offset }) => site.code.with("v128.load", offset, address)),
  );
}

/** The same for other loads. */
function once(site: Site, slot: number, key: string, load: () => readonly Register[]): readonly Register[] {
  let groups = site.neighbours.get(slot);
  if (groups === undefined) {
    groups = new Map();
    site.neighbours.set(slot, groups);
  }
  let loaded = groups.get(key);
  if (loaded === undefined) {
    loaded = load();
    for (const register of loaded) site.loads.set(register, slot);
    groups.set(key, loaded);
  }
  return loaded;
}
