/**
 * Where sizes turn: n·(100 − n) rises up to 50 and falls from there. What compares sizes holds between the corners of a box only if no
 * compared difference turns within it. Products of different free sizes never do; squares may. A product of free sizes and a polynomial does
 * not, where the polynomial rises at all corners.
 */
import { type Box, cornersOf, widest } from "./box.ts";
import type { Dependent } from "./numbers.ts";
import {
  dividedBy,
  numbersAt,
  type Point,
  type Polynomials,
  type Product,
  productAt,
  samplesAround,
  termsAt,
  type Varying,
  valueAt,
} from "./polynomials.ts";

/**
 * The part of a box around a point in which no number turns along a free size, and no difference of two sizes of the graph. No part, where a
 * product may turn.
 */
export function withoutTurns({ numbers, counts, shapes, work }: Dependent, origin: Point, box: Box): Box {
  const compared = differencesOf(origin, shapes, box);
  const others = [...numbers.varying, ...counts.varying, ...(work?.varying ?? [])];
  if (compared === null || others.some((one) => mayFall(one, origin.length)))
    return { low: origin, high: origin };
  const all = [...others, ...compared];
  // A polynomial turns where its slope depends on the same size. That of a product must rise everywhere.
  const slopes = origin.flatMap((_, axis) =>
    different(
      all
        .map(({ factors, times }) => ({ slope: slopeOf(factors, axis, origin.length), times }))
        .filter(({ slope, times }) => times.length > 0 || (slope[axis + 1] ?? 0) !== 0)
        .map(({ slope }) => slope),
    ).map((slope) => ({ axis, slope })),
  );
  if (slopes.length === 0) return box;
  const steps = (point: Point): number[] => termsAt(origin, point).slice(0, origin.length);
  const signs = slopes.map(({ axis, slope }) => {
    const next = origin.map((_, k) => (k === axis ? 1 : 0));
    return signAt(slope, steps(origin)) || signAt(slope, next);
  });
  return widest(origin, box, (point) => {
    const own = steps(point);
    return slopes.every(({ slope }, k) => [0, signs[k]].includes(signAt(slope, own)));
  });
}

/** True for a product of free sizes and a polynomial that may fall: it is not known to turn nowhere. */
const mayFall = ({ times, factors }: Factors, count: number): boolean =>
  times.length > 0 &&
  factors.slice(0, count).some((_, axis) => {
    const [first, ...others] = slopeOf(factors, axis, count) as [number, ...number[]];
    return first < 0 || (first === 0 && others.some((factor) => factor < 0));
  });

type Factors = Pick<Product, "factors" | "times">;

/**
 * The sizes, and the difference of each two, as polynomials, or such as have their signs: those of two products are without the free sizes that
 * both have. The difference of a product and what it outgrows turns nowhere, and is left out. Null if two others differ by a polynomial of a
 * higher degree, whose turns are not known.
 */
function differencesOf(origin: Point, { varying, origin: from }: Polynomials, box: Box): Factors[] | null {
  const points = samplesAround(origin);
  const sizes = [...new Map(varying.map((one) => [shown(one), one])).values()];
  const valuesOf = (one: Varying): readonly number[] => {
    const own = { origin: from, first: [0], varying: [{ ...one, place: 0 }] };
    return points.map((point) => numbersAt(own, point)[0] as number);
  };
  const found: Factors[] = [];
  for (const [k, a] of sizes.entries()) {
    if (mayFall(a, origin.length)) return null;
    found.push(a);
    for (const b of sizes.slice(k + 1)) {
      const [p, q] =
        a.times.length + b.times.length === 0
          ? [a, b]
          : (withoutShared(points, valuesOf(a), valuesOf(b)).map((values) => productAt(origin, values)) as [
              Product,
              Product,
            ]);
      if (p.times.length + q.times.length === 0)
        found.push({ factors: p.factors.map((factor, i) => factor - (q.factors[i] as number)), times: [] });
      else if (!outgrows(origin, box, p, q) && !outgrows(origin, box, q, p)) return null;
    }
  }
  return found;
}

/** The values of two sizes without the free sizes that divide both. */
function withoutShared(
  points: readonly Point[],
  a: readonly number[],
  b: readonly number[],
): readonly [readonly number[], readonly number[]] {
  for (const axis of (points[0] as Point).keys())
    for (;;) {
      const [p, q] = [dividedBy(points, a, axis), dividedBy(points, b, axis)];
      if (p === null || q === null) break;
      [a, b] = [p, q];
    }
  return [a, b];
}

/**
 * True if a product grows by more with each step along a free size than another size does that is no product. The product's steps are at least
 * those of its polynomial times the least sizes; those and the other's are linear, so that they are least at corners.
 */
function outgrows(origin: Point, box: Box, { base, factors, times }: Product, other: Product): boolean {
  if (other.times.length > 0) return false;
  const least = times.reduce((product, axis) => product * (box.low[axis] as number), 1);
  const lowest = valueAt(base, factors, termsAt(origin, box.low));
  const corners = cornersOf(box).map((corner) => termsAt(origin, corner));
  return origin.every((_, axis) => {
    const [own, its] = [factors, other.factors].map((each) => slopeOf(each, axis, origin.length));
    const more = times.includes(axis) ? (least / (box.low[axis] as number)) * lowest : 0;
    return corners.every((steps) => {
      const step = at(own as readonly number[], steps);
      return step >= 0 && least * step + more >= at(its as readonly number[], steps);
    });
  });
}

const shown = ({ base, factors, times }: Product): string => `${base};${factors.join()};${times.join()}`;

/** How a polynomial grows with the next step along a free size: a constant, and a factor for the steps along each. */
function slopeOf(factors: readonly number[], axis: number, count: number): readonly number[] {
  const slope = [factors[axis] as number];
  let term = count;
  for (let i = 0; i < count; i++)
    for (let j = i; j < count; j++, term++) {
      const other = i === axis ? j : j === axis ? i : -1;
      if (other >= 0) slope[other + 1] = factors[term] as number;
    }
  return slope;
}

const different = (slopes: readonly (readonly number[])[]): readonly (readonly number[])[] => [
  ...new Map(slopes.map((slope) => [slope.join(), slope])).values(),
];

/** A slope at some steps from the origin. */
const at = ([first = 0, ...factors]: readonly number[], steps: readonly number[]): number =>
  factors.reduce((sum, factor, k) => sum + factor * (steps[k] as number), first);

const signAt = (slope: readonly number[], steps: readonly number[]): number => Math.sign(at(slope, steps));
