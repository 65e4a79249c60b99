/** A training step, written the natural way, is one program that writes over parameters and state, and is compiled once. */
import {
  type AnyTensor,
  clearCaches,
  crossEntropy,
  manualSeed,
  randint,
  randn,
  setOptions,
  stats,
  type Tensor,
  type TraceEvent,
  tensor,
  trace,
  zeros,
} from "fuseau";
import { BatchNorm1d, LayerNorm, Linear, Module, ReLU, Sequential } from "fuseau/nn";
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
} from "fuseau/optim";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const BATCH = 64;

class Perceptron extends Module {
  readonly hidden = new Linear(784, 128);
  readonly out = new Linear(128, 10);
  forward(x: Tensor<[number, 784]>): AnyTensor {
    return this.out.forward(this.hidden.forward(x).relu());
  }
}

interface Step {
  readonly events: readonly TraceEvent[];
  readonly compiled: number;
  readonly runs: number;
  readonly loss: number;
}

/** The last of several steps on batches of random digits. */
function train(
  model: Module & { forward(x: Tensor<[number, 784]>): AnyTensor },
  optimizer: { zeroGrad(): void; step(): void },
  steps: number,
): Step {
  const images = randn([4 * BATCH, 784]).compute();
  const digits = randint(10, [4 * BATCH]).compute();
  const once = (k: number): number => {
    const begin = (k % 4) * BATCH;
    optimizer.zeroGrad();
    const logits = model.forward(images.slice([begin, begin + BATCH]));
    const loss = crossEntropy(logits, digits.slice([begin, begin + BATCH]));
    loss.backward();
    optimizer.step();
    return Number(loss.item());
  };
  for (let k = 0; k < steps; k++) once(k);
  const before = stats();
  const { value, events } = trace(() => once(steps));
  const after = stats();
  return {
    events,
    compiled: after.programs.misses - before.programs.misses,
    runs: after.runs.programs - before.runs.programs,
    loss: value,
  };
}

const memoryOf = ({ events }: Step) => {
  const found = events.filter((event) => event.kind === "memory");
  return { inPlace: found[0]!.inPlace, results: found[0]!.results };
};

const bytesOf = (model: Module): number =>
  model.parameters().reduce((sum, item) => sum + 4 * item.numel(), 0);

describe("a step of a perceptron", () => {
  beforeAll(() => {
    manualSeed(0);
    setOptions({ emitter: "wasm" });
  });
  afterAll(() => {
    setOptions({ emitter: undefined });
  });

  const models = {
    "of a Sequential": () => new Sequential(new Linear(784, 128), new ReLU(), new Linear(128, 10)),
    "of a class": () => new Perceptron(),
  };
  for (const [name, make] of Object.entries(models)) {
    it(`${name} writes parameters and Adam's averages in place, and compiles nothing`, () => {
      const model = make();
      const step = train(model, new Adam(model.parameters()), 6);
      expect(step.runs).toBe(1);
      expect(step.compiled).toBe(0);
      const { inPlace, results } = memoryOf(step);
      expect(inPlace).toBe(3 * bytesOf(model));
      // The gradients, and the activations that the classes' tensors stand for.
      expect(results).toBeLessThan(bytesOf(model) + 4 * BATCH * (128 + 10 + 1) + 1024);
    });

    it(`${name} writes SGD's in place too`, () => {
      const model = make();
      const step = train(model, new SGD(model.parameters(), { lr: 0.01, momentum: 0.9 }), 6);
      expect([step.runs, step.compiled]).toEqual([1, 0]);
      expect(memoryOf(step).inPlace).toBe(2 * bytesOf(model));
    });
  }

  it("with batch norm computes the running averages with it", () => {
    const norm = new BatchNorm1d(128);
    const model = new Sequential(new Linear(784, 128), norm, new ReLU(), new Linear(128, 10));
    const step = train(model, new Adam(model.parameters()), 6);
    expect([step.runs, step.compiled]).toEqual([1, 0]);
    expect(norm.runningMean?.requiresGrad).toBe(false);
    expect(norm.numBatchesTracked?.item()).toBe(7);
    expect(stats().runs.programs).toBeGreaterThan(0);
    const before = stats().runs.programs;
    norm.runningMean?.toArray();
    expect(stats().runs.programs).toBe(before);
  });

  it("gives the memory of gradients back that nobody has seen", () => {
    const model = new Perceptron();
    const optimizer = new Adam(model.parameters());
    train(model, optimizer, 2);
    const before = stats().results.bytes;
    train(model, optimizer, 20);
    expect(stats().results.bytes - before).toBeLessThan(20 * bytesOf(model));
  });
});

describe("the first step is the program of all later ones", () => {
  const kinds: Readonly<Record<string, (params: Iterable<AnyTensor>) => Optimizer<object>>> = {
    SGD: (params) => new SGD(params),
    "SGD with momentum": (params) => new SGD(params, { momentum: 0.9 }),
    "SGD of Nesterov": (params) => new SGD(params, { momentum: 0.9, nesterov: true }),
    Adam: (params) => new Adam(params),
    "Adam with the largest squares": (params) => new Adam(params, { amsgrad: true }),
    AdamW: (params) => new AdamW(params),
    "RMSprop, centered, with momentum": (params) => new RMSprop(params, { centered: true, momentum: 0.9 }),
    Adagrad: (params) => new Adagrad(params, { initialAccumulatorValue: 0.1 }),
    Adamax: (params) => new Adamax(params),
    NAdam: (params) => new NAdam(params),
    RAdam: (params) => new RAdam(params),
    Adadelta: (params) => new Adadelta(params),
    Rprop: (params) => new Rprop(params),
    ASGD: (params) => new ASGD(params),
  };
  /** Of each of four steps, how many programs it compiled and ran. */
  function programsOf(
    model: Module & { forward(x: AnyTensor): AnyTensor },
    optimizer: Optimizer<object>,
  ): { readonly compiled: number[]; readonly runs: number[] } {
    const images = randn([BATCH, 20]).compute();
    const digits = randint(3, [BATCH]).compute();
    const steps = [0, 1, 2, 3].map(() => {
      const before = stats();
      optimizer.zeroGrad();
      const loss = crossEntropy(model.forward(images), digits);
      loss.backward();
      optimizer.step();
      loss.item();
      const { programs, runs } = stats();
      return [programs.misses - before.programs.misses, runs.programs - before.runs.programs] as const;
    });
    return { compiled: steps.map(([misses]) => misses), runs: steps.map(([, count]) => count) };
  }

  for (const [name, make] of Object.entries(kinds)) {
    it(name, () => {
      clearCaches();
      const model = new Sequential(new Linear(20, 8), new ReLU(), new Linear(8, 3));
      expect(programsOf(model, make(model.parameters())).compiled).toEqual([1, 0, 0, 0]);
    });
  }

  for (const count of [1, 2, 8]) {
    it(`with ${count} batch norms, whose running averages are computed with it`, () => {
      clearCaches();
      const norms = Array.from({ length: count }, () => new BatchNorm1d(8));
      const blocks = norms.map((norm) => new Sequential(new Linear(8, 8), norm, new ReLU()));
      const model = new Sequential(new Linear(20, 8), ...blocks, new Linear(8, 3));
      const { compiled, runs } = programsOf(model, new SGD(model.parameters(), { momentum: 0.9 }));
      expect(compiled).toEqual([1, 0, 0, 0]);
      expect(runs.slice(1)).toEqual([1, 1, 1]);
      const before = stats().runs.programs;
      for (const norm of norms) norm.runningVar?.toArray();
      expect(stats().runs.programs).toBe(before);
    });
  }

  it("with parameters that are equal at first", () => {
    clearCaches();
    const model = new Sequential(new Linear(20, 8), new LayerNorm(8), new LayerNorm(8), new Linear(8, 3));
    expect(programsOf(model, new SGD(model.parameters())).compiled).toEqual([1, 0, 0, 0]);
  });

  it("and the first direction of a momentum is the gradient, to the sign of a zero", () => {
    const weight = zeros([3]).requiresGrad_();
    const optimizer = new SGD([weight], { momentum: 0.9, dampening: 0.5 });
    weight
      .mul(tensor([-0, 0, 2]))
      .sum()
      .backward();
    optimizer.step();
    const velocity = optimizer.state.get(weight)?.momentum_buffer as AnyTensor;
    expect(velocity.toArray()).toEqual([-0, 0, 2]);
  });
});

it("a step that fails leaves parameters and state as they were", () => {
  const model = new Linear(3, 2);
  const optimizer = new Adam(model.parameters());
  const step = (target: number): void => {
    optimizer.zeroGrad();
    crossEntropy(model.forward(randn([1, 3])), randint(target, target + 1, [1])).backward();
    optimizer.step();
  };
  step(1);
  const before = model.weight.toArray();
  expect(() => step(7)).toThrow(RangeError);
  expect(model.weight.toArray()).toEqual(before);
  step(0);
  expect(model.weight.toArray()).not.toEqual(before);
});
