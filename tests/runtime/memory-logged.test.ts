/** Small results that nobody reads until the end of a loop keep no large ones. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  compute,
  func,
  manualSeed,
  noGrad,
  ones,
  rand,
  randn,
  setOptions,
  stats,
  tensor,
} from "fuseau";
import { describe, expect, it } from "vitest";

const STEPS = 220;

/** A loop whose slopes cannot be computed again, since the weights are overwritten; and what is logged of each. */
function logged(log: (slope: AnyTensor) => AnyTensor): AnyTensor[] {
  const weights = rand([300, 300]).compute();
  return Array.from({ length: STEPS }, () => {
    const slope = weights.mul(2);
    compute(slope);
    weights.sub_(slope.mul(0.01)).compute();
    return log(slope);
  });
}

/** How many are still to be computed of large results. */
const pending = (tensors: readonly AnyTensor[]): number =>
  tensors.filter((one) =>
    one.explain().kernels.some(({ ops }) => ["max", "sum", "mul", "add"].some((op) => ops.includes(op))),
  ).length;

/** How many ops are recorded and not computed beneath each. */
const opsOf = (tensors: readonly AnyTensor[]): number[] =>
  tensors.map((one) => one.explain().kernels.reduce((count, { ops }) => count + ops.length, 0));

it.each([
  ["a fold", (slope: AnyTensor) => slope.abs().max()],
  ["a view of a fold", (slope: AnyTensor) => slope.mean(0).narrow(0, 3, 5).reshape([5, 1])],
] as const)("%s", (_, log) => {
  const before = stats().results;
  const history = logged(log);
  expect(pending(history)).toBeLessThan(STEPS / 2);
  // Room for results does not grow, since nothing has to come back.
  expect(stats().results.returned - before.returned).toBeLessThan(STEPS / 4);
  const [first, last] = [history[0]!.sum().item() as number, history.at(-1)!.sum().item() as number];
  expect(last / first).toBeCloseTo(0.98 ** (STEPS - 1), 3);
});

it("what is made of views of a base that is written later is as it was", () => {
  const weights = rand([300, 300]).compute();
  const first = Array.from(weights.toTypedArray(), Number);
  const [flipped, views]: [AnyTensor[], AnyTensor[]] = [[], []];
  for (let k = 0; k < 120; k++) {
    const slope = weights.mul(2);
    compute(slope);
    views.push(weights.select(0, k).narrow(0, 0, 5));
    flipped.push(weights.narrow(0, k, 1).flip(1));
    weights.sub_(slope.mul(0.01)).compute();
  }
  for (let k = 0; k < 120; k++) {
    expect((flipped[k]!.toArray() as number[][])[0]![299]).toBeCloseTo(first[300 * k]! * 0.98 ** k, 4);
    expect(views[k]!.toArray()).toEqual(weights.select(0, k).narrow(0, 0, 5).toArray());
  }
});

it("nothing else is computed: what a computation has within it is no result that waits", () => {
  const weights = rand([300, 300]).compute();
  const layers = [rand([64, 128]).compute(), rand([128, 128]).compute(), rand([128, 10]).compute()];
  const given = [2, 3, 4, 5, 6].map((n) => rand([n, 64]).compute());
  const results: AnyTensor[] = [];
  const step = (k: number): void => {
    const slope = weights.mul(2);
    compute(slope);
    weights.sub_(slope.mul(0.01)).compute();
    let y = given[k % 5] as AnyTensor;
    for (const layer of layers) y = (y.matmul(layer as never) as AnyTensor).add(1).relu();
    results.push(y.compute());
  };
  clearCaches();
  // The room for results is what it is at first, whatever ran before.
  setOptions({ linearBytesLimit: undefined });
  const runs = Array.from({ length: 110 }, (_, k) => {
    const before = stats().runs.programs;
    step(k);
    return stats().runs.programs - before;
  });
  expect(runs.slice(20).filter((count) => count !== 3)).toEqual([]);
});

it("a mean that each step makes anew of what it computes", () => {
  let mean = ones([300, 300]).compute() as AnyTensor;
  let most = 0;
  logged((slope) => {
    mean = mean.mul(0.9).add(slope.mul(0.1));
    most = Math.max(most, opsOf([mean])[0] as number);
    return mean;
  });
  // Until 16 MiB have left linear memory it waits.
  expect(opsOf([mean])[0]).toBeLessThan(most);
  expect(opsOf([mean])[0]).toBeLessThan(80);
});

it("but large results are left to their readers", () => {
  const history = logged((slope) => slope.add(ones([300, 300])));
  expect(pending(history)).toBe(STEPS);
});

describe("a loop that writes in place and reads little", () => {
  const SIZE = 300;
  const ROUNDS = 150;
  const noise = (): AnyTensor => randn([SIZE, SIZE]).mul(0.01) as AnyTensor;

  it("reads an element that does not exist where that is asked for", () => {
    const w = rand([SIZE, SIZE]).compute();
    const logged: AnyTensor[] = [];
    const sums: number[] = [];
    for (let k = 0; k < 40; k++) {
      w.add_(1 as never);
      const places = arange(SIZE).add(k === 25 ? 1 : 0);
      logged.push(w.indexSelect(0, places as never).sum());
      if (k % 10 === 9) sums.push(w.sum().item() as number);
    }
    expect(sums).toHaveLength(4);
    expect(() => logged[25]!.item()).toThrow(/^indexSelect: .*memory-logged\.test\.ts/s);
    expect(logged[24]!.item()).toBeGreaterThan(SIZE * SIZE * 25);
    expect(sums[3]! - sums[2]!).toBeCloseTo(10 * SIZE * SIZE, -2);
  });

  it("leaves a value that fails to whoever reads it, beside a loss that waits", () => {
    const [x, noise] = [rand([256, 256]).compute(), rand([256, 256]).compute()];
    const w = rand([256, 256]).requiresGrad_();
    const state = rand([256, 256]).compute();
    state.add_(noise.mul(0.5) as never);
    const hidden = (state.matmul(x as never) as AnyTensor).tanh();
    const beyond = hidden
      .mul(2)
      .flatten()
      .indexSelect(0, arange(65_000, 66_000) as never);
    const loss = (hidden.matmul(w as never) as AnyTensor).square().mean();
    loss.backward();
    expect(hidden.sum().item()).toBeGreaterThan(0);
    expect(hidden.mean().item()).toBeGreaterThan(0);
    expect(loss.item()).toBeGreaterThan(0);
    expect(() => beyond.toArray()).toThrow(/^indexSelect: .*memory-logged\.test\.ts/s);
  });

  it("does not wait for a value that fails and nobody reads", () => {
    const w = rand([SIZE, SIZE]).compute();
    const before = stats().runs.programs;
    const gathered = Array.from({ length: ROUNDS }, () => {
      w.mul_(0.999 as never).add_(0.001 as never);
      return w.flatten().gather(0, tensor([SIZE * SIZE], { dtype: "int64" }) as never);
    });
    // What was to be computed with it fails first.
    expect(stats().runs.programs - before).toBeGreaterThan(3);
    expect(Math.max(...opsOf([w]))).toBeLessThan(200);
    expect(() => gathered[3]!.item()).toThrow(/^gather: /);
  });

  it.each([
    ["nothing", () => {}],
    ["something else", (one: AnyTensor) => void one.sum().item()],
  ] as const)("computes the logs of each of its states: reads %s", (_, read) => {
    const [one, other] = [rand([SIZE, SIZE]).compute(), rand([SIZE, SIZE]).compute()];
    const small = ones([3]).compute();
    const logged: AnyTensor[] = [];
    for (let k = 0; k < ROUNDS; k++) {
      one.add_(noise() as never);
      logged.push(one.max());
      other.mul_(0.99 as never).add_(noise() as never);
      logged.push(other.max());
      if (k % 10 === 9) read(small.add(k) as AnyTensor);
    }
    expect(opsOf(logged.slice(0, ROUNDS)).filter((count) => count > 0).length).toBeLessThanOrEqual(2);
  });

  it("takes nothing that `vmap` has recorded for it", () => {
    const [x, noise] = [rand([64, 64]).compute(), rand([64, 64]).compute()];
    const state = rand([64, 64]).compute();
    for (let k = 0; k < 4; k++) {
      state.mul_(0.9 as never).add_(noise as never);
      const hidden = (state.matmul(noise as never) as AnyTensor).tanh();
      const slopes = func.grad((row: AnyTensor) => {
        row.mul(hidden.select(0, 0)).exp();
        return row.add(hidden.select(0, 0)).square().sum() as never;
      });
      const found = func.vmap(slopes as never)(x as never) as unknown as AnyTensor;
      expect(hidden.sum().item()).toBeGreaterThan(0);
      expect(found.sum().item()).toBeGreaterThan(0);
    }
  });

  it("has its losses computed with the update that comes after them", () => {
    const x = rand([512, SIZE]).compute();
    const w = rand([SIZE, 64]).requiresGrad_();
    const losses: AnyTensor[] = [];
    for (let k = 0; k < ROUNDS; k++) {
      const loss = (x.matmul(w as never) as AnyTensor).square().mean();
      loss.backward();
      noGrad(() => w.sub_((w.grad as AnyTensor).mul(1e-4) as never));
      w.grad = null;
      losses.push(loss);
    }
    // Those of the rounds that are computed by now.
    expect(opsOf(losses.slice(0, ROUNDS / 2)).filter((count) => count > 0)).toEqual([]);
    const values = losses.map((loss) => loss.item() as number);
    expect(values.every((value, k) => k === 0 || value < values[k - 1]!)).toBe(true);
  });

  it.each([
    ["nothing", () => {}],
    ["now and then", (w: AnyTensor, k: number) => void (k % 10 === 9 && w.mean().item())],
  ] as const)("makes states of its own anew with it: reads %s", (_, read) => {
    manualSeed(4);
    const w = rand([SIZE, SIZE]).compute();
    let mean = w.clone();
    let most = w.clone();
    const logged: AnyTensor[] = [];
    let [written, meanNow, mostNow] = [w, mean, most].map((one) => Array.from(one.toTypedArray(), Number));
    manualSeed(5);
    for (let k = 0; k < ROUNDS; k++) {
      w.add_(noise() as never);
      mean = mean.mul(0.9).add(w.mul(0.1));
      most = most.maximum(w);
      logged.push(w.max(), w.mean());
      read(w, k);
    }
    // No more than what came since it was computed last.
    expect(Math.max(...opsOf([mean, most]))).toBeLessThan(400);
    expect(opsOf(logged.slice(0, ROUNDS)).filter((count) => count > 0)).toEqual([]);
    manualSeed(5);
    for (let k = 0; k < ROUNDS; k++) {
      const step = noise().toTypedArray();
      written = written!.map((value, at) => Math.fround(value + Number(step[at])));
      meanNow = meanNow!.map((value, at) =>
        Math.fround(Math.fround(value * Math.fround(0.9)) + Math.fround(written![at]! * Math.fround(0.1))),
      );
      mostNow = mostNow!.map((value, at) => Math.max(value, written![at]!));
      if (k % 50 === 0) expect(logged[2 * k]!.item()).toBe(Math.max(...written));
    }
    expect(Array.from(mean.toTypedArray(), Number)).toEqual(meanNow);
    expect(Array.from(most.toTypedArray(), Number)).toEqual(mostNow);
  });
});
