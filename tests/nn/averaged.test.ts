/** Averages of models. Numbers are of PyTorch 1.13's torch.optim.swa_utils, from the same calls. */
import { type AnyTensor, noGrad, stats, type Tensor, tensor } from "fuseau";
import { AveragedModel, BatchNorm1d, Linear, Sequential, utils } from "fuseau/nn";
import { ExponentialLR, SGD, SWALR } from "fuseau/optim";
import { describe, expect, it } from "vitest";

const model = () => {
  const made = new Sequential(new Linear(2, 1), new BatchNorm1d(1));
  noGrad(() => {
    made.layers[0].weight.copy_(tensor([[1, 2]]));
    made.layers[0].bias!.copy_(tensor([0.5]));
  });
  return made;
};
type Model = ReturnType<typeof model>;

const numbers = (x: AnyTensor | null): number[] => Array.from(x!.toTypedArray(), Number);
function expectNear(x: AnyTensor | null, expected: readonly number[]): void {
  const found = numbers(x);
  for (const [k, value] of expected.entries())
    expect(
      Math.abs(found[k]! - value) / Math.max(1, Math.abs(value)),
      `${found} for ${expected}`,
    ).toBeLessThan(1e-4);
}

function train(averaged: AveragedModel<Model>, own: Model): void {
  for (let k = 0; k < 3; k++) {
    noGrad(() => {
      own.layers[0].weight.mul_(2).add_(k);
      own.layers[0].bias!.sub_(k);
    });
    averaged.updateParameters(own);
  }
}

const batches: readonly [Tensor<[3, 2], "float32">, number][] = [0, 1, 2].map((k) => [
  tensor([
    [1, 2],
    [3, 5],
    [-1, 0],
  ]).add(k),
  0,
]);

describe("an averaged model", () => {
  it("is a second model", () => {
    const own = model();
    expect(() => new AveragedModel(own, own)).toThrow(/^AveragedModel: module must be a second model/);
  });

  it("has the mean of all parameters, and batch norm of its own", () => {
    const own = model();
    const averaged = new AveragedModel(own, model());
    train(averaged, own);
    const [linear, norm] = averaged.module.layers;
    expectNear(linear.weight, [6.3333, 11]);
    expectNear(linear.bias, [-0.8333]);
    expect(averaged.nAveraged.item()).toBe(3);
    expect(Object.keys(averaged.stateDict())).toEqual([
      ...["n_averaged", "module.0.weight", "module.0.bias", "module.1.weight", "module.1.bias"],
      ...["module.1.running_mean", "module.1.running_var", "module.1.num_batches_tracked"],
    ]);
    utils.updateBn(batches, averaged);
    expectNear(norm.runningMean, [48.5]);
    expectNear(norm.runningVar, [1623.4442]);
    expect([norm.numBatchesTracked!.item(), norm.momentum, averaged.training]).toEqual([3, 0.1, true]);
    expect(averaged.forward(batches[0]![0]).shape).toEqual([3, 1]);
  });

  it("or what a function makes of them, as of buffers", () => {
    const own = model();
    const averaged = new AveragedModel(own, model(), {
      avgFn: (average, current) => average.mul(0.9).add(current.mul(0.1)),
    });
    train(averaged, own);
    expectNear(averaged.module.layers[0].weight, [3.27, 6.05]);
    expectNear(averaged.module.layers[0].bias, [0.11]);
    const norm = new BatchNorm1d(1);
    const all = new AveragedModel(norm, new BatchNorm1d(1), { useBuffers: true });
    for (let k = 0; k < 3; k++) {
      norm.forward(tensor([[1], [3 + k], [2]]));
      all.updateParameters(norm);
    }
    expectNear(all.module.runningMean, [0.4173]);
    expectNear(all.module.runningVar, [1.1956]);
    expect(all.module.numBatchesTracked!.item()).toBe(1);
  });

  it("has the model's buffers, if it does not average them", () => {
    const norm = new BatchNorm1d(1);
    const averaged = new AveragedModel(norm, new BatchNorm1d(1));
    for (let k = 0; k < 2; k++) {
      norm.forward(tensor([[1], [3 + k], [2]]));
      averaged.updateParameters(norm);
      expect(numbers(averaged.module.runningMean)).toEqual(numbers(norm.runningMean));
    }
    expect(averaged.module.numBatchesTracked!.item()).toBe(2);
    norm.forward(tensor([[9], [9], [2]]));
    expect(averaged.module.numBatchesTracked!.item()).toBe(2);
  });

  it("is updated by one program", () => {
    const [own, averaged] = [new Linear(2, 3), new AveragedModel(new Linear(2, 3), new Linear(2, 3))];
    const before = [0, 1, 2, 3].map(() => {
      averaged.updateParameters(own);
      return stats().programs.misses;
    });
    expect(before[3]).toBe(before[1]);
  });

  it("refuses models of another structure", () => {
    expect(() => new AveragedModel(new Linear(2, 3), new Linear(3, 3) as never)).toThrow(
      "size mismatch for weight",
    );
    expect(() => new AveragedModel(new Linear(2, 3), 3 as never)).toThrow(
      /^AveragedModel: .*must be a Module/,
    );
    const averaged = new AveragedModel(new Linear(2, 3), new Linear(2, 3));
    expect(() => averaged.updateParameters(new Linear(3, 3))).toThrow(
      "updateParameters: the model has parameters and buffers [3,3] [3], and the averages are [3,2] [3]",
    );
  });
});

describe("SWALR", () => {
  const optimizer = (...rates: number[]) =>
    new SGD(
      rates.map((lr) => ({ params: new Linear(1, 1).parameters(), lr })),
      { lr: 1 },
    );
  const expectRates = (found: readonly number[], expected: readonly number[]): void => {
    for (const [k, rate] of expected.entries()) expect(found[k]).toBeCloseTo(rate, 12);
  };

  it("goes to its rate by a cosine, or by a line for each group", () => {
    const schedule = new SWALR(optimizer(1), 0.1, { annealEpochs: 4 });
    for (const rate of [1, 0.8681980515339464, 0.55, 0.23180194846605365, 0.1, 0.1]) {
      expectRates(schedule.getLastLr(), [rate]);
      schedule.step();
    }
    const lines = new SWALR(optimizer(1, 2), [0.1, 0.5], { annealEpochs: 3, annealStrategy: "linear" });
    for (const rates of [
      [1, 2],
      [0.7, 1.5],
      [0.4, 1],
      [0.1, 0.5],
      [0.1, 0.5],
    ]) {
      expectRates(lines.getLastLr(), rates);
      lines.step();
    }
    expectRates(new SWALR(optimizer(1), 0.1, { annealEpochs: 0 }).getLastLr(), [0.1]);
  });

  it("goes on from the rate of another schedule", () => {
    const own = optimizer(1);
    const [decay, swa] = [new ExponentialLR(own, 0.5), new SWALR(own, 0.05, { annealEpochs: 3 })];
    const rates = [0, 1, 2, 3, 4, 5, 6].map((epoch) => {
      (epoch < 3 ? decay : swa).step();
      return own.paramGroups[0]!.lr;
    });
    expectRates(rates, [0.5, 0.25, 0.125, 0.10625, 0.06875, 0.05, 0.05]);
  });
});
