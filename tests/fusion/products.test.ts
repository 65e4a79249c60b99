/** A matrix product keeps its tiles: where its reader's loops leave no room for them it is stored, and explain() says what either costs. */
import {
  type AnyTensor,
  compute,
  conv2d,
  crossEntropy,
  type Explanation,
  fromTypedArray,
  linear,
  maxPool2d,
  mseLoss,
  pad,
  randn,
  type Tensor,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, picture } from "./expect-kernels.ts";

compileWhole();

/** Halves between −2 and 2, so that sums are exact in any order. */
const stored = (...shape: number[]): Tensor<number[], "float32"> => {
  const cells = shape.reduce((count, size) => count * size, 1);
  return fromTypedArray(
    Float32Array.from({ length: cells }, (_, k) => (((k * 7) % 9) - 4) / 2),
    { shape },
  );
};

const a = stored(48, 40);
const b = stored(40, 56);
const image = stored(2, 3, 18, 18);
const filters = stored(4, 3, 3, 3);
const layer = linear(stored(24, 32), stored(16, 32), stored(16));
const labels = fromTypedArray(
  Int32Array.from({ length: 24 }, (_, k) => (k * 5) % 16),
  { shape: [24] },
);

const REASON = "costs more here than stored";

/** The products of a program, and those of them that no reader has in its loops. */
function productsOf({ kernels, notFused }: Explanation): { readonly all: number; readonly stored: number } {
  const all = kernels.flatMap(({ ops }) => ops).filter((op) => op === "contract").length;
  return { all, stored: notFused.filter(({ op, reason }) => op === "contract" && reason === REASON).length };
}

const readers: [string, () => AnyTensor][] = [
  ["a sum of all its elements", () => a.matmul(b).sum()],
  ["a mean squared error of a linear layer", () => mseLoss(layer, stored(24, 16))],
  ["a pool over a convolution", () => maxPool2d(conv2d(image, filters).relu(), 2)],
  ["means over the places of a convolution", () => conv2d(image, filters).relu().mean([2, 3])],
  ["cross entropy of a linear layer", () => crossEntropy(layer, labels)],
  ["a count", () => a.matmul(b).gt(16).sum()],
  ["a largest place down the columns", () => a.matmul(b).argmax(0)],
  ["a norm", () => a.matmul(b).square().sum().sqrt()],
  ["a running sum down the columns", () => a.matmul(b).cumsum(0)],
  ["the least distance", () => a.matmul(a.t()).mul(-2).add(a.square().sum(1)).amin()],
  ["a product of products", () => a.matmul(b).matmul(b.t()).sum()],
  ["two products side by side", () => a.matmul(b).sum().add(b.t().matmul(a.t()).amax())],
];

describe("a product that its reader has no tiles for is stored", () => {
  it.each(readers)("%s", (_, make) => {
    const explanation = explained(make(), { emitter: "wasm" });
    const { all, stored: apart } = productsOf(explanation);
    expect(all).toBeGreaterThan(0);
    if (apart === 0) expect.fail(picture(explanation));
    for (const { reason, measured, limit } of explanation.notFused)
      if (reason === REASON) expect(measured).toBeGreaterThan(limit);
  });

  it.each(readers)("%s: the same bits as op by op", (_, make) => {
    for (const emitter of ["wasm", "js", "closure"] as const) {
      const fused = make().compute({ emitter }).toTypedArray();
      expect(fused).toEqual(make().compute({ emitter, fusion: "none" }).toTypedArray());
    }
  });

  it("one that is wanted too is computed once, in a kernel of its own", () => {
    const product = a.matmul(b);
    const explanation = explained([product, product.sum()], { emitter: "wasm" });
    expect(explanation.kernels.map(({ ops }) => ops)).toEqual([["contract"], ["sum"]]);
  });
});

describe("a product in whose kernel something else stands between its loops", () => {
  const t = stored(6, 20, 24);
  const scaled = t.mul(stored(6, 1, 1));
  it.each<[string, () => AnyTensor]>([
    ["both operands are of one computed value", () => scaled.square().matmul(scaled.transpose(-1, -2))],
    ["few rows of many matrices that meet one", () => stored(7, 4, 41).tanh().matmul(stored(41, 600))],
    ["a pool of two of its columns", () => t.matmul(stored(24, 60)).reshape([6, 20, 30, 2]).amax(3)],
    ["a convolution that is padded again", () => pad(conv2d(image, filters, { stride: 2 }), [1, 1])],
    ["a count along the rows of a convolution", () => conv2d(image, filters).gt(0.25).sum(3)],
    [
      "a convolution read across its order",
      () =>
        conv2d(image, filters)
          .transpose(-1, 1)
          .add(stored(2, 16, 16, 4)),
    ],
  ])("%s: the same bits as op by op", (_, make) => {
    for (const emitter of ["wasm", "js", "closure"] as const) {
      const fused = make().compute({ emitter }).toTypedArray();
      expect(fused).toEqual(make().compute({ emitter, fusion: "none" }).toTypedArray());
    }
  });

  it("what it is made of is stored", () => {
    const made = explained(scaled.square().matmul(scaled.transpose(-1, -2)), { emitter: "wasm" });
    expect(made.kernels.at(-1)?.ops).toEqual(["contract"]);
  });

  it("what else is stored there gets a kernel of its own", () => {
    const turned = t.transpose(-1, -2);
    const results = [stored(6, 20, 24).matmul(turned), turned];
    const explanation = explained(results, { emitter: "wasm" });
    expect(explanation.kernels.map(({ ops }) => ops)).toEqual([["permute"], ["contract"]]);
    const [found] = explanation.notFused.filter(({ op }) => op === "permute");
    expect(found?.reason).toBe(REASON);
    expect(found?.measured).toBeGreaterThan(found?.limit ?? Infinity);
  });
});

describe("a padded operand that is wanted too", () => {
  it.each(["wasm", "js", "closure"] as const)("is stored in front of its product, by %s", (emitter) => {
    const padded = pad(stored(1, 1, 2, 3), [0, 0, 0, 1], { value: 1 });
    const product = conv2d(padded, padded);
    compute(product, padded, { emitter });
    expect(product.item()).toBe(padded.square().sum().item());
  });
});

describe("a product that its reader has tiles for is not", () => {
  it.each<[string, () => AnyTensor]>([
    ["bias and activation", () => a.matmul(b).add(stored(56)).relu()],
    ["softmax of its rows", () => a.matmul(b).softmax(1)],
    ["sums of its rows", () => a.matmul(b).sum(1)],
    ["a convolution with its bias", () => conv2d(image, filters, { bias: stored(4) }).relu()],
  ])("%s", (_, make) => {
    const explanation = explained(make(), { emitter: "wasm" });
    if (explanation.kernels.length !== 1) expect.fail(picture(explanation));
    expect(productsOf(explanation).stored).toBe(0);
  });

  describe.each(["js", "closure"] as const)(
    "without tiles, by %s, sums are made several at a time",
    (emitter) => {
      it.each<[string, () => AnyTensor]>([
        ["in loops of their own", () => a.matmul(b).sum()],
        ["along rows of both", () => a.matmul(a.t()).sum()],
        ["for the next product", () => a.matmul(b).matmul(b.t())],
      ])("%s", (_, make) => {
        const explanation = explained(make(), { emitter });
        expect(productsOf(explanation).stored).toBe(1);
      });

      it("but for those that stand alone, and in loops over rows and columns", () => {
        expect(productsOf(explained(a.matmul(b).add(1), { emitter })).stored).toBe(0);
        expect(productsOf(explained(a.sum(1).dot(a.sum(1)).add(1), { emitter })).stored).toBe(0);
      });
    },
  );
});

it("values that are read more than once are searched once, however long the chain in front of a product", () => {
  const [x, w] = [stored(200, 12), stored(12, 16)];
  const product = (): AnyTensor => {
    let y: AnyTensor = x;
    for (let step = 0; step < 30; step++) y = y.mul(0.5).add(y.neg().mul(y.abs())) as AnyTensor;
    return y.matmul(w).relu() as AnyTensor;
  };
  const expected = product().compute({ fusion: "none" }).toTypedArray();
  for (const emitter of ["wasm", "js"] as const)
    expect(product().compute({ emitter }).toTypedArray()).toEqual(expected);
});

describe("a transposed matrix times a vector", () => {
  it("reads the matrix in the order of memory, over a row of sums, as a vector times the matrix does", () => {
    const matrix = randn([300, 50]).compute();
    const vector = randn([300]).compute();
    const sums = matrix.t().mv(vector);
    const { kernels } = explained(sums, { emitter: "wasm" });
    expect(kernels[0]?.schedule).toMatch(/reduce x1 < n1 jam 4[\s\S]*vector/);
    const bits = sums.compute({ emitter: "wasm" }).toTypedArray();
    expect(bits).toEqual(vector.matmul(matrix).compute({ emitter: "wasm" }).toTypedArray());
    const inRows = matrix.t().contiguous().compute();
    expect(bits).toEqual(inRows.mv(vector).compute({ emitter: "wasm" }).toTypedArray());
  });
});
