/** Loops that compute several results one after another in each round settle on what is kept within three rounds. */
import {
  type AnyTensor,
  autograd,
  clearCaches,
  erf,
  linspace,
  randn,
  stack,
  stats,
  type Tensor,
  tensor,
  trace,
  zeros,
} from "fuseau";
import { beforeEach, expect, it } from "vitest";
import { lookForParts } from "../compiled-whole.ts";

lookForParts();

beforeEach(() => clearCaches());

/** How many programs each of some rounds compiles. */
function missesOf(round: () => void, rounds = 6): number[] {
  return Array.from({ length: rounds }, () => {
    const before = stats().programs.misses;
    round();
    return stats().programs.misses - before;
  });
}

it("a price and its derivatives, computed one by one", () => {
  const prices = linspace(80, 120, 1000, { dtype: "float64" }).compute();
  const normal = (x: Tensor): Tensor => erf(x.div(Math.SQRT2)).add(1).mul(0.5);
  const misses = missesOf(() => {
    const spot = prices.detach().requiresGrad_();
    const volatility = tensor(0.2, { dtype: "float64" }).requiresGrad_();
    const d1 = spot.div(100).log().add(volatility.square().mul(0.5)).div(volatility);
    const price = spot.mul(normal(d1)).sub(normal(d1.sub(volatility)).mul(95));
    const [delta, vega] = autograd.grad(price.sum(), [spot, volatility], { createGraph: true });
    const [gamma] = autograd.grad(delta.sum(), [spot]);
    for (const result of [price, delta, vega, gamma]) result.compute();
  });
  expect(misses[0]).toBeGreaterThanOrEqual(4);
  expect(misses.slice(3)).toEqual([0, 0, 0]);
});

it("results that read each other's parts", () => {
  const x = linspace(1, 2, 5000, { dtype: "float64" }).compute();
  const misses = missesOf(() => {
    const a = x.exp().sin();
    const b = a.log1p().mul(x);
    const c = b.tanh().add(a);
    const d = c.cos().mul(b);
    for (const result of [a.sum(), b.sum(), c.sum(), d.sum()]) result.compute();
  });
  expect(misses.slice(2)).toEqual([0, 0, 0, 0]);
});

it("the borders of a new result are written with it, and it can be forgotten", () => {
  const x = randn([256, 256]).compute();
  const round = (): void => {
    const y = x.mul(2);
    for (const axis of [0, 1] as const) for (const place of [0, -1]) y.select(axis, place).zero_();
    y.compute();
  };
  for (let k = 0; k < 30; k++) round();
  const before = stats();
  for (let k = 0; k < 30; k++) round();
  const after = stats();
  expect(after.programs.hits - before.programs.hits).toBe(30);
  expect(after.results.movedOut - before.results.movedOut).toBeLessThan(6);
});

it("the borders of a state that nobody reads are written a few steps at a time", () => {
  const round = (): void => {
    let x: AnyTensor = linspace(0, 1, 1024, { dtype: "float32" }).reshape([32, 32]).compute();
    for (let k = 0; k < 300; k++) {
      x = x.add(x.roll(1, 0).sub(x.roll(1, 1)).mul(0.1));
      for (const axis of [0, 1] as const) for (const place of [0, -1]) x.select(axis, place).zero_();
    }
    x.sum().item();
  };
  round();
  const before = stats().programs;
  round();
  const after = stats().programs;
  expect(after.misses).toBe(before.misses);
  expect(after.hits - before.hits).toBeGreaterThan(300 / 16);
});

it("what is kept unasked stays for what reads it when its tensor is disposed of", () => {
  const x = linspace(0.1, 1, 5000, { dtype: "float64" }).compute();
  const y = x.sin().exp().log1p().tanh().cos() as AnyTensor;
  const [first, second] = [y.sum().item(), y.mean().item()];
  const later = y.add(1);
  y.dispose();
  expect([first, second].every(Number.isFinite)).toBe(true);
  expect(later.numel()).toBe(5000);
  expect(later.toArray()).toHaveLength(5000);
});

it("a result of which a small part is read next is kept, where even that part is expensive", () => {
  const before = linspace(0, 1, 1024).compute();
  /** Butterflies: each element of the result depends on most of the first. */
  const turned = (angle: number): AnyTensor => {
    let x: AnyTensor = before;
    for (let k = 0; k < 8; k++) {
      const pairs = x.reshape([1 << k, 2, 1 << (9 - k)]) as AnyTensor;
      const [a, b] = [pairs.select(1, 0), pairs.select(1, 1)];
      const [c, s] = [Math.cos(angle * (k + 1)), Math.sin(angle * (k + 1))];
      x = stack([a.mul(c).sub(b.mul(s)), a.mul(s).add(b.mul(c))] as never, 1).reshape([1024]);
    }
    return x.square();
  };
  const found = [0.1, 0.23, 0.31, 0.47].map((angle) => {
    const chances = turned(angle);
    chances.sum().item();
    return trace(() => chances.slice([0, 32]).toArray()).events.filter(({ kind }) => kind === "cache").length;
  });
  expect(found[0]).toBeGreaterThan(0);
  expect(found.slice(2)).toEqual([0, 0]);
});

const columns = linspace(0, 1, 64 * 120).reshape([64, 120]);

it.each([
  ["a view", columns],
  ["a result", columns.add(1).compute()],
])("columns of %s in memory are read where they are by each stage of a long loop", (_, y) => {
  const [rounds, season] = [120, 12];
  const misses = missesOf(() => {
    let level: AnyTensor = y.slice(":", [0, season]).mean(1);
    let trend: AnyTensor = y
      .slice(":", [season, 2 * season])
      .mean(1)
      .sub(level);
    let errors: AnyTensor = zeros([64]);
    const seasons: AnyTensor[] = Array.from({ length: season }, (_, k) => y.select(1, k).sub(level));
    for (let k = season; k < rounds; k++) {
      const [seen, before] = [y.select(1, k), seasons[k % season]!];
      errors = errors.add(seen.sub(level.add(trend).add(before)).square());
      const next = seen.sub(before).mul(0.1).add(level.add(trend).mul(0.9));
      trend = next.sub(level).mul(0.05).add(trend.mul(0.95));
      seasons[k % season] = seen.sub(next).mul(0.2).add(before.mul(0.8));
      level = next;
    }
    for (const result of [errors.mean(), level.sum()]) result.item();
  });
  expect(misses.slice(1).reduce((sum, each) => sum + each)).toBeLessThan(misses[0]!);
});

it("a view of a view of a view, read in each round, is cut", () => {
  let x: AnyTensor = linspace(0, 1, 10_000).reshape([100, 100]).compute();
  const misses = missesOf(() => {
    x = x.slice([1, null], [0, -1]);
    x.sum().item();
  }, 40);
  expect(misses.reduce((sum, each) => sum + each)).toBeLessThan(13);
});
