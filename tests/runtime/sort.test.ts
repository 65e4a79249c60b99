import * as fc from "fast-check";
import { arange, bucketize, searchsorted, tensor, zeros } from "fuseau";
import { describe, expect, it, test } from "vitest";
import { expectTensor } from "../types/expect.ts";
import { floats, holds, orderOf, wholes } from "./rows.ts";

const nan = Number.NaN;
const taken = (row: readonly number[], places: readonly number[]): number[] =>
  places.map((place) => row[place]!);

describe("sorting", () => {
  test("knows shapes and dtypes", () => {
    const x = zeros([2, 5], { dtype: "int16" });
    expectTensor(x.sort().values, [2, 5], "int16");
    expectTensor(x.argsort(0), [2, 5], "int64");
    expectTensor(x.topk(3).values, [2, 3], "int16");
    expectTensor(x.topk(1, 0).indices, [1, 5], "int64");
    expectTensor(x.kthvalue(2).values, [2], "int16");
    expectTensor(x.kthvalue(2, 0, { keepdim: true }).indices, [1, 5], "int64");
    expectTensor(x.median(), [], "int16");
    expectTensor(x.median(0).values, [5], "int16");
    expectTensor(x.mode().values, [2], "int16");
    expectTensor(tensor(1).topk(1).values, [], "float32");
  });
  test("is stable either way, with NaN the largest", () => {
    holds(
      fc.property(floats, ({ rows, x }) => {
        const orders = rows.map(orderOf);
        expect(x.argsort().toArray()).toEqual(orders);
        expect(x.sort().values.toArray()).toEqual(rows.map((row, r) => taken(row, orders[r]!)));
        const falling = rows.map((row) =>
          orderOf([...row].reverse())
            .reverse()
            .map((place) => row.length - 1 - place),
        );
        expect(x.sort(-1, { descending: true }).indices.toArray()).toEqual(falling);
        expect(x.t().sort(0).indices.t().toArray()).toEqual(orders);
      }),
    );
  });
  test("gives the largest, the smallest and the k-th", () => {
    holds(
      fc.property(floats, fc.nat(8), ({ rows, x }, at) => {
        const k = Math.min(at, rows[0]!.length - 1) + 1;
        const orders = rows.map(orderOf);
        expect(x.topk(k, -1, { largest: false }).indices.toArray()).toEqual(
          orders.map((order) => order.slice(0, k)),
        );
        expect(x.kthvalue(k).indices.toArray()).toEqual(orders.map((order) => order[k - 1]!));
      }),
    );
    expect(tensor([1, nan, 3, 3]).topk(3).values.toArray()).toEqual([nan, 3, 3]);
    expect(tensor([1, nan, 3, 3]).topk(0).indices.shape).toEqual([0]);
    expect(() => zeros([3]).topk(4)).toThrow("topk: selected index k out of range");
    expect(() => zeros([3]).kthvalue(0)).toThrow("kthvalue(): selected number k out of range");
  });
  test("finds the lower middle", () => {
    holds(
      fc.property(floats, ({ rows, x }) => {
        const medians = rows.map((row) =>
          row.some(Number.isNaN) ? nan : taken(row, orderOf(row))[(row.length - 1) >> 1]!,
        );
        expect(x.median(1).values.toArray()).toEqual(medians);
        const without = rows.map((row) => {
          const numbers = row.filter((element) => !Number.isNaN(element));
          return numbers.length === 0 ? nan : taken(numbers, orderOf(numbers))[(numbers.length - 1) >> 1]!;
        });
        expect(x.nanmedian(1).values.toArray()).toEqual(without);
      }),
    );
    expect(tensor([4, nan, nan]).median(0).indices.item()).toBe(1);
    expect(zeros([0]).median().item()).toBe(nan);
    expect(() => zeros([2, 0]).median(1)).toThrow("Expected reduction dim 1 to have non-zero size");
  });
  test("finds the smallest of the most frequent, and its last place", () => {
    holds(
      fc.property(wholes, ({ rows, x }) => {
        const count = (row: readonly number[], element: number): number =>
          row.filter((other) => other === element).length;
        const modes = rows.map((row) => [...row].sort((a, b) => count(row, b) - count(row, a) || a - b)[0]!);
        expect(x.mode().values.toArray()).toEqual(modes);
        expect(x.mode().indices.toArray()).toEqual(rows.map((row, r) => row.lastIndexOf(modes[r]!)));
      }),
    );
    expect(tensor([nan, nan, 5]).mode().values.item()).toBe(5);
  });
});

describe("distinct elements", () => {
  test("come in order, with their places and counts", () => {
    holds(
      fc.property(wholes, ({ rows, x }) => {
        const flat = rows.flat();
        const values = [...new Set(flat)].sort((a, b) => a - b);
        const found = x.unique({ returnInverse: true, returnCounts: true });
        expect(found.values.toArray()).toEqual(values);
        expect(found.inverse.shape).toEqual(x.shape);
        expect(found.inverse.flatten().toArray()).toEqual(flat.map((element) => values.indexOf(element)));
        expect(found.counts.toArray()).toEqual(
          values.map((value) => flat.filter((element) => element === value).length),
        );
      }),
    );
  });
  test("may be slices", () => {
    const x = tensor([
      [1, 2, 1],
      [0, 5, 0],
    ]);
    const { values, inverse } = x.unique({ dim: 1, returnInverse: true });
    expect(values.toArray()).toEqual([
      [1, 2],
      [0, 5],
    ]);
    expect(inverse.toArray()).toEqual([0, 1, 0]);
    expect(x.unique({ dim: 0 }).toArray()).toEqual([
      [0, 5, 0],
      [1, 2, 1],
    ]);
    expect(() => zeros([2, 0]).unique({ dim: 0 })).toThrow("There are 0 sized dimensions");
  });
  test("keep their dtype, and NaNs apart", () => {
    expect(tensor([2, 1, 2], { dtype: "float16" }).unique().dtype).toBe("float16");
    expect(tensor([2, 1, 2], { dtype: "float16" }).unique().toArray()).toEqual([1, 2]);
    expect(tensor([true, true]).unique().toArray()).toEqual([true]);
    expect(tensor([nan, 1, nan]).unique().toArray()).toEqual([1, nan, nan]);
    expect(tensor([2n ** 60n, 2n ** 60n + 1n]).unique().shape).toEqual([2]);
    expect(zeros([0]).unique().shape).toEqual([0]);
  });
  test("may be runs", () => {
    const found = tensor([1, 1, 2, 1]).uniqueConsecutive({ returnInverse: true, returnCounts: true });
    expect(found.values.toArray()).toEqual([1, 2, 1]);
    expect(found.inverse.toArray()).toEqual([0, 0, 1, 2]);
    expect(found.counts.toArray()).toEqual([2, 1, 1]);
  });
});

describe("places in sorted sequences", () => {
  test("are before or behind what is equal", () => {
    const sorted = fc
      .array(fc.integer({ min: -4, max: 4 }), { maxLength: 20 })
      .map((list) => list.sort((a, b) => a - b));
    const values = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 8 });
    holds(
      fc.property(sorted, values, (list, wanted) => {
        const sequence = tensor(list, { dtype: "int32" });
        const x = tensor(wanted, { dtype: "int32" });
        const before = wanted.map((value) => list.filter((element) => element < value).length);
        const behind = wanted.map((value) => list.filter((element) => element <= value).length);
        expect(searchsorted(sequence, x).toArray()).toEqual(before);
        expect(bucketize(x, sequence, { right: true }).toArray()).toEqual(behind);
      }),
    );
  });
  test("are PyTorch's in what is not sorted, and for NaN", () => {
    const floats = fc.constantFrom(-2, -1, 0, 1, 2, Number.NaN, Infinity);
    const lists = fc.array(floats, { minLength: 1, maxLength: 20 });
    /** The loop of aten/src/ATen/native/Bucketization.cpp. */
    const bound = (list: readonly number[], isBefore: (element: number) => boolean): number => {
      let [start, end] = [0, list.length];
      while (start < end) {
        const middle = start + ((end - start) >> 1);
        if (isBefore(list[middle] as number)) start = middle + 1;
        else end = middle;
      }
      return start;
    };
    holds(
      fc.property(lists, lists, (list, wanted) => {
        const [sequence, x] = [tensor(list), tensor(wanted)];
        expect(searchsorted(sequence, x).toArray()).toEqual(
          wanted.map((value) => bound(list, (element) => !(element >= value))),
        );
        expect(searchsorted(sequence, x, { right: true }).toArray()).toEqual(
          wanted.map((value) => bound(list, (element) => !(element > value))),
        );
      }),
    );
  });
  test("are found row by row, and through a sorter", () => {
    const rows = tensor([
      [1, 3, 5],
      [2, 4, 6],
    ]);
    const wanted = tensor([
      [3, 9],
      [3, 9],
    ]);
    expect(searchsorted(rows, wanted).toArray()).toEqual([
      [1, 3],
      [1, 3],
    ]);
    const shuffled = tensor([5, 1, 3]);
    expect(searchsorted(shuffled, 4, { sorter: shuffled.argsort() }).item()).toBe(2);
    expectTensor(searchsorted(arange(4), 2, { side: "right", outInt32: true }), [], "int32");
    expect(() => searchsorted(rows, zeros([3, 2]))).toThrow("boundaries tensor should be 1 dimension or");
    expect(() => searchsorted(rows, 1)).toThrow("input value can be a scalar only when");
  });
});

describe("a few of many keys", () => {
  const { NaN: none, POSITIVE_INFINITY: most } = Number;
  const orders: Readonly<Record<string, (place: number) => number>> = {
    "at random": (place) => ((place * 7_919) % 1_009) - 500,
    "with few values": (place) => (place * 7_919) % 5,
    "from the least up": (place) => place,
    "from the largest down": (place) => -place,
    "with zeros, infinities and NaN": (place) => [0, -0, most, -most, none, 1][(place * 7_919) % 6]!,
    "all NaN": () => none,
  };
  const dtypes = ["float32", "float16", "int32", "uint8", "float64"] as const;
  it.each(Object.entries(orders))("%s are the first of all in order", (_, at) => {
    for (const dtype of dtypes)
      for (const length of [17, 65, 200, 2_051, 12_290])
        for (const largest of [true, false]) {
          const keys = Array.from({ length: 2 * length }, (_, place) => at(place));
          const x = tensor(keys.map((key) => (dtype.startsWith("float") || Number.isFinite(key) ? key : 3)))
            .to(dtype)
            .reshape([2, length])
            .compute();
          const { values, indices } = x.sort(1, { descending: largest });
          for (const k of [1, 2, 16, 17]) {
            const top = x.topk(k, 1, { largest });
            const wasm = { emitter: "wasm" } as const;
            expect(top.indices.compute(wasm).toArray()).toEqual(indices.narrow(1, 0, k).toArray());
            expect(top.values.compute(wasm).toArray()).toEqual(values.narrow(1, 0, k).toArray());
          }
        }
  });
});
