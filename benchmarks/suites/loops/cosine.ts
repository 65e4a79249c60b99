/** a·b / (|a|·|b|) of rows, lengths not below 1e-8. Sums are float64, rounded to float32. */
const { fround, max, sqrt } = Math;

type Loop = (a: Float32Array, b: Float32Array, width: number, out: Float32Array) => Float32Array;

const EPSILON = fround(1e-8);

const lengthOf = (squares: number): number => max(fround(sqrt(fround(squares))), EPSILON);

/** Rows are divided by their lengths before they are multiplied, as PyTorch does. */
const simple: Loop = (a, b, width, out) => {
  for (let row = 0; row < out.length; row++) {
    const [from, to] = [row * width, (row + 1) * width];
    let aa = 0;
    let bb = 0;
    for (let i = from; i < to; i++) {
      aa += fround(a[i]! * a[i]!);
      bb += fround(b[i]! * b[i]!);
    }
    const p = lengthOf(aa);
    const q = lengthOf(bb);
    let dot = 0;
    for (let i = from; i < to; i++) dot += fround(fround(a[i]! / p) * fround(b[i]! / q));
    out[row] = dot;
  }
  return out;
};

/** Four lanes of each sum. The width is a multiple of 4. */
const by4: Loop = (a, b, width, out) => {
  for (let row = 0; row < out.length; row++) {
    const [from, to] = [row * width, (row + 1) * width];
    let [aa0, aa1, aa2, aa3] = [0, 0, 0, 0];
    let [bb0, bb1, bb2, bb3] = [0, 0, 0, 0];
    for (let i = from; i < to; i += 4) {
      aa0 += fround(a[i]! * a[i]!);
      aa1 += fround(a[i + 1]! * a[i + 1]!);
      aa2 += fround(a[i + 2]! * a[i + 2]!);
      aa3 += fround(a[i + 3]! * a[i + 3]!);
      bb0 += fround(b[i]! * b[i]!);
      bb1 += fround(b[i + 1]! * b[i + 1]!);
      bb2 += fround(b[i + 2]! * b[i + 2]!);
      bb3 += fround(b[i + 3]! * b[i + 3]!);
    }
    const p = lengthOf(aa0 + aa1 + (aa2 + aa3));
    const q = lengthOf(bb0 + bb1 + (bb2 + bb3));
    let [d0, d1, d2, d3] = [0, 0, 0, 0];
    for (let i = from; i < to; i += 4) {
      d0 += fround(fround(a[i]! / p) * fround(b[i]! / q));
      d1 += fround(fround(a[i + 1]! / p) * fround(b[i + 1]! / q));
      d2 += fround(fround(a[i + 2]! / p) * fround(b[i + 2]! / q));
      d3 += fround(fround(a[i + 3]! / p) * fround(b[i + 3]! / q));
    }
    out[row] = d0 + d1 + (d2 + d3);
  }
  return out;
};

/** Other arithmetic: the product of the rows is divided by the lengths, so one walk is enough. The width is even. */
export const cosineInOneWalk: Loop = (a, b, width, out) => {
  for (let row = 0; row < out.length; row++) {
    let [dot0, aa0, bb0, dot1, aa1, bb1] = [0, 0, 0, 0, 0, 0];
    for (let i = row * width; i < (row + 1) * width; i += 2) {
      const x0 = a[i]!;
      const y0 = b[i]!;
      const x1 = a[i + 1]!;
      const y1 = b[i + 1]!;
      dot0 += fround(x0 * y0);
      aa0 += fround(x0 * x0);
      bb0 += fround(y0 * y0);
      dot1 += fround(x1 * y1);
      aa1 += fround(x1 * x1);
      bb1 += fround(y1 * y1);
    }
    out[row] = fround(dot0 + dot1) / fround(lengthOf(aa0 + aa1) * lengthOf(bb0 + bb1));
  }
  return out;
};

export const cosineLoops = { "simple loops": simple, "4 lanes": by4 };
