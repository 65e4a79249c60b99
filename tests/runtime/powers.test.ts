import { float, jit, type Tensor, tensor } from "fuseau";
import { expect, test } from "vitest";

const x = tensor([-Infinity, -2.5, -0, 0, 3, 1e30, NaN, 0.1]);

test("a power by a number is what PyTorch computes: products, roots and reciprocals", () => {
  const inverse = (of: Tensor): Tensor => of.reciprocal();
  const expected = new Map<number, Tensor>([
    [2, x.mul(x)],
    [3, x.mul(x).mul(x)],
    [0.5, x.sqrt()],
    [-0.5, x.rsqrt()],
    [-1, inverse(x)],
    [-2, inverse(x.mul(x))],
    [1, x],
  ]);
  for (const [exponent, result] of expected) {
    expect(x.pow(exponent).toArray(), `x ** ${exponent}`).toEqual(result.toArray());
    expect(x.pow(float(exponent)).toArray(), `x ** float(${exponent})`).toEqual(result.toArray());
  }
  expect(tensor([2, 3], { dtype: "int64" }).pow(0.5).dtype).toBe("float32");
  expect(tensor([2, 3], { dtype: "int64" }).pow(2).toArray()).toEqual([4, 9]);
});

test("an exponent that a jitted function reads at each call gives the same bits, of one recording", () => {
  const power = jit((a: Tensor, exponent: ReturnType<typeof float>) => a.pow(exponent));
  for (const exponent of [2, 3, 0.5, -0.5, -1, -2, 4.25, 0])
    expect(power(x, float(exponent)).toArray(), `x ** ${exponent}`).toEqual(x.pow(exponent).toArray());
  expect(power.cacheSize).toBe(1);
});

test("the gradient of a power by a number", () => {
  const y = tensor([2, -3], { requiresGrad: true });
  y.pow(3).sum().backward();
  expect(y.grad?.toArray()).toEqual([12, 27]);
});
