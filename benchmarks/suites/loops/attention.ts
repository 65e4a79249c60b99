/** softmax(q·kᵀ / √features)·v of several heads, a row of scores at a time. Products are summed in float64. */
const { exp, fround, sqrt } = Math;

type Loop = (
  query: Float32Array,
  key: Float32Array,
  value: Float32Array,
  [length, features]: readonly [number, number],
  out: Float32Array,
) => Float32Array;

/** Turns scores into weights. */
function soften(scores: Float32Array): void {
  let largest = -Infinity;
  for (let j = 0; j < scores.length; j++) if (scores[j]! > largest) largest = scores[j]!;
  let total = 0;
  for (let j = 0; j < scores.length; j++) {
    const e = fround(exp(fround(scores[j]! - largest)));
    scores[j] = e;
    total += e;
  }
  total = fround(total);
  for (let j = 0; j < scores.length; j++) scores[j] = fround(scores[j]! / total);
}

const simple: Loop = (query, key, value, [length, features], out) => {
  const scores = new Float32Array(length);
  const sums = new Float64Array(features);
  const scale = fround(1 / sqrt(features));
  for (let head = 0; head < query.length; head += length * features) {
    for (let q = head; q < head + length * features; q += features) {
      for (let j = 0; j < length; j++) {
        const k = head + j * features;
        let dot = 0;
        for (let f = 0; f < features; f++) dot += query[q + f]! * key[k + f]!;
        scores[j] = fround(dot) * scale;
      }
      soften(scores);
      sums.fill(0);
      for (let j = 0; j < length; j++) {
        const weight = scores[j]!;
        const v = head + j * features;
        for (let f = 0; f < features; f++) sums[f]! += weight * value[v + f]!;
      }
      out.set(sums, q);
    }
  }
  return out;
};

/** Four lanes in the dot products, four keys at a time in the sums. Both sizes are multiples of 4. */
const by4: Loop = (query, key, value, [length, features], out) => {
  const scores = new Float32Array(length);
  const sums = new Float64Array(features);
  const scale = fround(1 / sqrt(features));
  for (let head = 0; head < query.length; head += length * features) {
    for (let q = head; q < head + length * features; q += features) {
      for (let j = 0; j < length; j++) {
        const k = head + j * features;
        let d0 = 0;
        let d1 = 0;
        let d2 = 0;
        let d3 = 0;
        for (let f = 0; f < features; f += 4) {
          d0 += query[q + f]! * key[k + f]!;
          d1 += query[q + f + 1]! * key[k + f + 1]!;
          d2 += query[q + f + 2]! * key[k + f + 2]!;
          d3 += query[q + f + 3]! * key[k + f + 3]!;
        }
        scores[j] = fround(d0 + d1 + (d2 + d3)) * scale;
      }
      soften(scores);
      sums.fill(0);
      for (let j = 0; j < length; j += 4) {
        const a = head + j * features;
        const b = a + features;
        const c = b + features;
        const d = c + features;
        const w0 = scores[j]!;
        const w1 = scores[j + 1]!;
        const w2 = scores[j + 2]!;
        const w3 = scores[j + 3]!;
        for (let f = 0; f < features; f++) {
          sums[f] =
            sums[f]! + w0 * value[a + f]! + w1 * value[b + f]! + w2 * value[c + f]! + w3 * value[d + f]!;
        }
      }
      out.set(sums, q);
    }
  }
  return out;
};

export const attentionLoops = { "simple loops": simple, "4 lanes": by4 };
