const { fround } = Math;

type Loop = (
  a: Float32Array,
  b: Float32Array,
  points: number,
  features: number,
  out: Float32Array,
) => Float32Array;

const square = (a: number, b: number): number => {
  const difference = fround(a - b);
  return fround(difference * difference);
};

const simple: Loop = (a, b, points, features, out) => {
  for (let i = 0; i < points; i++) {
    for (let j = 0; j < points; j++) {
      let total = 0;
      for (let k = 0; k < features; k++) total += square(a[i * features + k]!, b[j * features + k]!);
      out[i * points + j] = total;
    }
  }
  return out;
};

/** Four lanes; the features must be a multiple of 4. */
const by4: Loop = (a, b, points, features, out) => {
  let at = 0;
  for (let i = 0; i < points; i++) {
    const own = i * features;
    for (let j = 0; j < points; j++) {
      const other = j * features;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let k = 0; k < features; k += 4) {
        s0 += square(a[own + k]!, b[other + k]!);
        s1 += square(a[own + k + 1]!, b[other + k + 1]!);
        s2 += square(a[own + k + 2]!, b[other + k + 2]!);
        s3 += square(a[own + k + 3]!, b[other + k + 3]!);
      }
      out[at++] = s0 + s1 + (s2 + s3);
    }
  }
  return out;
};

/** Eight lanes; the features must be a multiple of 8. */
const by8: Loop = (a, b, points, features, out) => {
  let at = 0;
  for (let i = 0; i < points; i++) {
    const own = i * features;
    for (let j = 0; j < points; j++) {
      const other = j * features;
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      let s4 = 0;
      let s5 = 0;
      let s6 = 0;
      let s7 = 0;
      for (let k = 0; k < features; k += 8) {
        s0 += square(a[own + k]!, b[other + k]!);
        s1 += square(a[own + k + 1]!, b[other + k + 1]!);
        s2 += square(a[own + k + 2]!, b[other + k + 2]!);
        s3 += square(a[own + k + 3]!, b[other + k + 3]!);
        s4 += square(a[own + k + 4]!, b[other + k + 4]!);
        s5 += square(a[own + k + 5]!, b[other + k + 5]!);
        s6 += square(a[own + k + 6]!, b[other + k + 6]!);
        s7 += square(a[own + k + 7]!, b[other + k + 7]!);
      }
      out[at++] = s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7));
    }
  }
  return out;
};

export const pairwiseLoops = { "simple loop": simple, "4 lanes": by4, "8 lanes": by8 };
