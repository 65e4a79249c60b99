import { type AnyTensor, func, jit, tensor, zeros } from "fuseau";
import { SGD } from "fuseau/optim";
import { expect, it } from "vitest";

it("a step is not stopped by backward passes and writes inside of a function that is mapped", () => {
  const w = tensor([1, 2], { requiresGrad: true });
  const other = tensor([3, 4], { requiresGrad: true });
  const slopes = func.vmap((x: AnyTensor) => {
    const sum = x.mul(other).sum();
    sum.backward();
    zeros([2]).add_(x.mul(other));
    other.grad = null;
    return sum;
  });
  slopes(
    tensor([
      [1, 0],
      [0, 1],
    ]),
  );
  const optimizer = new SGD([w], { lr: 0.5 });
  w.square().sum().backward();
  optimizer.step();
  expect(w.toArray()).toEqual([0, 0]);
});

it("nor by one of a jitted function", () => {
  const w = tensor([1, 2], { requiresGrad: true });
  const other = tensor([3, 4], { requiresGrad: true });
  const slope = jit((x: typeof w) => {
    x.mul(other).exp().sum().backward();
    return x.mul(2).detach();
  });
  slope(tensor([1, 1]));
  const optimizer = new SGD([w], { lr: 0.5 });
  w.square().sum().backward();
  optimizer.step();
  expect(w.toArray()).toEqual([0, 0]);
});
