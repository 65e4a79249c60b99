/** Boxes of points: an interval for each free size. */
import { atOnce, finished, type Steps } from "../steps.ts";
import type { Point } from "./polynomials.ts";

/** The sizes from `low` to `high`, for each that is free. */
export interface Box {
  readonly low: Point;
  readonly high: Point;
}

export const pointsIn = ({ low, high }: Box): number =>
  low.reduce((count, least, k) => count * ((high[k] as number) - least + 1), 1);

/** From the least to the largest of some points. */
export const boxOf = (points: readonly Point[]): Box => ({
  low: along(points, Math.min),
  high: along(points, Math.max),
});

const along = (points: readonly Point[], pick: (...sizes: number[]) => number): Point =>
  (points[0] as Point).map((_, k) => pick(...points.map((point) => point[k] as number)));

export function isWithin({ low, high }: Box, point: Point): boolean {
  for (let k = 0; k < point.length; k++) {
    const size = point[k] as number;
    if (size < (low[k] as number) || size > (high[k] as number)) return false;
  }
  return true;
}

/**
 * A box around a point, within another, such that a condition holds at its corners: as far as it does along the first free size, then along
 * the next. Upper ends may be nearer by less than a `share`.
 */
export const widest = (from: Point, within: Box, holds: (point: Point) => boolean, share = 0): Box =>
  finished(widestInSteps(from, within, atOnce(holds), share));

/** The same for a condition that takes steps. */
export function* widestInSteps(
  from: Point,
  within: Box,
  holds: (point: Point) => Steps<boolean>,
  share = 0,
): Steps<Box> {
  let corners: readonly Point[] = [from];
  for (const [k, size] of from.entries()) {
    const at = (own: number): Point[] =>
      corners.map((corner) => corner.map((other, axis) => (axis === k ? own : other)));
    const ends = function* (own: number): Steps<boolean> {
      for (const corner of at(own)) if (!(yield* holds(corner))) return false;
      return true;
    };
    const low = yield* farthest(size, within.low[k] as number, ends, 0);
    corners = [...at(low), ...at(yield* farthest(size, within.high[k] as number, ends, share))];
  }
  return { low: corners[0] as Point, high: corners.at(-1) as Point };
}

/** Where a box does not go all the way, it goes so many times beyond what it is to have, and so many times below. */
const BEYOND = [2, 5 / 4, 9 / 8, 1] as const;
const BELOW = [4, 2, 1] as const;

/**
 * A box that has another one, `inner`, and lies within a third, such that a condition holds at all of its corners: as wide as a few attempts find.
 * Null if it does not hold at those of the inner one. Each attempt costs a compilation, so all sizes are tried together: ends that are far, and
 * nearer ones.
 */
export function* aroundInSteps(
  inner: Box,
  within: Box,
  holds: (point: Point) => Steps<boolean>,
): Steps<Box | null> {
  const known = new Map<string, boolean>();
  const holdsAt = function* (corner: Point): Steps<boolean> {
    const key = corner.join();
    const found = known.get(key) ?? (yield* holds(corner));
    known.set(key, found);
    return found;
  };
  const holdsIn = function* (box: Box): Steps<boolean> {
    for (const corner of cornersOf(box)) if (!(yield* holdsAt(corner))) return false;
    return true;
  };
  const farthestOf = function* (ends: readonly Point[]): Steps<Point | null> {
    for (const end of ends) if (yield* holdsAt(end)) return end;
    return null;
  };
  const high = yield* farthestOf(highsOf(inner, within));
  const low = yield* farthestOf(lowsOf(inner, within));
  if (low === null || high === null) return null;
  if (yield* holdsIn({ low, high })) return { low, high };
  // Either end may be too far, so what is left to try is the inner box itself.
  return (yield* holdsIn(inner)) ? inner : null;
}

/** Upper ends to try, the farthest first and the inner one last. */
const highsOf = ({ high }: Box, within: Box): Point[] =>
  different([
    within.high,
    ...BEYOND.map((times) =>
      high.map((size, k) => Math.min(within.high[k] as number, Math.ceil(times * size))),
    ),
  ]);

/** Lower ends to try in the same way. Where a size less one stands in the graph as well, the least of all is another graph. */
function lowsOf({ low }: Box, within: Box): Point[] {
  const next = within.low.map((size, k) => Math.min(size + 1, low[k] as number));
  const below = BELOW.map((times) =>
    low.map((size, k) => Math.max(next[k] as number, Math.ceil(size / times))),
  );
  return different([within.low, next, ...below]);
}

const different = (points: readonly Point[]): Point[] => [
  ...new Map(points.map((point) => [point.join(), point])).values(),
];

/**
 * The size farthest from `from`, which is at least 1, at which a condition holds, towards an end, for a condition that fails from some size
 * on; or, if that is another than `from`, one that is nearer by less than a `share` of it.
 */
function* farthest(
  from: number,
  end: number,
  holds: (size: number) => Steps<boolean>,
  share: number,
): Steps<number> {
  if (from === end || (yield* holds(end))) return end;
  // Where a size less one stands in the graph as well, the least size of all is another graph.
  if (end < from - 1 && (yield* holds(end + 1))) return end + 1;
  let [good, bad] = [from, end];
  // Where it fails, it mostly does so near the size that came. Upwards, steps that double find that sooner than halves of all that is above.
  while (end - good > good && (yield* holds(2 * good))) good *= 2;
  if (end - good > good) bad = 2 * good;
  while (Math.abs(bad - good) > Math.max(1, good === from ? 0 : share * good)) {
    const middle = Math.trunc((good + bad) / 2);
    if (yield* holds(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/**
 * The farthest point at which a condition holds of those that lie as far beyond `from` along each free size, or at its end there. The condition
 * fails from some of them on.
 */
export function evenly(from: Point, high: Point, holds: (point: Point) => boolean): Point {
  const at = (by: number): Point => from.map((size, k) => Math.min(size + by, high[k] as number));
  const most = from.reduce((found, size, k) => Math.max(found, (high[k] as number) - size), 0);
  if (holds(at(most))) return at(most);
  let [good, bad] = [0, 1];
  while (bad < most && holds(at(bad))) [good, bad] = [bad, 2 * bad];
  while (bad - good > 1) {
    const middle = Math.trunc((good + bad) / 2);
    if (holds(at(middle))) good = middle;
    else bad = middle;
  }
  return at(good);
}

/** The corners of a box, from the least to the greatest. */
export const cornersOf = ({ low, high }: Box): readonly Point[] =>
  low.reduce<Point[]>(
    (corners, least, axis) =>
      corners.flatMap((corner) => [
        [...corner, least],
        [...corner, high[axis] as number],
      ]),
    [[]],
  );
