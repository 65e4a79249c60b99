/** Programs that once went wrong, each with what it must give. */
import { type AnyTensor, compute, full, ones, tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const emitters = ["js", "closure", "wasm"] as const;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, k) => Math.sin(k + 1));

describe.each(emitters)("by %s", (emitter) => {
  const alike = (make: () => AnyTensor[]): void => {
    const [fused, eager] = [make(), make()];
    compute(...fused, { emitter });
    for (const one of eager) one.compute({ emitter, fusion: "none" });
    expect(fused.map((one) => one.toArray())).toEqual(eager.map((one) => one.toArray()));
  };

  it("a single element that is written over is written once, whoever reads it afterwards", () => {
    const big = ones([200, 300]).compute();
    const scale = full([1], 2).add(0).compute();
    scale.mul_(3);
    const scaled = big.mul(scale);
    compute(scale, scaled, { emitter });
    expect([scale.item(), scaled.select(0, 0).select(0, 0).item()]).toEqual([6, 6]);
  });

  it("a wanted node read through a slice of a strip-mined axis is stored whole", () => {
    const a = tensor(numbers(51)).reshape([3, 17]).compute();
    alike(() => {
      const e = a.exp();
      const sum = e.sum(0, { keepdim: true });
      return [e.div(sum).slice(":", [0, 5]), sum];
    });
  });

  it("the diagonal of a reduction walks one loop", () => {
    const x = tensor(numbers(125)).reshape([5, 5, 5]).compute();
    alike(() => [x.sum(2).diagonal().softmax(0)]);
  });

  it("a row is not held where a base is copied to", () => {
    const x = tensor(numbers(12)).reshape([3, 4]).compute();
    alike(() => {
      const h = x.exp();
      const y = h.add(1);
      y.t().copy_(h.t().mul(3));
      return [y];
    });
  });

  it("a scan that is wanted and read by others has its place", () => {
    const x = ones([4, 20_000]).compute();
    const c = x.cumsum(0);
    const sum = c.add(x.sum(1, { keepdim: true })).add(x.amax(1, { keepdim: true }));
    compute(c, sum, { emitter });
    expect([c.select(0, 3).select(0, 0).item(), sum.select(0, 3).select(0, 9).item()]).toEqual([4, 20_005]);
    expect(
      ones([6, 40])
        .compute()
        .cumsum(0)
        .sum()
        .compute({ emitter, limits: { scratch: 4 } })
        .item(),
    ).toBe(840);
  });

  it("what a view gave to another tensor stays when the base is written", () => {
    const x = ones([3, 3]).add(1).compute({ emitter });
    const y = zeros([3]).add(0).compute({ emitter });
    y.copy_(x.select(0, 1));
    x.mul_(2).compute({ emitter });
    expect(y.toArray()).toEqual([2, 2, 2]);
  });

  it("reshapes of nothing, and many in a row, end", () => {
    expect(zeros([0, 5]).compute().flatten().sum().compute({ emitter }).item()).toBe(0);
    let t: AnyTensor = tensor(numbers(60));
    for (let k = 0; k < 40; k++) t = t.reshape([4, 15]).t().reshape([60]).mul(1.01);
    expect(t.compute({ emitter }).numel()).toBe(60);
  });
});
