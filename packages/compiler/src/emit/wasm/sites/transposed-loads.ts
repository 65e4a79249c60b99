/**
 * Loads of jammed iterations that are contiguous along the jammed axis and strided along the lanes. For each lane the contiguous
 * elements are loaded, and the square is transposed into a register for each iteration.
 */
import { dtypes, type Integer, type Statement } from "@fuseau/ir";
import { gatheredIn } from "../../../tactics/gathers.ts";
import { asNumber, type Polynomial, textOf } from "../../../tactics/polynomial.ts";
import { isContiguous, stepAlong } from "../../../tactics/strides.ts";
import { type EachPlace, loadTransposed } from "../values/memory.ts";
import type { LaneValue } from "../values/value.ts";
import { placeOf } from "./places.ts";
import type { Site } from "./site.ts";

export class TransposedLoads {
  readonly #axis: number;
  readonly #copies: number;
  readonly #isLookedUp: (place: Polynomial) => boolean;
  /** By buffer and place: the register of each iteration. */
  readonly #loaded = new Map<string, readonly LaneValue[]>();
  #copy = 0;

  /** For `copies` jammed iterations of an axis, the axis of a loop around the site's; each iteration is the body. */
  constructor(axis: number, copies: number, body: readonly Statement[]) {
    this.#axis = axis;
    this.#copies = copies;
    this.#isLookedUp = gatheredIn(body);
  }

  /** From here on the site's code belongs to the iteration `copy`. */
  enter(site: Site, copy: number): void {
    this.#copy = copy;
    const left: Integer = { kind: "axis", axis: this.#axis };
    site.bind(this.#axis, { kind: "add", left, right: { kind: "literal", value: copy } });
  }

  /** The elements of the current iteration; null if the load is not transposed. */
  load(site: Site, slot: number, at: Integer): LaneValue | null {
    const dtype = site.fn.workspaces.dtypeOf(slot);
    const side = Math.min(site.count, 16 / dtypes[dtype].bytes);
    if (side === 1 || this.#copies % side !== 0) return null;
    const copy = this.#copy;
    this.enter(site, copy - (copy % side));
    const place = site.polynomial(at);
    const key = `${slot} ${textOf(place)}`;
    let rows = this.#loaded.get(key);
    const isSquare = isContiguous(place, this.#axis) && isSpread(place, site.walk!.axis);
    if (rows === undefined && isSquare && !this.#isLookedUp(place)) {
      rows = loadTransposed(site, dtype, placeOf(site, slot, at) as EachPlace, side);
      this.#loaded.set(key, rows);
    }
    this.enter(site, copy);
    return rows?.[copy % side] ?? null;
  }
}

/** True where the stride along an axis is constant or symbolic, and not 0, 1 or −1. */
function isSpread(place: Polynomial, axis: number): boolean {
  const step = stepAlong(place, axis);
  return step !== null && Math.abs(asNumber(step) ?? 2) > 1;
}
