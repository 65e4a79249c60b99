/** Normalisation of a batch without elements: there is nothing that averages could move toward. */
import { type AnyTensor, batchNorm, instanceNorm, ones, tensor, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import { describe, expect, it } from "vitest";

describe("an empty batch leaves the running averages", () => {
  it.each([[[0, 2]], [[0, 2, 3]], [[2, 2, 0]], [[0, 2, 3, 3]], [[0, 2, 3, 3, 3]]])("of %j", (shape) => {
    const [mean, variance] = [tensor([1, 2]), tensor([3, 4])];
    const x = zeros(shape as number[]);
    expect(batchNorm(x, mean, variance, { training: true }).shape).toEqual(shape);
    expect(mean.toArray()).toEqual([1, 2]);
    expect(variance.toArray()).toEqual([3, 4]);
    if (shape.length === 2) return;
    expect(instanceNorm(x, { runningMean: mean, runningVar: variance }).shape).toEqual(shape);
    expect(mean.toArray()).toEqual([1, 2]);
    expect(variance.toArray()).toEqual([3, 4]);
  });
  it.each([
    [nn.BatchNorm1d, [0, 2]],
    [nn.BatchNorm2d, [0, 2, 3, 3]],
    [nn.BatchNorm3d, [0, 2, 3, 3, 3]],
  ] as const)("of a layer (%#), which counts it, and gives gradients of 0", (Norm, shape) => {
    for (const momentum of [0.1, null]) {
      const layer = new Norm(2, { momentum });
      const { forward } = layer as unknown as { forward(x: AnyTensor): AnyTensor };
      forward.call(layer, zeros(shape)).sum().backward();
      expect(layer.runningMean?.toArray()).toEqual([0, 0]);
      expect(layer.runningVar?.toArray()).toEqual([1, 1]);
      expect(layer.numBatchesTracked?.item()).toBe(1);
      expect(layer.weight?.grad?.toArray()).toEqual([0, 0]);
      expect(layer.bias?.grad?.toArray()).toEqual([0, 0]);
    }
  });
  it("of a batch with elements they move", () => {
    const [mean, variance] = [zeros([2]), ones([2])];
    batchNorm(
      tensor([
        [0, 2],
        [2, 4],
      ]),
      mean,
      variance,
      { training: true, momentum: 0.5 },
    );
    expect(mean.toArray()).toEqual([0.5, 1.5]);
    expect(variance.toArray()).toEqual([1.5, 1.5]);
  });
});
