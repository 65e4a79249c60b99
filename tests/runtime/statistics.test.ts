import * as fc from "fast-check";
import { type AnyTensor, arange, tensor, zeros } from "fuseau";
import { describe, expect, test } from "vitest";
import { erased, expectTensor } from "../types/expect.ts";
import { floats, holds, orderOf } from "./rows.ts";

const nan = Number.NaN;
const close = (x: AnyTensor, expected: readonly number[]): void => {
  const found = Array.from(x.double().toTypedArray() as Float64Array);
  expect(found).toHaveLength(expected.length);
  for (const [i, element] of found.entries()) expect(element).toBeCloseTo(expected[i]!, 5);
};

describe("statistics", () => {
  test("know their shapes and dtypes", () => {
    const x = zeros([2, 5]);
    expectTensor(x.quantile(0.5), [], "float32");
    expectTensor(x.quantile(0.5, 1, { keepdim: true }), [2, 1], "float32");
    expectTensor(x.quantile([0.1, 0.5, 0.9], 0), [3, 5], "float32");
    expectTensor(x.nanquantile(tensor([0.5]), 0), [1, 5], "float32");
    expectTensor(zeros([2], { dtype: "bool" }).nansum(), [], "int64");
    expectTensor(x.aminmax(1).max, [2], "float32");
    expectTensor(x.cov(), [2, 2], "float32");
    expectTensor(zeros([5]).corrcoef(), [], "float32");
  });
  test("leave NaNs out", () => {
    holds(
      fc.property(floats, ({ rows, x }) => {
        const numbers = rows.map((row) => row.filter((element) => !Number.isNaN(element)));
        const sums = numbers.map((row) => row.reduce((a, b) => a + b, 0));
        expect(x.nansum(1).toArray()).toEqual(sums);
        expect(x.nanmean(1).toArray()).toEqual(sums.map((sum, r) => Math.fround(sum / numbers[r]!.length)));
      }),
    );
    expect(() => erased(arange(3)).nanmean()).toThrow(
      "nanmean: nanmean(): expected input to have floating point or complex dtype but got Long",
    );
  });
  test("find both extremes", () => {
    const { min, max } = tensor([3, 1, 2]).aminmax();
    expect([min.item(), max.item()]).toEqual([1, 3]);
    expect(() => zeros([0]).aminmax()).toThrow("cannot compute aminmax over an empty dimension");
  });
});

describe("quantiles", () => {
  test("are elements at ranks, and what lies between", () => {
    const ranks = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
    holds(
      fc.property(floats, ranks, ({ rows, x }, q) => {
        const at = (row: readonly number[], rank: number): number => row[orderOf(row)[rank]!]!;
        const of = (row: readonly number[], place: (rank: number) => number): number =>
          row.some(Number.isNaN) ? nan : at(row, place(q * (row.length - 1)));
        const [lower, higher] = [Math.floor, Math.ceil].map((place) => rows.map((row) => of(row, place)));
        expect(x.quantile(q, 1, { interpolation: "lower" }).toArray()).toEqual(lower);
        expect(x.quantile(q, 1, { interpolation: "higher" }).toArray()).toEqual(higher);
      }),
    );
    const x = tensor([1, 2, 4, 8]);
    close(x.quantile([0, 0.25, 0.5, 1]), [1, 1.75, 3, 8]);
    close(x.quantile(0.25, null, { interpolation: "midpoint" }), [1.5]);
    close(x.quantile(0.25, null, { interpolation: "nearest" }), [2]);
    close(tensor([1, nan, 3]).nanquantile(0.5), [2]);
    expect(tensor([nan, nan]).nanquantile(0.5).item()).toBe(nan);
  });
  test("are refused beyond [0, 1] and for integers", () => {
    const x = zeros([3]);
    expect(() => x.quantile(1.5)).toThrow("quantile: quantile() q must be in the range [0, 1] but got 1.5");
    expect(() => x.quantile(tensor([2]))).toThrow("quantile() q values must be in the range [0, 1]");
    expect(() => arange(3).quantile(0.5)).toThrow("input tensor must be either float or double dtype");
    expect(() => zeros([0]).quantile(0.5)).toThrow("quantile() input tensor must be non-empty");
  });
});

describe("covariance", () => {
  const x = tensor([
    [1, 2, 4],
    [2, 1, 9],
  ]);
  test("is of the rows", () => {
    close(x.cov(), [7 / 3, 6, 6, 19]);
    close(x.cov({ correction: 0 }), [14 / 9, 4, 4, 38 / 3]);
    close(tensor([1, 2, 4]).cov(), [7 / 3]);
    close(x.corrcoef(), [1, 6 / Math.sqrt((7 / 3) * 19), 6 / Math.sqrt((7 / 3) * 19), 1]);
  });
  test("takes frequencies as repetitions", () => {
    const repeated = x.repeatInterleave([1, 2, 3], 1);
    const weighted = x.cov({ fweights: tensor([1, 2, 3], { dtype: "int64" }) });
    close(weighted, Array.from(repeated.cov().toTypedArray()));
  });
  test("checks weights", () => {
    expect(() => x.cov({ fweights: zeros([3]) })).toThrow("expected fweights to have integral dtype but got");
    expect(() => x.cov({ aweights: tensor([1, -1, 1]) })).toThrow("cov(): aweights cannot be negative");
    expect(() => x.cov({ aweights: zeros([3]) })).toThrow("weights sum to zero");
    expect(() => zeros([2, 2, 2]).cov()).toThrow("two or fewer dimensions but got an input with 3");
  });
});
