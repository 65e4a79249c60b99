/** Loads of four rows at once, across them: neighbours of one column are loaded together, and columns turned into rows. */
import { dtypes, type Integer, someInteger } from "@fuseau/ir";
import type { StraightCode } from "../lanes/code.ts";
import type { Register } from "../lanes/straight.ts";
import { columnOf, columnsOf } from "../lanes/turn.ts";
import type { LaneValue } from "../values/value.ts";
import { placeOf } from "./places.ts";
import { asNumber, type Polynomial, split, textOf, without } from "./polynomial.ts";
import type { Site } from "./site.ts";

/** Rows worked on together, and columns in a step. */
export const ROWS = 4;

/** True when a step of the outer axis is one element, and one of the inner axis a number that the text does not say. */
export function isTransposed(place: Polynomial, outer: number, inner: number): boolean {
  const down = stepAlong(place, outer);
  const across = stepAlong(place, inner);
  return down !== null && across !== null && asNumber(down) === 1 && asNumber(across) === undefined;
}

/** What a place gains with a step of an axis; null where that is not always the same. */
export function stepAlong(place: Polynomial, axis: number): Polynomial | null {
  const { chosen } = split(place, ({ factors }) => factors.some((each) => dependsOn(each, axis)));
  const isEven = [...chosen.values()].every(({ factors }) => {
    const dependent = factors.filter((each) => dependsOn(each, axis));
    return dependent.length === 1 && dependent[0]!.kind === "axis";
  });
  return isEven ? without(chosen, { kind: "axis", axis }) : null;
}

const dependsOn = (integer: Integer, axis: number): boolean =>
  someInteger(integer, (leaf) => leaf.kind === "axis" && leaf.axis === axis);

export class TransposedLoads {
  readonly #axis: number;
  /** By buffer and place: the registers of each row. */
  readonly #loaded = new Map<string, readonly (readonly Register[])[]>();
  #row = 0;

  /** For rows along an axis of a loop around that of the site. */
  constructor(axis: number) {
    this.#axis = axis;
  }

  /** From here on the site's code is for a row. */
  enter(site: Site, row: number): void {
    this.#row = row;
    const left: Integer = { kind: "axis", axis: this.#axis };
    site.bind(this.#axis, { kind: "add", left, right: { kind: "literal", value: row } });
  }

  /** The elements of the row at hand, where they are loaded across rows; null where they are not. */
  load(site: Site, slot: number, at: Integer): LaneValue | null {
    const dtype = site.fn.workspaces.dtypeOf(slot);
    const { bytes } = dtypes[dtype];
    if (site.count !== ROWS || bytes < 4) return null;
    const row = this.#row;
    this.enter(site, 0);
    const place = site.polynomial(at);
    const key = `${slot} ${textOf(place)}`;
    let rows = this.#loaded.get(key);
    if (rows === undefined && isTransposed(place, this.#axis, site.walk!.axis)) {
      rows = loadRows(site, slot, at, bytes as 4 | 8);
      this.#loaded.set(key, rows);
    }
    this.enter(site, row);
    return rows === undefined
      ? null
      : { dtype, width: bytes as 4 | 8, uniform: false, registers: rows[row]! };
  }
}

function loadRows(site: Site, slot: number, at: Integer, bytes: 4 | 8): Register[][] {
  const { code } = site;
  const place = placeOf(site, slot, at);
  if (place.kind !== "each") return [];
  const perColumn = (ROWS * bytes) / 16;
  const columns = Array.from({ length: ROWS }, (_, lane) =>
    Array.from({ length: perColumn }, (_, k) =>
      code.with("v128.load", place.offset + 16 * k, place.address(lane)),
    ),
  );
  if (bytes === 8) return turnPairs(code, columns);
  return columnsOf(code, columns.flat(), ROWS).map((register) => [register]);
}

function turnPairs(code: StraightCode, columns: readonly (readonly Register[])[]): Register[][] {
  return Array.from({ length: ROWS }, (_, row) =>
    [0, 2].map((lane) => columnOf(code, [columns[lane]![row >> 1]!, columns[lane + 1]![row >> 1]!], row % 2)),
  );
}
