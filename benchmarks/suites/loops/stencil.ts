/** One step of heat flow: u + 0.1·(the four neighbours − 4u) within the border. */
const { fround } = Math;

type Loop = (u: Float32Array, size: number, out: Float32Array) => Float32Array;

const RATE = fround(0.1);

const step = (middle: number, up: number, down: number, left: number, right: number): number => {
  const around = fround(fround(fround(up + down) + left) + right);
  return fround(middle + fround(fround(around - fround(middle * 4)) * RATE));
};

const simple: Loop = (u, size, out) => {
  let k = 0;
  for (let i = 1; i < size - 1; i++) {
    for (let j = 1; j < size - 1; j++) {
      const at = i * size + j;
      out[k++] = step(u[at]!, u[at - size]!, u[at + size]!, u[at - 1]!, u[at + 1]!);
    }
  }
  return out;
};

/** Two columns at a time; their middles are each other's neighbours. The size is even. */
const by2: Loop = (u, size, out) => {
  let k = 0;
  for (let i = 1; i < size - 1; i++) {
    const start = i * size;
    for (let j = 1; j < size - 1; j += 2) {
      const at = start + j;
      const a = u[at]!;
      const b = u[at + 1]!;
      out[k] = step(a, u[at - size]!, u[at + size]!, u[at - 1]!, b);
      out[k + 1] = step(b, u[at + 1 - size]!, u[at + 1 + size]!, a, u[at + 2]!);
      k += 2;
    }
  }
  return out;
};

/** Columns side by side in fours where they fit. */
const by4: Loop = (u, size, out) => {
  const inner = size - 2;
  for (let i = 0; i < inner; i++) {
    const row = (i + 1) * size + 1;
    const to = i * inner;
    let j = 0;
    for (; j + 4 <= inner; j += 4) {
      const at = row + j;
      const a = u[at]!;
      const b = u[at + 1]!;
      const c = u[at + 2]!;
      const d = u[at + 3]!;
      out[to + j] = step(a, u[at - size]!, u[at + size]!, u[at - 1]!, b);
      out[to + j + 1] = step(b, u[at + 1 - size]!, u[at + 1 + size]!, a, c);
      out[to + j + 2] = step(c, u[at + 2 - size]!, u[at + 2 + size]!, b, d);
      out[to + j + 3] = step(d, u[at + 3 - size]!, u[at + 3 + size]!, c, u[at + 4]!);
    }
    for (; j < inner; j++) {
      const at = row + j;
      out[to + j] = step(u[at]!, u[at - size]!, u[at + size]!, u[at - 1]!, u[at + 1]!);
    }
  }
  return out;
};

export const stencilLoops = {
  "simple loops": simple,
  "2 columns at a time": by2,
  "4 columns at a time": by4,
};
