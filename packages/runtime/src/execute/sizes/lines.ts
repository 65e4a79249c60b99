/** Sizes of one structure that depend on one of them: lists of sizes lie on a line or a parabola. */
import { numbersAt, through } from "@fuseau/compiler";
import { sameNumbers } from "@fuseau/ir";
import { differentSizes, isOn, pointOn, type Surface } from "./surfaces.ts";

/** Among the latest lists, so many, three that happen to be on a line are rare. Of the older ones, fewer sizes must change than did lately. */
const LATELY = 6;

/**
 * The line through three lists of sizes; null if they change in another way. The number that they depend on is among the first `count`
 * sizes.
 */
export function lineThrough(
  seen: readonly (readonly number[])[],
  count: number = Number.POSITIVE_INFINITY,
): Surface | null {
  const [a, b, c] = seen as [readonly number[], readonly number[], readonly number[]];
  const varying: number[] = [];
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k] || a[k] !== c[k]) varying.push(k);
  // The size that changes least: the others are multiples of it.
  let [place, least] = [-1, Number.POSITIVE_INFINITY];
  for (const k of varying) {
    const range = k < count ? rangeOf(a[k] as number, b[k] as number, c[k] as number) : least;
    if (range < least) [place, least] = [k, range];
  }
  if (place < 0) return null;
  const own = seen.map((sizes) => sizes[place] as number) as [number, number, number];
  const origin = Math.max(2, own[0]);
  const changes = new Set(varying);
  const at = (size: number): number[] => {
    const values = [...a];
    for (const k of varying) values[k] = Math.round(valueAt(own, [a[k]!, b[k]!, c[k]!], size));
    return values;
  };
  const sizes = through([origin], [at(origin), at(origin + 1), at(origin + 2)]);
  const isExact = seen.every((known, k) => sameNumbers(known, numbersAt(sizes, [own[k] as number])));
  if (isExact) return { places: [place], derived: [], sizes, varying: changes };
  return count === Number.POSITIVE_INFINITY ? commonLine([a, b, c], varying) : null;
}

/** The straight line through three lists where no size changes by 1, as where an axis is halved and cut in three; null if there is none. */
function commonLine(
  [a, b, c]: readonly [readonly number[], readonly number[], readonly number[]],
  varying: readonly number[],
): Surface | null {
  const by = (k: number): number => (b[k] as number) - (a[k] as number);
  const common = varying.reduce((divisor, k) => gcd(divisor, Math.abs(by(k))), 0);
  const steps = varying.map((k) => by(k) / common);
  if (steps.includes(0)) return null;
  const least = steps.reduce((best, step, i) => (Math.abs(step) < Math.abs(steps[best]!) ? i : best), 0);
  const [place, divisor] = [varying[least] as number, Math.abs(steps[least] as number)];
  const times = (list: readonly number[]): number => Math.floor((list[place] as number) / divisor);
  const sign = Math.sign(steps[least] as number);
  const at = (count: number): number[] => {
    const values = [...a];
    varying.forEach((k, i) => {
      values[k] = (a[k] as number) + (count - times(a)) * sign * (steps[i] as number);
    });
    return values;
  };
  if (![b, c].every((list) => sameNumbers(list, at(times(list))))) return null;
  const origin = Math.max(2, times(a));
  const sizes = through([origin], [at(origin), at(origin + 1), at(origin + 2)]);
  return { places: [a.length], derived: [{ place, divisor }], sizes, varying: new Set(varying) };
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/**
 * The line through a list of sizes and two of those seen before, the latest first; null if there is none but lines that were refused. A
 * parabola takes a third. The fewer sizes change along it, the less it is a coincidence.
 */
export function lineAmong(
  sizes: readonly number[],
  known: readonly (readonly number[])[],
  refused: readonly Surface[],
): Surface | null {
  // A size that changes along a line is at least 2. So a size of 0 or 1 must be equal in all lists.
  const seen = known.filter((other) => sizes.every((size, k) => size >= 2 || size === other[k]));
  if (seen.length < 2) return null;
  const different = differentSizes([sizes, ...seen]);
  const short = (list: readonly number[]): number[] => different.map(([place]) => list[place] as number);
  const [own, others] = [short(sizes), seen.map(short)];
  const countOf = (is: (k: number) => boolean): number =>
    different.reduce((sum, { length }, k) => (is(k) ? sum + length : sum), 0);
  const changed = countOf((k) => own[k] !== others[0]?.[k]);
  let [best, fewest]: [readonly [number, number] | null, number] = [null, Number.POSITIVE_INFINITY];
  for (let a = 0; a < seen.length; a++)
    for (let b = a + 1; b < seen.length; b++) {
      const lists = [own, others[a] as readonly number[], others[b] as readonly number[]];
      // A parabola goes through any three lists, so it is looked for among the latest only.
      if (b >= LATELY && !areStraight(lists)) continue;
      const line = lineThrough(lists);
      if (line === null || pointOn(line, own) === null) continue;
      const varying = countOf((k) => line.varying.has(k));
      if (varying >= Math.min(fewest, b < LATELY ? Number.POSITIVE_INFINITY : changed)) continue;
      const whole = [sizes, seen[a] as readonly number[], seen[b] as readonly number[]];
      if (refused.some((other) => whole.every((list) => isOn(other, list)))) continue;
      // Three points on a straight line are no coincidence. A parabola goes through any three, so a fourth must be on it.
      const isStraight = line.sizes.varying.every(({ factors: [, bend] }) => bend === 0);
      if (
        isStraight ||
        others.some((other) => !lists.some((list) => sameNumbers(list, other)) && isOn(line, other))
      )
        [best, fewest] = [[a, b], varying];
    }
  if (best === null) return null;
  const [a, b] = best;
  return lineThrough([sizes, seen[a] as readonly number[], seen[b] as readonly number[]]);
}

/** The straight line through a list of sizes and two others on which most of them are; null if there is none but lines that were refused. */
export function lineOfMost(
  sizes: readonly number[],
  known: readonly (readonly number[])[],
  refused: readonly Surface[],
): Surface | null {
  let [best, most]: [Surface | null, number] = [null, 2];
  known.forEach((a, k) => {
    if (best !== null && isOn(best, a)) return;
    for (const b of known.slice(k + 1)) {
      const lists = [sizes, a, b];
      const line = areStraight(lists) ? lineThrough(lists) : null;
      if (line === null || pointOn(line, sizes) === null) continue;
      if (refused.some((other) => lists.every((list) => isOn(other, list)))) continue;
      const count = known.filter((list) => isOn(line, list)).length;
      if (count > most) [best, most] = [line, count];
    }
  });
  return best;
}

/** True if three lists are on a straight line. */
function areStraight(lists: readonly (readonly number[])[]): boolean {
  const [a, b, c] = lists as [readonly number[], readonly number[], readonly number[]];
  // The place that gives the distances, in steps.
  const first = a.findIndex((size, k) => size !== b[k]);
  if (first < 0) return false;
  const [near, far] = [
    (b[first] as number) - (a[first] as number),
    (c[first] as number) - (a[first] as number),
  ];
  return a.every((size, k) => ((b[k] as number) - size) * far === ((c[k] as number) - size) * near);
}

/** The distance between three different numbers; infinite if two are equal. */
const rangeOf = (a: number, b: number, c: number): number =>
  a === b || a === c || b === c ? Number.POSITIVE_INFINITY : Math.max(a, b, c) - Math.min(a, b, c);

/** The parabola through three points, by divided differences. */
function valueAt(
  [x0, x1, x2]: readonly [number, number, number],
  [y0, y1, y2]: readonly [number, number, number],
  x: number,
): number {
  const slope = (y1 - y0) / (x1 - x0);
  const bend = ((y2 - y1) / (x2 - x1) - slope) / (x2 - x0);
  return y0 + slope * (x - x0) + bend * (x - x0) * (x - x1);
}
