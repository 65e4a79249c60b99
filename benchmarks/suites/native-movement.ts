/** Elements that are read from elsewhere than where they are written, or from where data say. */
import { bytes, type Contest, faster, floats, places, type Target } from "../wasm/contest.ts";

const SIZE = 1_000;
const INSIDE = SIZE - 2;
const COUNT = 1_000_000;

const movements: readonly Target[] = [faster(1.3, "tfjs"), faster(6, "jax-js"), faster(3, "js")];

const transposed: Contest = {
  name: "transposed",
  title: "a + b.t(), 1000×1000",
  inputs: () => [floats([SIZE, SIZE], 1), floats([SIZE, SIZE], 2)],
  tolerance: 0,
  fuseau: (a, b) => a.add(b.t()),
  jax: (_, a, b) => a.add(b.transpose()),
  tensorflow: (_, a, b) => a.add(b.transpose()),
  size: "large",
  targets: movements,
};

/** Where the four neighbours and the cell itself begin. */
const OFFSETS = [
  [1, 1],
  [0, 1],
  [2, 1],
  [1, 0],
  [1, 2],
] as const;

const stencil: Contest = {
  name: "stencil",
  title: "mean of each cell and its four neighbours, 1000×1000 to 998×998",
  inputs: () => [floats([SIZE, SIZE], 1)],
  tolerance: 1e-6,
  fuseau: (x) =>
    OFFSETS.map(([i, j]) => x.narrow(0, i, INSIDE).narrow(1, j, INSIDE))
      .reduce((sum, part) => sum.add(part))
      .mul(0.2),
  jax(_, x) {
    const parts = OFFSETS.map(([i, j]) => x.ref.slice([i, i + INSIDE], [j, j + INSIDE]));
    x.dispose();
    return parts.reduce((sum, part) => sum.add(part)).mul(0.2);
  },
  tensorflow: (_, x) =>
    OFFSETS.map((offset) => x.slice(offset, [INSIDE, INSIDE]))
      .reduce((sum, part) => sum.add(part))
      .mul(0.2),
  size: "large",
  targets: movements,
};

const image: Contest = {
  name: "image",
  title:
    "a 1080p image / 255, uint8 height×width×3 to float32 3×height×width; int32 for peers, which have no bytes",
  inputs: () => [bytes([1_080, 1_920, 3], 1)],
  tolerance: 1e-6,
  fuseau: (x) => x.permute([2, 0, 1]).div(255),
  jax: (_, x) => x.transpose([2, 0, 1]).astype("float32").div(255),
  tensorflow: (_, x) => x.transpose([2, 0, 1]).toFloat().div(255),
  size: "large",
  targets: movements,
};

const TABLE = 20_000;
const PICKED = 100_000;
const FEATURES = 64;

const fromData: readonly Target[] = [faster(5, "jax-js"), faster(2, "tfjs")];

const gather: Contest = {
  name: "gather",
  title: "100,000 rows of 64, from a table of 20,000",
  inputs: () => [floats([TABLE, FEATURES], 1), places([PICKED], 2, TABLE)],
  tolerance: 0,
  fuseau: (table, index) => table.indexSelect(0, index),
  jax: ({ numpy }, table, index) => numpy.take(table, index, 0),
  tensorflow: (tf, table, index) => tf.gather(table, index, 0),
  size: "large",
  targets: fromData,
};

const cumsum: Contest = {
  name: "cumsum",
  title: "running sums of rows, 1000×1000",
  inputs: () => [floats([SIZE, SIZE], 1)],
  tolerance: 1e-5,
  fuseau: (x) => x.cumsum(1),
  jax: ({ numpy }, x) => numpy.cumsum(x, 1),
  tensorflow: (_, x) => x.cumsum(1),
  size: "large",
  targets: fromData,
};

const BINS = 256;

const histogram: Contest = {
  name: "histogram",
  title: "histogram of 1,000,000 in 256 bins; jax-js has none",
  inputs: () => [floats([COUNT], 1, 0, 0.99)],
  tolerance: 0,
  fuseau: (x) => x.histc({ bins: BINS, min: 0, max: 1 }),
  tensorflow: (tf, x) => tf.bincount(x.mul(BINS).floor().toInt(), [], BINS),
  size: "large",
  targets: fromData,
};

const sort: Contest = {
  name: "sort",
  title: "the values of 1,000,000 in order",
  inputs: () => [floats([COUNT], 1, -1)],
  tolerance: 0,
  fuseau: (x) => x.sort(0).values,
  jax: (_, x) => x.sort(),
  tensorflow: (tf, x) => tf.topk(x, COUNT).values.reverse(),
  size: "large",
  targets: fromData,
};

export const movementContests: readonly Contest[] = [transposed, stencil, image];
export const dataContests: readonly Contest[] = [gather, cumsum, histogram, sort];
