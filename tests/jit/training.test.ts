import { type AnyTensor, guarded, jit, manualSeed, perCall, rand, stats, type Tensor, tensor } from "fuseau";
import { BatchNorm1d, Dropout, Linear, Module } from "fuseau/nn";
import {
  Adadelta,
  Adagrad,
  Adam,
  Adamax,
  AdamW,
  ASGD,
  NAdam,
  type Optimizer,
  RAdam,
  RMSprop,
  Rprop,
  SGD,
  StepLR,
} from "fuseau/optim";
import { describe, expect, it } from "vitest";

class Net extends Module {
  readonly hidden = new Linear(3, 4);
  readonly norm = new BatchNorm1d(4);
  readonly drop = new Dropout(0.3);
  readonly out = new Linear(4, 1);

  forward(x: Tensor<[number, 3]>): Tensor {
    return this.out.forward(this.drop.forward(this.norm.forward(this.hidden.forward(x))).relu());
  }
}

type Parameters = Iterable<Tensor>;
const optimizers: Readonly<Record<string, (parameters: Parameters) => Optimizer<{ lr: number }>>> = {
  SGD: (parameters) => new SGD(parameters, { lr: 0.1 }),
  "SGD with momentum": (parameters) =>
    new SGD(parameters, { lr: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.01 }),
  Adam: (parameters) => new Adam(parameters, { lr: 0.1 }),
  AdamW: (parameters) => new AdamW(parameters, { lr: 0.1, amsgrad: true }),
  Adagrad: (parameters) => new Adagrad(parameters, { lr: 0.1, lrDecay: 0.1 }),
  Adamax: (parameters) => new Adamax(parameters, { lr: 0.1 }),
  NAdam: (parameters) => new NAdam(parameters, { lr: 0.1 }),
  RAdam: (parameters) => new RAdam(parameters, { lr: 0.1, betas: [0.5, 0.9] }),
  Adadelta: (parameters) => new Adadelta(parameters),
  Rprop: (parameters) => new Rprop(parameters, { lr: 0.1 }),
  ASGD: (parameters) => new ASGD(parameters, { lr: 0.1, t0: 3 }),
  RMSprop: (parameters) => new RMSprop(parameters, { lr: 0.1, momentum: 0.5, centered: true }),
};

const batch = (k: number): Tensor<[number, 3]> =>
  tensor(
    Array.from({ length: 15 }, (_, i) => ((i * 7 + k * 3) % 11) / 5 - 1),
    { shape: [5, 3] },
  );

/** Steps, with the rate changed on the way; all that there is afterwards, bit for bit. */
function train(
  make: (parameters: Parameters) => Optimizer<{ lr: number }>,
  isJitted: boolean,
): { readonly seen: unknown; readonly calls: number } {
  manualSeed(7);
  const net = new Net();
  const optimizer = make(net.parameters() as Parameters);
  const schedule = new StepLR(optimizer, 3, { gamma: 0.5 });
  let calls = 0;
  const step = (x: Tensor<[number, 3]>): Tensor => {
    calls++;
    optimizer.zeroGrad();
    const loss = net.forward(x).square().mean();
    loss.backward();
    optimizer.step();
    schedule.step();
    return loss;
  };
  const run = isJitted ? jit(step) : step;
  const losses = Array.from({ length: 8 }, (_, k) => run(batch(k)).item());
  const seen = [
    losses,
    Object.entries(net.stateDict()).map(([name, x]) => [name, (x as Tensor).toArray()]),
    [...net.parameters()].map((parameter) => (parameter as Tensor).grad?.toArray()),
    rand([2]).toArray(),
    optimizer.paramGroups[0]?.lr,
  ];
  return { seen, calls };
}

describe("a jitted step of training leaves what the step leaves", () => {
  it.each(Object.keys(optimizers))("%s", (name) => {
    const make = optimizers[name] as (parameters: Parameters) => Optimizer<{ lr: number }>;
    const jitted = train(make, true);
    expect(jitted.seen).toEqual(train(make, false).seen);
    expect(jitted.calls).toBe(1);
  });
});

it("averages over all batches are one recording and one program, however many there were", () => {
  const norm = new BatchNorm1d(2, { momentum: null, affine: false });
  let calls = 0;
  const forward = jit((x: Tensor<[number, 2]>) => {
    calls++;
    return norm.forward(x).detach();
  });
  const values = (k: number) =>
    tensor(
      Array.from({ length: 10 }, (_, i) => (((i >> 1) * 7 + (i % 2) * 5 + k * 3) % 11) / 5 - 1),
      { shape: [5, 2] },
    );
  forward(values(0)).compute();
  const { misses } = stats().programs;
  for (let k = 1; k < 4; k++) forward(values(k));
  expect([calls, stats().programs.misses - misses]).toEqual([1, 0]);
  // PyTorch 1.13: BatchNorm1d(2, momentum=None, affine=False) after the same four batches.
  const averages = [...norm.runningMean!.toTypedArray(), ...norm.runningVar!.toTypedArray()].map(Number);
  const expected = [0.059999994933605194, -0.039999980479478836, 0.4779999852180481, 0.4779999554157257];
  for (const [k, value] of expected.entries()) expect(averages[k]).toBeCloseTo(value, 6);
  expect(norm.numBatchesTracked!.item()).toBe(4);
});

it("a module in evaluation is recorded for itself", () => {
  manualSeed(1);
  const net = new Net();
  const forward = jit((x: Tensor<[number, 3]>) => net.forward(x).detach());
  net.eval();
  const evaluated = forward(batch(1)).toArray();
  net.train();
  forward(batch(1));
  net.eval();
  const plain = net.forward(batch(2)).toArray();
  expect(forward(batch(2)).toArray()).toEqual(plain);
  expect(evaluated).not.toEqual(plain);
});

it("numbers of the host are read at each call, and values of it are guards", () => {
  let [count, isOn, calls] = [0, true, 0];
  const jitted = jit((x: Tensor) => {
    calls++;
    const y = x.mul(perCall(() => ++count));
    return guarded(() => isOn) ? y : y.neg();
  });
  const x = tensor([0.5]);
  expect([1, 2, 3].map(() => jitted(x).item())).toEqual([0.5, 1, 1.5]);
  isOn = false;
  expect([1, 2].map(() => jitted(x).item())).toEqual([-2, -2.5]);
  isOn = true;
  expect(jitted(x).item()).toBe(3);
  expect(calls).toBe(2);
});

it("an argument that requires no gradient any more has the one that it had", () => {
  const halved = (x: AnyTensor): AnyTensor => {
    x.grad?.mul_(0.5);
    return x.add(x.grad ?? 0);
  };
  const run = (fn: typeof halved): unknown => {
    const x = tensor([1, 2]).requiresGrad_() as AnyTensor;
    x.mul(2).sum().backward();
    x.detach_();
    const seen = [1, 2, 3].map(() => [fn(x).toArray(), x.grad?.toArray()]);
    return [seen, fn(tensor([3, 4]) as AnyTensor).toArray()];
  };
  expect(run(jit(halved))).toEqual(run(halved));
});
