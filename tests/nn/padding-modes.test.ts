/** Convolutions whose input is padded with itself, against sums that PyTorch 1.13 gave. */
import { type AnyTensor, arange, noGrad } from "fuseau";
import { Conv1d, Conv2d, Conv3d, type ConvOptions } from "fuseau/nn";
import { describe, expect, it } from "vitest";

const kinds = [Conv1d, Conv2d, Conv3d] as const;
type Made = { forward(x: AnyTensor): AnyTensor } & Pick<InstanceType<typeof Conv1d>, "weight" | "bias">;

const cases: readonly [
  kernel: readonly number[],
  options: ConvOptions,
  input: readonly number[],
  shape: readonly number[],
  weighted: number,
][] = [
  [[3], { paddingMode: "reflect", padding: 2 }, [7], [1, 3, 9], 93],
  [[4], { paddingMode: "circular", padding: "same", dilation: 2 }, [7], [1, 3, 7], 7],
  [[3, 3], { paddingMode: "replicate", padding: [1, 2], stride: 2 }, [6, 7], [1, 3, 3, 5], 102],
  [[4, 3], { paddingMode: "reflect", padding: "same" }, [6, 7], [1, 3, 6, 7], -10_482],
  [[3, 3], { paddingMode: "circular", padding: 1 }, [6, 7], [1, 3, 6, 7], 42],
  [[2, 3, 3], { paddingMode: "replicate", padding: 1 }, [5, 6, 7], [1, 3, 6, 6, 7], 432_432],
];

describe("paddingMode", () => {
  it.each(cases)("kernel %j, %j, input %j", (kernel, options, input, shape, weighted) => {
    const layer = new kinds[kernel.length - 1]!(2, 3, kernel, { ...options, bias: false }) as unknown as Made;
    const { weight } = layer;
    noGrad(() =>
      weight.copy_(
        arange(weight.numel())
          .remainder(5)
          .sub(2)
          .reshape([...weight.shape]) as never,
      ),
    );
    const cells = input.reduce((count, size) => count * size, 2);
    const x = arange(cells)
      .remainder(7)
      .sub(3)
      .float()
      .reshape([1, 2, ...input]);
    const y = layer.forward(x);
    expect(y.shape).toEqual(shape);
    expect(y.flatten().mul(arange(y.numel())).sum().item()).toBe(weighted);
  });

  it("is refused where it is unknown, and with strides where sizes are to stay", () => {
    expect(() => new Conv1d(2, 3, 3, { paddingMode: "mirror" as "reflect" })).toThrow(
      /^Conv1d: paddingMode must be .*"reflect"/,
    );
    expect(() => new Conv1d(2, 3, 3, { paddingMode: "reflect", padding: "same", stride: 2 })).toThrow(
      "padding='same' is not supported for strided convolutions",
    );
  });
});
