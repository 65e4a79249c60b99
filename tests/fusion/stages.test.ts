import { compute, tensor } from "fuseau";
import { expect, it } from "vitest";

it("a result read through a window that covers as many places as it has, but not all of them, is stored whole", () => {
  const s = tensor([0, 1, 2, 3, 4, 5]).add(1);
  const windows = s.unfold(0, 3, 2);
  compute(s, windows);
  expect(s.toArray()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(windows.toArray()).toEqual([
    [1, 2, 3],
    [3, 4, 5],
  ]);
});
