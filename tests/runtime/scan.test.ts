import * as fc from "fast-check";
import { arange, diff, float, gradient, tensor, trapezoid, zeros } from "fuseau";
import { describe, expect, test } from "vitest";
import { expectTensor } from "../types/expect.ts";
import { floats, holds, wholes } from "./rows.ts";

const nan = Number.NaN;

/** The fold of every beginning of a row. */
const running = <R>(row: readonly number[], fold: (beginning: readonly number[]) => R): R[] =>
  row.map((_, place) => fold(row.slice(0, place + 1)));

/** The last place of the extreme; a NaN is the extreme, and the last NaN the place. */
function lastBest(row: readonly number[], better: (a: number, b: number) => boolean): number {
  let best = 0;
  row.forEach((x, place) => {
    const held = row[best]!;
    if (Number.isNaN(x) || (!Number.isNaN(held) && better(x, held))) best = place;
  });
  return best;
}

describe("running folds", () => {
  test("know their shapes and dtypes", () => {
    const x = zeros([2, 3]);
    expectTensor(x.cumsum(1), [2, 3], "float32");
    expectTensor(x.cumsum(0, { dtype: "float64" }), [2, 3], "float64");
    expectTensor(zeros([2], { dtype: "bool" }).cumsum(0), [2], "int64");
    expectTensor(zeros([2], { dtype: "uint8" }).cumprod(-1), [2], "int64");
    expectTensor(zeros([2], { dtype: "int8" }).cummax(0).values, [2], "int8");
    expectTensor(zeros([2]).cummin(0).indices, [2], "int64");
    expectTensor(zeros([2, 0, 3]).cumsum(1), [2, 0, 3], "float32");
  });
  test("sum and multiply what stands up to each place", () => {
    holds(
      fc.property(wholes, ({ rows, x }) => {
        const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
        const product = (list: readonly number[]): number => list.reduce((a, b) => a * b, 1);
        expect(x.cumsum(1).toArray()).toEqual(rows.map((row) => running(row, sum)));
        expect(x.double().cumprod(-1).add(0).toArray()).toEqual(
          rows.map((row) => running(row, (list) => product(list) + 0)),
        );
        expect(x.t().cumsum(0).t().toArray()).toEqual(x.cumsum(1).toArray());
      }),
    );
  });
  test("keep the last of equal extremes, and NaN", () => {
    holds(
      fc.property(floats, ({ rows, x }) => {
        for (const [found, better] of [
          [x.cummax(1), (a: number, b: number) => a >= b],
          [x.cummin(1), (a: number, b: number) => a <= b],
        ] as const) {
          const places = rows.map((row) => running(row, (list) => lastBest(list, better)));
          expect(found.indices.toArray()).toEqual(places);
          expect(found.values.toArray()).toEqual(
            places.map((list, r) => list.map((place) => rows[r]![place])),
          );
        }
      }),
    );
  });
  test("wrap integers at 64 bits, and at the dtype that is asked for", () => {
    const large = tensor([2n ** 62n, 2n ** 62n], { dtype: "int64" });
    expect(large.cumsum(0).toTypedArray()).toEqual(new BigInt64Array([2n ** 62n, -(2n ** 63n)]));
    expect(tensor([100, 100], { dtype: "int8" }).cumsum(0, { dtype: "int8" }).toArray()).toEqual([100, -56]);
  });
  test("are written in place in the dtype that is there", () => {
    const x = tensor([100, 100], { dtype: "int8" });
    expect(x.cumsum_(0)).toBe(x);
    expect([x.toArray(), x.dtype]).toEqual([[100, -56], "int8"]);
  });
  test("of 0-d tensors are the element", () => {
    expect(tensor(3).cumsum(0).item()).toBe(3);
    expect(tensor(3).cummax(-1).indices.item()).toBe(0);
    expect(tensor(3).logcumsumexp(0).item()).toBe(3);
  });
  test("add exponentials without overflow", () => {
    expect(tensor([1000, 1000]).logcumsumexp(0).toArray()).toEqual([1000, Math.fround(1000 + Math.LN2)]);
    expect(tensor([-Infinity, 0]).logcumsumexp(0).toArray()).toEqual([-Infinity, 0]);
    expect(() => arange(3).logcumsumexp(0)).toThrow("logcumsumexp");
  });
});

describe("differences", () => {
  test("are of neighbours, as often as asked", () => {
    expect(tensor([1, 4, 9, 16]).diff().toArray()).toEqual([3, 5, 7]);
    expect(tensor([1, 4, 9, 16]).diff(2).toArray()).toEqual([2, 2]);
    expect(tensor([1, 4]).diff(5).shape).toEqual([0]);
    expect(tensor([true, false, false]).diff().toArray()).toEqual([true, false]);
    expect(diff(zeros([2, 3]), 1, 0).shape).toEqual([1, 3]);
  });
  test("take ends along", () => {
    const ends = { prepend: tensor([0]), append: tensor([10]) };
    expect(tensor([1, 4]).diff(1, -1, ends).toArray()).toEqual([1, 3, 6]);
    expect(() => zeros([2, 3]).diff(1, 1, { append: zeros([1, 1]) })).toThrow(
      "diff: diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; input.size(0) = 2, but got tensor.size(0) = 1",
    );
    expect(() => tensor(1).diff()).toThrow("diff expects input to be at least one-dimensional");
  });
});

describe("integrals and derivatives", () => {
  test("follow the trapezoid rule", () => {
    const y = tensor([1, 5, 10]);
    expect(trapezoid(y).item()).toBe(10.5);
    expect(trapezoid(y, { dx: 2 }).item()).toBe(21);
    expect(trapezoid(y, { x: tensor([1, 3, 6]) }).item()).toBe(28.5);
    const points = tensor([
      [0, 1],
      [10, 30],
    ]);
    expect(trapezoid(tensor([1, 1]), { x: points }).toArray()).toEqual([10, 29]);
    expectTensor(trapezoid(points, { x: points }), [2], "float32");
    expectTensor(trapezoid(points, { x: tensor([0, 1], { dtype: "float64" }) }), [2], "float64");
    expect(trapezoid(zeros([0])).item()).toBe(0);
    expect(() => trapezoid(y, { x: tensor([1, 2]) })).toThrow(
      "There must be one `x` value for each sample point",
    );
  });
  test("are central inside and one-sided at the ends", () => {
    const squares = tensor([0, 1, 4, 9]);
    expect(gradient(squares)[0]!.toArray()).toEqual([1, 2, 4, 5]);
    expect(gradient(squares, { edgeOrder: 2 })[0]!.toArray()).toEqual([0, 2, 4, 6]);
    expect(gradient(squares, { spacing: [tensor([0, 1, 2, 3])], edgeOrder: 2 })[0]!.toArray()).toEqual([
      0, 2, 4, 6,
    ]);
    expect(gradient(zeros([2, 3]), { dim: [1, 0] }).map((part) => part.shape)).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(() => gradient(tensor([1]))).toThrow("expected each dimension size to be at least edge_order+1");
    expect(gradient(tensor([nan, 1, 2]), { spacing: float(1).float })[0]!.toArray()).toEqual([nan, nan, 1]);
  });
});
