import { arange, clearCaches, compute, fromTypedArray, stats, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

const numbers = (count: number): Float32Array => Float32Array.from({ length: count }, (_, k) => k);

describe("a lent array", () => {
  it("is never written, whatever is written to the tensor", () => {
    const array = numbers(6);
    const x = fromTypedArray(array, { shape: [2, 3] });
    const v = x.t();
    x.add_(1).compute();
    v.select(0, 0).zero_();
    x.slice(1).mul_(5);
    compute(x, v);
    expect(x.toArray()).toEqual([
      [0, 2, 3],
      [0, 25, 30],
    ]);
    expect(array).toEqual(numbers(6));
  });
});

describe("dispose", () => {
  it("of a view leaves its base and the other views alone", () => {
    const x = arange(6, { dtype: "float32" }).reshape([2, 3]).clone();
    const row = x.select(0, 1);
    const other = x.select(0, 1);
    {
      using v = x.t();
      v.add_(1);
    }
    row.dispose();
    expect(() => row.toArray()).toThrow("dispose()");
    expect(x.toArray()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(other.toArray()).toEqual([4, 5, 6]);
  });
  it("of a view that was computed where its base was not gives its memory back", () => {
    const x = fromTypedArray(numbers(40_000), { shape: [200, 200] });
    const before = stats().results.bytes;
    for (const emitter of ["js", "wasm"] as const)
      for (const view of [() => x.mul(2).t(), () => x.add(1).slice([null, null, 2]), () => x.exp().flatten()])
        view().compute({ emitter }).dispose();
    // What linear memory has of x.
    expect(stats().results.bytes - before).toBeLessThanOrEqual(160_000);
  });
  it("of a view that was computed where its base was not leaves what may read it", () => {
    const x = fromTypedArray(numbers(40_000), { shape: [200, 200] });
    const made = () => x.mul(2).t().compute();
    const [first, second, third, fourth, fifth] = [made(), made(), made(), made(), made()];
    const row = first.select(0, 1);
    const halved = second.div(2);
    const all = third.slice([null]);
    const flat = fourth.reshape([-1]).slice([200, 202]);
    const same = fifth.transpose_(0, 1).select(1, 1);
    for (const view of [first, second, third, fourth, fifth]) view.dispose();
    x.dispose();
    expect(row.slice([1, 3]).toArray()).toEqual([402, 802]);
    expect(halved.select(0, 1).slice([1, 3]).toArray()).toEqual([201, 401]);
    expect(all.select(0, 1).slice([1, 3]).toArray()).toEqual([402, 802]);
    expect(flat.toArray()).toEqual([2, 402]);
    expect(same.slice([1, 3]).toArray()).toEqual([402, 802]);
  });
  it("of a view that was written through leaves the write", () => {
    const x = zeros([4]);
    const v = x.slice([1, 3]);
    v.add_(2).compute();
    v.dispose();
    expect(x.toArray()).toEqual([0, 2, 2, 0]);
  });
  for (const isComputed of [false, true])
    it(`of what read a view leaves views of that view${isComputed ? ", which was computed," : ""} alone`, () => {
      const x = arange(6, { dtype: "float32" }).reshape([2, 3]).clone();
      const row = x.select(0, 1);
      const part = row.slice([1, 3]);
      const sum = row.add(1);
      if (isComputed) row.compute();
      row.dispose();
      sum.dispose();
      expect(part.toArray()).toEqual([4, 5]);
    });
  for (const isComputed of [false, true])
    it(`of a ${isComputed ? "computed " : ""}copy of a view leaves views of that view alone`, () => {
      const x = arange(6, { dtype: "float32" }).reshape([2, 3]).clone();
      const turned = x.t();
      const column = turned.select(0, 1);
      const copies = [turned.clone(), zeros([3, 2]).copy_(turned)];
      if (isComputed) compute(...copies);
      turned.dispose();
      for (const copy of copies) copy.dispose();
      expect(column.toArray()).toEqual([1, 4]);
    });
  it("of a clone or a second handle leaves the first", () => {
    const x = zeros([3]).add(1).compute();
    x.clone().dispose();
    x.detach().dispose();
    x.reshape([3]).dispose();
    expect(x.toArray()).toEqual([1, 1, 1]);
  });
  it("of a base gives its memory back at once, and its views with it", () => {
    clearCaches();
    const x = fromTypedArray(numbers(20_000)).sin().compute();
    const v = x.slice([0, 2]);
    const read = x.slice([0, 2]).compute();
    x.dispose();
    expect(stats().pool.bytes).toBe(80_000);
    expect(() => v.toArray()).toThrow("dispose()");
    expect(read.toArray()[0]).toBe(0);
  });
});

describe("writes that are never read", () => {
  it("do not keep what they replaced", () => {
    const x = zeros([4]);
    for (let k = 0; k < 100_000; k++) x.fill_(k);
    expect(x.toArray()).toEqual([99_999, 99_999, 99_999, 99_999]);
  });
});
