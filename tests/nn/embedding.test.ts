/** Tables whose rows are scaled down, and gradients by frequency. Numbers are of PyTorch 1.13, from the same calls. */
import {
  type AnyTensor,
  arange,
  embedding,
  embeddingBag,
  manualSeed,
  rand,
  type Tensor,
  tensor,
} from "fuseau";
import { Embedding, EmbeddingBag } from "fuseau/nn";
import { SGD } from "fuseau/optim";
import { describe, expect, it } from "vitest";

const table = (): Tensor<[number, number], "float32"> =>
  tensor(
    [
      [1, 2, -2],
      [0.3, 0.1, 0.2],
      [3, 4, 0],
      [5, 6, 7],
      [-1, 0.5, 2],
    ],
    { requiresGrad: true },
  );
const places = (): Tensor<[2, 3], "int64"> =>
  tensor(
    [
      [0, 2, 2],
      [1, 4, 0],
    ],
    { dtype: "int64" },
  );

function expectRows(actual: AnyTensor | null, expected: readonly (readonly number[])[]): void {
  expect(actual!.shape).toEqual([expected.length, 3]);
  const found = Array.from(actual!.toTypedArray(), Number);
  for (const [k, value] of expected.flat().entries()) expect(found[k], `element ${k}`).toBeCloseTo(value, 6);
}

const untouched = { small: [0.3, 0.1, 0.2], unused: [5, 6, 7] };

describe("embedding", () => {
  it.each([
    {
      options: { maxNorm: 1.5 },
      weight: [
        [0.5, 0.9999999, -0.9999999],
        untouched.small,
        [0.9, 1.2, 0],
        untouched.unused,
        [-0.6546536, 0.3273268, 1.309307],
      ],
      grad: [
        [15, 17, 19],
        [9, 10, 11],
        [9, 11, 13],
        [0, 0, 0],
        [12, 13, 14],
      ],
    },
    {
      options: { maxNorm: 2, normType: 1, scaleGradByFreq: true, paddingIdx: 1 },
      weight: [
        [0.4, 0.8, -0.8],
        untouched.small,
        [0.8571428, 1.142857, 0],
        untouched.unused,
        [-0.5714285, 0.2857143, 1.142857],
      ],
      grad: [
        [7.5, 8.5, 9.5],
        [0, 0, 0],
        [4.5, 5.5, 6.5],
        [0, 0, 0],
        [12, 13, 14],
      ],
    },
    {
      options: { maxNorm: 1, normType: Number.POSITIVE_INFINITY, scaleGradByFreq: true },
      weight: [
        [0.5, 0.9999999, -0.9999999],
        untouched.small,
        [0.75, 1, 0],
        untouched.unused,
        [-0.5, 0.25, 0.9999999],
      ],
      grad: [
        [7.5, 8.5, 9.5],
        [9, 10, 11],
        [4.5, 5.5, 6.5],
        [0, 0, 0],
        [12, 13, 14],
      ],
    },
    {
      options: { maxNorm: 0.5, normType: 3, paddingIdx: 0 },
      weight: [
        [0.1944555, 0.3889111, -0.3889111],
        untouched.small,
        [0.3334859, 0.4446478, 0],
        untouched.unused,
        [-0.2392723, 0.1196361, 0.4785445],
      ],
      grad: [
        [0, 0, 0],
        [9, 10, 11],
        [9, 11, 13],
        [0, 0, 0],
        [12, 13, 14],
      ],
    },
  ])("with $options", ({ options, weight, grad }) => {
    const rows = table();
    const made = embedding(places(), rows, options);
    expectRows(rows, weight);
    expectRows(
      made.reshape([6, 3]),
      [0, 2, 2, 1, 4, 0].map((row) => weight[row]!),
    );
    made
      .mul(arange(18).reshape([2, 3, 3]))
      .sum()
      .backward();
    expectRows(rows.grad, grad);
  });

  it("is what the layer computes, whose weight is written as it is trained", () => {
    const layer = new Embedding(5, 3, { maxNorm: 1.5, scaleGradByFreq: true });
    layer.loadStateDict({ weight: table().detach() });
    const optimizer = new SGD(layer.parameters(), { lr: 0.1 });
    layer.forward(places()).sum().backward();
    optimizer.step();
    expectRows(layer.weight, [
      [0.4, 0.8999999, -1.1],
      [0.2, 0, 0.1],
      [0.8, 1.1, -0.1],
      untouched.unused,
      [-0.7546536, 0.2273268, 1.209307],
    ]);
  });
});

describe("embeddingBag", () => {
  // The sums are PyTorch's. Its gradients by frequency are on one thread of the CPU those of the row next to it; these are as its documentation says.
  it("scales rows down, and divides gradients by frequency", () => {
    const rows = table();
    const offsets = tensor([0, 2], { dtype: "int64" });
    const options = { mode: "sum", maxNorm: 2, scaleGradByFreq: true, offsets } as const;
    const bags = embeddingBag(places().reshape([6]), rows, options);
    expectRows(bags, [
      [1.866667, 2.933333, -1.333333],
      [1.293795, 3.469769, 0.6124098],
    ]);
    bags
      .mul(arange(6).reshape([2, 3]))
      .sum()
      .backward();
    expectRows(rows.grad, [
      [1.5, 2.5, 3.5],
      [3, 4, 5],
      [1.5, 2.5, 3.5],
      [0, 0, 0],
      [3, 4, 5],
    ]);
  });

  it("is what the layer computes", () => {
    const layer = new EmbeddingBag(5, 3, { maxNorm: 2 });
    layer.loadStateDict({ weight: table().detach() });
    expectRows(layer.forward(places()), [
      [1.022222, 1.511111, -0.4444444],
      [0.03126504, 0.6232564, 0.2041366],
    ]);
    expectRows(layer.weight, [
      [0.6666666, 1.333333, -1.333333],
      untouched.small,
      [1.2, 1.6, 0],
      untouched.unused,
      [-0.8728715, 0.4364358, 1.745743],
    ]);
  });
});

it("what cannot be is refused, and nothing is written", () => {
  const rows = table();
  const call = (options: object) => () => embeddingBag(places(), rows, options);
  expect(call({ maxNorm: 1, mode: "max", scaleGradByFreq: true })).toThrow(
    "embeddingBag: max mode does not support scaling the gradient by the frequency",
  );
  expect(() => embedding(places(), rows, { maxNorm: 1, paddingIdx: 9 })).toThrow(
    /Padding_idx must be within/,
  );
  expect(() => embedding(places(), rows, { maxNorm: 1, normType: 0 })).toThrow(/non-positive-norm/);
  expect(() => embedding(places(), rows, { sparse: true as never })).toThrow(
    "embedding: there are no sparse gradients",
  );
  expect(() => new Embedding(5, 3, { sparse: true as never })).toThrow(
    "Embedding: there are no sparse gradients",
  );
  expectRows(rows, table().toArray());
});

it("a batch without indexes has a gradient of zeros", () => {
  const offsets = tensor([0, 0], { dtype: "int64" });
  for (const mode of ["sum", "mean", "max"] as const) {
    const weight = table();
    embeddingBag(arange(0), weight, { mode, offsets }).sum().backward();
    expectRows(weight.grad, new Array(5).fill([0, 0, 0]));
  }
});

it("what a row of padding holds does not reach the gradient of its factor", () => {
  const weight = tensor([[Number.NaN], [2]]);
  const perSampleWeights = tensor([3, 4], { requiresGrad: true });
  const options = {
    mode: "sum",
    paddingIdx: 0,
    perSampleWeights,
    offsets: tensor([0], { dtype: "int64" }),
  } as const;
  const made = embeddingBag(arange(2), weight, options);
  expect(made.toArray()).toEqual([[8]]);
  made.sum().backward();
  expect(perSampleWeights.grad!.toArray()).toEqual([0, 2]);
});

it("layers know their padding from the front", () => {
  expect(new Embedding(3, 2, { paddingIdx: -1 }).paddingIdx).toBe(2);
  expect(new EmbeddingBag(3, 2, { paddingIdx: -3 }).options.paddingIdx).toBe(0);
});

describe("fromPretrained", () => {
  const given = () =>
    tensor(
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      { dtype: "float64" },
    );
  const places = tensor([2, 0], { dtype: "int64" });

  it("has the table as its weight, frozen unless asked otherwise", () => {
    const learned = given();
    const layer = Embedding.fromPretrained(learned);
    expect(layer.weight).toBe(learned);
    expect(layer.parameters().map(({ requiresGrad }) => requiresGrad)).toEqual([false]);
    const rows: Tensor<[2, 2], "float64"> = layer.forward(places);
    expect(rows.toArray()).toEqual([
      [5, 6],
      [1, 2],
    ]);
    expect(Embedding.fromPretrained(given(), { freeze: false }).weight.requiresGrad).toBe(true);
    expect(Object.keys(layer.stateDict())).toEqual(["weight"]);
  });

  it("leaves a row of padding as it is, and takes the options of the layer", () => {
    const layer = Embedding.fromPretrained(given(), { freeze: false, paddingIdx: -1 });
    expect([layer.paddingIdx, layer.weight.select(0, 2).toArray()]).toEqual([2, [5, 6]]);
    layer.forward(places).sum().backward();
    expect(layer.weight.grad!.toArray()).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
    ]);
    const bags = EmbeddingBag.fromPretrained(given(), { mode: "max" });
    expect(bags.forward(places.unsqueeze(0)).toArray()).toEqual([[5, 6]]);
  });

  it("takes no random numbers, and refuses what is no table", () => {
    manualSeed(5);
    const next = rand([1]).item();
    manualSeed(5);
    Embedding.fromPretrained(given());
    expect(rand([1]).item()).toBe(next);
    expect(() => Embedding.fromPretrained(arange(3).float() as never)).toThrow(
      "fromPretrained: Embeddings parameter is expected to be 2-dimensional",
    );
    expect(() => Embedding.fromPretrained(given(), { frozen: true } as never)).toThrow(
      /unknown option "frozen"/,
    );
  });
});
