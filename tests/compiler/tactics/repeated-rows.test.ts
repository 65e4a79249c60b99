/** Which short rows are walked as one: loops in, loops out, and the bits of both. */
import { type LoopKernel, parseLoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { repeatedRows } from "../../../packages/compiler/src/tactics/repeated-rows.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

const standardised = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1
    v1: float32 = b0[(i0 + x1)]
    v2: float32 = b1[x1]
    v3: float32 = b2[x1]
    v4: float32 = sub.float32(v1, v2)
    v5: float32 = exp.float32(v3)
    v6: float32 = div.float32(v4, v5)
    b3[(i0 + x1)] = v6`;

const plain = (body: string): LoopKernel => kernelOf(body, 4, ["float32", "float32", "float32", "float32"]);
const scheduled = (body: string): LoopKernel => scheduledBy(repeatedRows, plain(body));

describe("rows that share something", () => {
  it("are one row, in blocks: what they share is repeated in front of them, and computed once", () => {
    expect(printLoopKernel(scheduled(standardised))).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: read float32, b2: read float32, b3: write float32, b4: private float32 x (n1 * ((256 / (n1 + 1)) + 1)), b5: private float32 x (n1 * ((256 / (n1 + 1)) + 1)); sizes 4; )
        for x2 < (((n0 + (((256 / (n1 + 1)) + 1) * 64)) + -1) / (((256 / (n1 + 1)) + 1) * 64)) parallel
          i7 = (x2 * (((256 / (n1 + 1)) + 1) * 64))
          i8 = ((n0 + (i7 * -1)) min (((256 / (n1 + 1)) + 1) * 64))
          for x6 < (i8 min ((256 / (n1 + 1)) + 1))
            for x7 < n1
              v11: float32 = b1[x7]
              v12: float32 = b2[x7]
              v13: float32 = exp.float32(v12)
              b4[((x6 * n1) + x7)] = v11
              b5[((x6 * n1) + x7)] = v13
          for x4 < (((i8 + ((256 / (n1 + 1)) + 1)) + -1) / ((256 / (n1 + 1)) + 1))
            i9 = (x4 * ((256 / (n1 + 1)) + 1))
            i10 = ((i8 + (i9 * -1)) min ((256 / (n1 + 1)) + 1))
            i0 = ((i7 + (i9 + 0)) * n1)
            for x8 < (i10 * n1)
              v2: float32 = b4[x8]
              v5: float32 = b5[x8]
              v1: float32 = b0[(i0 + x8)]
              v4: float32 = sub.float32(v1, v2)
              v6: float32 = div.float32(v4, v5)
              b3[(i0 + x8)] = v6"
    `);
  });

  it("are walked so in each iteration of loops around them", () => {
    const nested = `\nfor x9 < n2${standardised.replace(/\n/g, "\n  ").replaceAll("(x0 * n1)", "(((x9 * n0) + x0) * n1)")}`;
    expect(printLoopKernel(scheduled(nested))).toMatch(/for x9 < n2 parallel\n\s+for x\d+ < .* parallel/);
  });

  it.each<[string, string]>([
    ["lie apart", standardised.replace("i0 = (x0 * n1)", "i0 = (x0 * n2)")],
    ["share nothing", standardised.replace("b1[x1]", "b1[(i0 + x1)]").replace("b2[x1]", "b2[0]")],
    ["are of a length of their own", standardised.replace("< n1", "< (n1 min x0)")],
    ["read a column", standardised.replace("b1[x1]", "b1[x0]")],
    ["are stored elsewhere", standardised.replace("b3[(i0 + x1)]", "b3[((x1 * n0) + x0)]")],
    ["are added to what stands there", standardised.replace("] = v6", "] += v6")],
    ["are read under a test", standardised.replace("b0[(i0 + x1)]", "b0[(i0 + x1)] if x1 < n2")],
    ["come in order", standardised.replace("x0 < n0", "x0 < n0 in order")],
    ["share what is stored over", standardised.replace("b1[x1]", "b3[x1]")],
    ["read elsewhere what is stored over", standardised.replace("b0[(i0 + x1)]", "b3[((i0 + x1) + 1)]")],
  ])("are left where they %s", (_, body) => {
    expect(printLoopKernel(scheduled(body))).not.toContain("private");
  });

  it.each(["n1", "5", "13"])("give the same bits, for any number of rows of %s", (extent) => {
    const body = standardised.replaceAll("n1", extent);
    const sizes = [0, 1, 51, 52, 53, 400].map((rows) => [rows, 5, 0, 0]);
    expectSameBits(plain(body), scheduled(body), sizes, 6_000);
  });
});

it("rows are one row where elements are stored over those that were read", () => {
  const body = standardised.replace("b0[(i0 + x1)]", "b3[(i0 + x1)]");
  expect(printLoopKernel(scheduled(body))).toContain("private");
  const sizes = [0, 1, 51, 52, 53, 400].map((rows) => [rows, 5, 0, 0]);
  expectSameBits(plain(body), scheduled(body), sizes, 6_000);
});

describe("rows behind the folds of their columns", () => {
  const behind = (rows = "i3 = (i1 + (x4 * n2))"): LoopKernel =>
    parseLoopKernel(`kernel(b0: read float32, b1: scratch float32, b2: write float32; sizes 4; )
  for x0 < n0
    i1 = (x0 * n3)
    reduce x2 < n1
      a0 = max float32 -> float32 lanes 1 row n2 in b1 - - -
      for x3 < n2
        v2: float32 = b0[((i1 + (x2 * n2)) + x3)]
        a0[x3] <- v2 @ 0
    for x4 < n1
      ${rows}
      for x5 < n2
        v4: float32 = b0[(i3 + x5)]
        v5: float32 = result a0[x5]
        v6: float32 = sub.float32(v4, v5)
        v7: float32 = exp.float32(v6)
        b2[(i3 + x5)] = v7`);

  it("are one row, in blocks, in each iteration", () => {
    expect(printLoopKernel(scheduledBy(repeatedRows, behind()))).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: scratch float32, b2: write float32, b3: private float32 x (n2 * ((256 / (n2 + 1)) + 1)); sizes 4; )
        for x0 < n0 parallel
          i1 = (x0 * n3)
          reduce x2 < n1
            a0 = max float32 -> float32 lanes 1 row n2 in b1 - - -
            for x3 < n2
              v2: float32 = b0[((i1 + (x2 * n2)) + x3)]
              a0[x3] <- v2 @ 0
          for x8 < (n1 min ((256 / (n2 + 1)) + 1))
            for x9 < n2
              v10: float32 = result a0[x9]
              b3[((x8 * n2) + x9)] = v10
          for x6 < (((n1 + ((256 / (n2 + 1)) + 1)) + -1) / ((256 / (n2 + 1)) + 1))
            i8 = (x6 * ((256 / (n2 + 1)) + 1))
            i9 = ((n1 + (i8 * -1)) min ((256 / (n2 + 1)) + 1))
            i3 = (i1 + ((i8 + 0) * n2))
            for x10 < (i9 * n2)
              v5: float32 = b3[x10]
              v4: float32 = b0[(i3 + x10)]
              v6: float32 = sub.float32(v4, v5)
              v7: float32 = exp.float32(v6)
              b2[(i3 + x10)] = v7"
    `);
  });
  /** The mean of each column in a row of its own; then what `last` makes of elements, means and counters. */
  const behindMeans = (last: string): LoopKernel =>
    parseLoopKernel(`kernel(b0: read float32, b1: scratch float64, b2: scratch float32, b3: write float32; sizes 4; )
  for x0 < n0
    i1 = (x0 * n3)
    reduce x2 < n1
      a0 = sum float32 -> float32 lanes 1 row n2 in b1 - - -
      for x3 < n2
        v2: float32 = b0[((i1 + (x2 * n2)) + x3)]
        a0[x3] <- v2 @ 0
    for x6 < n2
      v3: float32 = result a0[x6]
      v4: float32 = mul.float32(v3, 0.5:float32)
      b2[x6] = v4
    for x4 < n1
      i11 = (i1 + (x4 * n2))
      for x5 < n2
        v5: float32 = b0[(i11 + x5)]
        v6: float32 = b2[x5]
        v7: float32 = sub.float32(v5, v6)
        v8: float64 = index (i11 + x5)
        v9: float32 = ${last}
        v10: float32 = add.float32(v7, v9)
        b3[(i11 + x5)] = v10`);

  it("are one row behind the row made of the folds too, where they have random words or expensive ops: others take less than repeating it", () => {
    const drawn = behindMeans("randomNormal.float64(v8, 1:float64, 0:float64)");
    const text = printLoopKernel(scheduledBy(repeatedRows, drawn));
    expect(text).toContain("private float32 x");
    const expensive = scheduledBy(repeatedRows, behindMeans("exp.float32(v7)"));
    expect(printLoopKernel(expensive)).toContain("private float32 x");
    expect(text.indexOf("] = v4")).toBeLessThan(text.indexOf("= b2["));
    expect(printLoopKernel(scheduledBy(repeatedRows, behindMeans("cast.float64(v8)")))).not.toContain(
      "private",
    );
    const sizes = [1, 9, 60].flatMap((rows) =>
      [5, 12, 40].map((columns) => [3, rows, columns, rows * columns]),
    );
    expectSameBits(drawn, scheduledBy(repeatedRows, drawn), sizes, 7_500);
  });
  it("are left where they lie apart", () => {
    const apart = scheduledBy(repeatedRows, behind("i3 = (i1 + (x4 * n1))"));
    expect(printLoopKernel(apart)).not.toContain("private");
  });
  it("give the same bits", () => {
    const sizes = [1, 9, 60].flatMap((rows) =>
      [5, 13, 40].map((columns) => [3, rows, columns, rows * columns]),
    );
    expectSameBits(behind(), scheduledBy(repeatedRows, behind()), sizes, 7_500);
  });
});
