/** Float32 squares, summed in float64. The lanes are those that hand-tuned sums use: one addition need not wait for another. */
const { fround } = Math;

type Loop = (a: Float32Array, b: Float32Array, width: number, out: Float32Array) => Float32Array;

const square = (a: number, b: number): number => {
  const difference = fround(a - b);
  return fround(difference * difference);
};

function sum(a: Float32Array, b: Float32Array, from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += square(a[i]!, b[i]!);
  return total;
}

function sumBy4(a: Float32Array, b: Float32Array, from: number, to: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = from;
  for (; i < to - 3; i += 4) {
    s0 += square(a[i]!, b[i]!);
    s1 += square(a[i + 1]!, b[i + 1]!);
    s2 += square(a[i + 2]!, b[i + 2]!);
    s3 += square(a[i + 3]!, b[i + 3]!);
  }
  for (; i < to; i++) s0 += square(a[i]!, b[i]!);
  return s0 + s1 + (s2 + s3);
}

function sumBy8(a: Float32Array, b: Float32Array, from: number, to: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  let i = from;
  for (; i < to - 7; i += 8) {
    s0 += square(a[i]!, b[i]!);
    s1 += square(a[i + 1]!, b[i + 1]!);
    s2 += square(a[i + 2]!, b[i + 2]!);
    s3 += square(a[i + 3]!, b[i + 3]!);
    s4 += square(a[i + 4]!, b[i + 4]!);
    s5 += square(a[i + 5]!, b[i + 5]!);
    s6 += square(a[i + 6]!, b[i + 6]!);
    s7 += square(a[i + 7]!, b[i + 7]!);
  }
  for (; i < to; i++) s0 += square(a[i]!, b[i]!);
  return s0 + s1 + (s2 + s3) + (s4 + s5 + (s6 + s7));
}

type Range = typeof sum;

const total =
  (range: Range): Loop =>
  (a, b, _width, out) => {
    out[0] = range(a, b, 0, a.length);
    return out;
  };

const eachRow =
  (range: Range): Loop =>
  (a, b, width, out) => {
    for (let row = 0; row < out.length; row++) out[row] = range(a, b, row * width, (row + 1) * width);
    return out;
  };

/** Row after row into a row of sums. */
const columnsByRow: Loop = (a, b, width, out) => {
  const sums = new Float64Array(width);
  for (let start = 0; start < a.length; start += width) {
    for (let j = 0; j < width; j++) sums[j]! += square(a[start + j]!, b[start + j]!);
  }
  out.set(sums);
  return out;
};

/** Four rows at a time, so that the row of sums is read and written a quarter as often. */
const columnsBy4Rows: Loop = (a, b, width, out) => {
  const sums = new Float64Array(width);
  let start = 0;
  for (; start + 4 * width <= a.length; start += 4 * width) {
    for (let j = 0; j < width; j++) {
      const i = start + j;
      let total = sums[j]!;
      total += square(a[i]!, b[i]!);
      total += square(a[i + width]!, b[i + width]!);
      total += square(a[i + 2 * width]!, b[i + 2 * width]!);
      total += square(a[i + 3 * width]!, b[i + 3 * width]!);
      sums[j] = total;
    }
  }
  for (; start < a.length; start += width) {
    for (let j = 0; j < width; j++) sums[j]! += square(a[start + j]!, b[start + j]!);
  }
  out.set(sums);
  return out;
};

/** Column after column, against the grain of memory. */
const columnsByColumn: Loop = (a, b, width, out) => {
  for (let j = 0; j < width; j++) {
    let total = 0;
    for (let i = j; i < a.length; i += width) total += square(a[i]!, b[i]!);
    out[j] = total;
  }
  return out;
};

export const totalLoops = { "simple loop": total(sum), "4 lanes": total(sumBy4), "8 lanes": total(sumBy8) };
export const rowSumLoops = {
  "simple loop": eachRow(sum),
  "4 lanes": eachRow(sumBy4),
  "8 lanes": eachRow(sumBy8),
};
export const columnSumLoops = {
  "row after row": columnsByRow,
  "4 rows at a time": columnsBy4Rows,
  "column after column": columnsByColumn,
};
