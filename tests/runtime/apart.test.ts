/** Updates that wait for the next forward pass, where batches have other sizes. */
import { type AnyTensor, arange, clearCaches, noGrad, rand, stats, type Tensor, tensor } from "fuseau";
import { beforeEach, expect, it } from "vitest";

type Batch = Tensor<[number, 64], "float32">;

beforeEach(() => clearCaches());

/** A step of training by hand that reads its loss before it writes: what it writes is left to whoever reads that. */
function training(): { step: (x: Batch) => number; parameters: readonly AnyTensor[] } {
  const w = arange(64 * 48)
    .reshape([64, 48])
    .cos()
    .div(8)
    .compute()
    .clone()
    .compute()
    .requiresGrad_();
  const b = tensor(new Array<number>(48).fill(0.25)).requiresGrad_();
  const step = (x: Batch): number => {
    w.grad = b.grad = null;
    const loss = x.matmul(w).add(b).tanh().square().mean();
    loss.backward();
    const number = loss.item() as number;
    noGrad(() => {
      w.sub_((w.grad as AnyTensor).mul(0.1) as never);
      b.sub_((b.grad as AnyTensor).mul(0.1) as never);
    });
    return number;
  };
  return { step, parameters: [w, b] };
}

/** In no order, so that no line goes through the sizes of one batch and the next. */
const sizes = Array.from({ length: 60 }, (_, k) => 40 + ((k * k * 37 + 11 * k) % 101));
const batches = sizes.map((size) => rand([size, 64]).compute() as Batch);

it("are computed first, by programs of one batch each", () => {
  const { step } = training();
  const before = stats();
  for (const batch of batches) step(batch);
  const { programs, late } = stats();
  expect(programs.misses - before.programs.misses).toBeLessThanOrEqual(9);
  expect(late.programs - before.late.programs).toBeLessThanOrEqual(3);
});

it("leave what they leave where nothing is known of other sizes, bit for bit", () => {
  const run = (isForgetting: boolean): unknown => {
    const { step, parameters } = training();
    const losses = batches.slice(0, 8).map((batch) => {
      if (isForgetting) clearCaches();
      return step(batch);
    });
    return [losses, parameters.map((each) => each.toArray())];
  };
  const together = run(true);
  clearCaches();
  const before = stats().runs.programs;
  expect(run(false)).toEqual(together);
  expect(stats().runs.programs - before).toBeGreaterThan(batches.slice(0, 8).length);
});

it("are one program with the next batch where that has the size of the last", () => {
  const { step } = training();
  const batch = batches[0] as Batch;
  for (let k = 0; k < 6; k++) step(batch);
  for (const other of batches.slice(0, 20)) step(other);
  for (let k = 0; k < 3; k++) step(batch);
  const before = stats();
  step(batch);
  step(batch);
  expect(stats().runs.programs - before.runs.programs).toBe(2);
  expect(stats().programs.misses).toBe(before.programs.misses);
});

it("stay with what reads what they are made of", () => {
  const mean = tensor(new Array<number>(64).fill(0));
  const normalised = (x: Batch): AnyTensor => {
    const own = x.mean(0);
    mean.mul_(0.5 as never).add_(own.mul(0.5) as never);
    return x.sub(own).div(mean.abs().add(1)).sum();
  };
  const expected = new Array<number>(64).fill(0);
  for (const batch of batches.slice(0, 12)) {
    const rows = batch.toArray() as number[][];
    for (const axis of expected.keys()) {
      const own = rows.reduce((sum, row) => sum + (row[axis] as number), 0) / rows.length;
      expected[axis] = 0.5 * (expected[axis] as number) + 0.5 * own;
    }
    normalised(batch).compute();
  }
  (mean.toArray() as number[]).forEach((value, axis) => {
    expect(value).toBeCloseTo(expected[axis] as number, 5);
  });
});
