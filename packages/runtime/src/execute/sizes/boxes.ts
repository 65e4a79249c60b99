/** Which sizes a program of many is made for. */
import type { Box, Point } from "@fuseau/compiler";

/**
 * Sizes far from each other want different schedules, so no program extends over one of these bounds. The numbers are sizes that are
 * unlikely to occur.
 */
const BOUNDS = [2, 1_023, 32_767, 1_048_573, 33_554_393] as const;

/** The sizes around a point, between bounds, that no other program covers. */
export function boxAround(point: Point, others: readonly Box[]): Box {
  const [low, high]: [number[], number[]] = [[], []];
  for (const size of point) {
    const below = BOUNDS.filter((bound) => bound <= size);
    low.push(below.at(-1) as number);
    high.push((BOUNDS[below.length] ?? Number.MAX_SAFE_INTEGER) - 1);
  }
  for (const known of others) {
    // Cut beside the other box along the axis of which most is left.
    let [axis, most] = [-1, -1];
    for (let k = 0; k < point.length; k++) {
      const [size, least, end] = [point[k], known.low[k], known.high[k]] as [number, number, number];
      const left = size > end ? (high[k] as number) - end : size < least ? least - (low[k] as number) : -1;
      if (left > most) [axis, most] = [k, left];
    }
    const end = known.high[axis] as number;
    if (end < (point[axis] as number)) low[axis] = Math.max(low[axis] as number, end + 1);
    else high[axis] = Math.min(high[axis] as number, (known.low[axis] as number) - 1);
  }
  return { low, high };
}
