import {
  type AnyTensor,
  compute,
  fromTypedArray,
  getOptions,
  setOptions,
  stats,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

describe("an error while a kernel runs", () => {
  const dividends = tensor([6, 7, 8], { dtype: "int32" });
  const divisors = tensor([2, 0, 4], { dtype: "int32" });

  it.each(["js", "closure"] as const)("integer division by zero is a RangeError, by %s", (emitter) => {
    expect(() => dividends.floorDivide(divisors).compute({ emitter })).toThrow(RangeError);
    expect(() => dividends.remainder(divisors).compute({ emitter })).toThrow(RangeError);
  });
  it("leaves every earlier tensor computable, and the failed one not half done", () => {
    const before = dividends.add(1);
    const quotient = dividends.floorDivide(divisors);
    const after = quotient.add(1);
    expect(() => compute(before, after)).toThrow(RangeError);
    expect(before.toArray()).toEqual([7, 8, 9]);
    expect(dividends.toArray()).toEqual([6, 7, 8]);
    expect(divisors.toArray()).toEqual([2, 0, 4]);
    expect(() => after.compute()).toThrow(RangeError);
    expect(() => quotient.compute()).toThrow(RangeError);
    expect(dividends.floorDivide(divisors.maximum(1)).toArray()).toEqual([3, 7, 2]);
  });
  it("in the middle of a program leaves what was computed before it as it was", () => {
    const x = fromTypedArray(Float32Array.from({ length: 20_000 }, (_, k) => k));
    const kept = x.add(1).compute();
    const e = kept.exp();
    const bad = e.to("int32").floorDivide(zeros([20_000], { dtype: "int32" }));
    expect(() => compute(e.sum(), bad)).toThrow(RangeError);
    expect(kept.slice([0, 3]).toArray()).toEqual([1, 2, 3]);
    expect(e.slice([0, 1]).toArray()).toEqual([Math.fround(Math.E)]);
  });
  it("counts no run that did not end", () => {
    const before = stats().runs;
    expect(() => dividends.floorDivide(divisors).compute()).toThrow(RangeError);
    expect(stats().runs).toEqual(before);
  });
});

describe("options that are not known", () => {
  const x: AnyTensor = tensor([1, 2, 3]).add(1);
  it.each<[string, () => unknown, RegExp]>([
    [
      "a name, for the process",
      () => setOptions({ fuse: true } as never),
      /setOptions: unknown option "fuse"/,
    ],
    ["a name, for a call", () => x.compute({ fuse: true } as never), /compute: unknown option "fuse"/],
    [
      "a name, for an explanation",
      () => x.explain({ fuse: true } as never),
      /explain: unknown option "fuse"/,
    ],
    [
      "the process's own option, for a call",
      () => x.compute({ programCacheLimit: 3 } as never),
      /compute: unknown option "programCacheLimit"; the options are fusion, emitter, limits/,
    ],
    [
      "a value of fusion",
      () => x.compute({ fusion: "off" } as never),
      /compute: fusion must be "on" or "none", not "off"/,
    ],
    ["a value of emitter", () => setOptions({ emitter: "wgsl" } as never), /setOptions: emitter must be /],
    [
      "a negative limit",
      () => setOptions({ programCacheLimit: -1 }),
      /programCacheLimit must be a whole number/,
    ],
    [
      "a fractional limit",
      () => setOptions({ kernelCacheLimit: 1.5 }),
      /kernelCacheLimit must be a whole number/,
    ],
    ["something else than an object", () => setOptions(3 as never), /options must be an object, not 3/],
  ])("%s", (_, call, message) => {
    const before = { ...getOptions() };
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
    expect(getOptions()).toEqual(before);
    expect(x.toArray()).toEqual([2, 3, 4]);
  });
});
