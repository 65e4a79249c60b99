/**
 * Numbers as polynomials of one size, of degree 2 at most: c₀ + c₁·t + c₂·t(t−1)/2 at t steps from an origin. The coefficients are
 * differences of the values at three consecutive sizes. So they are integers where the values are, and a common factor of the three
 * values divides every value.
 */
export interface Polynomials {
  readonly origin: number;
  /** The values at the origin. */
  readonly first: readonly number[];
  /** The values that are not the same at all sizes. */
  readonly varying: readonly {
    readonly place: number;
    readonly slope: number;
    readonly bend: number;
  }[];
}

/** Through the values at `origin` and the next two sizes. */
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

/** The values at a size. */
export function numbersAt({ origin, first, varying }: Polynomials, size: number): number[] {
  const numbers = first.slice();
  const steps = size - origin;
  const pairs = (steps * (steps - 1)) / 2;
  for (const { place, slope, bend } of varying)
    numbers[place] = (first[place] as number) + slope * steps + bend * pairs;
  return numbers;
}
