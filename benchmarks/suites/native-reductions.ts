/** Rows that are walked several times, and sums. */
import { type Contest, faster, floats, type Target } from "../wasm/contest.ts";

const HEIGHT = 1_000;
const WIDTH = 1_000;
const POINTS = 1_000;
const FEATURES = 16;

const softmax: Contest = {
  name: "softmax",
  title: "softmax over rows, 1000×1000",
  inputs: () => [floats([HEIGHT, WIDTH], 1, -4, 4)],
  tolerance: 1e-5,
  fuseau: (x) => x.softmax(1),
  jax: ({ nn }, x) => nn.softmax(x, 1),
  tensorflow: (_, x) => x.softmax(1),
  size: "large",
  targets: [faster(7, "jax-js"), faster(0.85, "tfjs")],
};

const logsumexp: Contest = {
  name: "logsumexp",
  title: "logsumexp over rows, 1000×1000",
  inputs: () => [floats([HEIGHT, WIDTH], 1, -4, 4)],
  tolerance: 1e-6,
  fuseau: (x) => x.logsumexp(1),
  jax: ({ nn }, x) => nn.logsumexp(x, 1),
  tensorflow: (_, x) => x.logSumExp(1),
  size: "large",
  targets: [faster(7, "jax-js")],
};

const EPSILON = 1e-5;

const layerNorm: Contest = {
  name: "layer-norm",
  title: "layer norm over rows with weight and bias, 1000×1000",
  inputs: () => [floats([HEIGHT, WIDTH], 1, -1), floats([WIDTH], 2), floats([WIDTH], 3)],
  tolerance: 1e-5,
  fuseau: (x, weight, bias) => x.layerNorm([WIDTH], { weight, bias }),
  jax: ({ nn }, x, weight, bias) => nn.standardize(x, 1).mul(weight).add(bias),
  tensorflow(tf, x, weight, bias) {
    const { mean, variance } = tf.moments(x, 1, true);
    return x.sub(mean).mul(variance.add(EPSILON).rsqrt()).mul(weight).add(bias);
  },
  size: "large",
  targets: [faster(5, "jax-js"), faster(5, "tfjs")],
};

const sums: readonly Target[] = [faster(1.5, "jax-js"), faster(0.5, "C 1")];

const squares = (over: string, axis: 0 | 1 | null): Contest => ({
  name: `squares-${over}`,
  title: `sum of (a - b)² over ${over}, 1000×1000`,
  inputs: () => [floats([HEIGHT, WIDTH], 1), floats([HEIGHT, WIDTH], 2)],
  tolerance: 1e-5,
  // They add one after the other in float32.
  peerTolerance: 1e-3,
  fuseau: (a, b) => a.sub(b).square().sum(axis),
  jax: ({ numpy }, a, b) => numpy.square(a.sub(b)).sum(axis),
  tensorflow: (_, a, b) =>
    a
      .sub(b)
      .square()
      .sum(axis ?? undefined),
  size: "large",
  targets: sums,
});

const meanAndVariance: Contest = {
  name: "mean-variance",
  title: "variance and mean of rows, 1000×1000",
  inputs: () => [floats([HEIGHT, WIDTH], 1)],
  tolerance: 1e-5,
  fuseau: (x) => x.varMean(1, { correction: 0 }),
  jax: ({ numpy }, x) => [numpy.var_(x.ref, 1), x.mean(1)],
  tensorflow(tf, x) {
    const { mean, variance } = tf.moments(x, 1);
    return [variance, mean];
  },
  size: "large",
  targets: sums,
};

const pairwise: Contest = {
  name: "pairwise",
  title: "squared distances of [1000, 1, 16] and [1, 1000, 16], summed to [1000, 1000]",
  inputs: () => [floats([POINTS, 1, FEATURES], 1), floats([1, POINTS, FEATURES], 2)],
  tolerance: 1e-5,
  fuseau: (a, b) => a.sub(b).square().sum(2),
  jax: ({ numpy }, a, b) => numpy.square(a.sub(b)).sum(2),
  tensorflow: (_, a, b) => a.sub(b).square().sum(2),
  size: "large",
  targets: [faster(1.2, "jax-js")],
};

export const reductionContests: readonly Contest[] = [
  softmax,
  logsumexp,
  layerNorm,
  squares("all", null),
  squares("rows", 1),
  squares("columns", 0),
  meanAndVariance,
  pairwise,
];
