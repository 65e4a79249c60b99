import { type AnyTensor, arange, concat, eye, linspace, meshgrid, stack, tensor } from "fuseau";
import { describe, expect, test } from "vitest";

const x = arange(12).reshape([3, 4]);

describe("movement", () => {
  test("slices as Python does", () => {
    expect(x.slice([1, null], [0, null, 2]).toArray()).toEqual([
      [4, 6],
      [8, 10],
    ]);
    expect(x.slice(-1).toArray()).toEqual([8, 9, 10, 11]);
    expect(x.slice("...", 1).toArray()).toEqual([1, 5, 9]);
    expect(x.slice(":", [-2]).toArray()).toEqual([
      [2, 3],
      [6, 7],
      [10, 11],
    ]);
    expect(x.slice(0, null).toArray()).toEqual([[0, 1, 2, 3]]);
    expect(x.slice([2, 1]).toArray()).toEqual([]);
  });
  test("flips, rolls and transposes", () => {
    expect(x.flip(0).slice(":", 0).toArray()).toEqual([8, 4, 0]);
    expect(x.flip([0, 1]).slice(0).toArray()).toEqual([11, 10, 9, 8]);
    expect(x.roll(1).slice(0).toArray()).toEqual([11, 0, 1, 2]);
    expect(x.roll([1, -1], [0, 1]).toArray()).toEqual([
      [9, 10, 11, 8],
      [1, 2, 3, 0],
      [5, 6, 7, 4],
    ]);
    expect(x.t().slice(1).toArray()).toEqual([1, 5, 9]);
    expect(x.permute([1, 0]).reshape([-1]).toArray()).toEqual([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
  });
  test("pads with a value, and cuts for negative widths", () => {
    const y = tensor([
      [1, 2],
      [3, 4],
    ]);
    expect(y.pad([1, 0], { value: 9 }).toArray()).toEqual([
      [9, 1, 2],
      [9, 3, 4],
    ]);
    expect(y.pad([0, 1, 1, 0]).toArray()).toEqual([
      [0, 0, 0],
      [1, 2, 0],
      [3, 4, 0],
    ]);
    expect(y.pad([-1, 1]).toArray()).toEqual([
      [2, 0],
      [4, 0],
    ]);
  });
  test("repeats wholes", () => {
    expect(tensor([1, 2]).repeat([2, 2]).toArray()).toEqual([
      [1, 2, 1, 2],
      [1, 2, 1, 2],
    ]);
    expect(
      tensor([[1], [2]])
        .tile([3])
        .toArray(),
    ).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
    expect(tensor([1, 2]).repeat([0]).toArray()).toEqual([]);
  });
  test("takes pieces that put together are the whole", () => {
    for (const pieces of [x.split(3, 1), x.split([1, 3], 1), x.chunk(3, 1), x.chunk(9, 1)]) {
      expect(concat(pieces, 1).toArray()).toEqual(x.toArray());
    }
    expect(stack(x.unbind(1), 1).toArray()).toEqual(x.toArray());
    expect(x.select(1, 2).toArray()).toEqual([2, 6, 10]);
    expect(x.narrow(0, -2, 1).toArray()).toEqual([[4, 5, 6, 7]]);
  });
  test("joins, promoting, and passing over legacy empty tensors", () => {
    expect(concat([tensor([1, 2]), arange(2)]).toArray()).toEqual([1, 2, 0, 1]);
    expect(concat([tensor([]), x, tensor([])], 0).toArray()).toEqual(x.toArray());
    expect(stack([arange(2), arange(2)], -1).toArray()).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });
  test("takes diagonals and triangles", () => {
    expect(x.diagonal().toArray()).toEqual([0, 5, 10]);
    expect(x.diagonal(1).toArray()).toEqual([1, 6, 11]);
    expect(x.diagonal(-2).toArray()).toEqual([8]);
    expect(x.tril().toArray()).toEqual([
      [0, 0, 0, 0],
      [4, 5, 0, 0],
      [8, 9, 10, 0],
    ]);
    expect(x.triu(1).toArray()).toEqual([
      [0, 1, 2, 3],
      [0, 0, 6, 7],
      [0, 0, 0, 11],
    ]);
    expect(
      tensor([
        [true, true],
        [true, true],
      ])
        .tril()
        .toArray(),
    ).toEqual([
      [true, false],
      [true, true],
    ]);
  });
});

describe("creation", () => {
  test("counts", () => {
    expect(arange(2, 9, 3).toArray()).toEqual([2, 5, 8]);
    expect(arange(5, 0, -2).toArray()).toEqual([5, 3, 1]);
    expect(arange(0, 1, 0.25).toArray()).toEqual([0, 0.25, 0.5, 0.75]);
    expect(linspace(0, 1, 5).toArray()).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(linspace(3, 3, 1).toArray()).toEqual([3]);
    expect(linspace(0, 1, 0).toArray()).toEqual([]);
    expect(eye(2, 3).toArray()).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });
  test("ends a linspace exactly where it is told to", () => {
    const ends = linspace(0.1, 0.7, 7, { dtype: "float64" }).toTypedArray();
    expect([ends[0], ends[6]]).toEqual([0.1, 0.7]);
  });
  test("makes grids", () => {
    const [rows, columns] = meshgrid([arange(2), arange(3)]);
    expect(rows?.toArray()).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
    expect(columns?.toArray()).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
    expect(meshgrid([arange(2), arange(3)], { indexing: "xy" })[0]?.toArray()).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });
  test("copies what tensor() is given, and lends what fromTypedArray() is given", () => {
    const elements = new Float32Array([1, 2]);
    const copy = tensor(elements);
    elements[0] = 9;
    expect(copy.toArray()).toEqual([1, 2]);
  });
  test("converts elements", () => {
    expect(tensor([1.9, -1.9], { dtype: "int32" }).toArray()).toEqual([1, -1]);
    expect(tensor([0, 2], { dtype: "bool" }).toArray()).toEqual([false, true]);
    expect(tensor(new Uint8Array([0, 2]), { dtype: "bool" }).toArray()).toEqual([false, true]);
    expect(tensor([2n ** 62n]).toTypedArray()).toEqual(new BigInt64Array([2n ** 62n]));
  });
});

test("a 0-d tensor of integers says which place is selected, and the piece is a view", () => {
  const x = arange(12).reshape([3, 4]);
  const best = tensor([0, 5, 2]).argmax();
  const row: AnyTensor = x.select(0, best);
  row.fill_(-1);
  expect(x.toArray()).toEqual([
    [0, 1, 2, 3],
    [-1, -1, -1, -1],
    [8, 9, 10, 11],
  ]);
  expect(() => x.select(0, tensor(1))).toThrow(
    "select: index must be an 0-dim integral Tensor. (got float32 of shape [])",
  );
  expect(() => x.select(0, tensor([1n]))).toThrow("got int64 of shape [1]");
});
