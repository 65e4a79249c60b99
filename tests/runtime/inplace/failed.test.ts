/** Elements are checked when they are computed. A write that fails then is undone, with those recorded after it. */
import { type AnyTensor, arange, compute, tensor, where, zeros } from "fuseau";
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
    expect(() => x.compute()).toThrow("ZeroDivisionError");
    expect(x.toArray()).toEqual([1, 2]);
    expect(() => y.compute()).toThrow("ZeroDivisionError");
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
  it("reads what was disposed of before it was computed: that had no memory to give back", () => {
    const x = zeros([3]);
    const y = zeros([3]).add(1);
    x.add_(y);
    y.dispose();
    expect(x.toArray()).toEqual([1, 1, 1]);
  });
});
