/** Loops that make their state anew in each round, and read nothing until their end. */
import { ones, stats, tensor } from "fuseau";
import { expect, it } from "vitest";

it("what the rounds of a long loop hand on is computed from time to time, and stays whatever is disposed of", () => {
  let [x, y] = [ones([3]), tensor(0)];
  const runs = stats().runs.programs;
  for (let k = 0; k < 55_000; k++) {
    const next = x.mul(0.5).add(1);
    y = y.mul(0.5).add(x.sum());
    x.dispose();
    x = next;
  }
  expect(stats().runs.programs).toBeGreaterThan(runs);
  expect([x.toArray(), y.item()]).toEqual([[2, 2, 2], 12]);
});

it("a recording with derivatives stays whole", () => {
  const x = tensor(1).requiresGrad_();
  let y = x.mul(1);
  const runs = stats().runs.programs;
  for (let k = 0; k < 132_000; k++) y = y.mul(1).add(1);
  expect(stats().runs.programs).toBe(runs);
});
