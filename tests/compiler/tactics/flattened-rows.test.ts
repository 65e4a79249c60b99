/** Which expensive ops of short rows are flattened: loops in, loops out. */
import { printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { rowBlocks } from "../../../packages/compiler/src/tactics/row-blocks.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

/** Exponentials of what lies row behind row, kept and summed. */
const sumsOfExponentials = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1 short
    a0 = sum float32 -> float32 lanes 8
    v1: float32 = b0[(i0 + x1)]
    v2: float32 = exp.float32(v1)
    b1[(i0 + x1)] = v2
    a0[0] <- v2 @ 0
  v3: float32 = result a0[0]
  b2[x0] = v3`;

/** Of differences from what each row has of its own. */
const lessTheFirst = `
for x0 < n0
  i0 = (x0 * n1)
  v9: float32 = b0[x0]
  for x1 < n1 short
    v1: float32 = b1[(i0 + x1)]
    v2: float32 = sub.float32(v1, v9)
    v3: float32 = exp.float32(v2)
    v4: float32 = mul.float32(v3, v1)
    b2[(i0 + x1)] = v4`;

const dtypes = ["float32", "float32", "float32"];
const given = (body: string): string =>
  printLoopKernel(scheduledBy(rowBlocks, kernelOf(body, 2, dtypes))).replace(
    /\(\(2048 \/ \(n1 \+ 1\)\) \+ 1\) min 64/g,
    "ROWS",
  );
const kernel = (body: string) => kernelOf(body, 2, dtypes);

describe("expensive work of short rows", () => {
  it("is one loop over a block of rows, which stores where it may; the fold walks the rows", () => {
    const body = sumsOfExponentials.replace("b1[(i0 + x1)] = v2\n    ", "");
    expect(given(body)).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: read float32, b2: write float32, b3: private float32 x (n1 * (ROWS)); sizes 2; )
        for x2 < (((n0 + (ROWS)) + -1) / (ROWS)) parallel
          i4 = (x2 * (ROWS))
          i5 = ((n0 + (i4 * -1)) min (ROWS))
          i6 = (((i4 + 0) * n1) + 0)
          for x7 < (i5 * n1)
            v7: float32 = b0[(i6 + x7)]
            v8: float32 = exp.float32(v7)
            b3[x7] = v8
          for x4 < i5
            reduce x1 < n1 short
              a0 = sum float32 -> float32 lanes 8
              v2: float32 = b3[((x4 * n1) + x1)]
              a0[0] <- v2 @ 0
            v3: float32 = result a0[0]
            b2[(i4 + x4)] = v3"
    `);
  });

  it("takes what is made in each row from private memory", () => {
    expect(given(lessTheFirst)).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: read float32, b2: write float32, b3: private float32 x (n1 * (ROWS)), b4: private float32 x (n1 * (ROWS)); sizes 2; )
        for x2 < (((n0 + (ROWS)) + -1) / (ROWS)) parallel
          i10 = (x2 * (ROWS))
          i11 = ((n0 + (i10 * -1)) min (ROWS))
          for x8 < i11
            i17 = ((i10 + x8) * n1)
            v18: float32 = b0[(i10 + x8)]
            for x6 < n1
              v19: float32 = b1[(i17 + x6)]
              v20: float32 = sub.float32(v19, v18)
              b3[((x8 * n1) + x6)] = v20
          for x9 < (i11 * n1)
            v21: float32 = b3[x9]
            v22: float32 = exp.float32(v21)
            b4[x9] = v22
          for x4 < i11
            i0 = ((i10 + x4) * n1)
            for x7 < n1
              v14: float32 = b4[((x4 * n1) + x7)]
              v15: float32 = b1[(i0 + x7)]
              v16: float32 = mul.float32(v14, v15)
              b2[(i0 + x7)] = v16"
    `);
  });

  it.each(["v2", "v1"])("stores %s twice, each time at a place of its own", (stored) => {
    const body = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1 short
    v3: float32 = b0[((i0 + x1) + n1)]
    v4: float32 = b0[x0]
    v1: float32 = sub.float32(v3, v4)
    v2: float32 = exp.float32(v1)
    b1[(i0 + x1)] = v2
    b1[((i0 + x1) + (n0 * n1))] = ${stored}
    b2[((i0 + x1) + 1)] = v2`;
    const made = kernel(body);
    const twice = {
      ...made,
      buffers: made.buffers.map((each, k) => (k === 0 ? each : { ...each, access: "write" as const })),
    };
    const sizes = [3, 17].flatMap((n) => [1, 64, 70].map((rows) => [rows, n]));
    expect(printLoopKernel(scheduledBy(rowBlocks, twice))).toContain("parallel");
    expectSameBits(twice, scheduledBy(rowBlocks, twice), sizes, 4_000);
  });

  it.each<[string, string]>([
    ["rows are long", lessTheFirst.replace(" short", "")],
    ["the work is cheap", lessTheFirst.replace("exp", "neg")],
    ["iterations are in order", lessTheFirst.replace("short", "short in order")],
    ["rows are in order", lessTheFirst.replace("x0 < n0", "x0 < n0 in order")],
    [
      "it is made of what others of them store",
      lessTheFirst.replace("= b1[(i0 + x1)]", "= b2[((i0 + x1) + 1)]"),
    ],
  ])("stays where %s", (_, body) => {
    expect(given(body)).not.toContain("private");
  });

  it("stays where its operands are looked up, however they lie", () => {
    const body = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1 short
    v1: int64 = b0[(i0 + x1)]
    i2 = index.int64 v1 < n0 of axis 0 @ (i0 + x1)
    v3: float32 = b1[((i0 + x1) + (i2 * 3))]
    v4: float32 = pow.float32(v3, v3)
    b2[(i0 + x1)] = v4`;
    const made = kernelOf(body, 2, ["int64", "float32", "float32"]);
    expect(printLoopKernel(scheduledBy(rowBlocks, made))).toBe(printLoopKernel(made));
  });

  it.each([
    lessTheFirst,
    lessTheFirst.replace("= b1[", "= b2["),
    sumsOfExponentials.replace("b1[(i0 + x1)] = v2\n    ", ""),
  ])("gives the same bits, for rows of any length and number", (body) => {
    const sizes = [0, 1, 3, 16, 17, 40, 63].flatMap((n) => [0, 1, 5, 64, 70, 131].map((rows) => [rows, n]));
    expectSameBits(kernel(body), scheduledBy(rowBlocks, kernel(body)), sizes, 9_000);
  });

  it("of one store per value that is read by the rest", () => {
    const stores = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1 short
    v1: float32 = b0[(i0 + x1)]
    v2: float32 = exp.float32(v1)
    v3: float32 = sin.float32(v2)
    v4: float32 = mul.float32(v3, v1)
    b1[(i0 + x1)] = v4
    b2[(i0 + x1)] = v3`;
    const two = () => {
      const made = kernel(stores);
      return {
        ...made,
        buffers: made.buffers.map((each, k) => (k === 1 ? { ...each, access: "write" as const } : each)),
      };
    };
    const sizes = [1, 17, 40].flatMap((n) => [1, 64, 131].map((rows) => [rows, n]));
    expectSameBits(two(), scheduledBy(rowBlocks, two()), sizes, 6_000);
  });
});
