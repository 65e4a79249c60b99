import {
  type AnyTensor,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  cosineEmbeddingLoss,
  crossEntropy,
  gaussianNllLoss,
  hingeEmbeddingLoss,
  huberLoss,
  klDiv,
  l1Loss,
  linear,
  logSoftmax,
  marginRankingLoss,
  mseLoss,
  multilabelMarginLoss,
  multiMarginLoss,
  nllLoss,
  oneHot,
  poissonNllLoss,
  smoothL1Loss,
  softMarginLoss,
  tensor,
  tripletMarginLoss,
} from "fuseau";
import { describe, expect, test } from "vitest";
import { expectKernels } from "../fusion/expect-kernels.ts";
import { expectDType } from "../types/expect.ts";

const flat = (x: AnyTensor): number[] => [...(x.toTypedArray() as Float32Array)];
const near = (x: AnyTensor, expected: number): void => expect(x.item() as number).toBeCloseTo(expected, 5);

describe("losses of numbers", () => {
  const x = tensor([1, 2, 5]);
  const y = tensor([1, 4, 1]);
  test("reduce by mean, by sum, or not", () => {
    expect(mseLoss(x, y, { reduction: "sum" }).item()).toBe(20);
    expect(flat(mseLoss(x, y, { reduction: "none" }))).toEqual([0, 4, 16]);
    expect(l1Loss(x, y).item()).toBe(2);
    expect(flat(smoothL1Loss(x, y, { beta: 4, reduction: "none" }))).toEqual([0, 0.5, 2]);
    expect(flat(smoothL1Loss(x, y, { beta: 0, reduction: "none" }))).toEqual([0, 2, 4]);
    expect(flat(huberLoss(x, y, { delta: 2, reduction: "none" }))).toEqual([0, 2, 6]);
  });
  test("of likelihoods", () => {
    const [p, q] = [tensor([0.25, 0.75]), tensor([0.5, 0.5])];
    near(klDiv(p.log(), q, { reduction: "sum" }), 0.5 * Math.log(2) + 0.5 * Math.log(2 / 3));
    near(klDiv(p.log(), q.log(), { reduction: "sum", logTarget: true }), 0.5 * Math.log(4 / 3));
    near(
      poissonNllLoss(tensor([0]), tensor([3]), { full: true }),
      1 + 3 * Math.log(3) - 3 + 0.5 * Math.log(6 * Math.PI),
    );
    near(gaussianNllLoss(tensor([1]), tensor([3]), tensor([4])), 0.5 * (Math.log(4) + 1));
  });
  test("of probabilities and logits agree", () => {
    const logits = tensor([-2, 0.5, 3]);
    const target = tensor([0, 1, 0.5]);
    near(
      binaryCrossEntropyWithLogits(logits, target),
      binaryCrossEntropy(logits.sigmoid(), target).item() as number,
    );
    expect(binaryCrossEntropy(tensor([0, 1]), tensor([1, 0])).item()).toBe(100);
    near(binaryCrossEntropyWithLogits(tensor([-1000]), tensor([1])), 1000);
  });
  test("are one kernel", () => {
    expectKernels(mseLoss(x.compute(), y.compute()), 1);
  });
});

describe("losses of classes", () => {
  const scores = tensor([
    [1, 2, 3],
    [0, 5, 0],
    [2, 0, 1],
  ]);
  const target = tensor([2n, 1n, 0n]);
  const logs = logSoftmax(scores, 1);

  test("pick the target's logarithm", () => {
    const losses = flat(crossEntropy(scores, target, { reduction: "none" }));
    expect(losses).toEqual([flat(logs)[2]!, flat(logs)[4]!, flat(logs)[6]!].map((log) => -log));
    near(nllLoss(logs, target), crossEntropy(scores, target).item() as number);
  });
  test("weigh and ignore", () => {
    const weight = tensor([1, 2, 4]);
    const each = flat(nllLoss(logs, target, { reduction: "none" }));
    near(nllLoss(logs, target, { weight }), (4 * each[0]! + 2 * each[1]! + each[2]!) / 7);
    near(nllLoss(logs, target, { ignoreIndex: 1 }), (each[0]! + each[2]!) / 2);
    const ignored = tensor([2n, -100n, 0n]);
    expect(flat(nllLoss(logs, ignored, { reduction: "none" }))).toEqual([each[0], 0, each[2]]);
  });
  test("take probabilities, of which classes are a case", () => {
    const probable = oneHot(target, 3).to("float32");
    for (const labelSmoothing of [0, 0.2])
      near(
        crossEntropy(scores, probable, { labelSmoothing }),
        crossEntropy(scores, target, { labelSmoothing }).item() as number,
      );
  });
  test("refuse what is no class", () => {
    expect(() => crossEntropy(scores, tensor([0n, 1n]) as AnyTensor)).toThrow(
      "Expected input batch_size (3) to match target batch_size (2).",
    );
    expect(() => nllLoss(logs, tensor([0, 1, 2]))).toThrow("expected scalar type Long but found Float");
    expect(() => nllLoss(logs, tensor([0n, 1n, 3n])).item()).toThrow(RangeError);
  });
});

describe("losses with a margin", () => {
  const [a, b] = [tensor([1, 2]), tensor([3, 1])];
  test("stop at it", () => {
    expect(flat(hingeEmbeddingLoss(a, tensor([1, -1]), { margin: 5, reduction: "none" }))).toEqual([1, 3]);
    expect(flat(marginRankingLoss(a, b, tensor([1, 1]), { margin: 1, reduction: "none" }))).toEqual([3, 0]);
    near(softMarginLoss(tensor([0]), tensor([1])), Math.log(2));
    near(cosineEmbeddingLoss(tensor([[1, 0]]), tensor([[1, 1]]), tensor([1])), 1 - Math.SQRT1_2);
    near(tripletMarginLoss(tensor([[0, 0]]), tensor([[3, 4]]), tensor([[0, 1]])), 5);
  });
  test("of several classes", () => {
    const scores = tensor([[0.1, 0.2, 0.4, 0.8]]);
    near(multiMarginLoss(scores, tensor([3n])), (0.3 + 0.4 + 0.6) / 4);
    expect(multiMarginLoss(tensor([1, 2, 3]), tensor([1n]), { reduction: "none" }).shape).toEqual([1]);
    near(multilabelMarginLoss(scores, tensor([[3n, 0n, -1n, 1n]])), 0.85);
  });
  test("have the dtype of all that they are made of", () => {
    const wide = tensor([1, -1], { dtype: "float64" });
    expectDType(marginRankingLoss(a, b, wide), "float64");
    expectDType(crossEntropy(a, wide), "float64");
    expectDType(crossEntropy(a, tensor(1n)), "float32");
    expectDType(binaryCrossEntropyWithLogits(a, wide), "float64");
    expectDType(gaussianNllLoss(a, b, wide.abs()), "float64");
    expectDType(
      poissonNllLoss(tensor([1, 2], { dtype: "uint8" }), tensor([1, 2], { dtype: "uint8" })),
      "float32",
    );
    expectDType(mseLoss(a, wide), "float64");
  });
  test("refuse weights that make them larger, and dtypes that do not go together", () => {
    const weight = tensor([[1, 2]]).expand([2, 2]);
    for (const loss of [binaryCrossEntropy, binaryCrossEntropyWithLogits])
      expect(() => loss(a, b, { weight })).toThrow(
        "output with shape [2] doesn't match the broadcast shape [2, 2]",
      );
    const wide = tensor([0.5, 1], { dtype: "float64" });
    expect(() => a.lerp(b, wide)).toThrow("expected dtype Float for `weight` but got dtype Double");
    expect(() => linear(a, tensor([[1, 2]]), tensor([1], { dtype: "float64" }))).toThrow(
      "linear: expected bias to have the dtype of input, float32, but got float64",
    );
  });
  test("refuse an unknown reduction", () => {
    expect(() => l1Loss(a, b, { reduction: "abc" as "sum" })).toThrow(
      "abc is not a valid value for reduction",
    );
  });
});
