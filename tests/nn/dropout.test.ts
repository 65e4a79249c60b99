/** Forms of dropout: whole channels, and what keeps a mean of 0 and a variance of 1; and their derivatives. */
import {
  type AnyTensor,
  alphaDropout,
  dropout1d,
  dropout2d,
  dropout3d,
  featureAlphaDropout,
  manualSeed,
  ones,
  randn,
} from "fuseau";
import { describe, expect, it } from "vitest";

const gradientOf = (
  drop: (x: AnyTensor) => AnyTensor,
  shape: readonly number[],
): [Set<number>, AnyTensor, AnyTensor] => {
  manualSeed(3);
  const x = ones(shape).requiresGrad_();
  const y = drop(x) as typeof x;
  y.sum().backward();
  const gradient = (x.grad as AnyTensor).compute();
  return [new Set(gradient.toTypedArray() as Float32Array), y.detach().compute(), gradient];
};

describe("dropout of whole channels", () => {
  it.each<[string, (x: AnyTensor) => AnyTensor, number[]]>([
    ["dropout1d", (x) => dropout1d(x as never, 0.5), [8, 16, 5]],
    ["dropout2d", (x) => dropout2d(x as never, 0.5), [8, 16, 3, 5]],
    ["dropout3d", (x) => dropout3d(x as never, 0.5), [8, 16, 2, 3, 5]],
  ])("%s: a channel is 0, or twice what it was, and so is its gradient", (_, drop, shape) => {
    const [values, y, gradient] = gradientOf(drop, shape);
    expect(values).toEqual(new Set([0, 2]));
    expect(gradient.toTypedArray()).toEqual(y.toTypedArray());
    const channels = y.reshape([128, -1]);
    expect(channels.amax(1).toTypedArray()).toEqual(channels.amin(1).toTypedArray());
  });
});

describe("dropout that keeps mean and variance", () => {
  it.each<[string, (x: AnyTensor) => AnyTensor]>([
    ["alphaDropout", (x) => alphaDropout(x as never, 0.3)],
    ["featureAlphaDropout", (x) => featureAlphaDropout(x as never, 0.3)],
  ])("%s, with one factor in its gradient", (_, drop) => {
    manualSeed(5);
    const y = drop(randn([40_000, 5]));
    expect(Math.abs(Number(y.mean().item()))).toBeLessThan(0.03);
    expect(Math.abs(Number((y as ReturnType<typeof randn>).std().item()) - 1)).toBeLessThan(0.03);
    const [values] = gradientOf(drop, [400, 5]);
    expect(values.size).toBe(2);
    expect(values.has(0)).toBe(true);
  });
});
