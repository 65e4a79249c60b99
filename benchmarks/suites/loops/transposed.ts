const { fround, min } = Math;

type Loop = (a: Float32Array, b: Float32Array, size: number, out: Float32Array) => Float32Array;

const byRow: Loop = (a, b, size, out) => {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) out[i * size + j] = fround(a[i * size + j]! + b[j * size + i]!);
  }
  return out;
};

const byColumn: Loop = (a, b, size, out) => {
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < size; i++) out[i * size + j] = fround(a[i * size + j]! + b[j * size + i]!);
  }
  return out;
};

const TILE = 32;

/** A tile of b stays in the first-level cache while it is read across. */
const byTile: Loop = (a, b, size, out) => {
  for (let top = 0; top < size; top += TILE) {
    const bottom = min(top + TILE, size);
    for (let left = 0; left < size; left += TILE) {
      const right = min(left + TILE, size);
      for (let i = top; i < bottom; i++) {
        for (let j = left; j < right; j++) out[i * size + j] = fround(a[i * size + j]! + b[j * size + i]!);
      }
    }
  }
  return out;
};

/** Eight rows of b side by side. The size must be a multiple of 8. */
const by8: Loop = (a, b, size, out) => {
  for (let i = 0; i < size; i++) {
    let at = i * size;
    for (let j = 0; j < size; j += 8, at += 8) {
      const from = j * size + i;
      out[at] = fround(a[at]! + b[from]!);
      out[at + 1] = fround(a[at + 1]! + b[from + size]!);
      out[at + 2] = fround(a[at + 2]! + b[from + 2 * size]!);
      out[at + 3] = fround(a[at + 3]! + b[from + 3 * size]!);
      out[at + 4] = fround(a[at + 4]! + b[from + 4 * size]!);
      out[at + 5] = fround(a[at + 5]! + b[from + 5 * size]!);
      out[at + 6] = fround(a[at + 6]! + b[from + 6 * size]!);
      out[at + 7] = fround(a[at + 7]! + b[from + 7 * size]!);
    }
  }
  return out;
};

export const transposedLoops = {
  "row after row": byRow,
  "column after column": byColumn,
  "tiles of 32": byTile,
  "unrolled by 8": by8,
};
