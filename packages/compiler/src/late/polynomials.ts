/** The values of the free sizes of a program, on which all its other numbers depend. */
export type Point = readonly number[];

/**
 * Numbers as polynomials of free sizes, of degree 2 at most: c + Σ cᵢ·tᵢ + Σ cᵢᵢ·tᵢ(tᵢ−1)/2 + Σ cᵢⱼ·tᵢ·tⱼ at tᵢ steps from an origin. The
 * coefficients are differences of the values at the points of `samplesAround`. So they are integers where the values are, and a common factor
 * of the values there divides every value. Some are products of such a polynomial and free sizes, as the number of cells of b × n × n is.
 */
export interface Polynomials {
  readonly origin: Point;
  /** The values at the origin. */
  readonly first: readonly number[];
  /** The values that are not the same everywhere. */
  readonly varying: readonly Varying[];
}

export interface Varying extends Product {
  readonly place: number;
}

export interface Product {
  /** The polynomial at the origin, and a factor for each of `termsAt`. */
  readonly base: number;
  readonly factors: readonly number[];
  /** The free sizes that it is multiplied by; one may be there twice. */
  readonly times: readonly number[];
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

/** Through the values at the points of `samplesAround`, as polynomials. */
export const through = (origin: Point, samples: readonly (readonly number[])[]): Polynomials =>
  throughEach(origin, samples, (place, values) => ({ place, times: [], ...coefficients(origin, values) }));

/** The same, where what free sizes divide at each of these points may be a product of them and a polynomial. */
export const throughProducts = (origin: Point, samples: readonly (readonly number[])[]): Polynomials =>
  throughEach(origin, samples, (place, values) => ({ place, ...productAt(origin, values) }));

/** Of values at the points of `samplesAround`: a polynomial, or if that would be of a higher degree, a product. */
export function productAt(origin: Point, values: readonly number[]): Product {
  const { times, quotients } = dividedBySizes(samplesAround(origin), values);
  const rest = coefficients(origin, quotients);
  const isProduct = times.length + degreeOf(rest, origin.length) > 2;
  return isProduct ? { times, ...rest } : { times: [], ...coefficients(origin, values) };
}

function throughEach(
  origin: Point,
  samples: readonly (readonly number[])[],
  varyingAt: (place: number, values: readonly number[]) => Varying,
): Polynomials {
  const first = samples[0] as readonly number[];
  const varying = first.flatMap((value, place) => {
    const values = samples.map((sample) => sample[place] as number);
    return values.every((other) => other === value) ? [] : [varyingAt(place, values)];
  });
  return { origin, first, varying };
}

/** No number is divided by more free sizes. Tensors have few axes. */
const MOST_TIMES = 4;

/** Values at points, divided by free sizes as often as all can be. */
function dividedBySizes(
  points: readonly Point[],
  values: readonly number[],
): { readonly times: readonly number[]; readonly quotients: readonly number[] } {
  const times: number[] = [];
  let quotients = values;
  (points[0] as Point).forEach((_, axis) => {
    for (
      let next = dividedBy(points, quotients, axis);
      next !== null && times.length < MOST_TIMES;
      next = dividedBy(points, quotients, axis)
    ) {
      times.push(axis);
      quotients = next;
    }
  });
  return { times, quotients };
}

/** Values at points, divided by a free size; null unless it divides all, and is never 0 or 1. */
export function dividedBy(
  points: readonly Point[],
  values: readonly number[],
  axis: number,
): readonly number[] | null {
  const quotients = values.map((value, k) => value / (points[k] as Point)[axis]!);
  return quotients.every((one, k) => Number.isInteger(one) && (points[k] as Point)[axis]! > 1)
    ? quotients
    : null;
}

/** Of the polynomial through values at the points of `samplesAround`. */
function coefficients(origin: Point, values: readonly number[]): Pick<Product, "base" | "factors"> {
  const [base, ...own] = values as [number, ...number[]];
  const count = origin.length;
  const factors = own.slice(0, count).map((other) => other - base);
  for (let i = 0; i < count; i++)
    for (let j = i; j < count; j++)
      factors.push((own[factors.length] as number) - (factors[i] as number) - (factors[j] as number) - base);
  return { base, factors };
}

/** 0, 1 or 2: the terms of degree 1 come first. */
const degreeOf = ({ factors }: Pick<Product, "factors">, count: number): number =>
  factors.slice(count).some((factor) => factor !== 0) ? 2 : factors.some((factor) => factor !== 0) ? 1 : 0;

/** A polynomial, given what its factors are multiplied by. */
export function valueAt(base: number, factors: readonly number[], terms: readonly number[]): number {
  let value = base;
  for (let k = 0; k < terms.length; k++) value += (factors[k] as number) * (terms[k] as number);
  return value;
}

/** The values at a point. */
export function numbersAt({ origin, first, varying }: Polynomials, point: Point): number[] {
  const numbers = first.slice();
  const terms = termsAt(origin, point);
  for (const { place, base, factors, times } of varying) {
    let value = valueAt(base, factors, terms);
    for (let k = 0; k < times.length; k++) value *= point[times[k] as number] as number;
    numbers[place] = value;
  }
  return numbers;
}
