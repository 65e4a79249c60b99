/** First numbers of parameters: distributions, and what is refused. */
import { type AnyTensor, eye, Generator, manualSeed, ones, tensor, zeros } from "fuseau";
import { Conv2d, Embedding, init, Linear, MultiheadAttention, PReLU, utils } from "fuseau/nn";
import { beforeEach, describe, expect, it } from "vitest";

beforeEach(() => {
  manualSeed(0);
});

const moments = (x: AnyTensor) => ({
  mean: Number(x.mean().item()),
  std: Number(x.std().item()),
  largest: Number(x.abs().max().item()),
});

describe("init", () => {
  const uniform = (bound: number) => ({ std: bound / Math.sqrt(3), bound });
  it.each([
    ["xavierUniform_", init.xavierUniform_(zeros([200, 300])), uniform(Math.sqrt(6 / 500))],
    [
      "xavierUniform_ gain",
      init.xavierUniform_(zeros([200, 300]), { gain: 2 }),
      uniform(2 * Math.sqrt(6 / 500)),
    ],
    ["kaimingUniform_", init.kaimingUniform_(zeros([200, 30, 10]), { a: 1 }), uniform(Math.sqrt(3 / 300))],
    ["xavierNormal_", init.xavierNormal_(zeros([200, 300])), { std: Math.sqrt(2 / 500), bound: Infinity }],
    [
      "kaimingNormal_ fanOut relu",
      init.kaimingNormal_(zeros([200, 300]), { mode: "fanOut", nonlinearity: "relu" }),
      { std: Math.sqrt(2 / 200), bound: Infinity },
    ],
    ["truncNormal_", init.truncNormal_(zeros([300, 300])), { std: 0.8796, bound: 2 }],
    ["a Linear's weight", new Linear(400, 200).weight, uniform(1 / 20)],
    ["a Linear's bias", new Linear(400, 20_000).bias!, uniform(1 / 20)],
    ["a Conv2d's weight", new Conv2d(16, 32, 5).weight, uniform(1 / 20)],
    ["an Embedding's", new Embedding(300, 200).weight, { std: 1, bound: Infinity }],
    ["an attention's", new MultiheadAttention(120, 4).inProjWeight!, uniform(Math.sqrt(6 / 480))],
  ] as const)("%s has its deviation", (_, x, { std, bound }) => {
    const found = moments(x);
    expect(Math.abs(found.mean)).toBeLessThan(0.03 * std);
    expect(Math.abs(found.std / std - 1)).toBeLessThan(0.02);
    expect(found.largest).toBeLessThanOrEqual(bound * (1 + 1e-6));
  });

  it("writes constants and identities", () => {
    expect(init.constant_(zeros([2]), 3).toArray()).toEqual([3, 3]);
    expect(init.eye_(ones([2, 3])).toArray()).toEqual(eye(2, 3).toArray());
    expect(new PReLU(2).weight.toArray()).toEqual([0.25, 0.25]);
  });

  it("orthogonal_ makes rows, or columns, that are orthonormal", () => {
    const wide = init.orthogonal_(zeros([3, 2, 4], { dtype: "float64" }), { gain: 2 }).reshape([3, 8]);
    expect(wide.matmul(wide.t()).sub(eye(3).mul(4)).abs().max().item()).toBeLessThan(1e-12);
    const tall = init.orthogonal_(zeros([8, 3], { dtype: "float64" }));
    expect(tall.t().matmul(tall).sub(eye(3)).abs().max().item()).toBeLessThan(1e-12);
  });

  it("draws from the generator that it is given", () => {
    const draw = () => new Linear(3, 2, { generator: new Generator(7) }).weight.toArray();
    expect(draw()).toEqual(draw());
  });

  it("leaves gradients alone, and refuses shapes without a fan", () => {
    const { weight } = new Linear(3, 2);
    init.zeros_(weight);
    expect([weight.requiresGrad, weight.isLeaf]).toEqual([true, true]);
    expect(() => init.xavierUniform_(zeros([3]))).toThrow(/fewer than 2 dimensions \(shape \[3\]\)/);
    expect(() => init.eye_(zeros([3]))).toThrow(/Only tensors with 2 dimensions/);
    expect(init.calculateGain("leakyRelu", 0.2)).toBeCloseTo(Math.sqrt(2 / 1.04), 12);
  });
});

describe("utils", () => {
  const withGrads = (...grads: number[][]): AnyTensor[] =>
    grads.map((grad) => {
      const x = zeros([grad.length]).requiresGrad_();
      x.mul(tensor(grad)).sum().backward();
      return x;
    });

  it("clipGradNorm_ scales all gradients together", () => {
    const parameters = withGrads([3, 0], [4]);
    expect(utils.clipGradNorm_(parameters, 1).item()).toBe(5);
    const clipped = parameters.flatMap((x) => x.grad!.toArray() as number[]);
    [0.6, 0, 0.8].forEach((value, k) => {
      expect(clipped[k]).toBeCloseTo(value, 5);
    });
  });

  it("clipGradNorm_ leaves small gradients, and knows the largest norm", () => {
    const parameters = withGrads([0.3, -0.4]);
    expect(utils.clipGradNorm_(parameters, 1, { normType: Infinity }).item()).toBeCloseTo(0.4, 6);
    expect((parameters[0]!.grad!.toArray() as number[])[0]).toBeCloseTo(0.3, 6);
    expect(() => utils.clipGradNorm_(withGrads([NaN]), 1, { errorIfNonfinite: true })).toThrow(/non-finite/);
  });

  it("clipGradValue_ keeps every part within bounds", () => {
    const parameters = withGrads([3, -0.5, -2]);
    utils.clipGradValue_(parameters, 1);
    expect(parameters[0]!.grad!.toArray()).toEqual([1, -0.5, -1]);
  });

  it("parameters go into one list and come back", () => {
    const model = new Linear(2, 3);
    const list = utils.parametersToVector(model.parameters());
    expect([list.shape, list.requiresGrad]).toEqual([[9], true]);
    utils.vectorToParameters(list.detach().mul(0).add(2), model.parameters());
    expect(model.bias!.toArray()).toEqual([2, 2, 2]);
    expect(() => utils.vectorToParameters(ones([8]), model.parameters())).toThrow(
      /the vector has 8 elements, and the parameters have 9/,
    );
  });
});

// PyTorch: torch.nn.init.dirac_(torch.empty(4, 1, 3), 2) has ones at [0, 0, 1] and [2, 0, 1].
it("dirac_ leaves channels as they are, of each group by itself", () => {
  const places = (shape: number[], groups?: number) => init.dirac_(ones(shape), groups).nonzero().toArray();
  expect(places([2, 3, 3])).toEqual([
    [0, 0, 1],
    [1, 1, 1],
  ]);
  expect(places([4, 1, 3], 2)).toEqual([
    [0, 0, 1],
    [2, 0, 1],
  ]);
  expect(places([1, 2, 2, 3])).toEqual([[0, 0, 1, 1]]);
  expect(() => places([2, 2])).toThrow("Only tensors with 3, 4, or 5 dimensions");
  expect(() => places([3, 2, 2], 2)).toThrow("dim 0 must be divisible by groups");
});

it("sparse_ leaves as many zeros in each column", () => {
  const x = init.sparse_(ones([10, 4]), 0.25);
  expect(x.eq(0).sum(0).toArray()).toEqual([3, 3, 3, 3]);
  expect(Number(x.abs().max().item())).toBeLessThan(0.05);
});
