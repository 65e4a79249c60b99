/** Which results of columns are rounded once for all rows: loops in, loops out. */
import { type LoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { results } from "../../../packages/compiler/src/tactics/results.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

const lessTheSum = `
for x0 < 1
  reduce x1 < n0
    a0 = sum float32 -> float32 lanes 1 row n1 in b2 - - -
    for x2 < n1
      v1: float32 = b0[((x1 * n1) + x2)]
      a0[x2] <- v1 @ 0
  for x3 < n0
    for x4 < n1
      v2: float32 = b0[((x3 * n1) + x4)]
      v3: float32 = result a0[x4]
      v4: float32 = sub.float32(v2, v3)
      b1[((x3 * n1) + x4)] = v4`;

const readOnce = `
for x0 < 1
  reduce x1 < n0
    a0 = sum float32 -> float32 lanes 1 row n1 in b2 - - -
    for x2 < n1
      v1: float32 = b0[((x1 * n1) + x2)]
      a0[x2] <- v1 @ 0
  for x3 < n1
    v2: float32 = result a0[x3]
    b1[x3] = v2`;

function kernel(body: string): LoopKernel {
  const made = kernelOf(body, 2, ["float32", "float32", "float64"]);
  const [x, y, row] = made.buffers;
  return {
    ...made,
    buffers: [x!, { ...y!, access: "write" }, { ...row!, access: "scratch" }] as LoopKernel["buffers"],
  };
}
const given = (body: string): string => printLoopKernel(scheduledBy(results, kernel(body)));

describe("results of columns", () => {
  it("are rounded once, where every row reads them", () => {
    expect(given(lessTheSum)).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: write float32, b2: scratch float64, b3: private float32 x n1; sizes 2; )
        for x0 < 1
          reduce x1 < n0
            a0 = sum float32 -> float32 lanes 1 row n1 in b2 - - -
            for x2 < n1
              v1: float32 = b0[((x1 * n1) + x2)]
              a0[x2] <- v1 @ 0
          for x5 < n1
            v5: float32 = result a0[x5]
            b3[x5] = v5
          for x3 < n0
            for x4 < n1
              v2: float32 = b0[((x3 * n1) + x4)]
              v3: float32 = b3[x4]
              v4: float32 = sub.float32(v2, v3)
              b1[((x3 * n1) + x4)] = v4"
    `);
  });

  it.each<[string, string]>([
    ["they are what they are held in", lessTheSum.replace("a0 = sum", "a0 = max")],
    ["they are read once", readOnce],
  ])("stay where %s", (_, body) => {
    expect(given(body)).not.toContain("private");
  });

  it("have the same bits", () => {
    const sizes = [0, 1, 3, 17].flatMap((columns) => [0, 1, 2, 40].map((rows) => [rows, columns]));
    expectSameBits(kernel(lessTheSum), scheduledBy(results, kernel(lessTheSum)), sizes, 1_000);
  });
});
