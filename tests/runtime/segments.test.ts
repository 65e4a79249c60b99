/** Folds of segments, and their gradients. Numbers are of PyTorch 1.13: torch.segment_reduce of the same. */
import { arange, jit, segmentReduce, type Tensor, tensor } from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, it } from "vitest";

const rows = [
  [0, 1],
  [7, 3],
  [4, 7],
  [6, 7],
  [8, 9],
  [10, 11],
];
const lengths = tensor([2, 0, 3, 1], { dtype: "int64" });
const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];

const expected = [
  ["sum", null, [7, 4, 0, 0, 18, 23, 10, 11], [0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 6, 7]],
  ["sum", 1.5, [8.5, 5.5, 1.5, 1.5, 19.5, 24.5, 11.5, 12.5], [0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 6, 7]],
  [
    "mean",
    null,
    [3.5, 2, nan, nan, 6, 7.6666665, 10, 11],
    [0, 0.5, 0, 0.5, 4 / 3, 5 / 3, 4 / 3, 5 / 3, 4 / 3, 5 / 3, 6, 7],
  ],
  [
    "mean",
    1.5,
    [4.25, 2.75, 1.5, 1.5, 6.5, 8.166667, 11.5, 12.5],
    [0, 0.5, 0, 0.5, 4 / 3, 5 / 3, 4 / 3, 5 / 3, 4 / 3, 5 / 3, 6, 7],
  ],
  ["max", null, [7, 3, -inf, -inf, 8, 9, 10, 11], [0, 0, 0, 1, 0, 0, 0, 0, 4, 5, 6, 7]],
  ["min", null, [0, 1, inf, inf, 4, 7, 10, 11], [0, 1, 0, 0, 4, 2.5, 0, 2.5, 0, 0, 6, 7]],
  ["min", 1.5, [0, 1, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5], [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ["prod", null, [0, 3, 1, 1, 192, 441, 10, 11], [0, 3, 0, 1, 192, 315, 128, 315, 96, 245, 6, 7]],
  [
    "prod",
    1.5,
    [0, 4.5, 1.5, 1.5, 288, 661.5, 15, 16.5],
    [0, 4.5, 0, 1.5, 288, 472.5, 192, 472.5, 144, 367.5, 9, 10.5],
  ],
] as const;

describe("segmentReduce", () => {
  it.each(expected)("%s from %s", (reduce, initial, values, grads) => {
    const data = tensor(rows, { requiresGrad: true }) as Tensor<[6, 2], "float32">;
    const made = segmentReduce(data, reduce, { lengths, initial });
    assertClose(made, tensor([...values]).reshape([4, 2]), { equalNan: true, checkDtype: false });
    made
      .nanToNum(0, 0, 0)
      .mul(arange(8).reshape([4, 2]))
      .sum()
      .backward();
    assertClose(data.grad as Tensor, tensor([...grads]).reshape([6, 2]), { checkDtype: false });
  });

  it("takes lengths as a list, and where segments begin and end", () => {
    expect(segmentReduce(arange(4).float(), "max", { lengths: [3, 1] }).toArray()).toEqual([2, 3]);
    const offsets = tensor([0, 2, 2, 5, 6], { dtype: "int64" });
    expect(segmentReduce(tensor(rows).float(), "sum", { offsets }).toArray()).toEqual([
      ...[
        [7, 4],
        [0, 0],
        [18, 23],
        [10, 11],
      ],
    ]);
  });

  it("folds pieces of another axis, as many in each list", () => {
    const data = arange(12).float().reshape([3, 4]);
    const of = (lists: number[][]) => tensor(lists, { dtype: "int64" });
    const lengths = of([
      [1, 3],
      [2, 2],
      [4, 0],
    ]);
    expect(segmentReduce(data, "sum", { axis: 1, lengths }).toArray()).toEqual([
      [0, 6],
      [9, 13],
      [38, 0],
    ]);
    const offsets = of([
      [1, 3],
      [2, 2],
      [0, 4],
    ]);
    expect(segmentReduce(data, "mean", { axis: -1, offsets }).toArray()).toEqual([[1.5], [nan], [9.5]]);
    expect(() => segmentReduce(data, "sum", { axis: 1, lengths: [1, 3] })).toThrow(
      "Expected axis to be the last dimension of lengths or offsets",
    );
  });

  it("leaves out what is before and behind offsets", () => {
    const offsets = tensor([1, 3, 3], { dtype: "int64" });
    expect(segmentReduce(arange(6).float(), "sum", { offsets }).toArray()).toEqual([3, 0]);
  });

  it("shares a gradient among equal elements, and what it starts from has none", () => {
    const gradient = (list: number[], initial: number | null): unknown => {
      const x = tensor(list, { requiresGrad: true });
      segmentReduce(x, "max", { lengths: [list.length], initial })
        .sum()
        .backward();
      return x.grad!.toArray();
    };
    expect(gradient([2, 1, 2], null)).toEqual([0.5, 0, 0.5]);
    expect(gradient([2, 1, 2], 2)).toEqual([0.5, 0, 0.5]);
    expect(gradient([2, 1, 2], 3)).toEqual([0, 0, 0]);
    expect(gradient([2, nan, 2], null)).toEqual([0, 1, 0]);
  });

  it("reads nothing if it is unsafe, so that jit records it once", () => {
    let recorded = 0;
    const run = jit((x: Tensor<[number], "float32">, sizes: Tensor<[number], "int64">) => {
      recorded++;
      return segmentReduce(x, "sum", { lengths: sizes, unsafe: true });
    });
    const of = (...list: number[]): unknown =>
      run(arange(4).float(), tensor(list as [number, number], { dtype: "int64" })).toArray();
    expect([of(1, 3), of(4, 0), of(1, 1), of(2, 9)]).toEqual([
      [0, 6],
      [6, 0],
      [0, 1],
      [1, 5],
    ]);
    expect(recorded).toBe(1);
  });

  it("refuses segments that are not all rows", () => {
    const data = tensor(rows).float();
    const of = (...list: number[]) => ({ lengths: tensor(list, { dtype: "int64" }) });
    expect(() => segmentReduce(data, "sum")).toThrow(
      "segmentReduce: Either lengths or offsets must be defined.",
    );
    expect(() => segmentReduce(data, "sum", of(2, 2))).toThrow(
      /^segmentReduce: Expected all rows of lengths/,
    );
    expect(() => segmentReduce(data, "sum", of(7, -1))).toThrow("lengths contains negative value!");
    const offsets = (...list: number[]) => ({ offsets: tensor(list, { dtype: "int64" }) });
    expect(() => segmentReduce(data, "sum", offsets(0, 4, 3))).toThrow("offsets fall (they are 0, 4, 3)");
    expect(() => segmentReduce(data, "sum", offsets(0, 7))).toThrow(/they cover 0 to 7 of 6 rows/);
    expect(() => segmentReduce(data, "sum", offsets())).toThrow("offsets has at least one number");
    expect(() => segmentReduce(data, "sum", { ...of(6), ...offsets(0, 6) })).toThrow("and not both");
    expect(() => segmentReduce(data, "foo" as never, of(6))).toThrow("unsupported reduction given! foo");
    expect(() => segmentReduce(data.long(), "sum", of(6))).toThrow("not implemented for 'Long'");
  });
});
