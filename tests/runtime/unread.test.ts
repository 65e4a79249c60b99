/** Loops that make their state anew in each round, and read nothing until their end. */
import { ones, stats, tensor, zeros } from "fuseau";
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

it("writes of any lengths, which nobody reads, are no new program for each combination of them", () => {
  const size = 256;
  const [sums, expected] = [zeros([size]), new Float32Array(size)];
  const order = Array.from({ length: size }, (_, k) => (k * 77) % size);
  let state = 1;
  const draw = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const misses: number[] = [];
  for (let round = 0; round < 200; round++) {
    const before = stats().programs.misses;
    for (let begin = 0; begin < size; ) {
      const places = order.slice(begin, begin + 1 + draw(20));
      sums.indexAdd_(0, tensor(places, { dtype: "int64" }), zeros([places.length]).add(round));
      for (const place of places) expected[place]! += round;
      begin += places.length;
    }
    misses.push(stats().programs.misses - before);
  }
  expect(misses.slice(-60).reduce((sum, each) => sum + each)).toBe(0);
  expect(sums.toTypedArray()).toEqual(expected);
});
