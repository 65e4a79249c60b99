/**
 * A length of step that meets the strong Wolfe conditions: Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6. Where they
 * leave a choice, it is that of torch/optim/lbfgs.py.
 */

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

/** The constants of sufficient decrease, and of curvature. */
const DECREASE = 1e-4;
const CURVATURE = 0.9;
const MOST = 25;

interface End<P> {
  readonly length: number;
  readonly point: P;
}

/** `at` evaluates a length, `origin` is the point of length 0, and `largest` is the largest element of the direction. */
export function strongWolfe<P extends Point>(
  at: (length: number) => P,
  start: number,
  origin: P,
  largest: number,
  toleranceChange: number,
): Search<P> {
  const evaluate = (length: number): End<P> => ({ length, point: at(length) });
  const isEnough = ({ length, point }: End<P>): boolean =>
    point.loss <= origin.loss + DECREASE * length * origin.slope;
  const isFlat = ({ point }: End<P>): boolean => Math.abs(point.slope) <= -CURVATURE * origin.slope;

  let earlier: End<P> = { length: 0, point: origin };
  let current = evaluate(start);
  let bracket: [End<P>, End<P>] | null = null;
  let round = 0;
  for (; bracket === null && round < MOST; round++) {
    if (!isEnough(current) || (round > 1 && current.point.loss >= earlier.point.loss))
      bracket = [earlier, current];
    else if (isFlat(current)) return { ...current, evaluations: round + 1 };
    else if (current.point.slope >= 0) bracket = [earlier, current];
    else {
      const least = current.length + 0.01 * (current.length - earlier.length);
      const next = cubicMinimum(earlier, current, least, current.length * 10);
      earlier = current;
      current = evaluate(next);
    }
  }
  // The iteration that finds the bracket evaluates nothing.
  if (bracket !== null) round--;
  const ends: [End<P>, End<P>] = bracket ?? [{ length: 0, point: origin }, current];
  const lower = (): 0 | 1 => (ends[0].point.loss <= ends[1].point.loss ? 0 : 1);
  let low = lower();
  let wasNearAnEnd = false;
  for (; round < MOST; round++) {
    const [left, right] = sorted(ends[0].length, ends[1].length);
    if ((right - left) * largest < toleranceChange) break;
    let length = cubicMinimum(ends[0], ends[1], left, right);
    // If it is near an end twice in a row, or at an end, it moves a tenth of the bracket away.
    const margin = 0.1 * (right - left);
    const isNearAnEnd = Math.min(right - length, length - left) < margin;
    const isMoved: boolean = isNearAnEnd && (wasNearAnEnd || length >= right || length <= left);
    if (isMoved) length = right - length < length - left ? right - margin : left + margin;
    wasNearAnEnd = isNearAnEnd && !isMoved;

    const found = evaluate(length);
    const high = low === 0 ? 1 : 0;
    if (!isEnough(found) || found.point.loss >= ends[low].point.loss) {
      ends[high] = found;
      low = lower();
    } else {
      if (isFlat(found)) return { ...found, evaluations: round + 2 };
      if (found.point.slope * (ends[high].length - ends[low].length) >= 0) ends[high] = ends[low];
      ends[low] = found;
    }
  }
  return { ...ends[low], evaluations: round + 1 };
}

const sorted = (a: number, b: number): readonly [number, number] => (a <= b ? [a, b] : [b, a]);

/** The minimum of the cubic through two points and their slopes, clamped between two lengths; their middle if there is none. */
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
