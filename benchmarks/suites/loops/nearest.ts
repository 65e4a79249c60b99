/** The arithmetic of examples/airports/great-circle.ts, rounded after every op. `out` takes positions, then distances. */
const { asin, cos, fround, min, sin, sqrt } = Math;

type Loop = (latitude: Float32Array, longitude: Float32Array, out: Float32Array) => Float32Array;

const DIAMETER = fround(2 * 6371.0088);
const DEGREE = fround(Math.PI / 180);

interface Positions {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

/** Half of each place's position on a sphere of radius 1. */
function halfPositions(latitude: Float32Array, longitude: Float32Array): Positions {
  const count = latitude.length;
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const z = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const up = fround(latitude[i]! * DEGREE);
    const east = fround(longitude[i]! * DEGREE);
    const equatorial = fround(fround(cos(up)) * 0.5);
    x[i] = equatorial * fround(cos(east));
    y[i] = equatorial * fround(sin(east));
    z[i] = fround(sin(up)) * 0.5;
  }
  return { x, y, z };
}

const haversine = (x: number, y: number, z: number): number =>
  fround(fround(fround(x * x) + fround(y * y)) + fround(z * z));

const kilometres = (least: number): number => fround(fround(asin(fround(sqrt(min(least, 1))))) * DIAMETER);

/** The inner loop leaves the place itself out by ending before it and starting again after it. */
const splitInTwo: Loop = (latitude, longitude, out) => {
  const { x, y, z } = halfPositions(latitude, longitude);
  const count = x.length;
  for (let i = 0; i < count; i++) {
    const xi = x[i]!;
    const yi = y[i]!;
    const zi = z[i]!;
    let least = Number.POSITIVE_INFINITY;
    let at = 0;
    for (let j = 0; j < i; j++) {
      const h = haversine(fround(xi - x[j]!), fround(yi - y[j]!), fround(zi - z[j]!));
      if (h < least) {
        least = h;
        at = j;
      }
    }
    for (let j = i + 1; j < count; j++) {
      const h = haversine(fround(xi - x[j]!), fround(yi - y[j]!), fround(zi - z[j]!));
      if (h < least) {
        least = h;
        at = j;
      }
    }
    out[i] = at;
    out[count + i] = kilometres(least);
  }
  return out;
};

/** Four pairs are computed before the first is compared. */
const fourAtATime: Loop = (latitude, longitude, out) => {
  const { x, y, z } = halfPositions(latitude, longitude);
  const count = x.length;
  for (let i = 0; i < count; i++) {
    const xi = x[i]!;
    const yi = y[i]!;
    const zi = z[i]!;
    let least = Number.POSITIVE_INFINITY;
    let at = 0;
    let j = 0;
    for (; j < count - 3; j += 4) {
      const h0 = haversine(fround(xi - x[j]!), fround(yi - y[j]!), fround(zi - z[j]!));
      const h1 = haversine(fround(xi - x[j + 1]!), fround(yi - y[j + 1]!), fround(zi - z[j + 1]!));
      const h2 = haversine(fround(xi - x[j + 2]!), fround(yi - y[j + 2]!), fround(zi - z[j + 2]!));
      const h3 = haversine(fround(xi - x[j + 3]!), fround(yi - y[j + 3]!), fround(zi - z[j + 3]!));
      if (h0 < least && j !== i) {
        least = h0;
        at = j;
      }
      if (h1 < least && j + 1 !== i) {
        least = h1;
        at = j + 1;
      }
      if (h2 < least && j + 2 !== i) {
        least = h2;
        at = j + 2;
      }
      if (h3 < least && j + 3 !== i) {
        least = h3;
        at = j + 3;
      }
    }
    for (; j < count; j++) {
      const h = haversine(fround(xi - x[j]!), fround(yi - y[j]!), fround(zi - z[j]!));
      if (h < least && j !== i) {
        least = h;
        at = j;
      }
    }
    out[i] = at;
    out[count + i] = kilometres(least);
  }
  return out;
};

export const nearestLoops = { "split in two": splitInTwo, "four at a time": fourAtATime };
