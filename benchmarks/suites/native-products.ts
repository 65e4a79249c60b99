/** Matrix products. */
import { type Contest, faster, floats, onTwoThreads } from "../wasm/contest.ts";

const product = (size: number): Contest => ({
  name: `matmul-${size}`,
  title: `matrix product, ${size}×${size}`,
  inputs: () => [floats([size, size], 1, -1), floats([size, size], 2, -1)],
  tolerance: 1e-5,
  fuseau: (a, b) => a.matmul(b),
  jax: ({ numpy }, a, b) => numpy.matmul(a, b),
  tensorflow: (tf, a, b) => tf.matMul(a, b),
  size: "large",
  targets: [faster(1.25, "tfjs"), faster(1.25, "jax-js"), onTwoThreads(1.8, "fuseau 1")],
});

const linearAndRelu: Contest = {
  name: "linear-relu",
  title: "relu(x·w + bias), 256×784×128; fused in tfjs too",
  inputs: () => [floats([256, 784], 1, -1), floats([784, 128], 2, -1), floats([128], 3, -1)],
  tolerance: 1e-5,
  fuseau: (x, weight, bias) => x.matmul(weight).add(bias).relu(),
  jax: ({ numpy, nn }, x, weight, bias) => nn.relu(numpy.matmul(x, weight).add(bias)),
  tensorflow: (tf, a, b, bias) => tf.fused.matMul({ a, b, bias, activation: "relu" }),
  size: "large",
  targets: [faster(1.2, "tfjs")],
};

export const productContests: readonly Contest[] = [product(512), product(1_024), linearAndRelu];
