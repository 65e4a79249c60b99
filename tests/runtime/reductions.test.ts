import { type AnyTensor, arange, linalg, ones, tensor, zeros } from "fuseau";
import { describe, expect, test } from "vitest";

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const x = tensor([
  [1, 2, 6],
  [4, 8, 0],
]);

const close = (actual: AnyTensor, expected: readonly number[]): void => {
  const elements = Array.from(actual.double().toTypedArray() as Float64Array);
  expect(elements).toHaveLength(expected.length);
  for (const [i, element] of elements.entries()) expect(element).toBeCloseTo(expected[i]!, 4);
};

describe("reductions", () => {
  test("fold one axis, several, or all", () => {
    expect(x.sum(0).toArray()).toEqual([5, 10, 6]);
    expect(x.sum(-1).toArray()).toEqual([9, 12]);
    expect(x.sum().item()).toBe(21);
    expect(x.sum([]).item()).toBe(21);
    expect(x.sum(1, { keepdim: true }).toArray()).toEqual([[9], [12]]);
    expect(x.prod(1).toArray()).toEqual([12, 0]);
    expect(x.mean(1).toArray()).toEqual([3, 4]);
    expect(arange(4).sum().dtype).toBe("int64");
  });
  test.each([2, 1, 0, 0.5, -1, inf, -inf])(
    "the %d-norm of nothing is 0, and a vector norm may be none",
    (p) => {
      const nothing = zeros([0, 3]);
      expect(nothing.norm(p).item()).toBe(0);
      expect(nothing.norm(p, 0).toArray()).toEqual([0, 0, 0]);
      expect(nothing.norm(p, 1).toArray()).toEqual([]);
      const asked = (): unknown => linalg.vectorNorm(nothing, p).item();
      if (p < 0 || p === inf) expect(asked).toThrow("Expected reduction dim");
      else expect(asked()).toBe(0);
    },
  );
  test("find extremes and their first places", () => {
    expect(x.max().item()).toBe(8);
    expect(x.max(1).values.toArray()).toEqual([6, 8]);
    expect(x.max(1).indices.toArray()).toEqual([2, 1]);
    expect(x.argmax().item()).toBe(4);
    expect(x.argmin(0, { keepdim: true }).toArray()).toEqual([[0, 0, 1]]);
    expect(tensor([3, 7, 7]).argmax().item()).toBe(1);
    expect(x.amax([0, 1]).item()).toBe(8);
    expect(x.min(tensor([2, 2, 2])).toArray()).toEqual([
      [1, 2, 2],
      [2, 2, 0],
    ]);
  });
  test("let NaN win", () => {
    expect(tensor([1, nan, 3]).max().item()).toBe(nan);
    expect(tensor([1, nan, 3]).argmax().item()).toBe(1);
    expect(tensor([1, nan, 3]).amin(0).item()).toBe(nan);
  });
  test("know the value of nothing, where there is one", () => {
    expect(zeros([0]).sum().item()).toBe(0);
    expect(zeros([0]).prod().item()).toBe(1);
    expect(zeros([0]).mean().item()).toBe(nan);
    expect(zeros([0]).all().item()).toBe(true);
    expect(zeros([0]).any().item()).toBe(false);
    expect(zeros([2, 0]).amax(0).shape).toEqual([0]);
  });
  test("of 0-d tensors are the element", () => {
    expect(tensor(5).sum(0).item()).toBe(5);
    expect(tensor(5).max(-1).indices.item()).toBe(0);
    expect(tensor([true]).select(0, 0).sum().dtype).toBe("int64");
  });
  test("measure spread", () => {
    close(x.var(1), [7, 16]);
    close(x.var(1, { correction: 0 }), [14 / 3, 32 / 3]);
    close(x.std(1, { unbiased: false }), [Math.sqrt(14 / 3), Math.sqrt(32 / 3)]);
    const [deviation, mean] = x.stdMean(1);
    close(deviation, [Math.sqrt(7), 4]);
    close(mean, [3, 4]);
    expect(tensor([1]).var().item()).toBe(nan);
  });
  test("measure length", () => {
    const y = tensor([3, -4, 0]);
    expect(y.norm().item()).toBe(5);
    expect(y.norm(1).item()).toBe(7);
    expect(y.norm(inf).item()).toBe(4);
    expect(y.norm(-inf).item()).toBe(0);
    expect(y.norm(0).item()).toBe(2);
    close(y.norm(3), [Math.cbrt(27 + 64)]);
    expect(y.norm("fro", 0, { keepdim: true }).toArray()).toEqual([5]);
  });
});

describe("softmax and its kin", () => {
  test("do not overflow", () => {
    close(tensor([1000, 1000]).softmax(0), [0.5, 0.5]);
    close(tensor([1000, 1000]).logSoftmax(0), [Math.log(0.5), Math.log(0.5)]);
    close(tensor([1000, 1000]).logsumexp(0), [1000 + Math.log(2)]);
    close(tensor([0, Math.log(3)]).softmin(0), [0.75, 0.25]);
  });
  test("of nothing but −∞ are NaN, but the logarithm of the sum is −∞", () => {
    expect(tensor([-inf, -inf]).softmax(0).toArray()).toEqual([nan, nan]);
    expect(tensor([-inf, -inf]).logsumexp(0).item()).toBe(-inf);
    expect(tensor([inf, 1]).logsumexp(0).item()).toBe(inf);
  });
  test("of empty axes are empty", () => {
    expect(zeros([2, 0]).softmax(1).shape).toEqual([2, 0]);
    expect(zeros([2, 0]).logsumexp(1).toArray()).toEqual([-inf, -inf]);
  });
  test("normalise the last axes", () => {
    const y = tensor([
      [1, 2, 3],
      [2, 4, 6],
    ]);
    const unit = Math.sqrt(1.5);
    close(y.layerNorm([3], { eps: 0 }), [-unit, 0, unit, -unit, 0, unit]);
    close(y.layerNorm([3], { eps: 0, weight: tensor([1, 1, 2]), bias: ones([3]) }), [
      1 - unit,
      1,
      1 + 2 * unit,
      1 - unit,
      1,
      1 + 2 * unit,
    ]);
  });
});

describe("products", () => {
  const a = arange(6, { dtype: "float32" }).reshape([2, 3]);
  test("of matrices and vectors", () => {
    expect(a.matmul(a.t()).toArray()).toEqual([
      [5, 14],
      [14, 50],
    ]);
    expect(a.matmul(tensor([1, 2, 3])).toArray()).toEqual([8, 26]);
    expect(tensor([1, 2]).matmul(a).toArray()).toEqual([6, 9, 12]);
    expect(
      tensor([1, 2, 3])
        .dot(tensor([4, 5, 6]))
        .item(),
    ).toBe(32);
    expect(
      tensor([1, 2])
        .outer(tensor([3, 4]))
        .toArray(),
    ).toEqual([
      [3, 4],
      [6, 8],
    ]);
    expect(
      zeros([2, 0])
        .matmul(zeros([0, 3]))
        .toArray(),
    ).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
  test("broadcast their leading axes", () => {
    const batch = arange(12, { dtype: "float32" }).reshape([2, 1, 2, 3]);
    const both = batch.matmul(a.t().expand([4, 3, 2]));
    expect(both.shape).toEqual([2, 4, 2, 2]);
    expect(both.slice(1, 3).toArray()).toEqual(batch.slice(1, 0).matmul(a.t()).toArray());
  });
});
