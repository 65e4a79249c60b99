/** Convolutions, with what stands behind them. tfjs has its channels last: inputs are brought into that order before the clock starts. */
import { type AnyTensor, conv1d, conv2d, conv3d, convTranspose2d, maxPool2d } from "fuseau";
import type { TfTensor } from "../peers/tensorflow-contender.ts";
import { type Contest, faster, floats } from "../wasm/contest.ts";

type Options = NonNullable<Parameters<typeof conv2d>[2]>;

interface Scene {
  readonly name: string;
  readonly title: string;
  readonly x: readonly number[];
  readonly weight: readonly number[];
  /** Multiplications. */
  readonly products: number;
  readonly fuseau: (x: AnyTensor, weight: AnyTensor, bias: AnyTensor) => AnyTensor;
  /** Left out where tfjs has no such computation. */
  readonly tensorflow?: Contest["tensorflow"];
  /** The axes of filters as tfjs has them. */
  readonly filterOrder?: readonly number[];
}

const contest = ({ name, title, x, weight, products, fuseau, tensorflow, filterOrder }: Scene): Contest => {
  const last = (rank: number): number[] => [0, ...Array.from({ length: rank - 2 }, (_, k) => k + 2), 1];
  const first = (rank: number): number[] => [
    0,
    rank - 1,
    ...Array.from({ length: rank - 2 }, (_, k) => k + 1),
  ];
  const rank = x.length;
  const ofFilters = filterOrder ?? [...Array.from({ length: rank - 2 }, (_, k) => k + 2), 1, 0];
  return {
    name: `conv-${name}`,
    title,
    inputs: () => [floats(x, 1, -1), floats(weight, 2, -1), floats([weight[0]!], 3, -1)],
    tolerance: 1e-5,
    fuseau: (image, filters, bias) => fuseau(image!, filters!, bias!),
    ...(tensorflow === undefined
      ? {}
      : {
          tensorflow,
          tensorflowOrder: { inputs: [last(rank), ofFilters, [0]], result: first(rank) },
        }),
    size: "large",
    inC: false,
    operations: 2 * products,
    targets: tensorflow === undefined ? [] : [faster(1.5, "tfjs")],
  };
};

const same =
  (options: Options = {}) =>
  (x: AnyTensor, weight: AnyTensor): AnyTensor =>
    conv2d(x, weight, options);

export const convolutionContests: readonly Contest[] = [
  contest({
    name: "pool",
    title: "maxPool2d(relu(conv2d + bias), 2): 32×1×28×28, 8 filters of 5×5",
    x: [32, 1, 28, 28],
    weight: [8, 1, 5, 5],
    products: 32 * 8 * 24 * 24 * 25,
    fuseau: (x, weight, bias) => maxPool2d(conv2d(x, weight, { bias }).relu(), 2),
    tensorflow: (tf, x, filter, bias) =>
      tf.maxPool(
        tf.fused.conv2d({ x, filter, strides: 1, pad: "valid", bias, activation: "relu" }),
        2,
        2,
        "valid",
      ),
  }),
  contest({
    name: "1x1",
    title: "conv2d 1×1: 128 → 128 channels, 28×28",
    x: [1, 128, 28, 28],
    weight: [128, 128, 1, 1],
    products: 128 * 128 * 28 * 28,
    fuseau: same(),
    tensorflow: (tf, x, filter) => tf.conv2d(x, filter, 1, "valid"),
  }),
  contest({
    name: "3x3",
    title: "conv2d 3×3, padded: 32 → 64 channels, 56×56",
    x: [1, 32, 56, 56],
    weight: [64, 32, 3, 3],
    products: 64 * 32 * 9 * 56 * 56,
    fuseau: same({ padding: 1 }),
    tensorflow: (tf, x, filter) => tf.conv2d(x, filter, 1, "same"),
  }),
  contest({
    name: "3x3-relu",
    title: "relu(conv2d 3×3 + bias), padded: 32 → 64 channels, 56×56",
    x: [1, 32, 56, 56],
    weight: [64, 32, 3, 3],
    products: 64 * 32 * 9 * 56 * 56,
    fuseau: (x, weight, bias) => conv2d(x, weight, { padding: 1, bias }).relu(),
    tensorflow: (tf, x, filter, bias) =>
      tf.fused.conv2d({ x, filter, strides: 1, pad: "same", bias, activation: "relu" }),
  }),
  contest({
    name: "residual",
    title: "relu(conv2d 3×3 + bias + x), padded: 64 channels, 28×28",
    x: [1, 64, 28, 28],
    weight: [64, 64, 3, 3],
    products: 64 * 64 * 9 * 28 * 28,
    fuseau: (x, weight, bias) => conv2d(x, weight, { padding: 1, bias }).add(x).relu(),
    tensorflow: (tf, x, filter, bias) => tf.relu(tf.conv2d(x, filter, 1, "same").add(bias).add(x)),
  }),
  contest({
    name: "depthwise",
    title: "conv2d 3×3 of each channel by itself, padded: 64 channels, 56×56",
    x: [1, 64, 56, 56],
    weight: [64, 1, 3, 3],
    products: 64 * 9 * 56 * 56,
    fuseau: same({ padding: 1, groups: 64 }),
    tensorflow: (tf, x, filter) => tf.depthwiseConv2d(x, filter, 1, "same"),
    filterOrder: [2, 3, 0, 1],
  }),
  contest({
    name: "strided",
    title: "conv2d 3×3 by steps of 2: 32 → 64 channels, 57×57",
    x: [1, 32, 57, 57],
    weight: [64, 32, 3, 3],
    products: 64 * 32 * 9 * 28 * 28,
    fuseau: same({ stride: 2 }),
    tensorflow: (tf, x, filter) => tf.conv2d(x, filter, 2, "valid"),
  }),
  contest({
    name: "dilated",
    title: "conv2d 3×3, every second place: 32 → 64 channels, 60×60",
    x: [1, 32, 60, 60],
    weight: [64, 32, 3, 3],
    products: 64 * 32 * 9 * 56 * 56,
    fuseau: same({ dilation: 2 }),
    tensorflow: (tf, x, filter) => tf.conv2d(x, filter, 1, "valid", "NHWC", 2),
  }),
  contest({
    name: "grouped",
    title: "conv2d 3×3 in 4 groups, padded: 64 → 64 channels, 56×56",
    x: [1, 64, 56, 56],
    weight: [64, 16, 3, 3],
    products: 64 * 16 * 9 * 56 * 56,
    fuseau: same({ padding: 1, groups: 4 }),
  }),
  contest({
    name: "7x7",
    title: "conv2d 7×7 by steps of 2: 3 → 64 channels, 117×117",
    x: [1, 3, 117, 117],
    weight: [64, 3, 7, 7],
    products: 64 * 3 * 49 * 56 * 56,
    fuseau: same({ stride: 2 }),
    tensorflow: (tf, x, filter) => tf.conv2d(x, filter, 2, "valid"),
  }),
  contest({
    name: "1d",
    title: "conv1d of 3, padded: 4×64×1000, 64 → 64 channels",
    x: [4, 64, 1000],
    weight: [64, 64, 3],
    products: 4 * 64 * 64 * 3 * 1000,
    fuseau: (x, weight) => conv1d(x, weight, { padding: 1 }),
    tensorflow: (tf, x, filter) => tf.conv1d(x, filter, 1, "same"),
  }),
  contest({
    name: "3d",
    title: "conv3d 3×3×3, padded: 16 → 16 channels, 16×16×16",
    x: [1, 16, 16, 16, 16],
    weight: [16, 16, 3, 3, 3],
    products: 16 * 16 * 27 * 16 ** 3,
    fuseau: (x, weight) => conv3d(x, weight, { padding: 1 }),
  }),
  contest({
    name: "transposed",
    title: "convTranspose2d 4×4 by steps of 2: 64 → 32 channels, 28×28 → 56×56",
    x: [1, 64, 28, 28],
    weight: [64, 32, 4, 4],
    products: 64 * 32 * 16 * 28 * 28,
    fuseau: (x, weight) => convTranspose2d(x, weight, { stride: 2, padding: 1 }),
    tensorflow: (tf, x, filter): TfTensor => tf.conv2dTranspose(x, filter, [1, 56, 56, 32], 2, "same"),
    filterOrder: [2, 3, 1, 0],
  }),
];
