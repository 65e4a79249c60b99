/** Derivatives of what is mapped: those that compositions have of their own must not be lost. */
import { type AnyTensor, func, manualSeed, randn, tensor, zeros } from "fuseau";
import { beforeEach, expect, it } from "vitest";

beforeEach(() => {
  manualSeed(11);
});

const functions: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  norm: (x) => x.norm(),
  "norm of zeros": (x) => x.mul(0).norm(),
  std: (x) => x.std(),
  softmax: (x) => x.softmax(0).square().sum(),
  logsumexp: (x) => x.logsumexp(0),
  clamp: (x) => x.clamp(-0.5, 0.5).sum(),
  "a clamp of a norm": (x) => x.mul(x.norm().clamp(0, 1)).sum(),
  cumprod: (x) => x.cumprod(0).sum(),
};

it.each(Object.entries(functions))("of a batch, %s has the gradients of its examples", (_, f) => {
  const x = randn([5, 4], { dtype: "float64" }).compute();
  const mapped = func.grad((batch: AnyTensor) => func.vmap(f)(batch).sum())(x);
  const each = func.vmap(func.grad(f))(x);
  expect(mapped.toArray()).toEqual(each.toArray());
});

it("the gradient of a norm at 0 is 0", () => {
  const gradient = func.grad((batch: AnyTensor) =>
    func
      .vmap((x: AnyTensor) => x.norm())(batch)
      .sum(),
  )(zeros([2, 3]));
  expect(gradient.toArray()).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

it("what is not mapped has the sum of the examples' gradients", () => {
  const x = randn([5, 4], { dtype: "float64" }).compute();
  const w = randn([4], { dtype: "float64" }).compute();
  const mapped = func.grad((weight: AnyTensor) =>
    func
      .vmap((row: AnyTensor) => row.mul(weight).softmax(0).square().sum())(x)
      .sum(),
  )(w);
  const direct = func.grad((weight: AnyTensor) => x.mul(weight).softmax(1).square().sum())(w);
  const expected = direct.toArray() as number[];
  for (const [k, value] of (mapped.toArray() as number[]).entries())
    expect(value).toBeCloseTo(expected[k]!, 12);
});

it("second derivatives too", () => {
  const x = tensor(
    [
      [1, 2],
      [0.5, -1],
    ],
    { dtype: "float64" },
  );
  const f = (row: AnyTensor): AnyTensor => row.softmax(0).square().sum();
  const mapped = func.hessian((batch: AnyTensor) => func.vmap(f)(batch).sum())(x);
  const each = func.vmap(func.hessian(f))(x);
  for (const k of [0, 1]) {
    const own = mapped.select(2, k).select(0, k).flatten().toArray() as number[];
    const expected = each.select(0, k).flatten().toArray() as number[];
    for (const [place, value] of own.entries()) expect(value).toBeCloseTo(expected[place]!, 12);
  }
});
