/** Twelve ops over a matrix, two rows and two columns, float32. */
const { abs, fround, max, sqrt } = Math;

/** a and b of the matrices, r and s of the rows, k and m of the columns. */
const chain = (a: number, b: number, r: number, s: number, k: number, m: number): number => {
  const t = fround(fround(fround(fround(a * r) + k) * b) - s);
  const u = fround(sqrt(fround(abs(t) + m)));
  return fround(fround(fround(max(fround(u * k), r) - a) * s) + m);
};

type LongChain = (
  a: Float32Array,
  b: Float32Array,
  r: Float32Array,
  s: Float32Array,
  k: Float32Array,
  m: Float32Array,
  out: Float32Array,
) => Float32Array;

const simple: LongChain = (a, b, r, s, k, m, out) => {
  const width = r.length;
  for (let row = 0; row < k.length; row++) {
    for (let j = 0; j < width; j++) {
      const i = row * width + j;
      out[i] = chain(a[i]!, b[i]!, r[j]!, s[j]!, k[row]!, m[row]!);
    }
  }
  return out;
};

const hoisted: LongChain = (a, b, r, s, k, m, out) => {
  const width = r.length;
  let i = 0;
  for (let row = 0; row < k.length; row++) {
    const own = k[row]!;
    const other = m[row]!;
    for (let j = 0; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, r[j]!, s[j]!, own, other);
  }
  return out;
};

const by4: LongChain = (a, b, r, s, k, m, out) => {
  const width = r.length;
  let i = 0;
  for (let row = 0; row < k.length; row++) {
    const own = k[row]!;
    const other = m[row]!;
    let j = 0;
    for (; j < width - 3; j += 4, i += 4) {
      out[i] = chain(a[i]!, b[i]!, r[j]!, s[j]!, own, other);
      out[i + 1] = chain(a[i + 1]!, b[i + 1]!, r[j + 1]!, s[j + 1]!, own, other);
      out[i + 2] = chain(a[i + 2]!, b[i + 2]!, r[j + 2]!, s[j + 2]!, own, other);
      out[i + 3] = chain(a[i + 3]!, b[i + 3]!, r[j + 3]!, s[j + 3]!, own, other);
    }
    for (; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, r[j]!, s[j]!, own, other);
  }
  return out;
};

/** Op by op over four elements, so that their chains run in each other's shadow. */
const sideBySide: LongChain = (a, b, r, s, k, m, out) => {
  const width = r.length;
  let i = 0;
  for (let row = 0; row < k.length; row++) {
    const own = k[row]!;
    const other = m[row]!;
    let j = 0;
    for (; j < width - 3; j += 4, i += 4) {
      const x0 = a[i]!;
      const x1 = a[i + 1]!;
      const x2 = a[i + 2]!;
      const x3 = a[i + 3]!;
      const r0 = r[j]!;
      const r1 = r[j + 1]!;
      const r2 = r[j + 2]!;
      const r3 = r[j + 3]!;
      const s0 = s[j]!;
      const s1 = s[j + 1]!;
      const s2 = s[j + 2]!;
      const s3 = s[j + 3]!;
      const t0 = fround(x0 * r0);
      const t1 = fround(x1 * r1);
      const t2 = fround(x2 * r2);
      const t3 = fround(x3 * r3);
      const u0 = fround(t0 + own);
      const u1 = fround(t1 + own);
      const u2 = fround(t2 + own);
      const u3 = fround(t3 + own);
      const v0 = fround(u0 * b[i]!);
      const v1 = fround(u1 * b[i + 1]!);
      const v2 = fround(u2 * b[i + 2]!);
      const v3 = fround(u3 * b[i + 3]!);
      const e0 = fround(v0 - s0);
      const e1 = fround(v1 - s1);
      const e2 = fround(v2 - s2);
      const e3 = fround(v3 - s3);
      const f0 = fround(abs(e0) + other);
      const f1 = fround(abs(e1) + other);
      const f2 = fround(abs(e2) + other);
      const f3 = fround(abs(e3) + other);
      const g0 = fround(sqrt(f0));
      const g1 = fround(sqrt(f1));
      const g2 = fround(sqrt(f2));
      const g3 = fround(sqrt(f3));
      const h0 = max(fround(g0 * own), r0);
      const h1 = max(fround(g1 * own), r1);
      const h2 = max(fround(g2 * own), r2);
      const h3 = max(fround(g3 * own), r3);
      const l0 = fround(h0 - x0);
      const l1 = fround(h1 - x1);
      const l2 = fround(h2 - x2);
      const l3 = fround(h3 - x3);
      const n0 = fround(l0 * s0);
      const n1 = fround(l1 * s1);
      const n2 = fround(l2 * s2);
      const n3 = fround(l3 * s3);
      out[i] = fround(n0 + other);
      out[i + 1] = fround(n1 + other);
      out[i + 2] = fround(n2 + other);
      out[i + 3] = fround(n3 + other);
    }
    for (; j < width; j++, i++) out[i] = chain(a[i]!, b[i]!, r[j]!, s[j]!, own, other);
  }
  return out;
};

export const longChainLoops = {
  "simple loop": simple,
  "columns hoisted": hoisted,
  "unrolled by 4": by4,
  "4 side by side": sideBySide,
};
