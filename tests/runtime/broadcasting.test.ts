import { fromTypedArray, ones, tensor, zeros } from "fuseau";
import { expect, test } from "vitest";

test("[1, 2, 3] times [2] is [2, 4, 6]", () => {
  expect(
    tensor([1, 2, 3])
      .mul(tensor([2]))
      .toArray(),
  ).toEqual([2, 4, 6]);
});

test("a column and a row make a table", () => {
  expect(
    tensor([[0], [10], [20], [30]])
      .add(tensor([1, 2, 3]))
      .toArray(),
  ).toEqual([
    [1, 2, 3],
    [11, 12, 13],
    [21, 22, 23],
    [31, 32, 33],
  ]);
});

test("a 0-d tensor goes with everything", () => {
  expect(
    tensor(5)
      .sub(tensor([[1, 2]]))
      .toArray(),
  ).toEqual([[4, 3]]);
  expect(tensor([1, 2]).mul(tensor(3)).toArray()).toEqual([3, 6]);
  expect(tensor(2).add(tensor(3)).item()).toBe(5);
});

test("an empty axis stays empty", () => {
  expect(zeros([0]).add(ones([2, 1])).shape).toEqual([2, 0]);
  expect(
    zeros([0])
      .add(ones([2, 1]))
      .toArray(),
  ).toEqual([[], []]);
});

test("three axes meet", () => {
  const a = fromTypedArray(
    Float32Array.from({ length: 6 }, (_, i) => i),
    { shape: [3, 1, 2] },
  );
  const b = fromTypedArray(
    Float32Array.from({ length: 4 }, (_, i) => 10 * i),
    { shape: [4, 1] },
  );
  expect(a.add(b).toArray()).toEqual(
    [0, 1, 2].map((i) => [0, 1, 2, 3].map((j) => [0, 1].map((k) => 2 * i + k + 10 * j))),
  );
});
