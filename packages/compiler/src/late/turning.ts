/**
 * Where sizes turn: n·(100 − n) rises up to 50 and falls from there. What compares sizes holds between the corners of a box only if no
 * compared difference turns within it. Products of different free sizes never do; squares may. A product of free sizes and a polynomial that
 * rises does not.
 */
import { type Box, widest } from "./box.ts";
import type { Dependent } from "./numbers.ts";
import { type Point, type Polynomials, termsAt } from "./polynomials.ts";

/**
 * The part of a box around a point in which no number turns along a free size, and no difference of two sizes of the graph. No part, where a
 * product may turn.
 */
export function withoutTurns({ numbers, shapes, work }: Dependent, origin: Point, box: Box): Box {
  const isFalling = numbers.varying.some(
    ({ times, factors }) => times.length > 0 && factors.slice(0, origin.length).some((factor) => factor < 0),
  );
  if (isFalling) return { low: origin, high: origin };
  const slopes = origin.flatMap((_, axis) => {
    const sizes = [constant, ...slopesOf(shapes, axis)];
    const others = [...slopesOf(numbers, axis), ...(work === null ? [] : slopesOf(work, axis))];
    const found = [...others];
    sizes.forEach((a, k) => {
      for (const b of sizes.slice(k + 1)) found.push(a.map((factor, i) => factor - (b[i] ?? 0)));
    });
    return different(found.filter((slope) => (slope[axis + 1] ?? 0) !== 0)).map((slope) => ({ axis, slope }));
  });
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

const constant: readonly number[] = [];

/** How each number grows with the next step along a free size: a constant, and a factor for the steps along each. */
function slopesOf({ origin, varying }: Polynomials, axis: number): readonly (readonly number[])[] {
  const count = origin.length;
  return different(
    varying.map(({ factors }) => {
      const slope = [factors[axis] as number];
      let term = count;
      for (let i = 0; i < count; i++)
        for (let j = i; j < count; j++, term++) {
          const other = i === axis ? j : j === axis ? i : -1;
          if (other >= 0) slope[other + 1] = factors[term] as number;
        }
      return slope;
    }),
  );
}

const different = (slopes: readonly (readonly number[])[]): readonly (readonly number[])[] => [
  ...new Map(slopes.map((slope) => [slope.join(), slope])).values(),
];

const signAt = ([first = 0, ...factors]: readonly number[], steps: readonly number[]): number =>
  Math.sign(factors.reduce((sum, factor, k) => sum + factor * (steps[k] as number), first));
