/**
 * Loads of lanes that stand apart. The 16 bytes around an element are loaded for each lane, and the element is picked from them.
 * That is as many instructions as loading it alone. And its neighbours, which unrolled bodies ask for next, are there already.
 */
import { dtypes } from "@fuseau/ir";
import type { Register } from "../lanes/straight.ts";
import { columnOf } from "../lanes/turn.ts";
import type { Place } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";
import type { Site } from "./site.ts";

/** The bytes around elements, by buffer, and by address and offset of each lane. */
export type Neighbours = Map<number, Map<string, readonly Register[]>>;

const AROUND = 16;

/** The elements in lanes; null where they are not loaded so. */
export function loadAmongNeighbours(site: Site, slot: number, place: Place): LaneValue | null {
  const dtype = site.fn.workspaces.dtypeOf(slot);
  const { bytes } = dtypes[dtype];
  if (place.kind !== "each" || (bytes !== 4 && bytes !== 8) || site.count * bytes < AROUND) return null;
  const addresses = Array.from({ length: site.count }, (_, lane) => place.address(lane));
  const within = place.offset % AROUND;
  const around = loadAround(site, slot, addresses, place.offset - within);
  const perRegister = AROUND / bytes;
  const registers = Array.from({ length: site.count / perRegister }, (_, k) =>
    columnOf(site.code, around.slice(k * perRegister, (k + 1) * perRegister), within / bytes),
  );
  return { dtype, width: bytes, uniform: false, registers };
}

function loadAround(
  site: Site,
  slot: number,
  addresses: readonly Register[],
  offset: number,
): readonly Register[] {
  let groups = site.neighbours.get(slot);
  if (groups === undefined) {
    groups = new Map();
    site.neighbours.set(slot, groups);
  }
  const key = `${addresses} ${offset}`;
  let loaded = groups.get(key);
  if (loaded === undefined) {
    loaded = addresses.map((address) => site.code.with("v128.load", offset, address));
    for (const register of loaded) site.loads.set(register, slot);
    groups.set(key, loaded);
  }
  return loaded;
}
