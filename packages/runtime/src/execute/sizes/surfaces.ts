/**
 * Lists of sizes of one structure that depend on one of them or on a few, which are free: a line or a plane, or what polynomials of degree 2
 * make of it.
 */
import { numbersAt, type Point, type Polynomials } from "@fuseau/compiler";
import { sameNumbers } from "@fuseau/ir";
import { type Room, roomIn } from "./rooms.ts";

export interface Surface {
  /** The positions of the free sizes: one on a line, more on a plane. Behind all sizes are those that are derived. */
  readonly places: readonly number[];
  readonly derived: readonly (Room | Quotient)[];
  readonly sizes: Polynomials;
  /** The positions of all sizes that change. */
  readonly varying: ReadonlySet<number>;
}

/** How often all sizes have changed by what they change by together, where none of them changes by 1. */
export interface Quotient {
  readonly place: number;
  readonly divisor: number;
}

/** The free sizes that give these sizes; null if they are not on the surface, or if one that changes, or is free, is 0 or 1. */
export function pointOn(surface: Surface, own: readonly number[]): Point | null {
  for (const k of surface.varying) if ((own[k] as number) < 2) return null;
  const point = freeIn(surface, own);
  return point.every((size) => size >= 2) && isOn(surface, own) ? point : null;
}

export const isOn = (surface: Surface, own: readonly number[]): boolean =>
  sameNumbers(own, numbersAt(surface.sizes, freeIn(surface, own)));

const freeIn = ({ places, derived }: Surface, own: readonly number[]): Point =>
  places.map((place) => own[place] ?? derivedIn(derived[place - own.length] as Room | Quotient, own));

const derivedIn = (from: Room | Quotient, own: readonly number[]): number =>
  "divisor" in from ? Math.floor((own[from.place] as number) / from.divisor) : roomIn(from, own);

/**
 * The positions of sizes that are not equal in all lists, those together that are equal to each other in every list. A graph has thousands of
 * sizes, and most are the same few.
 */
export function differentSizes(
  lists: readonly (readonly number[])[],
): readonly (readonly [number, ...number[]])[] {
  const [first, ...others] = lists as [readonly number[], ...(readonly number[])[]];
  const found = new Map<string, [number, ...number[]]>();
  for (let place = 0; place < first.length; place++) {
    if (others.every((list) => list[place] === first[place])) continue;
    const key = lists.map((list) => list[place]).join();
    const known = found.get(key);
    if (known === undefined) found.set(key, [place]);
    else known.push(place);
  }
  return [...found.values()];
}
