import { type AnyTensor, float, func, jit, type Tensor, tensor } from "fuseau";
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

test("of float16 it is rounded once", () => {
  const half = tensor([-9.3125, -9.375], { dtype: "float16" });
  expect(half.pow(3).toArray()[0]).toBe(-807.5);
  expect(half.pow(-2).toArray()[1]).toBeCloseTo(0.0113754, 6);
});

test("of float16 roots are powers", () => {
  const half = tensor([-Infinity, -0, 4, -1], { dtype: "float16" });
  expect(half.pow(0.5).toArray()).toEqual([Infinity, 0, 2, NaN]);
  expect(half.pow(-0.5).toArray()).toEqual([0, Infinity, 0.5, NaN]);
});

test("a jitted function has a recording for each exponent, with the same bits and gradients", () => {
  const y = tensor([-1, 0, 2, -Infinity, 1e30]);
  const exponents = [2, 3, 0.5, -0.5, -1, -2, 4.25, 0];
  const power = jit((a: AnyTensor, exponent: ReturnType<typeof float>) => a.pow(exponent));
  const slope = jit((a: AnyTensor, exponent: ReturnType<typeof float>) =>
    func.grad((b: AnyTensor) => b.pow(exponent).sum())(a),
  );
  for (const exponent of exponents) {
    expect(power(x, float(exponent)).toArray(), `x ** ${exponent}`).toEqual(x.pow(exponent).toArray());
    const plain = func.grad((b: AnyTensor) => b.pow(exponent).sum())(y);
    expect(slope(y, float(exponent)).toArray(), `slope of ${exponent}`).toEqual(plain.toArray());
  }
  expect(power.cacheSize).toBe(exponents.length);
});

test("the gradient of a power by a number", () => {
  const y = tensor([2, -3], { requiresGrad: true });
  y.pow(3).sum().backward();
  expect(y.grad?.toArray()).toEqual([12, 27]);
});
