/** The nearest centre of each point. Differences and squares are float32, their sums float64 and rounded. */
const { fround } = Math;

type Loop = (points: Float32Array, centres: Float32Array, features: number, out: Int32Array) => Int32Array;

const squareOf = (a: number, b: number): number => {
  const difference = fround(a - b);
  return fround(difference * difference);
};

const simple: Loop = (points, centres, features, out) => {
  for (let k = 0; k < out.length; k++) {
    let nearest = 0;
    let least = Infinity;
    for (let c = 0; c * features < centres.length; c++) {
      let sum = 0;
      for (let j = 0; j < features; j++)
        sum += squareOf(points[k * features + j]!, centres[c * features + j]!);
      const distance = fround(sum);
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    out[k] = nearest;
  }
  return out;
};

/** For 8 features: the point in registers, the sum a tree. */
const unrolled: Loop = (points, centres, _features, out) => {
  for (let k = 0; k < out.length; k++) {
    const at = 8 * k;
    const p0 = points[at]!;
    const p1 = points[at + 1]!;
    const p2 = points[at + 2]!;
    const p3 = points[at + 3]!;
    const p4 = points[at + 4]!;
    const p5 = points[at + 5]!;
    const p6 = points[at + 6]!;
    const p7 = points[at + 7]!;
    let nearest = 0;
    let least = Infinity;
    for (let c = 0; c < centres.length; c += 8) {
      const low =
        squareOf(p0, centres[c]!) +
        squareOf(p1, centres[c + 1]!) +
        (squareOf(p2, centres[c + 2]!) + squareOf(p3, centres[c + 3]!));
      const high =
        squareOf(p4, centres[c + 4]!) +
        squareOf(p5, centres[c + 5]!) +
        (squareOf(p6, centres[c + 6]!) + squareOf(p7, centres[c + 7]!));
      const distance = fround(low + high);
      if (distance < least) {
        least = distance;
        nearest = c;
      }
    }
    out[k] = nearest >> 3;
  }
  return out;
};

export const kMeansLoops = { "simple loops": simple, "8 features unrolled": unrolled };
