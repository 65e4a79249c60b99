/** Rules that a random test does not reach: dtypes, masks, empty tensors, what is read at the call, what fails when it runs. */
import {
  arange,
  bincount,
  embedding,
  embeddingBag,
  isin,
  jit,
  nonzero,
  oneHot,
  ones,
  type Tensor,
  tensor,
  unravelIndex,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { expectTensor } from "../../types/expect.ts";

const x = arange(12).to("float32").reshape([3, 4]);
const list = (...places: number[]): Tensor<[number], "int64"> =>
  tensor(places.map(BigInt), { dtype: "int64" });

describe("shapes and dtypes, inferred and found", () => {
  const index = tensor([
    [0n, 1n],
    [2n, 0n],
  ]);
  it("of gathers are the index's", () => {
    expectTensor(x.gather(0, index), [2, 2], "float32");
    expectTensor(x.take(index), [2, 2], "float32");
    expectTensor(x.takeAlongDim(tensor([[1n], [0n], [2n]]), 1), [3, 1], "float32");
    expectTensor(x.takeAlongDim(index), [4], "float32");
    expectTensor(x.indexSelect(1, tensor([3n, 0n])), [3, 2], "float32");
    expectTensor(embedding(index, zeros([9, 5])), [2, 2, 5], "float32");
    expectTensor(oneHot(index, 3), [2, 2, 3], "int64");
  });
  it("of scatters are the target's", () => {
    expectTensor(x.scatter(0, index, 1), [3, 4], "float32");
    expectTensor(x.scatterReduce(0, index, ones([2, 2]), "mean"), [3, 4], "float32");
    expectTensor(x.indexFill(1, tensor([0n]), 2), [3, 4], "float32");
  });
  it("of advanced indices put the tensors where they stood, or in front", () => {
    const y = zeros([2, 3, 4, 5]);
    const [i, j] = [tensor([1n, 0n, 1n]), tensor([2n, 0n, 1n])];
    expectTensor(y.index([":", j]), [2, 3, 4, 5], "float32");
    expectTensor(y.index([":", i, i]), [2, 3, 5], "float32");
    expectTensor(y.index([i, ":", j]), [3, 3, 5], "float32");
    expectTensor(y.index([":", i, "...", j]), [3, 2, 4], "float32");
    expectTensor(y.index([":", index]), [2, 2, 2, 4, 5], "float32");
    expectTensor(y.index([1, ":", j, null]), [3, 3, 1, 5], "float32");
    expectTensor(y.index([[1], 0, [0, 4, 2], "..."]), [1, 2, 5], "float32");
  });
  it("of a known rank, where the data decide the sizes", () => {
    const masked: Tensor<[number], "float32"> = x.maskedSelect(x.gt(5));
    const rows: Tensor<[number, 2], "int64"> = nonzero(x);
    const picked: Tensor<[number, 4], "float32"> = x.index([tensor([true, false, true])]);
    expect([masked.shape, rows.shape, picked.shape]).toEqual([[6], [11, 2], [2, 4]]);
  });
});

describe("x.index", () => {
  it("gives a view for a slice, and a copy where there is a tensor", () => {
    const base = zeros([2, 3]);
    base.index([":", 1]).add_(1);
    base.index([list(0)]).add_(5);
    expect(base.toArray()).toEqual([
      [0, 1, 0],
      [0, 1, 0],
    ]);
  });
  it("takes a 0-d tensor as a number", () => {
    expect(x.index([tensor(-1n)]).toArray()).toEqual([8, 9, 10, 11]);
    expect(x.index([tensor(1n), list(0, 2)]).toArray()).toEqual([4, 6]);
    expect(zeros([2, 3, 4]).index([list(0, 1, 0), ":", tensor(1n)]).shape).toEqual([3, 3]);
  });
  it("takes booleans as masks without axes", () => {
    expect(x.index([true]).shape).toEqual([1, 3, 4]);
    expect(x.index([tensor(false)]).shape).toEqual([0, 3, 4]);
  });
  it("gives what is selected of nothing, and put nowhere, a gradient of zeros", () => {
    const none = tensor([false, false]);
    const empty = zeros([0], { dtype: "int64" });
    for (const run of [
      (x: Tensor) => x.maskedSelect(none as never),
      (x: Tensor) => x.indexSelect(0, empty),
      (x: Tensor) => zeros([2]).maskedScatter(none, x.slice([0, 0])),
      (x: Tensor) => zeros([2]).indexAdd(0, empty, x.slice([0, 0])),
      (x: Tensor) => zeros([2]).scatterReduce(0, empty, x.slice([0, 0]), "prod"),
    ] as ((x: Tensor) => Tensor)[]) {
      const x = ones([2]).requiresGrad_() as Tensor;
      run(x).sum().backward();
      expect(x.grad?.toArray(), String(run)).toEqual([0, 0]);
    }
  });

  it("reads nothing of what is empty", () => {
    expect(zeros([0, 3]).index([list()]).shape).toEqual([0, 3]);
    expect(zeros([3, 0]).index([list(0, 2)]).shape).toEqual([2, 0]);
    expect(x.index([x.gt(100)]).shape).toEqual([0]);
    expect(() => zeros([0, 3]).index([list(0)])).toThrow(
      "index: index is out of bounds for dimension with size 0",
    );
  });
});

describe("writing", () => {
  it("through assign_ casts and drops leading axes of size 1", () => {
    const y = zeros([2, 3], { dtype: "int64" });
    y.assign_([1], tensor([[[1.5, 2.5, 3.5]]]));
    y.assign_([0, list(2, 0)], 7);
    expect(y.toArray()).toEqual([
      [7, 0, 7],
      [1, 2, 3],
    ]);
  });
  it("where a mask is true is lazy for one number, and takes a list in order", () => {
    const y = x.clone();
    y.assign_([y.gt(9)], -1);
    y.assign_([y.lt(0)], tensor([1, 2]));
    expect(y.index([2]).toArray()).toEqual([8, 9, 1, 2]);
  });
  it("a mask without axes is lazy too, so that it may stand in a jitted function", () => {
    const lessLarge = jit((a: Tensor<[], "float32">) => {
      const b = a.clone();
      b.assign_([b.gt(1)], 0);
      return b;
    });
    expect([lessLarge(tensor(5)).item(), lessLarge(tensor(0.5)).item()]).toEqual([0, 0.5]);
    const y = x.clone();
    y.assign_([":", tensor(false)], 7);
    expect(y.toArray()).toEqual(x.toArray());
    y.assign_([0, tensor(true)], 7);
    expect(y.select(0, 0).toArray()).toEqual([7, 7, 7, 7]);
  });
  it("reaches every alias, through the slices among the indices", () => {
    const y = zeros([3, 4]);
    const column = y.select(1, 2);
    y.index([[1], [0, 4, 2]]).indexPut_([list(1, 1), list(1, 1)], tensor([2, 3]), { accumulate: true });
    expect(column.toArray()).toEqual([0, 0, 5]);
  });
  it("accumulates bools as any of them", () => {
    const y = tensor([false, true, false]);
    expect(y.scatterAdd(0, list(0, 0), tensor([true, true])).toArray()).toEqual([true, true, false]);
    expect(y.scatter(0, list(1), tensor([false]), { reduce: "multiply" }).toArray()).toEqual([
      false,
      false,
      false,
    ]);
  });
  it("keeps cells that nothing comes to, whether self is included or not", () => {
    const y = tensor([5, 5, 5], { dtype: "int32" });
    const source = tensor([2, 5], { dtype: "int32" });
    const mean = (includeSelf: boolean) =>
      y.scatterReduce(0, list(0, 0), source, "mean", { includeSelf }).toArray();
    expect([mean(true), mean(false)]).toEqual([
      [4, 5, 5],
      [3, 5, 5],
    ]);
  });
  it("fails when it runs for an index out of range, and then leaves the target as it was", () => {
    const y = zeros([3]);
    y.scatter_(0, list(1, 5), 1);
    expect(() => y.toArray()).toThrow(/index 5 is out of bounds for dimension 0 with size 3/);
    expect(y.toArray()).toEqual([0, 0, 0]);
  });
});

describe("masks, classes and bags", () => {
  it("scatter a source in order, and miss one that is too short when they run", () => {
    const mask = tensor([true, false, true]);
    expect(
      zeros([2, 3])
        .maskedScatter(mask, tensor([1, 2, 3, 4, 9]))
        .toArray(),
    ).toEqual([
      [1, 0, 2],
      [3, 0, 4],
    ]);
    expect(() =>
      zeros([3])
        .maskedScatter(mask, tensor([1]))
        .compute(),
    ).toThrow(RangeError);
    expect(() => zeros([3]).maskedScatter(mask, tensor([]))).toThrow("(it is 0)");
  });
  it("fill where they broadcast, in the dtype that is filled", () => {
    expectTensor(zeros([3], { dtype: "int32" }).maskedFill(ones([2, 1]).gt(0), 2), [2, 3], "int32");
    expect(() => x.maskedFill(x.gt(0), tensor([1]))).toThrow(/only supports a 0-dimensional value tensor/);
  });
  it("of places in rows are coordinates", () => {
    const [row, column] = unravelIndex(
      tensor(
        [
          [3, 5],
          [11, 0],
        ],
        { dtype: "int32" },
      ),
      [3, 4],
    );
    expectTensor(row, [2, 2], "int64");
    expect(x.index([row, column]).toArray()).toEqual([
      [3, 5],
      [11, 0],
    ]);
    const [only] = unravelIndex(x.argmax(), 12);
    expectTensor(only, [], "int64");
    expect(only.item()).toBe(11);
    expect(unravelIndex(list(2), [])).toEqual([]);
    expect(() => unravelIndex(x, [3, 4])).toThrow(/unravelIndex: expected 'indices' to be integer dtype/);
    expect(() => unravelIndex(list(1), [3, -4])).toThrow(/'shape' cannot have negative values/);
    expect(() => unravelIndex(list(1), [1.5])).toThrow(/integer/);
  });
  it("list what is not 0 by rows, by axes, and of no axes", () => {
    const y = tensor([
      [0, 3],
      [4, 0],
    ]);
    expect(y.nonzero().toArray()).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(y.index(y.nonzero({ asTuple: true })).toArray()).toEqual([3, 4]);
    expect([tensor(2).nonzero().shape, tensor(0).nonzero().shape]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(y.countNonzero(0).toArray()).toEqual([1, 1]);
  });
  it("count integers, and intervals of floats", () => {
    expect(bincount(list(1, 3, 1)).toArray()).toEqual([0, 2, 0, 1]);
    expect(bincount(list(1, 0), tensor([0.5, 2]), 3).toArray()).toEqual([2, 0.5, 0]);
    expect(bincount(list(1, 0), { minlength: 3 }).toArray()).toEqual([1, 1, 0]);
    expect(
      list(1, 0)
        .bincount({ weights: tensor([0.5, 2]), minlength: 3 })
        .toArray(),
    ).toEqual([2, 0.5, 0]);
    expect(tensor([0.1, 0.5, 0.9, 1, NaN, 7]).histc({ bins: 4, min: 0, max: 1 }).toArray()).toEqual([
      1, 0, 1, 2,
    ]);
    expect(tensor([1, 2, 4]).histc({ bins: 3 }).toArray()).toEqual([1, 1, 1]);
    expect(
      isin(x, tensor([3, 11]))
        .sum()
        .item(),
    ).toBe(2);
  });
  it("refuse classes out of range, at the call when they are at hand", () => {
    expect(() => oneHot(list(0, 3), 3)).toThrow("Class values must be smaller than num_classes.");
    expect(() => oneHot(list(-1))).toThrow("Class values must be non-negative.");
    expect(() => oneHot(list(0, 2).add(1), 3).compute()).toThrow("index 3 is out of bounds");
  });
  it("fold the rows of bags, and give zeros for one without any", () => {
    const table = arange(10).to("float32").reshape([5, 2]);
    const offsets = list(0, 2, 2);
    const fold = (mode: "sum" | "mean" | "max") =>
      embeddingBag(list(1, 4, 0), table, { mode, offsets }).toArray();
    expect(fold("sum")).toEqual([
      [10, 12],
      [0, 0],
      [0, 1],
    ]);
    expect(fold("mean")[0]).toEqual([5, 6]);
    expect(fold("max")).toEqual([
      [8, 9],
      [0, 0],
      [0, 1],
    ]);
    const rows = tensor([
      [1n, 4n],
      [0n, 4n],
    ]);
    expect(embeddingBag(rows, table, { paddingIdx: -1 }).toArray()).toEqual([
      [2, 3],
      [0, 1],
    ]);
    const weighed = embeddingBag(rows, table, {
      mode: "sum",
      perSampleWeights: tensor([
        [1, 0],
        [0, 2],
      ]),
    });
    expect(weighed.toArray()).toEqual([
      [2, 3],
      [16, 18],
    ]);
  });
});

describe("histogram", () => {
  it("takes edges, a range or those of the data, weights and an area of 1", () => {
    const y = tensor([1, 2, 2, 5, NaN]);
    const given = y.histogram({ bins: tensor([0, 2, 5]) });
    expect(given.hist.toArray()).toEqual([1, 3]);
    const weighed = y.histogram({ bins: 2, range: [1, 3], weight: tensor([1, 10, 100, 1, 1]) });
    expect([weighed.hist.toArray(), weighed.binEdges.toArray()]).toEqual([
      [1, 110],
      [1, 2, 3],
    ]);
    expect(tensor([0, 1, 4]).histogram({ bins: 2, density: true }).hist.sum().item()).toBeCloseTo(0.5);
  });
});
