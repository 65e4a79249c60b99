/** Sizes of one structure that depend on one number: all lists of sizes that were seen lie on a line or a parabola. */
import { numbersAt, type Polynomials, through } from "@fuseau/compiler";

/** Among the latest lists, so many, three that happen to be on a line are rare. Of the older ones, fewer sizes must change than did lately. */
const LATELY = 6;

export interface Line {
  /** The position of the size that the others depend on. */
  readonly place: number;
  readonly sizes: Polynomials;
  /** The positions of sizes that change with it. */
  readonly varying: ReadonlySet<number>;
}

/**
 * The line through three lists of sizes; null if they change in another way. The number that they depend on is among the first `count`
 * sizes.
 */
export function lineThrough(
  seen: readonly (readonly number[])[],
  count: number = Number.POSITIVE_INFINITY,
): Line | null {
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
  const sizes = through(origin, [at(origin), at(origin + 1), at(origin + 2)]);
  const isExact = seen.every((known, k) => same(known, numbersAt(sizes, own[k] as number)));
  return isExact ? { place, sizes, varying: changes } : null;
}

/**
 * The line through a list of sizes and two of those seen before, the latest first; null if there is none but lines that were refused. A
 * parabola takes a third. The fewer sizes change along it, the less it is a coincidence.
 */
export function lineAmong(
  sizes: readonly number[],
  known: readonly (readonly number[])[],
  refused: readonly Line[],
): Line | null {
  // A size that changes along a line is at least 2. So a size of 0 or 1 must be equal in all lists.
  const seen = known.filter((other) => sizes.every((size, k) => size >= 2 || size === other[k]));
  if (seen.length < 2) return null;
  const { places, counts } = differentSizes([sizes, ...seen]);
  const short = (list: readonly number[]): number[] => places.map((place) => list[place] as number);
  const [own, others] = [short(sizes), seen.map(short)];
  const countOf = (is: (k: number) => boolean): number =>
    counts.reduce((sum, count, k) => (is(k) ? sum + count : sum), 0);
  const changed = countOf((k) => own[k] !== others[0]?.[k]);
  let [best, fewest]: [readonly [number, number] | null, number] = [null, Number.POSITIVE_INFINITY];
  for (let a = 0; a < seen.length; a++)
    for (let b = a + 1; b < seen.length; b++) {
      const lists = [own, others[a] as readonly number[], others[b] as readonly number[]];
      // A parabola goes through any three lists, so it is looked for among the latest only.
      if (b >= LATELY && !areStraight(lists)) continue;
      const line = lineThrough(lists);
      if (line === null || numberOn(line, own) === null) continue;
      const varying = countOf((k) => line.varying.has(k));
      if (varying >= Math.min(fewest, b < LATELY ? Number.POSITIVE_INFINITY : changed)) continue;
      const whole = [sizes, seen[a] as readonly number[], seen[b] as readonly number[]];
      if (refused.some((other) => whole.every((list) => isOn(other, list)))) continue;
      // Three points on a straight line are no coincidence. A parabola goes through any three, so a fourth must be on it.
      const isStraight = line.sizes.varying.every(({ bend }) => bend === 0);
      if (isStraight || others.some((other) => !lists.some((list) => same(list, other)) && isOn(line, other)))
        [best, fewest] = [[a, b], varying];
    }
  if (best === null) return null;
  const [a, b] = best;
  return lineThrough([sizes, seen[a] as readonly number[], seen[b] as readonly number[]]);
}

/**
 * Of the sizes that are not equal in all lists, one place for each that differs from the others, and how many there are like it. A graph has
 * thousands of sizes, and most are the same few.
 */
function differentSizes(lists: readonly (readonly number[])[]): {
  readonly places: readonly number[];
  readonly counts: readonly number[];
} {
  const [first, ...others] = lists as [readonly number[], ...(readonly number[])[]];
  const found = new Map<string, number>();
  const [places, counts]: [number[], number[]] = [[], []];
  for (let place = 0; place < first.length; place++) {
    if (others.every((list) => list[place] === first[place])) continue;
    const key = lists.map((list) => list[place]).join();
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, places.length);
      places.push(place);
      counts.push(1);
    } else (counts[known] as number)++;
  }
  return { places, counts };
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

/** The number that gives these sizes; null if they are not on the line, or if one that changes is 0 or 1. */
export function numberOn(line: Line, own: readonly number[]): number | null {
  for (const k of line.varying) if ((own[k] as number) < 2) return null;
  return isOn(line, own) ? (own[line.place] as number) : null;
}

export const isOn = ({ place, sizes }: Line, own: readonly number[]): boolean =>
  same(own, numbersAt(sizes, own[place] as number));

const same = (a: readonly number[], b: readonly number[]): boolean => {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
};
