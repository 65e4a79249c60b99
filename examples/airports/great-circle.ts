/** Great-circle distances between places on a sphere: as one lazy expression, and as loops written by hand. */
import { arange, eye, type Tensor, where } from "fuseau";

/** Twice the mean radius of the Earth, in kilometres (IUGG). */
const DIAMETER = 2 * 6371.0088;

export type Degrees = Tensor<[number], "float32">;
export type Square = Tensor<[number, number], "float32">;

export interface Places {
  readonly latitude: Degrees;
  readonly longitude: Degrees;
}

export interface Nearest {
  readonly index: Tensor<[number], "int64">;
  /** Kilometres. */
  readonly distance: Tensor<[number], "float32">;
}

/**
 * The haversine of the angle between every two places: the square of half the chord between them, on a sphere of radius 1.
 * Sines and cosines belong to a place, not to a pair: 4 N of them, none of N².
 */
export function haversines({ latitude, longitude }: Places): Square {
  const up = latitude.deg2rad();
  const east = longitude.deg2rad();
  const z = up.sin().mul(0.5);
  const equatorial = up.cos().mul(0.5);
  const x = equatorial.mul(east.cos());
  const y = equatorial.mul(east.sin());
  return squaredDifferences(x).add(squaredDifferences(y)).add(squaredDifferences(z));
}

/** [N, 1] against [1, N] → [N, N] */
const squaredDifferences = (halves: Degrees): Square => halves.unsqueeze(1).sub(halves.unsqueeze(0)).square();

/** Rounding can carry the haversine of opposite places past 1, where the arcsine ends. */
const kilometres = <S extends number[]>(haversine: Tensor<S, "float32">) =>
  haversine.clampMax(1).sqrt().asin().mul(DIAMETER);

/** The distance between every two places, in kilometres. */
export const distances = (places: Places): Square => kilometres(haversines(places));

/** The nearest other place of each. Distance grows with the haversine, so only the least haversine is made a distance. */
export function nearest(places: Places): Nearest {
  const count = places.latitude.shape[0];
  const itself = eye(count, { dtype: "bool" });
  const { values, indices } = where(itself, Number.POSITIVE_INFINITY, haversines(places)).min(1);
  return { index: indices, distance: kilometres(values) };
}

/**
 * The mean distance between two different places of one group, for each of `groups` groups; NaN for a group of one.
 * `group` numbers the group of each place; a place numbered -1 is left out.
 */
export function meanWithinGroups(
  places: Places,
  group: Tensor<[number], "int32">,
  groups: number,
): Tensor<[number], "float32"> {
  const together = group.unsqueeze(1).eq(group.unsqueeze(0));
  const toOthers = where(together, distances(places), 0).sum(1);
  const member = arange(groups, { dtype: "int32" }).unsqueeze(1).eq(group);
  const members = member.sum(1, { dtype: "float32" });
  return where(member, toOthers, 0)
    .sum(1)
    .div(members.mul(members.sub(1)));
}

export interface NearestArrays {
  readonly index: Int32Array;
  /** Kilometres. */
  readonly distance: Float32Array;
}

/** What {@link nearest} computes, in the same float32 arithmetic, as one would write it by hand for speed. */
export function nearestByHand(latitude: Float32Array, longitude: Float32Array): NearestArrays {
  const count = latitude.length;
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const z = new Float32Array(count);
  halvePositions(latitude, longitude, x, y, z);
  const index = new Int32Array(count);
  const distance = new Float32Array(count);
  searchNearest(x, y, z, index, distance);
  return { index, distance };
}

const { fround } = Math;
const DIAMETER_32 = fround(DIAMETER);
const DEGREE_32 = fround(Math.PI / 180);

function halvePositions(
  latitude: Float32Array,
  longitude: Float32Array,
  x: Float32Array,
  y: Float32Array,
  z: Float32Array,
): void {
  for (let i = 0; i < latitude.length; i++) {
    const up = fround(latitude[i]! * DEGREE_32);
    const east = fround(longitude[i]! * DEGREE_32);
    const equatorial = fround(fround(Math.cos(up)) * 0.5);
    x[i] = equatorial * fround(Math.cos(east));
    y[i] = equatorial * fround(Math.sin(east));
    z[i] = fround(Math.sin(up)) * 0.5;
  }
}

function searchNearest(
  x: Float32Array,
  y: Float32Array,
  z: Float32Array,
  index: Int32Array,
  distance: Float32Array,
): void {
  const count = x.length;
  for (let i = 0; i < count; i++) {
    const xi = x[i]!;
    const yi = y[i]!;
    const zi = z[i]!;
    let least = Number.POSITIVE_INFINITY;
    let at = 0;
    for (let j = 0; j < count; j++) {
      const dx = fround(xi - x[j]!);
      const dy = fround(yi - y[j]!);
      const dz = fround(zi - z[j]!);
      const haversine = fround(fround(fround(dx * dx) + fround(dy * dy)) + fround(dz * dz));
      if (haversine < least && j !== i) {
        least = haversine;
        at = j;
      }
    }
    index[i] = at;
    distance[i] = fround(Math.asin(fround(Math.sqrt(Math.min(least, 1))))) * DIAMETER_32;
  }
}
