/** Loops that make their state anew in each round, and read nothing until their end. */
import { type AnyTensor, autograd, func, jit, noGrad, ones, stats, type Tensor, tensor, zeros } from "fuseau";
import { SGD } from "fuseau/optim";
import { describe, expect, it } from "vitest";

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

type State = Tensor<[3], "float32">;

const steps: Readonly<Record<string, (x: State) => State>> = {
  "func.grad": (x) =>
    x.sub(
      func
        .grad((w: State) => w.square().sum())(x)
        .mul(0.25),
    ) as State,
  "func.vmap": (x) => func.vmap((one: AnyTensor) => one.mul(0.25).add(one.mul(0.25)))(x) as State,
  "a backward pass from a detached state": (x) => {
    const w = x.detach().requiresGrad_();
    w.square().sum().backward();
    return w.detach().sub((w.grad as State).mul(0.25)) as State;
  },
  "autograd.grad, the state being made with derivatives": (x) => {
    const w = x.detach().requiresGrad_();
    const [gradient] = autograd.grad(w.square().sum(), [w]);
    return w.sub((gradient as State).mul(0.25)) as State;
  },
};

it.each(Object.entries(steps))(
  "a state that is made anew by %s, and nothing reads, is computed from time to time",
  (_, step) => {
    let x = ones([3]) as State;
    const runs = stats().runs.programs;
    for (let k = 0; k < 50_000 && (k % 1_000 !== 0 || stats().runs.programs === runs); k++) x = step(x);
    expect(stats().runs.programs).toBeGreaterThan(runs);
    expect(Math.max(...(x.toArray() as number[]))).toBeLessThan(1e-40);
  },
);

it("so are the many parts of a state", () => {
  let parts = Array.from({ length: 12 }, (_, k) => tensor(k));
  const runs = stats().runs.programs;
  for (let k = 0; k < 6_000; k++)
    parts = parts.map((part, k) => part.mul(0.5).add((parts[(k + 1) % 12] as typeof part).mul(0.5)));
  expect(stats().runs.programs).toBeGreaterThan(runs);
  for (const part of parts) expect(part.item()).toBeCloseTo(5.5, 4);
});

it("so is a state beside one that is read in each step", () => {
  let [read, other] = [tensor(1), tensor(0)];
  for (let k = 0; k < 70_000; k++) {
    read = read.mul(0.5).add(1);
    read.item();
    other = other.mul(0.5).add(1);
  }
  expect(other.explain().kernels.flatMap(({ ops }) => ops).length).toBeLessThan(100_000);
  expect(other.item()).toBe(2);
});

describe("what is made between two updates of an optimizer is computed before the second", () => {
  const train = (log: (w: AnyTensor, loss: AnyTensor) => void): void => {
    const w = ones([40, 40]).requiresGrad_();
    const optimizer = new SGD([w], { lr: 0.1 });
    for (let k = 0; k < 30; k++) {
      optimizer.zeroGrad();
      const loss = w.square().mean();
      loss.backward();
      optimizer.step();
      log(w, loss);
    }
  };
  const lengthOf = (value: AnyTensor): number => value.explain().kernels.flatMap(({ ops }) => ops).length;

  it("an average of parameters", () => {
    let mean: AnyTensor = zeros([40, 40]);
    const same = zeros([40, 40]);
    train((w) => {
      mean = mean.mul(0.9).add(w.detach().mul(0.1));
      same.mul_(0.9).add_(w.detach().mul(0.1));
    });
    expect(lengthOf(mean)).toBeLessThan(8);
    expect(mean.toArray()).toEqual(same.toArray());
  });

  it("averages of many parameters", () => {
    const weights = Array.from({ length: 12 }, () => ones([40, 40]).requiresGrad_());
    const optimizer = new SGD(weights, { lr: 0.1 });
    let means: readonly AnyTensor[] = weights.map((w) => w.detach().clone());
    for (let k = 0; k < 20; k++) {
      optimizer.zeroGrad();
      for (const w of weights) w.square().mean().backward();
      optimizer.step();
      means = means.map((mean, j) => mean.mul(0.9).add((weights[j] as AnyTensor).detach().mul(0.1) as never));
    }
    for (const mean of means) expect(lengthOf(mean)).toBeLessThan(8);
  });

  it("a selection of logs that is another in each step, which makes no new programs", () => {
    const logs: AnyTensor[] = [];
    const metrics: readonly ((w: AnyTensor) => AnyTensor)[] = [
      (w) => w.abs().max(),
      (w) => w.exp().sum(),
      (w) => w.sin().mean(),
      (w) => w.square().min(),
      (w) => w.cos().sum(),
      (w) => w.norm(),
    ];
    let [round, misses, state] = [0, 0, 1];
    train((w) => {
      if (round++ === 10) misses = stats().programs.misses;
      for (const metric of metrics) {
        state = (state * 16_807) % 2_147_483_647;
        if (state % 3 === 0) logs.push(metric(w.detach()));
      }
    });
    expect(stats().programs.misses - misses).toBeLessThan(5);
    expect(logs.length).toBeGreaterThan(40);
  });

  it("a mean of losses, though each loss is read", () => {
    let mean: AnyTensor = tensor(0);
    let expected = 0;
    train((_, loss) => {
      expected = expected / 2 + (loss.item() as number) / 2;
      mean = mean.mul(0.5).add(loss.detach().mul(0.5));
    });
    expect(lengthOf(mean)).toBeLessThan(8);
    expect(mean.item()).toBeCloseTo(expected, 6);
  });

  it("but not what a view showed before a write, nor what is made of what was disposed of", () => {
    const history: AnyTensor[] = [];
    const w = ones([40, 40]).requiresGrad_();
    const optimizer = new SGD([w], { lr: 0.1 });
    for (let k = 0; k < 8; k++) {
      optimizer.zeroGrad();
      w.square().mean().backward();
      optimizer.step();
      history.push(w.detach(), w.t());
      const x = ones([40]).compute();
      history.push(x.max());
      x.dispose();
      noGrad(() => w.clamp_(-0.5, 0.5));
      w.compute();
    }
    expect((history[0] as AnyTensor).select(0, 0).toArray()).toEqual(w.detach().select(0, 0).toArray());
    expect(() => (history[2] as AnyTensor).item()).toThrow("given back by dispose()");
  });

  it("an average beside a recorded step", () => {
    const w = ones([40, 40]).requiresGrad_();
    const optimizer = new SGD([w], { lr: 0.1 });
    const step = jit((x: AnyTensor) => {
      optimizer.zeroGrad();
      w.mul(x as never)
        .square()
        .mean()
        .backward();
      optimizer.step();
    });
    let mean: AnyTensor = zeros([40, 40]);
    const same = zeros([40, 40]);
    for (let k = 0; k < 30; k++) {
      step(ones([40, 40]));
      mean = mean.mul(0.9).add(w.detach().mul(0.1));
      same.mul_(0.9).add_(w.detach().mul(0.1));
    }
    expect(lengthOf(mean)).toBeLessThan(8);
    expect(mean.toArray()).toEqual(same.toArray());
  });

  it("but what fails fails where it is read", () => {
    const wrong: AnyTensor[] = [];
    train((w) =>
      wrong.push(
        w
          .detach()
          .reshape([-1])
          .index([tensor([1_600], { dtype: "int64" })]),
      ),
    );
    expect(() => (wrong[3] as AnyTensor).toArray()).toThrow(RangeError);
  });
});

it("a recording with derivatives stays whole", () => {
  const x = tensor(1).requiresGrad_();
  let y = x.mul(1);
  const runs = stats().runs.programs;
  for (let k = 0; k < 140_000; k++) y = y.mul(1).add(1);
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
