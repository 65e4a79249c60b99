/** The kernel counts that users may rely on: what is one kernel stays one kernel. */
import {
  type AnyTensor,
  arange,
  cat,
  cosineSimilarity,
  crossEntropy,
  fromTypedArray,
  gelu,
  mseLoss,
  type Tensor,
  where,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { expectKernels } from "./expect-kernels.ts";

compileWhole();

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });
const indexes = (...shape: number[]): Tensor<number[], "int32"> =>
  fromTypedArray(new Int32Array(shape.reduce((count, size) => count * size, 1)), { shape });

const x = stored(300, 200);
const image = stored(8, 16, 12, 12);

/** Sixty ops over ten arrays, two results. */
function chain(): AnyTensor[] {
  const arrays = Array.from({ length: 10 }, () => stored(300, 200));
  let sum: AnyTensor = arrays[0] as AnyTensor;
  for (let k = 1; k < 60; k++) {
    const other = arrays[k % 10] as AnyTensor;
    sum = k % 3 === 0 ? sum.mul(other) : k % 3 === 1 ? sum.add(other) : sum.sub(other);
  }
  return [sum, sum.neg()];
}

function batchNorm(): AnyTensor[] {
  const mean = image.mean([0, 2, 3], { keepdim: true });
  const variance = image.var([0, 2, 3], { keepdim: true, correction: 0 });
  return [image.sub(mean).div(variance.add(1e-5).sqrt()), mean, variance];
}

function airports(): AnyTensor[] {
  const [latitude, longitude] = [stored(400), stored(400)];
  const half = (a: AnyTensor): AnyTensor => a.unsqueeze(1).sub(a).div(2).sin().square();
  const h = half(latitude).add(latitude.unsqueeze(1).cos().mul(latitude.cos()).mul(half(longitude)));
  const self = arange(400).unsqueeze(1).eq(arange(400));
  const distance = where(self, Number.POSITIVE_INFINITY, h.sqrt().asin().mul(12_742));
  return [distance.amin(1), distance.argmin(1)];
}

function kMeans(): AnyTensor {
  const [points, centres] = [stored(300, 8), stored(10, 8)];
  return points.unsqueeze(1).sub(centres.unsqueeze(0)).square().sum(2).argmin(1);
}

function attention(): AnyTensor {
  const [query, key, value] = [stored(2, 64, 16), stored(2, 64, 16), stored(2, 64, 16)];
  return query.matmul(key.transpose(1, 2)).mul(0.25).add(stored(64, 64)).softmax(2).matmul(value);
}

function sharedExp(): AnyTensor[] {
  const e = x.exp();
  return [e.add(1), e.mul(2)];
}

/** A new state from the four neighbours, written into the old one. */
function diffuse(state: Tensor<number[], "float32">): void {
  const [h, w] = state.shape as [number, number];
  const at = (i: number, j: number): AnyTensor => state.narrow(0, i, h - 2).narrow(1, j, w - 2);
  const next = at(0, 1).add(at(2, 1)).add(at(1, 0)).add(at(1, 2)).mul(0.25);
  state
    .narrow(0, 1, h - 2)
    .narrow(1, 1, w - 2)
    .copy_(next);
}

function stencil(steps: number): AnyTensor {
  const state: Tensor<number[], "float32"> = zeros([40, 40]).add(1);
  state.compute();
  for (let step = 0; step < steps; step++) diffuse(state);
  return state;
}

describe("kernels (phases)", () => {
  it.each<[string, () => AnyTensor | AnyTensor[], number, number | undefined]>([
    ["a pointwise graph of 60 ops over 10 arrays, two results", chain, 1, 1],
    ["softmax of rows", () => x.softmax(1), 1, 1],
    ["logSoftmax of rows", () => x.logSoftmax(1), 1, 1],
    ["logsumexp of rows", () => x.logsumexp(1), 1, 1],
    ["cross entropy of rows", () => crossEntropy(x, indexes(300), { reduction: "none" }), 1, 1],
    ["layer norm", () => x.layerNorm([200], { weight: stored(200), bias: stored(200) }), 1, 1],
    ["rms norm", () => x.mul(x.square().mean(1, { keepdim: true }).add(1e-5).rsqrt()).mul(stored(200)), 1, 1],
    ["mean and variance, both returned", () => [x.mean(1), x.var(1)], 1, 1],
    ["aminmax", () => [x.amin(1), x.amax(1)], 1, 1],
    ["softmax over a middle axis", () => stored(20, 300, 64).softmax(1), 1, 1],
    // Rows of 40 have no whole steps: exponentials of many rows are laid behind each other.
    ["softmax over a middle axis, of odd rows", () => stored(20, 300, 40).softmax(1), 2, 2],
    ["softmax over the first axis", () => x.softmax(0), 1, 1],
    ["standardising columns", () => x.sub(x.mean(0)).div(x.std(0)), 1, 1],
    ["batch norm, its statistics returned", batchNorm, 1, 1],
    ["a full sum used elementwise", () => x.div(x.sum()), 1, 2],
    ["sum, max and argmax", () => [x.sum(1), x.amax(1), x.argmax(1)], 1, 1],
    ["two outputs sharing an exp", sharedExp, 1, 1],
    ["mse loss", () => mseLoss(x, stored(300, 200)), 1, 1],
    ["cosine similarity of row pairs", () => cosineSimilarity(x, stored(300, 200)), 1, 1],
    // Ten distances of each point do not fill the lanes of a fold: they are stored.
    ["k-means assignment", kMeans, 2, 2],
    ["airports: nearest neighbour and its distance", airports, 1, 2],
    ["embedding, scaled, mean", () => x.indexSelect(0, indexes(50)).mul(3).mean(0), 1, 1],
    [
      "pointwise into scatterAdd",
      () => zeros([100]).scatterAdd(0, indexes(5_000).to("int64"), stored(5_000).mul(2).exp()),
      1,
      2,
    ],
    [
      "counting into known bins",
      () =>
        zeros([16]).scatterAdd(
          0,
          x.mul(16).floor().clamp(0, 15).to("int64").flatten(),
          stored(60_000).add(1),
        ),
      1,
      2,
    ],
    ["concat of three into a reduction", () => cat([x, x.add(1), x.mul(2)], 1).sum(1), 1, 1],
    ["concat", () => cat([x, x.add(1), x.mul(2)], 1), 1, 1],
    ["pad", () => x.pad([1, 1, 2, 2]), 1, 5],
    ["a stencil step, written back", () => stencil(1), 1, undefined],
    [
      "matmul, bias, gelu, residual",
      () => gelu(x.matmul(stored(200, 200)).add(stored(200))).add(x),
      1,
      undefined,
    ],
    ["attention", attention, 1, 1],
    ["cumsum between two chains", () => x.mul(2).cumsum(1).add(1), 1, 1],
    // A scan walks its elements one by one: what is expensive behind it is quicker in a loop of its own.
    ["cumsum, and something expensive behind it", () => x.mul(2).cumsum(1).exp().add(1), 2, 2],
    ["cumsum down the columns, between two chains", () => x.mul(2).cumsum(0).abs().add(1), 1, 1],
    [
      "and something expensive behind it, which has too few registers beside the sums",
      () => x.mul(2).cumsum(0).exp(),
      2,
      2,
    ],
    ["ten steps of a stencil", () => stencil(10), 10, undefined],
  ])("%s", (_, make, kernels, phases) => {
    const { bytes } = expectKernels(make(), kernels, phases);
    if (kernels === 1) expect(bytes.intermediate).toBe(0);
  });

  it("ten steps of a stencil take two buffers beside what they start from", () => {
    const { bytes } = expectKernels(stencil(10), 10);
    expect(bytes.peak - bytes.inputs).toBe(2 * 1_600 * 4);
  });

  it("a write in place is made in place, when nothing else can read what it overwrites", () => {
    const state = zeros([40, 40]).add(1).compute();
    state.mul_(2).add_(x.sum());
    expect(expectKernels(state, 1).bytes).toMatchObject({ outputs: 6_400, peak: 6_400 + x.numel() * 4 });
    state.compute();
    state.narrow(0, 3, 10).mul_(3);
    const { bytes, kernels } = expectKernels(state, 1, 1);
    expect(bytes.peak).toBe(6_400);
    expect(kernels[0]?.loop.match(/for /g)).toHaveLength(1);
  });

  it("attention keeps no square array", () => {
    const { bytes } = expectKernels(attention(), 1);
    expect(bytes.arena).toBeLessThan(64 * 64 * 4);
  });
});
