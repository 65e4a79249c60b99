/** Signals, tables and codes: windows, lookups and scatters keep their lanes in fused kernels. */
import { type AnyTensor, arange, maxPool1d, type Tensor, zeros } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained, opsOf } from "./expect-kernels.ts";
import { floats } from "./floats.ts";

compileWhole();

type Signals = Tensor<[number, number, number], "float32">;
const loopsOf = (x: AnyTensor): string =>
  explained(x)
    .kernels.map(({ schedule }) => schedule)
    .join("\n");

describe("windows", () => {
  it("that are read backwards have the lanes of the loop around, as those that are read forwards", () => {
    const pooled = maxPool1d(floats(125, 16, 100) as unknown as Signals, 5, { stride: 1, padding: 2 });
    expect(loopsOf(pooled.flip([2]))).not.toContain("transposed");
  });

  it("in a short row are stored in front of its fold, whose lanes they would not fill", () => {
    const power = floats(97, 8, 256).unfold(2, 16, 4).square().sum(-1);
    expect(opsOf(power.unfold(2, 4, 4).sum(-1))).toEqual(["mul sum", "sum"]);
    const apart = floats(20_000, 1, 8).sub(floats(10, 8)).square().sum(2);
    expect(opsOf(apart.argmin(1))).toEqual(["sub mul sum", "argmin"]);
  });

  it("in a small matrix stay there: all of it is straight-line code", () => {
    const apart = floats(20_000, 1, 3).sub(floats(10, 3)).square().sum(2);
    expect(opsOf(apart.argmin(1))).toEqual(["sub mul sum argmin"]);
  });
});

describe("lookups", () => {
  it("behind folds of short rows leave the rows in blocks, with expensive ops in loops of their own", () => {
    const chosen = floats(12_500, 16).softmax(1).indexSelect(1, arange(3).compute());
    expect(opsOf(chosen)).toHaveLength(1);
    expect(loopsOf(chosen)).toContain("private float32 x (16 * 64)");
  });
});

describe("what is rounded to float16", () => {
  it("behind a scan is rounded in a loop of its own, in lanes", () => {
    expect(opsOf(floats(200_000).cumsum(0).to("float16"))).toEqual(["scan", "cast"]);
  });
});

describe("scatters", () => {
  it("take stored places where a scan makes them", () => {
    const { values, indices } = floats(66_000, 3).cummax(0);
    const summed = zeros([66_000, 3]).scatterAdd(0, indices, values);
    expect(opsOf(summed)).toEqual(["scan", "scan", "scatter"]);
  });

  it("of rows of fewer elements than a register has take stored elements", () => {
    const sums = floats(66_000, 3).mul(2).add(floats(1, 3));
    const at = arange(3).expand([66_000, 3]).contiguous().compute();
    expect(opsOf(sums.scatterAdd(1, at, sums))).toEqual(["mul add", "scatter"]);
  });

  it("have their places computed block by block, in lanes", () => {
    const groups = arange(25_000).compute().remainder(500);
    const rows = zeros([500, 8]).indexAdd(0, groups, floats(25_000, 8));
    expect(loopsOf(rows)).toMatch(/< i\d+ vector 2 x 2\n(?:.*\n){2}.*remainder\.int64/);
  });
});
