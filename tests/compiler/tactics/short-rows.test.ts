/** Which short folds are transposed: loops in, loops out. That the bits are those of other sums, tests of sums say (../wasm/emit-sums.test.ts). */
import { parseLoopKernel, printLoopKernel } from "@fuseau/ir";
import { fromTypedArray } from "fuseau";
import { describe, expect, it } from "vitest";
import { lanes } from "../../../packages/compiler/src/tactics/lanes.ts";
import { kernelOf, runner, scheduledBy } from "./kernels.ts";

const row = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < 8
    a0 = sum float32 -> float32 lanes 8
    i1 = (i0 + x1)
    v2: float32 = b0[i1]
    v3: float32 = mul.float32(v2, v2)
    a0[0] <- v3 @ 0
  v4: float32 = result a0[0]
  b1[x0] = v4`;

const given = (body: string, dtypes?: readonly string[]): string => {
  const text = printLoopKernel(scheduledBy(lanes, kernelOf(body, 3, dtypes)));
  return text;
};

const transposed = "reduce x1 < 8 unrolled transposed";

describe("a short sum in a vector", () => {
  it("is transposed where its elements lie in a row, or are the same in all of it", () => {
    expect(given(row)).toContain(transposed);
    expect(given(row.replace("(i0 + x1)", "(i0 + n2)"))).toContain(transposed);
  });

  it.each<[string, string]>([
    ["elements lie apart", row.replace("(i0 + x1)", "(i0 + (x1 * n2))")],
    ["they do not fill registers", row.replace("< 8", "< 7")],
    ["the order is no sum's", row.replace("= sum", "= prod")],
    ["a load is guarded", row.replace("b0[i1]", "b0[i1] if x0 < n2")],
    ["rows are long", row.replace("< 8", "< n2")],
  ])("is not where %s", (_, body) => {
    expect(given(body)).not.toContain("transposed");
  });

  it("is transposed where it is an extremum, whether or not rows fill registers", () => {
    for (const fn of ["max", "min"])
      for (const length of [4, 5, 7, 10, 16])
        expect(given(row.replace("= sum", `= ${fn}`).replace("< 8", `< ${length}`))).toContain(
          `reduce x1 < ${length} unrolled transposed`,
        );
    expect(given(row.replace("= sum", "= max").replace("< 8", "< 3"))).not.toContain("transposed");
  });

  it("gives the extremum that closures give: NaN wins, and −0 is less than 0", () => {
    const special = [Number.NaN, -0, 0, 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let length = 1; length <= 17; length++) {
      const elements = Float32Array.from(
        { length: 61 * length },
        (_, k) => special[(k * k + 3 * k) % (7 - (k % 5))]!,
      );
      const x = fromTypedArray(elements, { shape: [61, length] });
      for (const fold of ["amax", "amin"] as const)
        expect(x[fold](1).compute({ emitter: "wasm" }).toTypedArray(), `${fold} of ${length}`).toEqual(
          x[fold](1).compute({ emitter: "closure" }).toTypedArray(),
        );
    }
  });

  it("gives what closures give, for any number of rows", () => {
    const kernel = parseLoopKernel(given(row));
    const [expected, run] = (["closure", "wasm"] as const).map((emitter) => runner(kernel, emitter));
    for (const rows of [0, 1, 3, 4, 9, 21]) {
      const sizes = [rows, 9, 0];
      expect(run!(sizes, 200), `${rows} rows`).toBe(expected!(sizes, 200));
    }
  });
});
