import { arange, noGrad, randn, tensor, zeros } from "fuseau";
import { expect, it } from "vitest";

it("a tensor can be made to require a gradient", () => {
  const w = zeros([3], { requiresGrad: true });
  const x = tensor([1, 2, 3], { dtype: "float64", requiresGrad: true });
  expect([w.requiresGrad, w.isLeaf, x.requiresGrad, randn([2], { requiresGrad: true }).requiresGrad]).toEqual(
    [true, true, true, true],
  );
  expect(zeros([3], { requiresGrad: false }).requiresGrad).toBe(false);
  x.square().sum().backward();
  expect(x.grad?.toArray()).toEqual([2, 4, 6]);
  expect(noGrad(() => zeros([1], { requiresGrad: true })).requiresGrad).toBe(true);
});

it("unless it holds no floats", () => {
  expect(() => arange(3, { requiresGrad: true })).toThrow(
    /^arange: only Tensors of floating point dtype can require gradients \(got Long\)/,
  );
  expect(() => zeros([2], { requiresGrad: 1 as never })).toThrow(/requiresGrad must be true or false/);
});
