/** `(a * b + c) * d - a` by hand, float32: every op is rounded, as PyTorch and fuseau do. */
const { fround } = Math;

/** V8 inlines it. */
const chain = (a: number, b: number, c: number, d: number): number =>
  fround(fround(fround(fround(a * b) + c) * d) - a);

type FlatChain = (
  a: Float32Array,
  b: Float32Array,
  c: Float32Array,
  d: Float32Array,
  out: Float32Array,
) => Float32Array;

const flat: FlatChain = (a, b, c, d, out) => {
  for (let i = 0; i < out.length; i++) out[i] = chain(a[i]!, b[i]!, c[i]!, d[i]!);
  return out;
};

const flatBy4: FlatChain = (a, b, c, d, out) => {
  const { length } = out;
  let i = 0;
  for (; i < length - 3; i += 4) {
    out[i] = chain(a[i]!, b[i]!, c[i]!, d[i]!);
    out[i + 1] = chain(a[i + 1]!, b[i + 1]!, c[i + 1]!, d[i + 1]!);
    out[i + 2] = chain(a[i + 2]!, b[i + 2]!, c[i + 2]!, d[i + 2]!);
    out[i + 3] = chain(a[i + 3]!, b[i + 3]!, c[i + 3]!, d[i + 3]!);
  }
  for (; i < length; i++) out[i] = chain(a[i]!, b[i]!, c[i]!, d[i]!);
  return out;
};

/** All of one shape. */
export const flatChainLoops = { "simple loop": flat, "unrolled by 4": flatBy4 };

/** With an output made anew in each call, as fuseau's is when it is small. */
export const flatChainFresh = (
  a: Float32Array,
  b: Float32Array,
  c: Float32Array,
  d: Float32Array,
): Float32Array => flat(a, b, c, d, new Float32Array(a.length));

type RowChain = (
  a: Float32Array,
  b: Float32Array,
  c: Float32Array,
  d: Float32Array,
  height: number,
  width: number,
  out: Float32Array,
) => Float32Array;

const rows: RowChain = (a, b, c, d, height, width, out) => {
  for (let row = 0; row < height; row++) {
    for (let j = 0; j < width; j++) {
      const i = row * width + j;
      out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
    }
  }
  return out;
};

const rowsRunning: RowChain = (a, b, c, d, height, width, out) => {
  let i = 0;
  for (let row = 0; row < height; row++) {
    for (let j = 0; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
  }
  return out;
};

const rowsBy4: RowChain = (a, b, c, d, height, width, out) => {
  let i = 0;
  for (let row = 0; row < height; row++) {
    let j = 0;
    for (; j < width - 3; j += 4, i += 4) {
      out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
      out[i + 1] = chain(a[i + 1]!, b[i + 1]!, c[j + 1]!, d[j + 1]!);
      out[i + 2] = chain(a[i + 2]!, b[i + 2]!, c[j + 2]!, d[j + 2]!);
      out[i + 3] = chain(a[i + 3]!, b[i + 3]!, c[j + 3]!, d[j + 3]!);
    }
    for (; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
  }
  return out;
};

const rowsBy8: RowChain = (a, b, c, d, height, width, out) => {
  let i = 0;
  for (let row = 0; row < height; row++) {
    let j = 0;
    for (; j < width - 7; j += 8, i += 8) {
      out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
      out[i + 1] = chain(a[i + 1]!, b[i + 1]!, c[j + 1]!, d[j + 1]!);
      out[i + 2] = chain(a[i + 2]!, b[i + 2]!, c[j + 2]!, d[j + 2]!);
      out[i + 3] = chain(a[i + 3]!, b[i + 3]!, c[j + 3]!, d[j + 3]!);
      out[i + 4] = chain(a[i + 4]!, b[i + 4]!, c[j + 4]!, d[j + 4]!);
      out[i + 5] = chain(a[i + 5]!, b[i + 5]!, c[j + 5]!, d[j + 5]!);
      out[i + 6] = chain(a[i + 6]!, b[i + 6]!, c[j + 6]!, d[j + 6]!);
      out[i + 7] = chain(a[i + 7]!, b[i + 7]!, c[j + 7]!, d[j + 7]!);
    }
    for (; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
  }
  return out;
};

/** Op by op over several elements, so that their chains run in each other's shadow. */
const rowsSideBySide4: RowChain = (a, b, c, d, height, width, out) => {
  let i = 0;
  for (let row = 0; row < height; row++) {
    let j = 0;
    for (; j < width - 3; j += 4, i += 4) {
      const a0 = a[i]!;
      const a1 = a[i + 1]!;
      const a2 = a[i + 2]!;
      const a3 = a[i + 3]!;
      const p0 = fround(a0 * b[i]!);
      const p1 = fround(a1 * b[i + 1]!);
      const p2 = fround(a2 * b[i + 2]!);
      const p3 = fround(a3 * b[i + 3]!);
      const s0 = fround(p0 + c[j]!);
      const s1 = fround(p1 + c[j + 1]!);
      const s2 = fround(p2 + c[j + 2]!);
      const s3 = fround(p3 + c[j + 3]!);
      const q0 = fround(s0 * d[j]!);
      const q1 = fround(s1 * d[j + 1]!);
      const q2 = fround(s2 * d[j + 2]!);
      const q3 = fround(s3 * d[j + 3]!);
      out[i] = fround(q0 - a0);
      out[i + 1] = fround(q1 - a1);
      out[i + 2] = fround(q2 - a2);
      out[i + 3] = fround(q3 - a3);
    }
    for (; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, c[j]!, d[j]!);
  }
  return out;
};

/** `| 0` tells V8 that an index does not overflow, and saves it a test for each; fuseau's emitter does so too. */
const rowsSideBySide8: RowChain = (a, b, c, d, height, width, out) => {
  for (let row = 0; row < height; row++) {
    const start = row * width;
    let j = 0;
    for (; j < width - 7; j += 8) {
      const i = (start + j) | 0;
      const a0 = a[i]!;
      const a1 = a[(i + 1) | 0]!;
      const a2 = a[(i + 2) | 0]!;
      const a3 = a[(i + 3) | 0]!;
      const a4 = a[(i + 4) | 0]!;
      const a5 = a[(i + 5) | 0]!;
      const a6 = a[(i + 6) | 0]!;
      const a7 = a[(i + 7) | 0]!;
      const p0 = fround(a0 * b[i]!);
      const p1 = fround(a1 * b[(i + 1) | 0]!);
      const p2 = fround(a2 * b[(i + 2) | 0]!);
      const p3 = fround(a3 * b[(i + 3) | 0]!);
      const p4 = fround(a4 * b[(i + 4) | 0]!);
      const p5 = fround(a5 * b[(i + 5) | 0]!);
      const p6 = fround(a6 * b[(i + 6) | 0]!);
      const p7 = fround(a7 * b[(i + 7) | 0]!);
      const s0 = fround(p0 + c[j]!);
      const s1 = fround(p1 + c[(j + 1) | 0]!);
      const s2 = fround(p2 + c[(j + 2) | 0]!);
      const s3 = fround(p3 + c[(j + 3) | 0]!);
      const s4 = fround(p4 + c[(j + 4) | 0]!);
      const s5 = fround(p5 + c[(j + 5) | 0]!);
      const s6 = fround(p6 + c[(j + 6) | 0]!);
      const s7 = fround(p7 + c[(j + 7) | 0]!);
      const q0 = fround(s0 * d[j]!);
      const q1 = fround(s1 * d[(j + 1) | 0]!);
      const q2 = fround(s2 * d[(j + 2) | 0]!);
      const q3 = fround(s3 * d[(j + 3) | 0]!);
      const q4 = fround(s4 * d[(j + 4) | 0]!);
      const q5 = fround(s5 * d[(j + 5) | 0]!);
      const q6 = fround(s6 * d[(j + 6) | 0]!);
      const q7 = fround(s7 * d[(j + 7) | 0]!);
      out[i] = fround(q0 - a0);
      out[(i + 1) | 0] = fround(q1 - a1);
      out[(i + 2) | 0] = fround(q2 - a2);
      out[(i + 3) | 0] = fround(q3 - a3);
      out[(i + 4) | 0] = fround(q4 - a4);
      out[(i + 5) | 0] = fround(q5 - a5);
      out[(i + 6) | 0] = fround(q6 - a6);
      out[(i + 7) | 0] = fround(q7 - a7);
    }
    for (; j < width; j++) out[start + j] = chain(a[start + j]!, b[start + j]!, c[j]!, d[j]!);
  }
  return out;
};

/** Matrices a and b against rows c and d. */
/** Two rows by four columns: what the rows share is read once. */
const rowsTiled: RowChain = (a, b, c, d, height, width, out) => {
  let i = 0;
  for (; i < height - 1; i += 2) {
    const p = i * width;
    const q = p + width;
    let j = 0;
    for (; j < width - 3; j += 4) {
      const c0 = c[j]!;
      const c1 = c[j + 1]!;
      const c2 = c[j + 2]!;
      const c3 = c[j + 3]!;
      const d0 = d[j]!;
      const d1 = d[j + 1]!;
      const d2 = d[j + 2]!;
      const d3 = d[j + 3]!;
      out[p + j] = chain(a[p + j]!, b[p + j]!, c0, d0);
      out[p + j + 1] = chain(a[p + j + 1]!, b[p + j + 1]!, c1, d1);
      out[p + j + 2] = chain(a[p + j + 2]!, b[p + j + 2]!, c2, d2);
      out[p + j + 3] = chain(a[p + j + 3]!, b[p + j + 3]!, c3, d3);
      out[q + j] = chain(a[q + j]!, b[q + j]!, c0, d0);
      out[q + j + 1] = chain(a[q + j + 1]!, b[q + j + 1]!, c1, d1);
      out[q + j + 2] = chain(a[q + j + 2]!, b[q + j + 2]!, c2, d2);
      out[q + j + 3] = chain(a[q + j + 3]!, b[q + j + 3]!, c3, d3);
    }
    for (; j < width; j++) {
      out[p + j] = chain(a[p + j]!, b[p + j]!, c[j]!, d[j]!);
      out[q + j] = chain(a[q + j]!, b[q + j]!, c[j]!, d[j]!);
    }
  }
  for (; i < height; i++) {
    for (let j = 0; j < width; j++)
      out[i * width + j] = chain(a[i * width + j]!, b[i * width + j]!, c[j]!, d[j]!);
  }
  return out;
};

/** Op by op, each into an array of its own: what an eager library without a memory plan does. */
export const opByOpFresh: RowChain = (a, b, c, d, height, width) => {
  const length = height * width;
  const product = new Float32Array(length);
  for (let i = 0; i < length; i++) product[i] = a[i]! * b[i]!;
  const sum = new Float32Array(length);
  for (let i = 0, p = 0; i < height; i++) for (let j = 0; j < width; j++, p++) sum[p] = product[p]! + c[j]!;
  const scaled = new Float32Array(length);
  for (let i = 0, p = 0; i < height; i++) for (let j = 0; j < width; j++, p++) scaled[p] = sum[p]! * d[j]!;
  const difference = new Float32Array(length);
  for (let i = 0; i < length; i++) difference[i] = scaled[i]! - a[i]!;
  return difference;
};

export const rowChainLoops = {
  "simple loop": rows,
  "running index": rowsRunning,
  "unrolled by 4": rowsBy4,
  "unrolled by 8": rowsBy8,
  "4 side by side": rowsSideBySide4,
  "8 side by side, int32 indices": rowsSideBySide8,
  "2 rows by 4 columns": rowsTiled,
};
