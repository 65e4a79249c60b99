import fc from "fast-check";
import {
  type AnyTensor,
  arange,
  bilinear,
  cdist,
  cosineSimilarity,
  einsum,
  eye,
  full,
  inner,
  kron,
  linalg,
  linear,
  multiDot,
  normalize,
  ones,
  pdist,
  scaledDotProductAttention,
  tensor,
  tensordot,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";
import { type Plain, einsum as plainEinsum, sizeOf } from "./nn-reference.ts";

const flat = (x: AnyTensor): number[] => [...(x.toTypedArray() as Float32Array)];

const plain = (shape: readonly number[], seed: number): Plain => ({
  shape,
  data: Array.from({ length: sizeOf(shape) }, (_, i) => ((i * 5 + seed * 3 + ((i * i) % 7)) % 7) - 3),
});

describe("einsum", () => {
  const sizes: Record<string, number> = { a: 2, b: 3, c: 1, d: 4 };

  test("is the sum of products that the letters say, for any operands", () => {
    const labels = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 });
    const scene = fc.array(labels, { minLength: 1, maxLength: 3 }).chain((inputs) => {
      const all = [...new Set(inputs.flat())];
      return fc.record({
        inputs: fc.constant(inputs),
        output: fc.shuffledSubarray(all),
      });
    });
    fc.assert(
      fc.property(scene, ({ inputs, output }) => {
        const names = inputs.map((list) => list.join(""));
        const operands = inputs.map((list, k) =>
          plain(
            list.map((label) => sizes[label]!),
            k,
          ),
        );
        const result = einsum(
          `${names.join(",")}->${output.join("")}`,
          ...operands.map(({ shape, data }) => tensor([...data], { shape: [...shape] })),
        );
        const expected = plainEinsum(names, output.join(""), operands);
        expect(result.shape).toEqual(expected.shape);
        expect(flat(result).map((value) => value + 0)).toEqual(expected.data.map((value) => value + 0));
      }),
      { numRuns: 300 },
    );
  });
  test("broadcasts what the dots stand for, and orders an output that is not given", () => {
    const a = arange(12).to("float32").reshape([2, 1, 2, 3]);
    const b = arange(18).to("float32").reshape([3, 3, 2]);
    expect(flat(einsum("...ij,...jk->...ik", a, b))).toEqual(flat(a.matmul(b)));
    expect(flat(einsum("ba", arange(6).reshape([2, 3]).to("float32")))).toEqual([0, 3, 1, 4, 2, 5]);
    expect(einsum("ii", eye(3)).item()).toBe(3);
    expect(flat(einsum("ii->i", arange(9).to("float32").reshape([3, 3])))).toEqual([0, 4, 8]);
  });
  test("says what is wrong with an equation", () => {
    const [a, b] = [ones([2, 3]), ones([4, 5])];
    expect(() => einsum("ij,jk->iz", a, b)).toThrow(
      "einsum(): output subscript z does not appear in the equation for any input operand",
    );
    expect(() => einsum("ij,kj", a, b)).toThrow(
      "einsum(): subscript j has size 5 for operand 1 which does not broadcast with previously seen size 3",
    );
    expect(() => einsum("ij", a, b)).toThrow("more operands were provided than specified in the equation");
    expect(() => einsum("ijk", a)).toThrow(
      "the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand 0 and no ellipsis was given",
    );
    expect(() => einsum("i1", a)).toThrow("invalid subscript given at index 1");
  });
});

describe("sums of products", () => {
  const a = tensor([
    [1, 2],
    [3, 4],
  ]);
  test("do not read what beta 0 leaves out", () => {
    const nan = full([2, 2], NaN);
    expect(flat(nan.addmm(a, a, { beta: 0 }))).toEqual([7, 10, 15, 22]);
    expect(flat(ones([2]).addmv(a, tensor([1, 1]), { beta: 2, alpha: 10 }))).toEqual([32, 72]);
    expect(flat(zeros([2, 2]).addr(tensor([1, 2]), tensor([3, 4])))).toEqual([3, 4, 6, 8]);
    const batch = a.expand([3, 2, 2]);
    expect(flat(zeros([1]).addbmm(batch, batch))).toEqual([21, 30, 45, 66]);
    expect(flat(ones([2]).baddbmm(batch, batch).slice(2))).toEqual([8, 11, 16, 23]);
  });
  test("meet along the axes named", () => {
    const x = arange(24).to("float32").reshape([2, 3, 4]);
    const y = arange(12).to("float32").reshape([4, 3]);
    expect(
      tensordot(x, y, [
        [1, 2],
        [1, 0],
      ]).toArray(),
    ).toEqual([flat(x.slice(0).t().mul(y).sum())[0]!, flat(x.slice(1).t().mul(y).sum())[0]!]);
    expect(flat(inner(a, tensor([1, 10])))).toEqual([21, 43]);
    expect(() => tensordot(x, y, 1)).not.toThrow();
    expect(() => tensordot(x, y, 2)).toThrow("contracted dimensions need to match");
  });
  test("take blocks, traces, powers and chains", () => {
    expect(kron(tensor([1, 2]), tensor([[1], [3]])).toArray()).toEqual([
      [1, 2],
      [3, 6],
    ]);
    expect(a.trace().item()).toBe(5);
    expect(flat(a.matrixPower(5))).toEqual([1069, 1558, 2337, 3406]);
    expect(flat(a.matrixPower(0))).toEqual([1, 0, 0, 1]);
    expect(multiDot([tensor([1, 1]), a, a, tensor([1, 2])]).item()).toBe(86);
    expect(flat(tensor([1, 0, 0]).cross(tensor([0, 1, 0])))).toEqual([0, 0, 1]);
  });
  test("linear takes weights by row", () => {
    const x = ones([5, 2]);
    expect(
      linear(x, a, tensor([1, 2]))
        .slice(4)
        .toArray(),
    ).toEqual([4, 9]);
    const weight = ones([1, 2, 2]);
    expect(bilinear(tensor([1, 2]), tensor([3, 4]), weight).toArray()).toEqual([21]);
  });
});

describe("distances", () => {
  const points = tensor([
    [0, 0],
    [3, 4],
    [6, 8],
  ]);
  test("of all rows and of all pairs", () => {
    expect(cdist(points, points).toArray()).toEqual([
      [0, 5, 10],
      [5, 0, 5],
      [10, 5, 0],
    ]);
    expect(flat(pdist(points))).toEqual([5, 10, 5]);
    expect(flat(pdist(points, 1))).toEqual([7, 14, 7]);
    expect(flat(cdist(points, points, Infinity).slice(0))).toEqual([0, 4, 8]);
    expect(
      pdist(arange(50).to("float32").reshape([50, 1]))
        .slice(-1)
        .item(),
    ).toBe(1);
  });
  test("of directions", () => {
    expect(cosineSimilarity(tensor([[1, 0]]), tensor([[1, 1]])).item()).toBeCloseTo(Math.SQRT1_2);
    expect(flat(normalize(tensor([[3, 4]])))[0]).toBeCloseTo(0.6);
    expect(flat(normalize(zeros([1, 2])))).toEqual([0, 0]);
    expect(linalg.norm(points, "fro").item()).toBeCloseTo(Math.sqrt(125));
    expect(linalg.norm(points, 1).item()).toBe(12);
  });
});

test("attention weighs values by softmax of scores, behind a mask", () => {
  const query = tensor([
    [1, 0],
    [0, 1],
  ]);
  const value = tensor([[1], [3]]);
  const causal = scaledDotProductAttention(query, query, value, { isCausal: true });
  const weight = Math.exp(Math.SQRT1_2) / (1 + Math.exp(Math.SQRT1_2));
  expect(flat(causal)[0]).toBe(1);
  expect(flat(causal)[1]).toBeCloseTo(1 + 2 * weight);
  const masked = scaledDotProductAttention(query, query, value, { attnMask: eye(2).gt(0) });
  expect(flat(masked)).toEqual([1, 3]);
});
