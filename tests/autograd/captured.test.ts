/** Writes in functions that `func` differentiates: to what is made inside, and to what is not. */
import { type AnyTensor, func, GradientError, jit, noGrad, ones, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

const x = tensor([1, 2, 3]);
const squares = (y: AnyTensor): AnyTensor => y.square().sum();

describe("a tensor from outside is not written with what is differentiated", () => {
  const total = zeros([3]);
  const writers: Readonly<Record<string, (a: AnyTensor) => AnyTensor>> = {
    "all of it": (a) => squares(total.add_(a as typeof total)),
    "a row of it": (a) => {
      total.select(0, 0).copy_(a.sum());
      return squares(total);
    },
    "from a function within": (a) => {
      const own = zeros([3]);
      func.grad((b: AnyTensor) => squares(own.add_(b as typeof own)))(a);
      return squares(own);
    },
  };
  it.each(Object.entries(writers))("%s", (_, write) => {
    for (const derivative of [func.grad(write), func.jacrev(write), jit(func.grad(write))])
      expect(() => derivative(x)).toThrow(GradientError);
    expect(() => func.jvp(write, [x], [x])).toThrow(/would mutate a captured Tensor/);
    expect([total.requiresGrad, total.toArray()]).toEqual([false, [0, 0, 0]]);
  });
});

it("it takes what no derivative flows through", () => {
  const total = zeros([3]);
  const gradient = func.grad((a: AnyTensor) => {
    total.add_(a.detach() as typeof total);
    noGrad(() => total.add_(a as typeof total));
    return squares(a);
  });
  expect(gradient(x).toArray()).toEqual([2, 4, 6]);
  expect([total.requiresGrad, total.toArray()]).toEqual([false, [2, 4, 6]]);
});

it("what is made inside is written, in functions of functions too", () => {
  const made = (a: AnyTensor): AnyTensor => {
    const y = zeros([3]);
    y.add_(a as typeof y);
    y.select(0, 1).mul_(a.select(0, 2));
    return squares(y);
  };
  expect(func.grad(made)(x).toArray()).toEqual([2, 36, 30]);
  const outer = zeros([3]);
  expect(
    func
      .grad((a: AnyTensor) => squares(outer.clone().add_(a as typeof outer)))(x)
      .toArray(),
  ).toEqual([2, 4, 6]);
  const nested = func.grad((a: AnyTensor) => {
    const y = zeros([3]);
    y.add_(func.grad((b: AnyTensor) => squares(b.clone().mul_(a)))(a) as typeof y);
    return y.sum();
  });
  expect(nested(x).toArray()).toEqual([6, 24, 54]);
  const mapped = func.vmap(func.grad((a: AnyTensor) => a.clone().mul_(a).sum()));
  expect(
    mapped(ones([2, 3]))
      .sum()
      .item(),
  ).toBe(12);
});
