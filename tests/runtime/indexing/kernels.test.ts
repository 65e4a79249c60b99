/** An index is looked up in the kernel that reads: a gather costs no kernel of its own. */
import { embedding, fromTypedArray, oneHot, type Tensor, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { expectKernels } from "../../fusion/expect-kernels.ts";

const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });
const list = tensor([1n, 0n, 2n]).compute();
const matrix = tensor([
  [0n, 1n],
  [2n, 0n],
  [1n, 1n],
]).compute();

describe("one kernel", () => {
  it("looks an embedding up, scales it and takes the mean", () => {
    const explanation = expectKernels(embedding(matrix, stored(50, 8)).mul(2).mean(1), 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
  });
  it("gathers from what it computes, into what reads it", () => {
    expectKernels(stored(3, 4).gather(1, matrix).exp().add(1), 1, 1);
    expectKernels(stored(3, 4).mul(2).gather(1, matrix), 1, 1);
  });
  it("reads at two lists of places, side by side or not", () => {
    expectKernels(stored(3, 4, 5).index([list, list]), 1, 1);
    expectKernels(stored(3, 4, 5).index([list, ":", list]).neg(), 1, 1);
  });
  it("makes ones of classes and counts them", () => {
    expectKernels(oneHot(list, 3).sum(0), 1);
  });
  it("adds where an index says", () => {
    expectKernels(zeros([10]).scatterAdd(0, list, stored(3)), 1);
  });
});
