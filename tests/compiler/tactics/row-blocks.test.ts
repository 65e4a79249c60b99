/** Which rows are walked in blocks: loops in, loops out. */
import type { Emitter } from "@fuseau/compiler";
import { type LoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { rowBlocks } from "../../../packages/compiler/src/tactics/row-blocks.ts";
import { kernelFunction } from "../../differential/kernel-function.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

const logSoftmax = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1
    a0 = max float32 -> float32 lanes 8
    v1: float32 = b0[(i0 + x1)]
    a0[0] <- v1 @ 0
  v2: float32 = result a0[0]
  reduce x2 < n1
    a1 = sum float32 -> float32 lanes 8
    v3: float32 = b0[(i0 + x2)]
    v4: float32 = sub.float32(v3, v2)
    v5: float32 = exp.float32(v4)
    a1[0] <- v5 @ 0
  v6: float32 = result a1[0]
  v7: float32 = log.float32(v6)
  for x3 < n1
    v8: float32 = b0[(i0 + x3)]
    v9: float32 = sub.float32(v8, v2)
    v10: float32 = sub.float32(v9, v7)
    b1[(i0 + x3)] = v10`;

const apart = `
for x0 < n0
  reduce x1 < n1
    a0 = max float32 -> float32 lanes 8
    v1: float32 = b0[((x0 * n1) + x1)]
    a0[0] <- v1 @ 0
  v2: float32 = result a0[0]
  b1[x0] = v2
  for x3 < n1
    v3: float32 = b0[((x0 * n1) + x3)]
    b1[((x0 * n1) + x3)] = v3`;

const given = (body: string, dtypes?: readonly string[]): string =>
  printLoopKernel(scheduledBy(rowBlocks, kernelOf(body, 3, dtypes)));

describe("rows in blocks", () => {
  it("are walked together: a walk of all rows, then the next that rests on it; logarithms are lanes", () => {
    expect(given(logSoftmax)).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: write float32, b2: private float32 x 64, b3: private float32 x 64, b4: private float32 x 64; sizes 3; )
        for x4 < (((n0 + (((2048 / (n1 + 1)) + 1) min 64)) + -1) / (((2048 / (n1 + 1)) + 1) min 64)) parallel
          i11 = (x4 * (((2048 / (n1 + 1)) + 1) min 64))
          i12 = ((n0 + (i11 * -1)) min (((2048 / (n1 + 1)) + 1) min 64))
          for x6 < i12
            i0 = ((i11 + x6) * n1)
            reduce x1 < n1
              a0 = max float32 -> float32 lanes 8
              v1: float32 = b0[(i0 + x1)]
              a0[0] <- v1 @ 0
            v2: float32 = result a0[0]
            b2[x6] = v2
          for x7 < i12
            i13 = ((i11 + x7) * n1)
            v14: float32 = b2[x7]
            reduce x2 < n1
              a1 = sum float32 -> float32 lanes 8
              v3: float32 = b0[(i13 + x2)]
              v4: float32 = sub.float32(v3, v14)
              v5: float32 = exp.float32(v4)
              a1[0] <- v5 @ 0
            v6: float32 = result a1[0]
            b3[x7] = v6
          for x8 < i12
            v15: float32 = b3[x8]
            v7: float32 = log.float32(v15)
            b4[x8] = v7
          for x9 < i12
            i16 = ((i11 + x9) * n1)
            v17: float32 = b2[x9]
            v18: float32 = b4[x9]
            for x3 < n1
              v8: float32 = b0[(i16 + x3)]
              v9: float32 = sub.float32(v8, v17)
              v10: float32 = sub.float32(v9, v18)
              b1[(i16 + x3)] = v10"
    `);
  });

  it("are so many as the text allows where it says how long rows are", () => {
    expect(given(logSoftmax.replace(/< n1/g, "< 10"))).toContain("for x4 < (((n0 + 64) + -1) / 64) parallel");
  });

  it("may stand in other loops, which are work items too", () => {
    const nested = `\nfor x9 < n2${logSoftmax.replace(/\n/g, "\n  ").replaceAll("(x0 * n1)", "(((x9 * n0) + x0) * n1)")}`;
    const text = given(nested);
    expect(text).toContain("for x9 < n2 parallel");
    expect(text.match(/private/g)).toHaveLength(3);
  });

  it("have a row of scratch for each of them", () => {
    const body = logSoftmax
      .replace("a1[0] <-", "b2[x2] = v5\n    a1[0] <-")
      .replace("b0[(i0 + x3)]", "b2[x3]");
    const kernel = kernelOf(body, 3, ["float32", "float32", "float32"]);
    const [x, y, row] = kernel.buffers;
    const scratch: LoopKernel = {
      ...kernel,
      buffers: [x!, { ...y!, access: "write" }, { ...row!, access: "scratch" }] as LoopKernel["buffers"],
    };
    const scheduled = scheduledBy(rowBlocks, scratch);
    const text = printLoopKernel(scheduled);
    expect(text).toContain("b3: private float32 x (n1 * (((2048 / (n1 + 1)) + 1) min 64))");
    expect(text).toContain("b3[((x7 * n1) + x2)] = v5");
    const sizes = [1, 64, 200].map((rows) => [rows, 10, 0]);
    expectSameBits(scratch, scheduled, sizes, 2_000);
  });

  it("have one too where it is read at other places than it is stored at, and under tests", () => {
    const body = logSoftmax.replace("b1[(i0 + x3)] = v10", "b2[x3] = v10").concat(`
  for x4 < n2
    v11: float32 = b2[(x4 + -2)] if 2 <= x4 < n1
    b1[((x0 * n2) + x4)] = v11`);
    const kernel = kernelOf(body, 3, ["float32", "float32", "float32"]);
    const [x, y, row] = kernel.buffers;
    const scratch: LoopKernel = {
      ...kernel,
      buffers: [x!, { ...y!, access: "write" }, { ...row!, access: "scratch" }] as LoopKernel["buffers"],
    };
    const scheduled = scheduledBy(rowBlocks, scratch);
    expect(printLoopKernel(scheduled).match(/private float32 x \(n1 \*/g)).toHaveLength(1);
    const sizes = [1, 64, 200].map((rows) => [rows, 10, 13]);
    expectSameBits(scratch, scheduled, sizes, 3_000);
  });

  it("read what they overwrite before they do", () => {
    const body = logSoftmax
      .replace("\n  reduce x1", "\n  v11: float32 = b1[x0]\n  reduce x1")
      .replace("a0[0]\n", "a0[0]\n  b2[x0] = v2\n")
      .replace("sub.float32(v9, v7)", "mul.float32(v9, v11)")
      .replace("b1[(i0 + x3)]", "b3[(i0 + x3)]");
    const plain = kernelOf(body, 3, ["float32", "float32", "float32", "float32"]);
    const buffers = plain.buffers.map((each, k) => (k < 2 ? each : { ...each, access: "write" as const }));
    const kernel: LoopKernel = { ...plain, buffers };
    const scheduled = scheduledBy(rowBlocks, kernel);
    expect(printLoopKernel(scheduled)).toContain("private");
    const run = (which: LoopKernel, emitter: Emitter): Float32Array => {
      const [x, factors, result] = [1_000, 100, 1_000].map((n) =>
        Float32Array.from({ length: n }, (_, k) => k % 7),
      );
      kernelFunction(which, "kernel", emitter)([x!, factors!, factors!, result!], [100, 10, 0], []);
      return result!;
    };
    for (const emitter of ["closure", "wasm", "js"] as const)
      expect(run(scheduled, emitter)).toEqual(run(kernel, emitter));
  });

  const columns = `
for x0 < n0
  v1: float32 = b0[x0]
  v2: float32 = exp.float32(v1)
  for x1 < n1
    v3: float32 = b0[((x0 * n1) + x1)]
    v4: float32 = mul.float32(v3, v2)
    b1[((x0 * n1) + x1)] = v4`;

  it("have expensive ops in front of their loops first, many rows at once", () => {
    const text = given(columns).replaceAll("(((32768 / (n1 + 1)) + 1) min 64)", "(ROWS)");
    expect(text).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: write float32, b2: private float32 x 64; sizes 3; )
        for x2 < (((n0 + (ROWS)) + -1) / (ROWS)) parallel
          i5 = (x2 * (ROWS))
          i6 = ((n0 + (i5 * -1)) min (ROWS))
          for x4 < i6
            v1: float32 = b0[(i5 + x4)]
            v2: float32 = exp.float32(v1)
            b2[x4] = v2
          for x5 < i6
            v7: float32 = b2[x5]
            for x1 < n1
              v3: float32 = b0[(((i5 + x5) * n1) + x1)]
              v4: float32 = mul.float32(v3, v7)
              b1[(((i5 + x5) * n1) + x1)] = v4"
    `);
    expect(given(columns.replace("exp", "neg"))).not.toContain("private");
    const kernel = kernelOf(columns, 3);
    const sizes = [0, 1, 63, 64, 65, 200].map((rows) => [rows, 10, 0]);
    expectSameBits(kernel, scheduledBy(rowBlocks, kernel), sizes, 2_000);
  });

  it.each<[string, string]>([
    ["no walk rests on another", apart],
    ["iterations are in order", logSoftmax.replace("x0 < n0", "x0 < n0 in order")],
    ["rows share a row of memory", logSoftmax.replace("b1[(i0 + x3)]", "b1[x3]")],
    [
      "something adds to what stands there in front",
      logSoftmax.replace("  v2:", "  b1[i0] += 1:float32\n  v2:"),
    ],
    [
      "a row's length is its own",
      logSoftmax.replace("i0 = (x0 * n1)", "i0 = (x0 * n1)\n  i11 = (x0 min n1)").replace(/< n1/g, "< i11"),
    ],
  ])("are not where %s", (_, body) => {
    expect(given(body)).not.toContain("private");
  });

  it.each([
    ["n1", "="],
    ["10", "="],
    ["n1", "+="],
  ])("give the same bits, for any number of rows of %s that are stored by %s", (extent, stored) => {
    const body = logSoftmax.replace(/< n1/g, `< ${extent}`).replace("] = v10", `] ${stored} v10`);
    const kernel = kernelOf(body, 3);
    const sizes = [0, 1, 63, 64, 65, 200].map((rows) => [rows, 10, 0]);
    expectSameBits(kernel, scheduledBy(rowBlocks, kernel), sizes, 2_000);
  });
});
