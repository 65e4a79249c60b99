/** Loops that make their state anew in each round, and read nothing until their end. */
import { type AnyTensor, manualSeed, ones, rand, stats, tensor, where } from "fuseau";
import { expect, it } from "vitest";

it("what a long loop has come to is computed from time to time", () => {
  let [x, y] = [ones([3]), tensor(0)];
  const runs = stats().runs.programs;
  for (let k = 0; k < 28_000; k++) {
    const next = x.mul(0.5).add(1);
    y = y.mul(0.5).add(x.sum());
    x = next;
  }
  expect(stats().runs.programs).toBeGreaterThan(runs);
  expect([x.toArray(), y.item()]).toEqual([[2, 2, 2], 12]);
});

it("random numbers are the same whenever they are drawn", () => {
  const walk = (reads: boolean): readonly number[] => {
    manualSeed(5);
    let x: AnyTensor = ones([4]);
    for (let k = 0; k < 14_000; k++) {
      x = where(rand([4]).lt(0.5), x.add(1), x);
      if (reads && k % 1_000 === 0) x.compute();
    }
    return x.toArray() as number[];
  };
  expect(walk(false)).toEqual(walk(true));
});

it("a recording with derivatives stays whole", () => {
  const x = tensor(1).requiresGrad_();
  let y: AnyTensor = x;
  const runs = stats().runs.programs;
  for (let k = 0; k < 70_000; k++) y = y.mul(1).add(1);
  expect(stats().runs.programs).toBe(runs);
});
