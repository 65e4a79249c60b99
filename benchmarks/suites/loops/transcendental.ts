const { cos, exp, fround, log, sin, tanh } = Math;

type Unary = (x: Float32Array, out: Float32Array) => Float32Array;
type Binary = (x: Float32Array, y: Float32Array, out: Float32Array) => Float32Array;

const simple: Unary = (x, out) => {
  for (let i = 0; i < out.length; i++) out[i] = fround(tanh(fround(exp(x[i]!))));
  return out;
};

/** Calls that do not wait for each other overlap in the processor. The length must be a multiple of 4. */
const sideBySide: Unary = (x, out) => {
  for (let i = 0; i < out.length; i += 4) {
    const e0 = fround(exp(x[i]!));
    const e1 = fround(exp(x[i + 1]!));
    const e2 = fround(exp(x[i + 2]!));
    const e3 = fround(exp(x[i + 3]!));
    out[i] = fround(tanh(e0));
    out[i + 1] = fround(tanh(e1));
    out[i + 2] = fround(tanh(e2));
    out[i + 3] = fround(tanh(e3));
  }
  return out;
};

/** One after the other, a cache-sized piece at a time. */
const inPieces: Unary = (x, out) => {
  const PIECE = 1024;
  for (let start = 0; start < out.length; start += PIECE) {
    const end = Math.min(start + PIECE, out.length);
    for (let i = start; i < end; i++) out[i] = fround(exp(x[i]!));
    for (let i = start; i < end; i++) out[i] = fround(tanh(out[i]!));
  }
  return out;
};

export const tanhOfExpLoops = {
  "simple loop": simple,
  "4 side by side": sideBySide,
  "pieces of 1,024": inPieces,
};

const mixed: Binary = (x, y, out) => {
  for (let i = 0; i < out.length; i++) {
    const p = x[i]!;
    const q = y[i]!;
    const bell = fround(fround(sin(p)) * fround(exp(-fround(q * q))));
    out[i] = fround(bell + fround(fround(log(fround(fround(p * p) + 1))) * fround(cos(q))));
  }
  return out;
};

/** Each function on four elements before the next. The length must be a multiple of 4. */
const mixedSideBySide: Binary = (x, y, out) => {
  for (let i = 0; i < out.length; i += 4) {
    const p0 = x[i]!;
    const p1 = x[i + 1]!;
    const p2 = x[i + 2]!;
    const p3 = x[i + 3]!;
    const q0 = y[i]!;
    const q1 = y[i + 1]!;
    const q2 = y[i + 2]!;
    const q3 = y[i + 3]!;
    const s0 = fround(sin(p0));
    const s1 = fround(sin(p1));
    const s2 = fround(sin(p2));
    const s3 = fround(sin(p3));
    const e0 = fround(exp(-fround(q0 * q0)));
    const e1 = fround(exp(-fround(q1 * q1)));
    const e2 = fround(exp(-fround(q2 * q2)));
    const e3 = fround(exp(-fround(q3 * q3)));
    const l0 = fround(log(fround(fround(p0 * p0) + 1)));
    const l1 = fround(log(fround(fround(p1 * p1) + 1)));
    const l2 = fround(log(fround(fround(p2 * p2) + 1)));
    const l3 = fround(log(fround(fround(p3 * p3) + 1)));
    const c0 = fround(cos(q0));
    const c1 = fround(cos(q1));
    const c2 = fround(cos(q2));
    const c3 = fround(cos(q3));
    out[i] = fround(fround(s0 * e0) + fround(l0 * c0));
    out[i + 1] = fround(fround(s1 * e1) + fround(l1 * c1));
    out[i + 2] = fround(fround(s2 * e2) + fround(l2 * c2));
    out[i + 3] = fround(fround(s3 * e3) + fround(l3 * c3));
  }
  return out;
};

export const mixedLoops = { "simple loop": mixed, "4 side by side": mixedSideBySide };
