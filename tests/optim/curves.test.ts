/** Optimizers and schedules against those of PyTorch, in float64 (fixtures/curves.py made the values). */
import { readFileSync } from "node:fs";
import { type AnyTensor, tensor } from "fuseau";
import { parameter } from "fuseau/nn";
import * as optim from "fuseau/optim";
import { describe, expect, it } from "vitest";

interface Curves {
  readonly curves: readonly { readonly name: string; readonly steps: readonly number[][] }[];
  readonly schedules: readonly {
    readonly name: string;
    readonly rates: readonly number[];
    readonly momenta: readonly number[];
  }[];
  readonly plateau: { readonly measured: readonly number[]; readonly rates: readonly number[] };
}

const { curves, schedules, plateau }: Curves = JSON.parse(
  readFileSync(new URL("./fixtures/curves.json", import.meta.url), "utf8"),
);

interface Steps {
  readonly state: ReadonlyMap<AnyTensor, Readonly<Record<string, AnyTensor | number>>>;
  step<L>(closure: () => L): L;
  zeroGrad(): void;
  stateDict(): optim.OptimizerState<object>;
  loadStateDict(state: optim.OptimizerState<object>): void;
}

const optimizers: Readonly<Record<string, (params: AnyTensor[]) => Steps>> = {
  SGD: (p) => new optim.SGD(p, { lr: 0.05 }),
  "SGD momentum": (p) => new optim.SGD(p, { lr: 0.02, momentum: 0.9, dampening: 0.1, weightDecay: 0.01 }),
  "SGD nesterov": (p) => new optim.SGD(p, { lr: 0.02, momentum: 0.8, nesterov: true }),
  Adam: (p) => new optim.Adam(p, { lr: 0.1 }),
  "Adam amsgrad": (p) => new optim.Adam(p, { lr: 0.1, amsgrad: true, weightDecay: 0.1 }),
  AdamW: (p) => new optim.AdamW(p, { lr: 0.1, betas: [0.8, 0.99] }),
  "Adam groups": ([x, y]) => new optim.Adam([{ params: [x!], lr: 0.2 }, { params: [y!] }], { lr: 0.05 }),
  "Adam maximize": (p) => new optim.Adam(p, { lr: 0.01, maximize: true }),
  RMSprop: (p) => new optim.RMSprop(p, { lr: 0.02 }),
  "RMSprop centered": (p) =>
    new optim.RMSprop(p, { lr: 0.02, momentum: 0.9, centered: true, weightDecay: 0.05 }),
  Adagrad: (p) => new optim.Adagrad(p, { lr: 0.3, lrDecay: 0.1, initialAccumulatorValue: 0.2 }),
  Adamax: (p) => new optim.Adamax(p, { lr: 0.1, betas: [0.8, 0.95], weightDecay: 0.1 }),
  NAdam: (p) => new optim.NAdam(p, { lr: 0.1, weightDecay: 0.1, momentumDecay: 0.01 }),
  RAdam: (p) => new optim.RAdam(p, { lr: 0.1, weightDecay: 0.1 }),
  "RAdam soon": (p) => new optim.RAdam(p, { lr: 0.1, betas: [0.8, 0.99] }),
  Adadelta: (p) => new optim.Adadelta(p, { lr: 2, rho: 0.8, weightDecay: 0.1 }),
  Rprop: (p) => new optim.Rprop(p, { lr: 0.3, stepSizes: [0.01, 0.4] }),
  ASGD: (p) => new optim.ASGD(p, { lr: 0.03, lambd: 0.1, weightDecay: 0.1 }),
  "ASGD averaged": (p) => new optim.ASGD(p, { lr: 0.03, lambd: 0.1, alpha: 0.6, t0: 3 }),
  LBFGS: (p) => new optim.LBFGS(p, { lr: 0.3, maxIter: 4, historySize: 3 }),
  "LBFGS strongWolfe": (p) => new optim.LBFGS(p, { maxIter: 5, lineSearchFn: "strongWolfe" }),
  "LBFGS strongWolfe far": (p) => new optim.LBFGS(p, { lr: 60, maxIter: 8, lineSearchFn: "strong_wolfe" }),
};

function expectNear(actual: readonly number[], expected: readonly number[], what: string): void {
  expected.forEach((value, k) => {
    expect(Math.abs(actual[k]! - value), `${what}, ${k}: ${actual[k]} is not ${value}`).toBeLessThan(1e-9);
  });
}

describe("optimizers go PyTorch's way", () => {
  it.each(curves)("$name", ({ name, steps }) => {
    const x = parameter(tensor([1, -2, 0.5], { dtype: "float64" }));
    const y = parameter(tensor([0.3, 1.5], { dtype: "float64" }));
    const optimizer = optimizers[name]!([x, y]);
    steps.forEach((expected, k) => {
      optimizer.step(() => {
        optimizer.zeroGrad();
        const near = y
          .sub(x.slice([0, 2]))
          .square()
          .sum()
          .mul(3);
        const loss = x.pow(4).sum().div(4).add(near).add(y.sin().sum());
        loss.backward();
        return loss;
      });
      // Of the averaged one, the averages.
      const seen = name === "ASGD averaged" ? [x, y].map((p) => optimizer.state.get(p)?.ax) : [x, y];
      expectNear((seen as AnyTensor[]).flatMap((p) => p.toArray()) as number[], expected, `step ${k + 1}`);
    });
  });
});

const made: Readonly<Record<string, (optimizer: optim.SGD) => Pick<optim.Schedule, "step" | "getLastLr">>> = {
  LambdaLR: (o) => new optim.LambdaLR(o, (epoch) => 0.9 ** epoch),
  StepLR: (o) => new optim.StepLR(o, 4, { gamma: 0.5 }),
  MultiStepLR: (o) => new optim.MultiStepLR(o, [2, 9], { gamma: 0.3 }),
  ExponentialLR: (o) => new optim.ExponentialLR(o, 0.8),
  ConstantLR: (o) => new optim.ConstantLR(o, { factor: 0.25, totalIters: 3 }),
  LinearLR: (o) => new optim.LinearLR(o, { startFactor: 0.1, endFactor: 0.9, totalIters: 6 }),
  CosineAnnealingLR: (o) => new optim.CosineAnnealingLR(o, 6, { etaMin: 0.1 }),
  CosineAnnealingWarmRestarts: (o) => new optim.CosineAnnealingWarmRestarts(o, 3, { tMult: 2, etaMin: 0.05 }),
  OneCycleLR: (o) => new optim.OneCycleLR(o, 1.5, { totalSteps: 15 }),
  "OneCycleLR linear": (o) =>
    new optim.OneCycleLR(o, 1.5, {
      totalSteps: 15,
      pctStart: 0.5,
      annealStrategy: "linear",
      divFactor: 10,
      finalDivFactor: 100,
    }),
  MultiplicativeLR: (o) => new optim.MultiplicativeLR(o, (epoch) => 1 - (0.1 * epoch) / (epoch + 1)),
  CyclicLR: (o) => new optim.CyclicLR(o, 0.1, 0.7, { stepSizeUp: 3, stepSizeDown: 2 }),
  "CyclicLR triangular2": (o) =>
    new optim.CyclicLR(o, 0.1, 0.7, { stepSizeUp: 2, mode: "triangular2", cycleMomentum: false }),
  "CyclicLR exp_range": (o) =>
    new optim.CyclicLR(o, 0.1, 0.7, {
      ...{ stepSizeUp: 3, mode: "expRange", gamma: 0.9, baseMomentum: 0.5, maxMomentum: 0.8 },
    }),
  "CyclicLR scaled": (o) =>
    new optim.CyclicLR(o, 0.1, 0.7, { stepSizeUp: 2, scaleFn: (k) => 1 / (1 + k), scaleMode: "iterations" }),
  ChainedScheduler: (o) =>
    new optim.ChainedScheduler([
      new optim.ConstantLR(o, { factor: 0.1, totalIters: 2 }),
      new optim.ExponentialLR(o, 0.9),
    ]),
  SequentialLR: (o) =>
    new optim.SequentialLR(
      o,
      [new optim.LinearLR(o, { startFactor: 0.1, totalIters: 4 }), new optim.ExponentialLR(o, 0.9)],
      [4],
    ),
};

const sgd = () => new optim.SGD([parameter(tensor([0]))], { lr: 0.4, momentum: 0.5 });

describe("schedules have PyTorch's rates", () => {
  it.each(schedules)("$name", ({ name, rates, momenta }) => {
    const optimizer = sgd();
    const schedule = made[name]!(optimizer);
    rates.forEach((rate, k) => {
      if (k > 0) schedule.step();
      expectNear(schedule.getLastLr(), [rate], `epoch ${k}`);
      expectNear([optimizer.paramGroups[0]!.momentum], [momenta[k]!], `momentum of epoch ${k}`);
    });
  });

  it("OneCycleLR by epochs is that by steps", () => {
    const byEpochs = new optim.OneCycleLR(sgd(), 1.5, { epochs: 3, stepsPerEpoch: 5 });
    const bySteps = new optim.OneCycleLR(sgd(), 1.5, { totalSteps: 15 });
    for (let step = 0; step < 15; step++) {
      expectNear(byEpochs.getLastLr(), bySteps.getLastLr(), `step ${step}`);
      byEpochs.step();
      bySteps.step();
    }
    expect(() => byEpochs.step()).toThrow("The specified number of total steps is 15");
  });

  it("ReduceLROnPlateau", () => {
    const optimizer = sgd();
    const schedule = new optim.ReduceLROnPlateau(optimizer, {
      factor: 0.5,
      patience: 1,
      cooldown: 1,
      threshold: 0.1,
    });
    plateau.measured.forEach((value, k) => {
      schedule.step(value);
      expectNear(schedule.getLastLr(), [plateau.rates[k]!], `epoch ${k}`);
    });
  });

  it("two of one optimizer multiply", () => {
    const optimizer = sgd();
    const [a, b] = [new optim.ExponentialLR(optimizer, 0.5), new optim.StepLR(optimizer, 2)];
    for (let k = 0; k < 3; k++) {
      a.step();
      b.step();
    }
    expectNear(a.getLastLr(), [0.4 * 0.5 ** 3 * 0.1], "epoch 3");
  });

  // What PyTorch 1.13 gives for a rate of 1 that is divided by ten behind the second epoch.
  it.each<[string, (o: optim.SGD) => optim.Schedule, readonly number[]]>([
    ["StepLR", (o) => new optim.StepLR(o, 2, { gamma: 0.5 }), [1, 0.05, 0.05, 0.025, 0.025, 0.0125]],
    [
      "ExponentialLR",
      (o) => new optim.ExponentialLR(o, 0.5),
      [0.5, 0.025, 0.0125, 0.00625, 0.003125, 0.0015625],
    ],
    [
      "LinearLR",
      (o) => new optim.LinearLR(o, { startFactor: 0.5, totalIters: 4 }),
      [0.625, 0.075, 0.0875, 0.1, 0.1, 0.1],
    ],
    [
      "CosineAnnealingLR",
      (o) => new optim.CosineAnnealingLR(o, 5),
      [0.9045084972, 0.0654508497, 0.0345491503, 0.0095491503, 0, 0.0954915028],
    ],
    [
      "PolynomialLR",
      (o) => new optim.PolynomialLR(o, { totalIters: 8 }),
      [0.875, 0.075, 0.0625, 0.05, 0.0375, 0.025],
    ],
    ["LambdaLR", (o) => new optim.LambdaLR(o, (k) => 1 / (1 + k)), [0.5, 1 / 30, 0.25, 0.2, 1 / 6, 1 / 7]],
  ])("%s goes on from a rate given by hand, also resumed", (_, make, rates) => {
    const optimizer = new optim.SGD([parameter(tensor([0]))], { lr: 1 });
    let [at, schedule] = [optimizer, make(optimizer)];
    for (const [k, rate] of rates.entries()) {
      schedule.step();
      if (k === 1) at.paramGroups[0]!.lr /= 10;
      expectNear(schedule.getLastLr(), [rate], `epoch ${k + 1}`);
      if (k !== 3) continue;
      const states = [at.stateDict(), schedule.stateDict()] as const;
      at = new optim.SGD([parameter(tensor([0]))], { lr: 1 });
      at.loadStateDict(states[0]);
      schedule = make(at);
      schedule.loadStateDict(states[1]);
      expectNear(schedule.getLastLr(), [rate], "resumed");
    }
  });

  it("a rate given by hand stays where a schedule has come to its end", () => {
    const optimizer = new optim.SGD([parameter(tensor([0]))], { lr: 1 });
    const schedule = new optim.PolynomialLR(optimizer, { totalIters: 2 });
    for (let k = 0; k < 3; k++) schedule.step();
    optimizer.paramGroups[0]!.lr = 0.03;
    schedule.step();
    expect(schedule.getLastLr()).toEqual([0.03]);
  });

  it("ReduceLROnPlateau beside another schedule", () => {
    const optimizer = new optim.SGD([parameter(tensor([0]))], { lr: 1 });
    const decay = new optim.ExponentialLR(optimizer, 0.9);
    const plateau = new optim.ReduceLROnPlateau(optimizer, { patience: 0, factor: 0.1 });
    for (const rate of [0.9, 0.081, 0.00729, 0.0006561]) {
      decay.step();
      plateau.step(1);
      expectNear(decay.getLastLr(), [rate], "an epoch");
    }
  });

  it("factors and bounds are one for all groups, or one for each", () => {
    const [x, y] = [parameter(tensor([0])), parameter(tensor([0]))];
    const groups = () => new optim.Adam([{ params: [x], lr: 0.5 }, { params: [y] }], { lr: 0.1 });
    const rates = (optimizer: optim.Adam) => optimizer.paramGroups.map(({ lr }) => lr);
    const [lambda, cyclic, once] = [groups(), groups(), groups()];
    new optim.LambdaLR(lambda, [(epoch) => 1 / (epoch + 1), () => 2]).step();
    expectNear(rates(lambda), [0.25, 0.2], "LambdaLR");
    new optim.CyclicLR(cyclic, [0.1, 0.2], [0.3, 1], { stepSizeUp: 2, baseMomentum: [0.5, 0.6] }).step();
    expectNear(rates(cyclic), [0.2, 0.6], "CyclicLR");
    expectNear(
      cyclic.paramGroups.map(({ betas }) => betas[0]),
      [0.7, 0.75],
      "betas",
    );
    new optim.OneCycleLR(once, [1, 2], { totalSteps: 10, divFactor: 10 });
    expectNear(rates(once), [0.1, 0.2], "OneCycleLR");
    expect(() => new optim.MultiplicativeLR(once, [() => 1])).toThrow(
      "MultiplicativeLR: Expected 2 values for factor, but got 1",
    );
  });

  it("one that is refused leaves nothing behind, and one of chained ones goes on from its state", () => {
    const optimizer = new optim.Adagrad([parameter(tensor([0]))], { lr: 0.4 });
    expect(() => new optim.CyclicLR(optimizer, 0.1, 1)).toThrow(/CyclicLR: optimizer must support momentum/);
    expect(() => new optim.OneCycleLR(optimizer, 1, { totalSteps: 9 })).toThrow(/OneCycleLR: optimizer must/);
    const chained = new optim.ChainedScheduler([
      new optim.StepLR(optimizer, 2),
      new optim.ExponentialLR(optimizer, 0.5),
    ]);
    chained.loadStateDict({ schedules: [{ lastEpoch: 2 }, { lastEpoch: 2 }] });
    expectNear(chained.getLastLr(), [0.4 * 0.1 * 0.5 ** 2], "epoch 2");
    expect(() => new optim.ChainedScheduler([])).toThrow(/at least one/);
    expect(
      () => new optim.ChainedScheduler([new optim.StepLR(sgd(), 2), new optim.StepLR(sgd(), 2)]),
    ).toThrow(/expects all schedulers to belong to the same optimizer.* schedules\[1\] is of another/);
  });

  it("a schedule goes on from its first rate, whatever the optimizer had when the schedule was made", () => {
    const first = sgd();
    const schedule = new optim.StepLR(first, 2);
    const [base] = schedule.getLastLr();
    for (let k = 0; k < 3; k++) schedule.step();
    const state = [first.stateDict(), schedule.stateDict()] as const;
    const second = sgd();
    second.loadStateDict(state[0]);
    const resumed = new optim.StepLR(second, 2);
    resumed.loadStateDict(JSON.parse(JSON.stringify(state[1])));
    expectNear(resumed.getLastLr(), [base! * 0.1], "epoch 3");
    resumed.step();
    expectNear(resumed.getLastLr(), [base! * 0.01], "epoch 4");
    expect(() => resumed.loadStateDict({ lastEpoch: 1, baseLrs: ["1" as never] })).toThrow(/baseLrs\[0\]/);
  });

  it("a rate of 0 stays 0 under several schedules", () => {
    const optimizer = sgd();
    optimizer.paramGroups[0]!.lr = 0;
    const schedules = [new optim.StepLR(optimizer, 1), new optim.ExponentialLR(optimizer, 0.5)];
    for (const schedule of schedules) schedule.step();
    expect(optimizer.paramGroups.map(({ lr }) => lr)).toEqual([0]);
  });

  it("factors of the rate before go on from what an earlier schedule left", () => {
    const optimizer = new optim.SGD([parameter(tensor([0]))], { lr: 1 });
    const schedules = [
      new optim.ExponentialLR(optimizer, 0.5),
      new optim.MultiplicativeLR(optimizer, () => 0.9),
      new optim.StepLR(optimizer, 2),
    ];
    const schedule = new optim.SequentialLR(optimizer, schedules, [3, 6]);
    const rates = Array.from({ length: 9 }, () => {
      const { lr } = optimizer.paramGroups[0]!;
      schedule.step();
      return Number((lr as number).toFixed(5));
    });
    expect(rates).toEqual([1, 0.5, 0.25, 0.25, 0.225, 0.2025, 1, 1, 0.1]);
  });

  it("a schedule goes on from its state", () => {
    const [first, second] = [sgd(), sgd()];
    const schedule = new optim.CosineAnnealingLR(first, 5);
    schedule.step();
    schedule.step();
    const other = new optim.CosineAnnealingLR(second, 5);
    other.loadStateDict(schedule.stateDict());
    expect(other.getLastLr()).toEqual(schedule.getLastLr());
  });
});

describe("an optimizer goes on from the state of another", () => {
  it.each(Object.entries(optimizers))("%s", (_, make) => {
    const run = (steps: number, resume: boolean): number[] => {
      const x = parameter(tensor([1, -2, 0.5], { dtype: "float64" }));
      const y = parameter(tensor([0.3, 1.5], { dtype: "float64" }));
      let optimizer = make([x, y]);
      for (let k = 0; k < steps; k++) {
        if (resume && k === 3) {
          const other = make([x, y]);
          other.loadStateDict(optimizer.stateDict());
          optimizer = other;
        }
        optimizer.step(() => {
          optimizer.zeroGrad();
          const loss = x
            .square()
            .add(1)
            .log()
            .sum()
            .add(
              y
                .sub(x.slice([0, 2]))
                .pow(4)
                .sum(),
            );
          loss.backward();
          return loss;
        });
      }
      return [...(x.toArray() as number[]), ...(y.toArray() as number[])];
    };
    expect(run(6, true)).toEqual(run(6, false));
  });
});

it("LBFGS leaves a parameter without a gradient as it is, infinite or not", () => {
  const [p, unused] = [parameter(tensor([1, 2])), parameter(tensor([-Infinity, NaN]))];
  const optimizer = new optim.LBFGS([p, unused], { lr: 0.5 });
  for (let k = 0; k < 2; k++)
    optimizer.step(() => {
      optimizer.zeroGrad();
      const loss = p.square().sum();
      loss.backward();
      return loss;
    });
  expect(p.abs().max().item()).toBeLessThan(1e-4);
  expect(unused.toArray()).toEqual([-Infinity, NaN]);
});

describe("bad parameters and options are refused", () => {
  const x = parameter(tensor([1, 2]));
  it.each([
    [() => new optim.Adam([]), /Adam: optimizer got an empty parameter list/],
    [() => new optim.Adam([x, x]), /more than one parameter group \(params\[1\]\)/],
    [() => new optim.SGD([x.mul(2)]), /SGD: can't optimize a non-leaf Tensor/],
    [() => new optim.SGD([x], { lr: -1 }), /SGD: Invalid lr: -1/],
    [() => new optim.Adam([x], { betas: [1, 0.9] }), /Adam: Invalid betas\[0\]: 1/],
    [() => new optim.Adadelta([x], { rho: 1.5 }), /Adadelta: Invalid rho: 1.5/],
    [() => new optim.Rprop([x], { etas: [1, 1.2] }), /Rprop: Invalid etas: 1, 1.2/],
    [() => new optim.SGD([x], { nesterov: true }), /Nesterov momentum requires a momentum/],
    [() => new optim.LBFGS([x]).step(), /^step: LBFGS needs a closure .* but got undefined/],
    [
      () => new optim.StepLR(new optim.SGD([x]), 0),
      /StepLR: stepSize must be a whole number of at least 1, but got 0/,
    ],
  ])("%#", (make, message) => {
    expect(make).toThrow(message);
  });
});
