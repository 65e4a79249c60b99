/** A length of step that meets the strong Wolfe conditions. Source: Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6. */

/** The loss at a length, and its slope along the direction. */
export interface Point {
  readonly loss: number;
  readonly slope: number;
}

export interface Search<P extends Point> {
  readonly length: number;
  readonly point: P;
  readonly evaluations: number;
}

/** Sufficient decrease, and curvature. */
const DECREASE = 1e-4;
const CURVATURE = 0.9;
const MOST = 25;

interface End<P> {
  readonly length: number;
  readonly point: P;
}

/** `at` evaluates a length; `origin` is the point of length 0. */
export function strongWolfe<P extends Point>(
  at: (length: number) => P,
  start: number,
  origin: P,
  toleranceChange: number,
): Search<P> {
  let evaluations = 0;
  const evaluate = (length: number): End<P> => {
    evaluations++;
    return { length, point: at(length) };
  };
  const isEnough = ({ length, point }: End<P>): boolean =>
    point.loss <= origin.loss + DECREASE * length * origin.slope;
  const isFlat = ({ point }: End<P>): boolean => Math.abs(point.slope) <= -CURVATURE * origin.slope;

  let earlier: End<P> = { length: 0, point: origin };
  let current = evaluate(start);
  let bracket: [End<P>, End<P>] | null = null;
  for (let k = 0; bracket === null && evaluations < MOST; k++) {
    if (!isEnough(current) || (k > 0 && current.point.loss >= earlier.point.loss))
      bracket = [earlier, current];
    else if (isFlat(current)) return { ...current, evaluations };
    else if (current.point.slope >= 0) bracket = [earlier, current];
    else {
      const least = current.length + 0.01 * (current.length - earlier.length);
      const next = cubicMinimum(earlier, current, least, current.length * 10);
      earlier = current;
      current = evaluate(next);
    }
  }
  let [low, high] = bracket ?? [{ length: 0, point: origin }, current];
  if (high.point.loss < low.point.loss) [low, high] = [high, low];
  while (
    evaluations < MOST &&
    Math.abs(high.length - low.length) * Math.abs(origin.slope) >= toleranceChange
  ) {
    const [left, right] = low.length < high.length ? [low.length, high.length] : [high.length, low.length];
    const margin = 0.1 * (right - left);
    const found = evaluate(cubicMinimum(low, high, left + margin, right - margin));
    if (!isEnough(found) || found.point.loss >= low.point.loss) high = found;
    else {
      if (isFlat(found)) return { ...found, evaluations };
      if (found.point.slope * (high.length - low.length) >= 0) high = low;
      low = found;
    }
  }
  return { ...low, evaluations };
}

/** Where the cubic through two points and their slopes is least, kept between two lengths; their middle where it has no minimum. */
function cubicMinimum<P extends Point>(a: End<P>, b: End<P>, least: number, most: number): number {
  const [left, right] = a.length <= b.length ? [a, b] : [b, a];
  const { loss: f1, slope: g1 } = left.point;
  const { loss: f2, slope: g2 } = right.point;
  const width = right.length - left.length;
  const d1 = g1 + g2 - (3 * (f1 - f2)) / -width;
  const square = d1 * d1 - g1 * g2;
  if (!(square >= 0)) return (least + most) / 2;
  const d2 = Math.sqrt(square);
  const length = right.length - width * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2));
  return Number.isNaN(length) ? (least + most) / 2 : Math.min(Math.max(length, least), most);
}
