/** Plain sums, in float64. Lanes let one addition not wait for another. */
const { fround } = Math;

type Loop = (x: Float32Array, width: number, out: Float32Array) => Float32Array;

function sum(x: Float32Array, from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += x[i]!;
  return total;
}

/** The length is a multiple of 4. */
function sumBy4(x: Float32Array, from: number, to: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = from; i < to; i += 4) {
    s0 += x[i]!;
    s1 += x[i + 1]!;
    s2 += x[i + 2]!;
    s3 += x[i + 3]!;
  }
  return s0 + s1 + (s2 + s3);
}

/** The length is a multiple of 8. */
function sumBy8(x: Float32Array, from: number, to: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let i = from; i < to; i += 8) {
    s0 += x[i]!;
    s1 += x[i + 1]!;
    s2 += x[i + 2]!;
    s3 += x[i + 3]!;
    s4 += x[i + 4]!;
    s5 += x[i + 5]!;
    s6 += x[i + 6]!;
    s7 += x[i + 7]!;
  }
  return s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7));
}

type Range = typeof sum;

const total =
  (range: Range): Loop =>
  (x, _width, out) => {
    out[0] = range(x, 0, x.length);
    return out;
  };

const eachRow =
  (range: Range): Loop =>
  (x, width, out) => {
    for (let row = 0; row < out.length; row++) out[row] = range(x, row * width, (row + 1) * width);
    return out;
  };

const columnsByRow: Loop = (x, width, out) => {
  const sums = new Float64Array(width);
  for (let start = 0; start < x.length; start += width) {
    for (let j = 0; j < width; j++) sums[j]! += x[start + j]!;
  }
  out.set(sums);
  return out;
};

/** Four rows at a time. The height is a multiple of 4. */
const columnsBy4Rows: Loop = (x, width, out) => {
  const sums = new Float64Array(width);
  for (let a = 0; a < x.length; a += 4 * width) {
    const b = a + width;
    const c = b + width;
    const d = c + width;
    for (let j = 0; j < width; j++) sums[j] = sums[j]! + x[a + j]! + x[b + j]! + x[c + j]! + x[d + j]!;
  }
  out.set(sums);
  return out;
};

/** The logarithm of the sum of exponentials, about the largest. */
const logSumExp =
  (range: (x: Float32Array, from: number, to: number, largest: number) => number): Loop =>
  (x, width, out) => {
    for (let row = 0; row < out.length; row++) {
      const from = row * width;
      let largest = -Infinity;
      for (let i = from; i < from + width; i++) if (x[i]! > largest) largest = x[i]!;
      out[row] = fround(Math.log(fround(range(x, from, from + width, largest)))) + largest;
    }
    return out;
  };

function sumOfExp(x: Float32Array, from: number, to: number, largest: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += fround(Math.exp(fround(x[i]! - largest)));
  return total;
}

/** The length is a multiple of 4. */
function sumOfExpBy4(x: Float32Array, from: number, to: number, largest: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = from; i < to; i += 4) {
    s0 += fround(Math.exp(fround(x[i]! - largest)));
    s1 += fround(Math.exp(fround(x[i + 1]! - largest)));
    s2 += fround(Math.exp(fround(x[i + 2]! - largest)));
    s3 += fround(Math.exp(fround(x[i + 3]! - largest)));
  }
  return s0 + s1 + (s2 + s3);
}

export const totalLoops = { "simple loop": total(sum), "4 lanes": total(sumBy4), "8 lanes": total(sumBy8) };
export const rowSumLoops = {
  "simple loop": eachRow(sum),
  "4 lanes": eachRow(sumBy4),
  "8 lanes": eachRow(sumBy8),
};
export const columnSumLoops = { "row after row": columnsByRow, "4 rows at a time": columnsBy4Rows };
export const logSumExpLoops = { "simple loops": logSumExp(sumOfExp), "4 lanes": logSumExp(sumOfExpBy4) };
