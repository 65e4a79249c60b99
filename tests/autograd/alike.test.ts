/** What a weight gets from each step of a loop is one product, and what a bias gets one sum. */
import { type AnyTensor, autograd, fromTypedArray, stack } from "fuseau";
import { describe, expect, it } from "vitest";

const numbers = (...shape: number[]): AnyTensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return fromTypedArray(
    Float64Array.from({ length: count }, (_, k) => ((k * 37) % 41) / 30 - 0.7),
    { shape },
  );
};

const rows = numbers(5, 2, 3);

/** Each reads a weight [3, 4], another [4, 4] and a bias [4] in each of five steps. */
const programs: Readonly<Record<string, (w: AnyTensor, u: AnyTensor, b: AnyTensor) => AnyTensor>> = {
  "steps of a recurrent layer": (w, u, b) =>
    rows.unbind(0).reduce((h: AnyTensor, x) => x.matmul(w).add(h.matmul(u)).add(b).tanh(), numbers(2, 4)),
  "steps with transposed weights": (w, u, b) =>
    rows
      .unbind(0)
      .reduce((h: AnyTensor, x) => w.t().matmul(x.t()).t().add(h.matmul(u.t())).add(b).sin(), numbers(2, 4)),
  "steps of other heights": (w, u, b) =>
    [1, 2, 3, 2]
      .map((height): AnyTensor => numbers(height, 3).matmul(w).add(b).matmul(u).square().sum())
      .reduce((sum: AnyTensor, term) => sum.add(term)),
  "one operand for all steps": (w, u, b) =>
    stack([1, 2, 3, 4].map((k) => numbers(2, 3).matmul(w).mul(k).add(b).matmul(u).exp())),
};

describe.each(Object.entries(programs))("of %s", (_, program) => {
  const inputs = (): never =>
    [numbers(3, 4), numbers(4, 4), numbers(4)].map((each) => each.requiresGrad_()) as never;
  it("it is that of small differences", () => {
    expect(() => autograd.gradcheck(program as never, inputs())).not.toThrow();
    expect(() => autograd.gradgradcheck(program as never, inputs())).not.toThrow();
  });
});

it("takes no more products for more steps", () => {
  const productsOf = (steps: number): number => {
    const w = numbers(4, 4).requiresGrad_();
    const terms = Array.from({ length: steps }, (_, k): AnyTensor => {
      const [x, factor] = [numbers(2, 4).add(k), numbers(2, 4).sub(k)];
      return x.matmul(w).mul(factor).sum();
    });
    const loss = terms.reduce((sum, term) => sum.add(term));
    // The gradient reads no product of the forward pass.
    const [gradient] = autograd.grad([loss], [w] as never) as unknown as readonly [AnyTensor];
    return [...`${gradient.explain()}`.matchAll(/\bcontract\b/g)].length;
  };
  expect(productsOf(5)).toBeGreaterThan(0);
  expect(productsOf(9)).toBe(productsOf(5));
});
