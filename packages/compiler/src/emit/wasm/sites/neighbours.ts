/**
 * Loads of lanes with a stride. For each lane the 16 bytes around its element are loaded, and the element is picked from them.
 * That takes as many instructions as loading elements alone, and an unrolled body next reads the neighbours, which are loaded
 * already. With a stride of 2, four elements of 32 bits are in two vectors.
 */
import { dtypes } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { columnOf } from "../lanes/transpose.ts";
import type { EachPlace, Place } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";
import type { Site } from "./site.ts";

/** The loaded bytes, by buffer, and by address and offset. */
export type Neighbours = Map<number, Map<string, readonly Register[]>>;

const AROUND = 16;

/** Loads the elements of all lanes; null if this way does not apply. */
export function loadAmongNeighbours(site: Site, slot: number, place: Place): LaneValue | null {
  const dtype = site.fn.workspaces.dtypeOf(slot);
  const { bytes } = dtypes[dtype];
  if (place.kind !== "each" || (bytes !== 4 && bytes !== 8) || site.count * bytes < AROUND) return null;
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
  let groups = site.neighbours.get(slot);
  if (groups === undefined) {
    groups = new Map();
    site.neighbours.set(slot, groups);
  }
  let loaded = groups.get(key);
  if (loaded === undefined) {
    loaded = places().map(({ address, offset }) => site.code.with("v128.load", offset, address));
    for (const register of loaded) site.loads.set(register, slot);
    groups.set(key, loaded);
  }
  return loaded;
}
