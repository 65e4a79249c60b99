import { type AnyTensor, arange, ones, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

describe("strides", () => {
  const x = zeros([2, 3, 4]);
  it("are row-major for what is no view", () => {
    expect(x.stride()).toEqual([12, 4, 1]);
    expect(x.stride(-1)).toBe(1);
    expect(x.storageOffset()).toBe(0);
    expect(x.add(1).stride(0)).toBe(12);
    expect(zeros([]).stride()).toEqual([]);
    expect(() => (x as AnyTensor).stride(3)).toThrow("stride: Dimension out of range");
  });
  it("are those of PyTorch for views", () => {
    expect(x.transpose(0, 2).stride()).toEqual([1, 4, 12]);
    expect(x.slice(1, [0, null, 2]).stride()).toEqual([8, 1]);
    expect(x.slice(1, [1, null, 2]).storageOffset()).toBe(16);
    expect(x.unsqueeze(1).expand([2, 5, 3, 4]).stride()).toEqual([12, 0, 4, 1]);
    expect(x.diagonal(1, 1, 2).stride()).toEqual([12, 5]);
    expect(x.diagonal(-1, 1, 2).storageOffset()).toBe(4);
    expect(x.unfold(2, 3, 1).stride()).toEqual([12, 4, 1, 1]);
    expect(x.T.stride()).toEqual([1, 4, 12]);
    expect(x.transpose(0, 1).slice(":", ":", [1, null]).unfold(1, 2, 1).stride()).toEqual([4, 12, 1, 12]);
  });
  it("tell whether elements lie row-major", () => {
    expect(x.isContiguous()).toBe(true);
    expect(x.select(0, 1).isContiguous()).toBe(true);
    expect(x.slice([0, 1]).isContiguous()).toBe(true);
    expect(x.slice(":", [0, 1]).isContiguous()).toBe(false);
    expect(x.transpose(0, 1).isContiguous()).toBe(false);
    expect(zeros([1, 4]).t().isContiguous()).toBe(true);
    expect(zeros([0, 4]).t().isContiguous()).toBe(true);
  });
  it("come with sizes", () => {
    expect([x.numel(), x.elementSize(), x.nbytes, x.dim(), x.size(1)]).toEqual([24, 4, 96, 3, 3]);
    expect(x.size()).toEqual([2, 3, 4]);
    expect(zeros([3], { dtype: "int64" }).nbytes).toBe(24);
    expect(zeros([3], { dtype: "bool" }).elementSize()).toBe(1);
  });
});

describe("view", () => {
  const incompatible =
    "view: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.";
  it("refuses what only a copy can be", () => {
    const x = arange(12).reshape([3, 4]);
    expect(() => x.t().view([12])).toThrow(incompatible);
    expect(() => x.slice(":", [0, 2]).view([6])).toThrow(incompatible);
    expect(() => x.expand([2, 3, 4]).view([6, 4])).toThrow(incompatible);
    expect(x.t().reshape([12]).toArray()).toEqual([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
  });
  it("cuts and joins axes that lie as one", () => {
    const x = arange(24).reshape([2, 3, 4]);
    expect(x.transpose(0, 1).view([3, 2, 2, 2]).stride()).toEqual([4, 12, 2, 1]);
    expect(x.select(1, 2).view([2, 4]).stride()).toEqual([12, 1]);
    expect(x.slice([0, 1]).view([12]).storageOffset()).toBe(0);
    expect(zeros([0, 3]).view([3, 0]).shape).toEqual([3, 0]);
    expect(zeros([]).view([1, 1]).shape).toEqual([1, 1]);
  });
});

describe("asStrided", () => {
  it("sees the base, whatever the view", () => {
    const x = arange(12, { dtype: "float32" }).reshape([3, 4]);
    expect(x.asStrided([2, 2], [1, 2]).toArray()).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(x.select(0, 1).asStrided([2], [3]).toArray()).toEqual([4, 7]);
    expect(x.select(0, 1).asStrided([2], [3], 0).toArray()).toEqual([0, 3]);
    x.asStrided([3], [5], 1).fill_(-1);
    expect(x.eq(-1).sum().item()).toBe(3);
    expect(x.t().asStrided([], [], 7).item()).toBe(7);
  });
  it("stays inside it", () => {
    const x = zeros([4]) as AnyTensor;
    expect(() => x.asStrided([3, 3], [1, 1])).toThrow(
      "asStrided: setStorage: sizes [3, 3], strides [1, 1], storage offset 0, and itemsize 4 requiring a storage size of 20 are out of bounds for storage of size 16",
    );
    expect(() => x.asStrided([2], [1], 3)).toThrow("out of bounds");
    expect(() => x.asStrided([2], [1, 1])).toThrow("mismatch in length of strides and shape");
    expect(() => x.asStrided([2], [-1])).toThrow("Negative strides are not supported at the moment");
    expect(() => x.asStrided([2], [1], -1)).toThrow("invalid storage offset -1");
    expect(x.asStrided([0], [1], 9).shape).toEqual([0]);
  });
});

describe("T and mT", () => {
  it("turn axes around", () => {
    const x = ones([2, 3, 4]);
    expect(x.T.shape).toEqual([4, 3, 2]);
    expect(x.mT.shape).toEqual([2, 4, 3]);
    expect(tensor([1, 2]).T.toArray()).toEqual([1, 2]);
    expect(() => tensor([1, 2]).mT).toThrow(
      "mT: tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
    );
  });
});
