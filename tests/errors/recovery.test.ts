import { type AnyTensor, ones, tensor, zeros } from "fuseau";
import { expect, test } from "vitest";

const mistakes: readonly ((x: AnyTensor) => unknown)[] = [
  (x) => x.add(zeros([4]) as AnyTensor),
  (x) => x.reshape([7]),
  (x) => x.sum(5),
  (x) => x.matmul(ones([7, 7]) as AnyTensor),
  (x) => x.bitwiseAnd(1),
  (x) => x.slice(9),
];

test("after an error every earlier tensor still computes", () => {
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const doubled = x.mul(2);
  const total = doubled.sum();
  for (const mistake of mistakes) expect(() => mistake(doubled)).toThrow();
  expect(total.item()).toBe(42);
  expect(doubled.toArray()).toEqual([
    [2, 4, 6],
    [8, 10, 12],
  ]);
  for (const mistake of mistakes) expect(() => mistake(doubled)).toThrow();
  expect(doubled.add(x).sum(1).toArray()).toEqual([18, 45]);
});
