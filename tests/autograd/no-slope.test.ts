/** Slopes that change only in steps: PyTorch's gradients depend on the operand all the same, with a derivative of 0. */
import {
  type AnyTensor,
  adaptiveMaxPool1d,
  autograd,
  hardshrink,
  hardsigmoid,
  hardtanh,
  leakyRelu,
  maxPool2d,
  prelu,
  relu,
  relu6,
  softshrink,
  tensor,
  threshold,
} from "fuseau";
import { describe, expect, it } from "vitest";

const functions: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  relu: (x) => relu(x),
  relu6: (x) => relu6(x),
  hardtanh: (x) => hardtanh(x),
  hardsigmoid: (x) => hardsigmoid(x),
  leakyRelu: (x) => leakyRelu(x, 0.1),
  prelu: (x) => prelu(x, tensor([0.25])),
  softshrink: (x) => softshrink(x),
  hardshrink: (x) => hardshrink(x),
  threshold: (x) => threshold(x, 0.1, 20),
  adaptiveMaxPool1d: (x) => adaptiveMaxPool1d(x.reshape([1, 4]), 2),
  maxPool2d: (x) => maxPool2d(x.reshape([1, 2, 2]), 2),
};

describe.each(Object.entries(functions))("%s", (_, fn) => {
  const gradientOf = (x: AnyTensor): AnyTensor =>
    autograd.grad(fn(x).sum(), [x] as never, { createGraph: true })[0] as AnyTensor;

  it("the second derivative is 0", () => {
    const x = tensor([-2, -0.3, 0.2, 4]).requiresGrad_();
    const gradient = gradientOf(x);
    expect(gradient.requiresGrad).toBe(true);
    expect(autograd.grad(gradient.sum() as never, [x])[0]?.toArray()).toEqual([0, 0, 0, 0]);
  });

  it("what is multiplied by the gradient has its derivative", () => {
    const x = tensor([-2, -0.3, 0.2, 4]).requiresGrad_();
    const gradient = gradientOf(x);
    const [found] = autograd.grad(gradient.mul(x).sum() as never, [x]);
    expect(found?.toArray()).toEqual(gradient.toArray());
  });

  it("a gradient is as it is without a graph", () => {
    const x = tensor([-2, -0.3, 0.2, 4]).requiresGrad_();
    const [found] = autograd.grad(fn(x).sum() as never, [x]);
    expect(found?.requiresGrad).toBe(false);
    expect(found?.toArray()).toEqual(gradientOf(x).toArray());
  });
});
