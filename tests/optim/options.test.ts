/** Options of optimizers and schedules, with the numbers of PyTorch. */
import { type AnyTensor, jit, zeros } from "fuseau";
import { Linear, ModuleList, Sequential } from "fuseau/nn";
import { Adam, OneCycleLR, ReduceLROnPlateau, RMSprop, SGD } from "fuseau/optim";
import { expect, it } from "vitest";

const twoGroups = (): SGD =>
  new SGD([{ params: [zeros([1]).requiresGrad_()] }, { params: [zeros([1]).requiresGrad_()] }], {
    lr: 0.1,
    momentum: 0.9,
  });

it("OneCycleLR has three phases when asked", () => {
  const optimizer = twoGroups();
  const schedule = new OneCycleLR(optimizer, [0.2, 0.5], {
    totalSteps: 10,
    threePhase: true,
    annealStrategy: "linear",
  });
  const [rates, momenta]: [number[], number[]] = [[], []];
  for (let k = 0; k < 9; k++) {
    schedule.step();
    rates.push(optimizer.paramGroups[0]!.lr);
    momenta.push(optimizer.paramGroups[1]!.momentum);
  }
  const expected = [0.104, 0.2, 0.104, 0.008, 0.00640016, 0.00480032, 0.00320048, 0.00160064, 8e-7];
  for (const [k, rate] of rates.entries()) expect(rate).toBeCloseTo(expected[k]!, 12);
  for (const [k, momentum] of momenta.entries())
    expect(momentum).toBeCloseTo([0.9, 0.85, 0.9, ...new Array<number>(6).fill(0.95)][k]!, 12);
});

it("ReduceLROnPlateau has a least rate for each group", () => {
  const optimizer = twoGroups();
  const schedule = new ReduceLROnPlateau(optimizer, { factor: 0.5, patience: 0, minLr: [0.04, 0.01] });
  const rates = Array.from({ length: 5 }, () => {
    schedule.step(1);
    return schedule.getLastLr();
  });
  expect(rates).toEqual([
    [0.1, 0.1],
    [0.05, 0.05],
    [0.04, 0.025],
    [0.04, 0.0125],
    [0.04, 0.01],
  ]);
  expect(() => new ReduceLROnPlateau(optimizer, { minLr: [0.1] })).toThrow(
    "ReduceLROnPlateau: Expected 2 values for minLr, but got 1",
  );
});

it("a module in the place of its parameters is named", () => {
  const net = new Sequential(new Linear(2, 2));
  const hint = "(a module gives its own: model.parameters())";
  for (const [given, message] of [
    [net, "params must be an array of tensors, or of groups { params, lr }, but got a Sequential"],
    [new ModuleList([new Linear(2, 2)]), "groups { params, lr }, but got a ModuleList"],
    [[net], "optimizer can only optimize Tensors, but one of the params is a Sequential"],
    [[{ params: net }], "groups { params, lr }, but got a Sequential"],
  ] as const)
    expect(() => new SGD(given as never)).toThrow(`${message} ${hint}`);
});

/** p after each step, with other options from that step on. The k-th gradient is k + 1. */
function changing(
  make: (params: AnyTensor[]) => { step(): void; zeroGrad(): void; paramGroups: object[] },
  changes: readonly object[],
  isJitted: boolean,
): number[] {
  const p = zeros([1], { dtype: "float64" }).requiresGrad_();
  const optimizer = make([p]);
  const run = (k: number): void => {
    p.mul(k).sum().backward();
    optimizer.step();
    optimizer.zeroGrad();
  };
  const step = isJitted ? jit(run) : run;
  return changes.map((change, k) => {
    Object.assign(optimizer.paramGroups[0]!, change);
    step(k + 1);
    return (p.toArray() as number[])[0]!;
  });
}

it.each([false, true])("options may change between steps, jitted: %s", (isJitted) => {
  const near = (found: readonly number[], expected: readonly number[]): void => {
    for (const [k, value] of expected.entries()) expect(found[k]).toBeCloseTo(value, 6);
  };
  const momenta = [{}, { momentum: 0.9 }, {}, { momentum: 0 }, {}, { momentum: 0.9 }];
  near(
    changing((params) => new SGD(params, { lr: 1, dampening: 0.5 }), momenta, isJitted),
    [-1, -3, -6.3, -10.3, -15.3, -21.27],
  );
  near(
    changing(
      (params) => new RMSprop(params, { lr: 1, momentum: 0.9 }),
      [{}, { momentum: 0 }, {}, { momentum: 0.9 }],
      isJitted,
    ),
    [-9.999999, -18.953228, -26.988273, -43.315619],
  );
  // PyTorch wants these from the first step on.
  near(
    changing((params) => new Adam(params, { lr: 1, amsgrad: true }), [{}, { amsgrad: false }, {}], isJitted),
    [-0.99999999, -1.96518201, -2.92318323],
  );
  for (const change of [{ momentum: 0.9 }, { centered: true }])
    for (const value of changing((params) => new RMSprop(params, { lr: 1 }), [{}, change, {}], isJitted))
      expect(value).toBeLessThan(0);
});
