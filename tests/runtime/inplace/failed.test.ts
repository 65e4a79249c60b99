/** Elements are checked when they are computed. A write that fails then is undone, with those recorded after it. */
import { type AnyTensor, arange, compute, jit, manualSeed, tensor, where, zeros } from "fuseau";
import * as nn from "fuseau/nn";
import * as optim from "fuseau/optim";
import { describe, expect, it } from "vitest";

const int = (...values: number[]): AnyTensor => tensor(values, { dtype: "int32" });

describe("a write that fails when it is computed", () => {
  it("leaves the target as the writes before it left it", () => {
    const x = int(6, 7, 8);
    const part = x.slice([0, 2]);
    const seen = x.mul(2);
    x.add_(1);
    part.floorDivide_(int(0, 1));
    x.mul_(100);
    expect(() => x.compute()).toThrow("ZeroDivisionError");
    expect(x.toArray()).toEqual([7, 8, 9]);
    expect(part.toArray()).toEqual([7, 8]);
    expect(seen.toArray()).toEqual([12, 14, 16]);
    part.add_(1);
    expect(x.toArray()).toEqual([8, 9, 9]);
  });
  it("does so whoever asks first", () => {
    const x = int(6, 7, 8);
    const part = x.slice([1, null]);
    x.remainder_(int(1, 0, 1));
    expect(() => part.toArray()).toThrow("ZeroDivisionError");
    expect(part.toArray()).toEqual([7, 8]);
    expect(x.toArray()).toEqual([6, 7, 8]);
  });
  it("does so among others that are computed with it, and leaves those alone", () => {
    const [x, y] = [int(1, 2), int(3, 4)];
    x.floorDivide_(int(0, 0));
    y.add_(1);
    expect(() => compute(y, x)).toThrow("ZeroDivisionError");
    expect([x.toArray(), y.toArray()]).toEqual([
      [1, 2],
      [4, 5],
    ]);
  });
  it("does so after the target was computed, and again", () => {
    const x = int(5, 6).add(1).compute();
    for (let k = 0; k < 3; k++) {
      x.add_(1).compute();
      x.fmod_(int(0, 1));
      expect(() => x.toString()).toThrow("ZeroDivisionError");
      expect(x.toArray()).toEqual([7 + k, 8 + k]);
    }
  });
  it("is forgotten when it is written over", () => {
    const x = int(1, 2);
    x.floorDivide_(int(0, 0));
    x.fill_(3);
    expect(x.toArray()).toEqual([3, 3]);
  });
  it("stays in what was recorded from it", () => {
    const x = int(1, 2);
    x.floorDivide_(int(0, 0));
    const y = x.add(1);
    expect(() => y.compute()).toThrow("ZeroDivisionError");
    expect(x.toArray()).toEqual([1, 2]);
    expect(() => y.compute()).toThrow("ZeroDivisionError");
  });
  it("is undone whatever was made of it", () => {
    const asks: ((x: AnyTensor) => unknown)[] = [
      (x) => x.sum().item(),
      (x) => x.slice([0, 1]).add(1).toArray(),
      (x) => x.clone().compute(),
      (x) => x.nonzero(),
      (x) => compute(int(1, 2).add(x.mul(2)), int(3)),
      jit((x: AnyTensor) => x.add(1)),
    ];
    for (const ask of asks) {
      const x = int(5, 6);
      const part = x.slice([0, 1]);
      x.add_(1);
      part.floorDivide_(int(0));
      x.mul_(100);
      expect(() => ask(x)).toThrow("ZeroDivisionError");
      ask(x);
      expect([x.toArray(), part.toArray()]).toEqual([[6, 7], [6]]);
    }
  });
  it("may be one of many, in a loop that goes on", () => {
    const x = int(0, 0);
    for (let k = 0; k < 200; k++) {
      x.add_(1);
      x.floorDivide_(int(0, 1));
      expect(() => x.sum().item()).toThrow("ZeroDivisionError");
    }
    expect(x.toArray()).toEqual([200, 200]);
    for (let k = 0; k < 200; k++) x.add_(1).floorDivide_(int(0, 1));
    expect(() => x.sum().item()).toThrow("ZeroDivisionError");
    expect(x.sum().item()).toBeGreaterThan(200);
  });
  it("leaves other tensors that failed to be told of", () => {
    const [x, y] = [int(1, 2), int(3, 4, 5)];
    x.floorDivide_(int(0, 1));
    y.remainder_(int(1, 0, 1));
    expect(() => x.sum().add(y.sum()).item()).toThrow("floorDivide_");
    expect(() => x.sum().add(y.sum()).item()).toThrow("remainder_");
    expect(x.sum().add(y.sum()).item()).toBe(15);
  });
  it("does not stop a training loop that goes on with the next batch", () => {
    manualSeed(1);
    const model = new nn.Sequential(new nn.Embedding(10, 4), new nn.BatchNorm1d(4), new nn.Linear(4, 2));
    const optimizer = new optim.Adam(model.parameters());
    const orders = ["read first", "zero last", "step first"] as const;
    const loss = (batch: number[], order: (typeof orders)[number]): number | string => {
      try {
        if (order !== "zero last") optimizer.zeroGrad();
        const loss = model
          .forward(tensor(batch, { dtype: "int64" }))
          .square()
          .mean();
        loss.backward();
        if (order === "read first") loss.item();
        optimizer.step();
        if (order === "zero last") optimizer.zeroGrad();
        return loss.item();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const failed = expect.stringContaining("embedding: index 99 is out of bounds");
    const good = expect.any(Number);
    const batches = [
      [1, 2, 3],
      [4, 99, 2],
      [5, 6, 7],
      [4, 99, 2],
      [1, 2, 4],
    ];
    for (const order of orders) {
      expect(batches.map((batch) => loss(batch, order))).toEqual([good, failed, good, failed, good]);
      optimizer.zeroGrad();
    }
    expect(model.stateDict()["1.running_mean"]?.isfinite().all().item()).toBe(true);
  });
  it("is not undone because of a tensor that was disposed of", () => {
    const x = zeros([3]);
    const y = zeros([3]).add(1).compute();
    x.add_(y);
    y.dispose();
    expect(() => x.compute()).toThrow("dispose()");
    expect(() => x.compute()).toThrow("dispose()");
    x.zero_();
    expect(x.toArray()).toEqual([0, 0, 0]);
  });
  it("leaves the elements in memory that a later kernel might have taken for a result", () => {
    const count = 200;
    const x = arange(count).add(1).compute();
    const good = arange(count, { dtype: "int64" });
    const bad = where(good.eq(150), 1_000, good).compute();
    {
      using zero = zeros([count], { dtype: "int64" });
      using ten = x.mul(10);
      using scattered = zero.scatterAdd(0, good, ten);
      using gathered = scattered.gather(0, bad);
      x.copy_(gathered);
    }
    expect(() => x.compute()).toThrow("out of bounds");
    expect(x.select(0, 5).item()).toBe(6);
  });
  it("leaves gradients as they were", () => {
    const [x, y] = [tensor([1, 2]).requiresGrad_(), tensor([1, 2]).requiresGrad_()];
    x.mul(3).sum().backward();
    for (const k of [0, 1]) {
      const loss = x
        .mul(y)
        .gather(0, tensor([0, 7], { dtype: "int64" }))
        .square()
        .sum();
      loss.backward();
      expect(() => loss.item()).toThrow("out of bounds");
      expect([k, x.grad?.toArray(), y.grad]).toEqual([k, [3, 3], null]);
    }
    x.mul(y).sum().backward();
    expect([x.grad?.toArray(), y.grad?.toArray()]).toEqual([
      [4, 5],
      [1, 2],
    ]);
  });
  it("reads what was disposed of before it was computed: that had no memory to give back", () => {
    const x = zeros([3]);
    const y = zeros([3]).add(1);
    x.add_(y);
    y.dispose();
    expect(x.toArray()).toEqual([1, 1, 1]);
  });
});
