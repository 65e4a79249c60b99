/** Optimizers against the formulas of their papers, in PyTorch's order of operations, over JavaScript's numbers. */
import { type AnyTensor, tensor } from "fuseau";
import { parameter } from "fuseau/nn";
import { Adam, AdamW, SGD } from "fuseau/optim";
import { describe, expect, it } from "vitest";

const start = [1, -2, 0.5];

/** Minimises Σ x⁴ / 4: the gradient is x³. */
function descend(make: (params: AnyTensor[]) => { step(): void; zeroGrad(): void }, steps: number): number[] {
  const x = parameter(tensor(start, { dtype: "float64" }));
  const optimizer = make([x]);
  for (let k = 0; k < steps; k++) {
    optimizer.zeroGrad();
    x.pow(4).sum().div(4).backward();
    optimizer.step();
  }
  return x.toArray() as number[];
}

/** The same by `update`, which gives the new x. */
const byHand = (steps: number, make: () => (x: number, grad: number, step: number) => number): number[] =>
  start.map((first) => {
    const update = make();
    let x = first;
    for (let step = 1; step <= steps; step++) x = update(x, x ** 3, step);
    return x;
  });

function expectNear(actual: number[], expected: number[]): void {
  expected.forEach((value, k) => {
    expect(actual[k]).toBeCloseTo(value, 12);
  });
}

describe("SGD", () => {
  it("goes against the gradient", () => {
    const expected = byHand(3, () => (x, grad) => x - 0.1 * grad);
    expectNear(
      descend((params) => new SGD(params, { lr: 0.1 }), 3),
      expected,
    );
  });

  for (const nesterov of [false, true])
    it(`keeps its momentum${nesterov ? ", as Nesterov's" : ""}`, () => {
      const expected = byHand(4, () => {
        let velocity = 0;
        return (x, given, step) => {
          const grad = given + 0.01 * x;
          velocity = step === 1 ? grad : 0.9 * velocity + grad;
          return x - 0.05 * (nesterov ? grad + 0.9 * velocity : velocity);
        };
      });
      expectNear(
        descend((params) => new SGD(params, { lr: 0.05, momentum: 0.9, weightDecay: 0.01, nesterov }), 4),
        expected,
      );
    });
});

const adam = (lr: number, eps: number, amsgrad: boolean) => {
  let [m, v, most] = [0, 0, 0];
  return (x: number, grad: number, step: number): number => {
    m += (grad - m) * (1 - 0.9);
    v = v * 0.999 + (1 - 0.999) * grad * grad;
    most = Math.max(most, v);
    const divisor = Math.sqrt(amsgrad ? most : v) / Math.sqrt(1 - 0.999 ** step) + eps;
    return x - ((lr / (1 - 0.9 ** step)) * m) / divisor;
  };
};

describe("Adam", () => {
  for (const amsgrad of [false, true])
    it(`follows its paper${amsgrad ? ", with amsgrad" : ""}`, () => {
      expectNear(
        descend((params) => new Adam(params, { lr: 0.1, amsgrad }), 5),
        byHand(5, () => adam(0.1, 1e-8, amsgrad)),
      );
    });

  it("adds the decay to the gradient, AdamW takes it from the weight", () => {
    expectNear(
      descend((params) => new Adam(params, { lr: 0.1, weightDecay: 0.2 }), 5),
      byHand(5, () => {
        const update = adam(0.1, 1e-8, false);
        return (x, grad, step) => update(x, grad + 0.2 * x, step);
      }),
    );
    expectNear(
      descend((params) => new AdamW(params, { lr: 0.1, weightDecay: 0.2 }), 5),
      byHand(5, () => {
        const update = adam(0.1, 1e-8, false);
        return (x, grad, step) => update(x * (1 - 0.1 * 0.2), grad, step);
      }),
    );
  });
});
