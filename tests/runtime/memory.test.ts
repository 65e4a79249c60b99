import { clearCaches, compute, fromTypedArray, setOptions, stats, tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const numbers = (length: number): Float32Array => Float32Array.from({ length }, (_, k) => k);

afterEach(() => setOptions({ poolBytesLimit: undefined }));

describe("fromTypedArray lends an array", () => {
  it("without a copy", () => {
    const array = numbers(4);
    const x = fromTypedArray(array);
    array[0] = 42;
    // By contract nobody does this; here it shows that the array itself is read.
    expect(x.toArray()).toEqual([42, 1, 2, 3]);
    expect(x.add(1).toArray()).toEqual([43, 2, 3, 4]);
  });
  it("without a copy of part of a larger buffer", () => {
    const whole = numbers(10);
    expect(fromTypedArray(whole.subarray(2, 6)).mul(2).toArray()).toEqual([4, 6, 8, 10]);
  });
  it("that is never written", () => {
    const array = numbers(20_000);
    const x = fromTypedArray(array, { shape: [100, 200] });
    const y = x.exp().add(x.t().reshape([100, 200]));
    compute(y, x.mul(1), x.sum(0), x.sub(1).relu());
    x.dispose();
    for (let k = 0; k < 5; k++) fromTypedArray(numbers(20_000)).sin().compute().dispose();
    expect(array).toEqual(numbers(20_000));
  });
  it("that stays its owner's when every tensor over it is gone", () => {
    clearCaches();
    const array = numbers(20_000);
    const x = fromTypedArray(array);
    const same = x.mul(1).compute();
    x.dispose();
    same.dispose();
    expect(stats().pool.bytes).toBe(0);
  });
});

describe("tensor copies", () => {
  it("a typed array", () => {
    const array = numbers(3);
    const x = tensor(array);
    array[0] = 42;
    expect(x.toArray()).toEqual([0, 1, 2]);
  });
  it("nested arrays", () => {
    const rows = [
      [1, 2],
      [3, 4],
    ];
    const x = tensor(rows);
    (rows[0] as number[])[0] = 42;
    expect(x.toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe("dispose", () => {
  beforeEach(() => setOptions({ emitter: "js" }));
  afterEach(() => setOptions({ emitter: undefined }));
  it("gives the memory back to be used again", () => {
    clearCaches();
    const x = fromTypedArray(numbers(20_000));
    const first = x.sin().compute();
    const { reused } = stats().pool;
    expect(stats().pool.bytes).toBe(0);
    first.dispose();
    expect(stats().pool.bytes).toBe(80_000);
    x.cos().compute();
    expect(stats().pool).toMatchObject({ bytes: 0, reused: reused + 1 });
  });
  it("makes the tensor unreadable, and says so", () => {
    const x = fromTypedArray(numbers(3)).add(1).compute();
    x.dispose();
    expect(() => x.toArray()).toThrow(/dispose\(\)/);
    expect(() => x.add(1).compute()).toThrow(/dispose\(\)/);
    expect(x.shape).toEqual([3]);
  });
  it("may be called twice, and before anything was computed", () => {
    const x = fromTypedArray(numbers(3)).add(1);
    x.dispose();
    x.dispose();
    expect(() => x.toArray()).toThrow(/dispose\(\)/);
  });
  it("leaves what was computed from it alone", () => {
    const x = fromTypedArray(numbers(20_000)).add(1).compute();
    const y = x.mul(2).compute();
    x.dispose();
    fromTypedArray(numbers(20_000)).exp().compute();
    expect(y.slice([0, 3]).toArray()).toEqual([2, 4, 6]);
  });
  it("happens at the end of a block with `using`", () => {
    clearCaches();
    const source = fromTypedArray(numbers(20_000));
    {
      using x = source.sin().compute();
      expect(x.slice(0).item()).toBe(0);
      expect(stats().pool.bytes).toBe(0);
    }
    expect(stats().pool.bytes).toBe(80_000);
  });
});

describe("the pool", () => {
  beforeEach(() => setOptions({ emitter: "js" }));
  afterEach(() => setOptions({ emitter: undefined }));
  it("keeps no more than its limit", () => {
    clearCaches();
    setOptions({ poolBytesLimit: 100_000 });
    const x = fromTypedArray(numbers(20_000));
    const results = [x.sin(), x.cos(), x.exp()];
    compute(...results);
    for (const result of results) result.dispose();
    expect(stats().pool.bytes).toBe(80_000);
    setOptions({ poolBytesLimit: 0 });
    expect(stats().pool.bytes).toBe(0);
  });
  it("gives an array for others of about its size, and all of it again when a part is freed", () => {
    clearCaches();
    const { allocated } = stats().pool;
    for (const length of [20_000, 19_001, 19_999, 20_000]) {
      const made = fromTypedArray(numbers(length)).sin().compute();
      expect(made.toTypedArray()).toEqual(numbers(length).map(Math.sin));
      made.dispose();
    }
    tensor(numbers(9_800), { dtype: "float64" }).dispose();
    expect(stats().pool).toMatchObject({ bytes: 80_000, allocated: allocated + 1 });
  });
  it("gives arrays with other contents: every result is written whole", () => {
    clearCaches();
    const x = fromTypedArray(numbers(20_000), { shape: [100, 200] });
    const poison = x.add(1e6).compute();
    poison.dispose();
    const padded = x.slice([1, -1], [1, -1]).pad([1, 1, 1, 1]).compute();
    expect(padded.slice(0).sum().item()).toBe(0);
    expect(padded.slice(":", 0).sum().item()).toBe(0);
    expect(padded.slice(1, 1).item()).toBe(201);
  });
});
