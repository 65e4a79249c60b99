/**
 * Numbers as polynomials of one size, each of degree 2 at most: c₀ + c₁·t + c₂·t(t−1)/2 at t steps from an origin. The coefficients are
 * differences of what the numbers are at three sizes one after another, so they are integers where the numbers are, and a factor
 * that all three numbers have every number has.
 */
export interface Polynomials {
  readonly origin: number;
  /** What they are at the origin. */
  readonly first: readonly number[];
  /** Those that are not the same everywhere. */
  readonly varying: readonly {
    readonly place: number;
    readonly slope: number;
    readonly bend: number;
  }[];
}

/** Through what they are at `origin` and the next two. */
export function through(
  origin: number,
  [first, second, third]: readonly [readonly number[], readonly number[], readonly number[]],
): Polynomials {
  const varying = first.flatMap((value, place) => {
    const slope = (second[place] as number) - value;
    const bend = (third[place] as number) - (second[place] as number) - slope;
    return slope === 0 && bend === 0 ? [] : [{ place, slope, bend }];
  });
  return { origin, first, varying };
}

/** What they are at a size. */
export function numbersAt({ origin, first, varying }: Polynomials, size: number): number[] {
  const numbers = first.slice();
  const steps = size - origin;
  const pairs = (steps * (steps - 1)) / 2;
  for (const { place, slope, bend } of varying)
    numbers[place] = (first[place] as number) + slope * steps + bend * pairs;
  return numbers;
}
