/** What was written in place, and reads what is computed, is computed with it. */
import { type AnyTensor, arange, clearCaches, noGrad, stats, type Tensor, tensor } from "fuseau";
import { beforeEach, expect, it } from "vitest";

type Batch = Tensor<[number, 64], "float32">;
type Order = "written, then read" | "read, then written";

beforeEach(() => clearCaches());

const waves = (rows: number, columns: number): AnyTensor =>
  arange(rows * columns)
    .reshape([rows, columns])
    .cos()
    .div(8)
    .compute();

function training(width: number, order: Order = "written, then read") {
  const weights = waves(64, width).clone().compute().requiresGrad_();
  const bias = tensor(new Array<number>(width).fill(0.25)).requiresGrad_();
  const step = (x: Batch): number => {
    weights.grad = bias.grad = null;
    const loss = x
      .matmul(weights as never)
      .add(bias)
      .tanh()
      .square()
      .mean();
    loss.backward();
    const read = order === "read, then written" ? loss.item() : null;
    noGrad(() => {
      weights.sub_((weights.grad as AnyTensor).mul(0.1) as never);
      bias.sub_((bias.grad as AnyTensor).mul(0.1) as never);
    });
    return (read ?? loss.item()) as number;
  };
  return { step, parameters: [weights, bias] as const };
}

const batches = Array.from(
  { length: 40 },
  (_, k) => waves(40 + ((k * k * 37 + 11 * k) % 101), 64) as unknown as Batch,
);

it("a step of training by hand is one program where its loss is read after the writes, whatever size comes", () => {
  const { step } = training(48);
  const before = stats();
  for (const batch of batches) step(batch);
  const { programs, late, runs } = stats();
  expect(runs.programs - before.runs.programs).toBe(batches.length);
  expect(programs.misses - before.programs.misses).toBeLessThanOrEqual(3);
  expect(late.programs - before.late.programs).toBe(1);
});

it("gives the bits that reading the loss first gives", () => {
  const run = (order: Order): unknown => {
    const { step, parameters } = training(48, order);
    const losses = batches.map(step);
    return [losses, parameters.map((each) => each.toArray())];
  };
  expect(run("written, then read")).toEqual(run("read, then written"));
});

it("what was asked for in another way, or is small, is computed alone", () => {
  const runs = (act: () => unknown): number => {
    const before = stats().runs.programs;
    act();
    return stats().runs.programs - before;
  };
  const written = (width: number) => {
    const x = waves(64, 64);
    const w = waves(64, width);
    const y = x.matmul(w as never).tanh();
    const sum = (y as AnyTensor).sum();
    w.sub_(x.t().matmul(y as never) as never);
    return { sum, w };
  };
  const usual = written(48);
  expect(runs(() => usual.sum.compute())).toBe(1);
  expect(runs(() => usual.w.compute())).toBe(0);
  for (const options of [{ emitter: "js" }, { fusion: "none" }] as const) {
    const { sum, w } = written(48);
    expect(runs(() => sum.compute(options))).toBe(1);
    expect(runs(() => w.compute())).toBe(1);
  }
  const small = written(2);
  expect(runs(() => small.sum.compute())).toBe(1);
  expect(runs(() => small.w.compute())).toBe(1);
});

it("what was written is not computed with what it takes much longer than", () => {
  const x = waves(64, 64);
  const y = x.matmul(x as never).tanh();
  const sum = (y as AnyTensor).sum();
  const w = waves(64, 64);
  let many = y as AnyTensor;
  for (let k = 0; k < 10; k++) many = many.matmul(x as never) as AnyTensor;
  w.add_(many as never);
  sum.compute();
  const before = stats().runs.programs;
  w.compute();
  expect(stats().runs.programs - before).toBe(1);
});

it("a write that fails is told to whoever reads what was written, and undone", () => {
  const x = waves(64, 64);
  const w = waves(64, 64);
  const before = w.toArray();
  const y = x.matmul(x as never).tanh() as AnyTensor;
  const sum = y.sum();
  const at = tensor([70], { dtype: "int64" });
  w.sub_(y.matmul(x as never).indexSelect(0, at) as never);
  expect(Number.isFinite(sum.item())).toBe(true);
  expect(() => w.compute()).toThrow(RangeError);
  expect(w.toArray()).toEqual(before);
});

// What the view reads was counted among the readers of what it shows, in place of a sum that is still to be computed.
it.each([5, 6, 7, 8, 9, 12])(
  "does not overwrite what a sum needs where a view that nobody reads needs it too (%i rounds)",
  (rounds) => {
    const x = tensor(new Float32Array(48).fill(0.5)).mul(8).reshape([12, 4]).requiresGrad_();
    for (let k = 0; k < rounds; k++) {
      const sum = x.sum();
      const part: AnyTensor = noGrad(() => x.slice([0, 0]).copy_(tensor(1)));
      noGrad(() => x.add_(1));
      part.reshape([-1]);
      if (k === rounds - 1) expect(sum.item()).toBe(48 * (4 + k));
    }
  },
);
