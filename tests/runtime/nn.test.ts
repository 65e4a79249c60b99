import fc from "fast-check";
import {
  type AnyTensor,
  adaptiveAvgPool2d,
  adaptiveMaxPool1d,
  arange,
  avgPool2d,
  batchNorm,
  conv1d,
  conv2d,
  conv3d,
  convTranspose2d,
  fold,
  groupNorm,
  instanceNorm,
  interpolate,
  lpPool1d,
  maxPool2d,
  maxUnpool2d,
  ones,
  pixelShuffle,
  pixelUnshuffle,
  rmsNorm,
  tensor,
  unfold,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";
import { expectKernels } from "../fusion/expect-kernels.ts";
import { convolve, convolveTransposed, indices, type Plain, sizeOf } from "./nn-reference.ts";

/** Small integers, so that every sum is exact in any order. */
const plain = (shape: readonly number[], seed: number): Plain => ({
  shape,
  data: Array.from({ length: sizeOf(shape) }, (_, i) => ((i * 7 + seed * 13 + ((i * i) % 11)) % 9) - 4),
});

const tensorOf = ({ shape, data }: Plain): AnyTensor => tensor([...data], { shape: [...shape] });

const flat = (x: AnyTensor): number[] => [...(x.toTypedArray() as Float32Array)];

function expectSame(actual: AnyTensor, expected: Plain): void {
  expect(actual.shape).toEqual(expected.shape);
  expect(flat(actual).map((value) => value + 0)).toEqual(expected.data.map((value) => value + 0));
}

const axes = (rank: number, max: number, min = 1) =>
  fc.array(fc.integer({ min, max }), { minLength: rank, maxLength: rank });

describe("convolutions", () => {
  const scenes = (rank: number) =>
    fc.record({
      batch: fc.integer({ min: 1, max: 2 }),
      groups: fc.integer({ min: 1, max: 2 }),
      channels: fc.integer({ min: 1, max: 3 }),
      rows: fc.integer({ min: 1, max: 3 }),
      kernel: axes(rank, 3),
      stride: axes(rank, 3),
      padding: axes(rank, 2, 0),
      dilation: axes(rank, 2),
      room: axes(rank, 4, 0),
      extra: axes(rank, 1, 0),
    });

  test.each([1, 2, 3] as const)("over %i axes are the sums of products that they are", (rank) => {
    const run = [conv1d, conv2d, conv3d][rank - 1]!;
    fc.assert(
      fc.property(scenes(rank), (scene) => {
        const { batch, groups, channels, rows, kernel, stride, padding, dilation, room } = scene;
        const sizes = kernel.map((size, k) =>
          Math.max(1, dilation[k]! * (size - 1) + 1 + room[k]! - 2 * padding[k]!),
        );
        const x = plain([batch, channels * groups, ...sizes], 1);
        const weight = plain([rows * groups, channels, ...kernel], 2);
        const actual = run(tensorOf(x), tensorOf(weight), { stride, padding, dilation, groups });
        expectSame(actual, convolve(x, weight, { stride, padding, dilation }, groups));
      }),
      { numRuns: 40 },
    );
  });

  test("transposed, add the image of every element", () => {
    fc.assert(
      fc.property(scenes(2), (scene) => {
        const { batch, groups, channels, rows, kernel, stride, padding, dilation, room, extra } = scene;
        const outputPadding = extra.map((width, k) =>
          Math.min(width, Math.max(stride[k]!, dilation[k]!) - 1),
        );
        const sizes = room.map((size) => size + 5);
        const x = plain([batch, channels * groups, ...sizes], 3);
        const weight = plain([channels * groups, rows, ...kernel], 4);
        const options = { stride, padding, dilation, groups, outputPadding };
        const expected = convolveTransposed(x, weight, options, outputPadding, groups);
        fc.pre(expected.shape.every((size) => size > 0));
        expectSame(convTranspose2d(tensorOf(x), tensorOf(weight), options), expected);
      }),
      { numRuns: 60 },
    );
  });

  test("keep the sizes with padding same, and take a sample without a batch", () => {
    const x = arange(10).to("float32").reshape([1, 10]);
    const weight = tensor([[[1, 2, 3, 4]]]);
    expect(conv1d(x, weight, { padding: "same" }).shape).toEqual([1, 10]);
    expect(conv1d(x, weight, { padding: "same" }).toArray()).toEqual(
      [[8, 20, 30, 40, 50, 60, 70, 80, 50, 26]].map(() => flat(conv1d(x.pad([1, 2]), weight))),
    );
    expect(
      conv1d(x, weight, { padding: "valid", bias: tensor([100]) })
        .slice(0, 0)
        .item(),
    ).toBe(120);
  });

  test("do not multiply padding or what lies between with an infinite weight", () => {
    const weight = tensor([[[[Infinity]]]]);
    const image = convTranspose2d(ones([1, 1, 2, 2]), weight, { stride: 2 });
    expect(flat(image)).toEqual([Infinity, 0, Infinity, 0, 0, 0, Infinity, 0, Infinity]);
  });

  test("are one contraction, without an array of windows", () => {
    expectKernels(conv2d(ones([2, 3, 8, 8]).compute(), ones([4, 3, 3, 3]).compute()), 1);
  });

  test("compute integers exactly", () => {
    const big = tensor([[[2n ** 53n + 1n, 1n]]]);
    const sum = conv1d(big, tensor([[[1n, 2n]]]));
    expect(sum.toTypedArray()).toEqual(BigInt64Array.of(2n ** 53n + 3n));
  });
});

describe("pools", () => {
  const x = arange(25).to("float32").reshape([1, 1, 5, 5]);

  test("count a partial window when asked to", () => {
    expect(flat(maxPool2d(x, 2))).toEqual([6, 8, 16, 18]);
    expect(flat(maxPool2d(x, 2, { ceilMode: true }))).toEqual([6, 8, 9, 16, 18, 19, 21, 23, 24]);
    expect(flat(avgPool2d(x, 2, { ceilMode: true }))).toEqual([3, 5, 6.5, 13, 15, 16.5, 20.5, 22.5, 24]);
  });
  test("count padding or leave it out", () => {
    expect(
      avgPool2d(ones([1, 1, 2, 2]), 2, { stride: 1, padding: 1 })
        .slice(0, 0, 0)
        .toArray(),
    ).toEqual([0.25, 0.5, 0.25]);
    const inside = avgPool2d(ones([1, 1, 2, 2]), 2, { stride: 1, padding: 1, countIncludePad: false });
    expect(flat(inside)).toEqual(new Array(9).fill(1));
    expect(flat(avgPool2d(x, 5, { divisorOverride: 3 }))).toEqual([100]);
  });
  test("say where the largest element is, and put it back", () => {
    const { values, indices: places } = maxPool2d(x, 3, { stride: 2, padding: 1, returnIndices: true });
    expect(flat(values)).toEqual([6, 8, 9, 16, 18, 19, 21, 23, 24]);
    expect(places.dtype).toBe("int64");
    expect(places.flatten().toArray()).toEqual([6, 8, 9, 16, 18, 19, 21, 23, 24]);
    const back = maxUnpool2d(values, places, 3, { stride: 2, padding: 1, outputSize: [5, 5] });
    expect(flat(back.sum())).toEqual([flat(values).reduce((a, b) => a + b)]);
    expect(back.slice(0, 0, 4, 4).item()).toBe(24);
  });
  test("name no padding where nothing is larger than it", () => {
    const lowest = zeros([1, 1, 2, 2]).sub(Infinity);
    const { indices: places } = maxPool2d(lowest, 2, { padding: 1, returnIndices: true });
    expect(places.flatten().toArray()).toEqual([0, 1, 2, 3]);
  });
  test("let NaN win", () => {
    const y = tensor([
      [
        [
          [1, NaN],
          [3, 4],
        ],
      ],
    ]);
    expect(flat(maxPool2d(y, 2))).toEqual([NaN]);
  });
  test("divide an axis unevenly", () => {
    expect(flat(adaptiveAvgPool2d(x, [1, 3]))).toEqual([10.5, 12, 13.5]);
    expect(flat(adaptiveAvgPool2d(x, [null, 1]))).toEqual([2, 7, 12, 17, 22]);
    const { values, indices: places } = adaptiveMaxPool1d(tensor([[[3, 1, 4, 1, 5]]]), 2, {
      returnIndices: true,
    });
    expect([flat(values), places.flatten().toArray()]).toEqual([
      [4, 5],
      [2, 4],
    ]);
  });
  test("take the norm of a window", () => {
    expect(flat(lpPool1d(tensor([[[3, 4, 6, 8]]]), 2, 2))).toEqual([5, 10]);
  });
});

describe("windows", () => {
  test("become columns, whose sum counts how often each place is covered", () => {
    const x = arange(16).to("float32").reshape([1, 1, 4, 4]);
    const columns = unfold(x, 3, { padding: 1 });
    expect(columns.shape).toEqual([1, 9, 16]);
    expect(flat(columns.slice(0, 4))).toEqual(flat(x));
    const covered = fold(unfold(ones([1, 1, 4, 4]), 3, { padding: 1 }), 4, 3, { padding: 1 });
    expect(flat(covered)).toEqual([4, 6, 6, 4, 6, 9, 9, 6, 6, 9, 9, 6, 4, 6, 6, 4]);
  });
  test("shuffle channels into places and back", () => {
    const x = arange(16).to("float32").reshape([1, 4, 2, 2]);
    const shuffled = pixelShuffle(x, 2);
    expect(shuffled.slice(0, 0, 0).toArray()).toEqual([0, 4, 1, 5]);
    expect(flat(pixelUnshuffle(shuffled, 2))).toEqual(flat(x));
  });
});

describe("padding", () => {
  const x = tensor([[1, 2, 3]]);
  test("repeats the edge, mirrors, or goes round", () => {
    expect(flat(x.pad([2, 1], { mode: "replicate" }))).toEqual([1, 1, 1, 2, 3, 3]);
    expect(flat(x.pad([2, 1], { mode: "reflect" }))).toEqual([3, 2, 1, 2, 3, 2]);
    expect(flat(x.pad([2, 1], { mode: "circular" }))).toEqual([2, 3, 1, 2, 3, 1]);
    expect(flat(x.pad([1, -1], { mode: "reflect" }))).toEqual([2, 1, 2]);
  });
  test("refuses a reflection longer than the axis", () => {
    expect(() => x.pad([3, 0], { mode: "reflect" })).toThrow(
      "Padding size should be less than the corresponding input dimension, but got: padding (3, 0)",
    );
    expect(() => x.pad([4, 0], { mode: "circular" })).toThrow("wrapping around more than once");
  });
});

describe("interpolation", () => {
  const row = tensor([[[1, 2, 4]]]);
  test("takes the nearest place, or weighs two", () => {
    expect(flat(interpolate(row, { scaleFactor: 2 }))).toEqual([1, 1, 2, 2, 4, 4]);
    expect(flat(interpolate(row, { size: 6, mode: "linear" }))).toEqual([1, 1.25, 1.75, 2.5, 3.5, 4]);
    expect(flat(interpolate(row, { size: 5, mode: "linear", alignCorners: true }))).toEqual([
      1, 1.5, 2, 3, 4,
    ]);
    expect(flat(interpolate(row, { size: 1, mode: "area" }))[0]).toBeCloseTo(7 / 3);
  });
  test("of a plane goes along both axes", () => {
    const plane = tensor([
      [
        [
          [0, 2],
          [4, 6],
        ],
      ],
    ]);
    const grown = interpolate(plane, { size: 3, mode: "bilinear", alignCorners: true });
    expect(flat(grown)).toEqual([0, 1, 2, 2, 3, 4, 4, 5, 6]);
    const cubic = interpolate(plane, { size: 3, mode: "bicubic", alignCorners: true });
    expect(flat(cubic)[4]).toBeCloseTo(3);
  });
  test("says what is missing", () => {
    expect(() => interpolate(row, {})).toThrow("either size or scale_factor should be defined");
    expect(() => interpolate(row, { size: 2, mode: "bilinear" })).toThrow("Input Error");
  });
});

describe("normalisation", () => {
  test("of a batch moves the averages, for every alias to see", () => {
    const kept = zeros([2, 2]);
    const mean = kept.select(0, 0);
    const variance = kept.select(0, 1);
    variance.fill_(1);
    const x = tensor([
      [1, 10],
      [3, 30],
    ]);
    const result = batchNorm(x, mean, variance, { training: true, momentum: 0.5, eps: 0 });
    expect(flat(result)).toEqual([-1, -1, 1, 1]);
    expect(kept.toArray()).toEqual([
      [1, 10],
      [1.5, 100.5],
    ]);
    const after = batchNorm(tensor([[1, 10]]), tensor([0, 5]), tensor([4, 25]), {
      weight: tensor([2, 1]),
      bias: tensor([1, 0]),
      eps: 0,
    });
    expect(flat(after)).toEqual([2, 1]);
  });
  test("of samples and groups takes each by itself", () => {
    const x = tensor([
      [
        [1, 3],
        [10, 30],
      ],
    ]);
    expect(flat(instanceNorm(x, { eps: 0 }))).toEqual([-1, 1, -1, 1]);
    expect(flat(groupNorm(x, 2, { eps: 0, weight: tensor([1, 2]) }))).toEqual([-1, 1, -2, 2]);
    expect(flat(rmsNorm(tensor([3, 4]), [2], { eps: 0 }))[0]).toBeCloseTo(3 / Math.sqrt(12.5));
  });
  test("refuses one value for each channel in training", () => {
    expect(() => batchNorm(ones([1, 3]), null, null, { training: true })).toThrow(
      "Expected more than 1 value per channel when training",
    );
    expect(() => groupNorm(ones([1, 3]), 2)).toThrow("divisible by num_groups");
  });
});

describe("errors of convolutions and pools", () => {
  const x: AnyTensor = ones([1, 3, 4, 4]);
  test("name the channels, the kernel and the padding", () => {
    expect(() => conv2d(x, ones([2, 4, 3, 3]))).toThrow(
      "Given groups=1, weight of size [2, 4, 3, 3], expected input[1, 3, 4, 4] to have 4 channels, but got 3 channels instead",
    );
    expect(() => conv2d(x, ones([2, 3, 5, 5]))).toThrow(
      "Calculated padded input size per channel: (4 x 4). Kernel size: (5 x 5). Kernel size can't be greater than actual input size",
    );
    expect(() => conv2d(x, ones([2, 3, 3, 3]).to("float64"))).toThrow(
      "Input type (float) and weight type (double) should be the same",
    );
    expect(() => conv2d(x, ones([2, 3, 3, 3]), { padding: "same", stride: 2 })).toThrow(
      "padding='same' is not supported for strided convolutions",
    );
    expect(() => maxPool2d(x, 2, { padding: 2 })).toThrow(
      "pad should be at most half of kernel size, but got pad=2 and kernel_size=2",
    );
    expect(() => maxPool2d(x, 9)).toThrow("Output size is too small");
  });
});

test("the reference walks every index", () => {
  expect([...indices([2, 2])]).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
});
