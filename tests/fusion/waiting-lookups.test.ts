/** Elements that are looked up anywhere in much memory: a gather waits for many at once, a row's work or a scatter for one. */
import { type AnyTensor, arange, type Tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";
import { floats } from "./floats.ts";

compileWhole();

const places = (count: number, size: number): Tensor<[number], "int64"> =>
  arange(count).mul(40_503).remainder(size).compute() as Tensor<[number], "int64">;
const row = floats(17);

describe("elements in front of rows", () => {
  const rows = (size: number): AnyTensor =>
    floats(size).indexSelect(0, places(20_000, size)).unsqueeze(1).mul(row);

  it("of much memory are stored first, for all rows", () => {
    expect(opsOf(rows(1_000_000).sum([1]))).toEqual(["gather", "mul sum"]);
    expect(opsOf(rows(1_000_000).argmax(1))).toEqual(["gather", "mul argmax"]);
  });

  it("of a cache stay in the loop of rows", () => {
    expect(opsOf(rows(1_000).sum([1]))).toEqual(["mul sum"]);
    expect(opsOf(rows(1_000).argmax(1))).toEqual(["mul argmax"]);
  });

  it("are looked up for many rows at once, where their ops are computed over all of them", () => {
    const exponentials = rows(1_000).exp();
    expect(explained(exponentials).kernels).toHaveLength(1);
    expect(explained(exponentials).kernels[0]?.schedule).toContain("private");
    expect(exponentials.toArray()).toEqual(rows(1_000).exp().compute({ fusion: "none" }).toArray());
  });

  it("out of range there are named as op by op", () => {
    const bad = places(20_000, 1_000).clone();
    bad.select(0, 7_500).fill_(1_234);
    const fails = (fusion: "on" | "none"): (() => void) => {
      const found = floats(1_000).indexSelect(0, bad).unsqueeze(1).mul(row).exp();
      return () => found.compute({ fusion });
    };
    expect(fails("on")).toThrow("1234");
    const message = (fusion: "on" | "none"): string => {
      try {
        fails(fusion)();
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    expect(message("on")).toBe(message("none"));
  });
});

it("elements of a square that is computed where it is looked up wait for its operands only", () => {
  const [x, y] = [floats(1_500, 1), floats(1, 1_500)];
  const square = x.sub(y).square();
  expect(explained(square.gather(1, square.argmin(1, { keepdim: true })).sqrt()).kernels).toHaveLength(1);
});

describe("rows that are looked up", () => {
  const rows = (size: number, length: number): AnyTensor =>
    floats(size, length).indexSelect(0, places(8_000, size));

  it("of much memory are stored in front of much work", () => {
    expect(opsOf(rows(65_536, 64).layerNorm([64]))[0]).toBe("gather");
    expect(opsOf(rows(256, 64).layerNorm([64]))[0]).not.toBe("gather");
  });

  it("are read where they lie for little work", () => {
    expect(opsOf(rows(262_144, 16).sum([1]))).toEqual(["sum"]);
  });

  it("of much memory are stored where each is waited for: places of extrema, and running values", () => {
    for (const [length, size] of [
      [5, 800_000],
      [17, 240_000],
    ] as const) {
      expect(opsOf(rows(size, length).argmax(1))).toEqual(["gather", "argmax"]);
      expect(opsOf(rows(1_000, length).argmax(1))).toEqual(["argmax"]);
    }
    expect(opsOf(rows(500_000, 8).cumsum(1))).toEqual(["gather", "scan"]);
    expect(opsOf(rows(1_000, 8).cumsum(1))).toEqual(["scan"]);
  });
});

describe("in front of a scatter", () => {
  const added = (size: number, change: (x: AnyTensor) => AnyTensor): AnyTensor =>
    zeros([size]).indexAdd(
      0,
      places(100_000, size),
      change(floats(size).indexSelect(0, places(100_000, size))) as Tensor<[number], "float32">,
    );

  it("elements of much memory are stored", () => {
    expect(opsOf(added(1_000_000, (x) => x.mul(2)))).toEqual(["gather", expect.stringContaining("scatter")]);
    expect(opsOf(added(1_000, (x) => x.mul(2)))).toEqual([expect.stringContaining("scatter")]);
  });

  it("results of expensive ops are stored", () => {
    expect(opsOf(added(1_000, (x) => x.mul(2).sin()))).toEqual([
      expect.stringContaining("sin"),
      expect.stringContaining("scatter"),
    ]);
  });
});
