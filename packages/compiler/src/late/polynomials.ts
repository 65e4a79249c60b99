/** The values of the free sizes of a program, on which all its other numbers depend. */
export type Point = readonly number[];

/**
 * Numbers as polynomials of free sizes, of degree 2 at most: c + Σ cᵢ·tᵢ + Σ cᵢᵢ·tᵢ(tᵢ−1)/2 + Σ cᵢⱼ·tᵢ·tⱼ at tᵢ steps from an origin. The
 * coefficients are differences of the values at the points of `samplesAround`. So they are integers where the values are, and a common factor
 * of the values there divides every value.
 */
export interface Polynomials {
  readonly origin: Point;
  /** The values at the origin. */
  readonly first: readonly number[];
  /** The values that are not the same everywhere: one factor for each of `termsAt`. */
  readonly varying: readonly { readonly place: number; readonly factors: readonly number[] }[];
}

/** What factors are multiplied by: the steps along each free size, then the products of each pair of them. */
export function termsAt(origin: Point, point: Point): number[] {
  const terms = point.map((size, k) => size - (origin[k] as number));
  for (let i = 0; i < point.length; i++)
    for (let j = i; j < point.length; j++) {
      const [a, b] = [terms[i] as number, terms[j] as number];
      terms.push(i === j ? (a * (a - 1)) / 2 : a * b);
    }
  return terms;
}

/** The points whose values give the coefficients: the origin, one step along each free size, and two along each pair. */
export function samplesAround(origin: Point): Point[] {
  const steps: number[][] = [[], ...origin.map((_, k) => [k])];
  for (let i = 0; i < origin.length; i++) for (let j = i; j < origin.length; j++) steps.push([i, j]);
  return steps.map((own) => {
    const point = [...origin];
    for (const k of own) (point[k] as number)++;
    return point;
  });
}

/** Through the values at the points of `samplesAround`. */
export function through(origin: Point, samples: readonly (readonly number[])[]): Polynomials {
  const [first, ...rest] = samples as [readonly number[], ...(readonly number[])[]];
  const count = origin.length;
  const varying = first.flatMap((value, place) => {
    const own = rest.map((sample) => sample[place] as number);
    if (own.every((other) => other === value)) return [];
    const factors = own.slice(0, count).map((other) => other - value);
    for (let i = 0; i < count; i++)
      for (let j = i; j < count; j++)
        factors.push(
          (own[factors.length] as number) - (factors[i] as number) - (factors[j] as number) - value,
        );
    return [{ place, factors }];
  });
  return { origin, first, varying };
}

/** The values at a point. */
export function numbersAt({ origin, first, varying }: Polynomials, point: Point): number[] {
  const numbers = first.slice();
  const terms = termsAt(origin, point);
  for (const { place, factors } of varying) {
    let value = first[place] as number;
    for (let k = 0; k < terms.length; k++) value += (factors[k] as number) * (terms[k] as number);
    numbers[place] = value;
  }
  return numbers;
}
