/** Folds of short rows: the elements first, then their fold as one row. Loops in, loops out. */
import { type LoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { foldedRows } from "../../../packages/compiler/src/tactics/folded-rows.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

/** A fold of rows of five elements, each times the first of its row. */
const products = (
  extent: string,
  { fold = "sum", to = "float32", lanes = 8, blocked = "", at = "0" } = {},
): string => `
for x0 < 3
  i0 = (x0 * n0)
  reduce x1 < n0, x2 < ${extent}${blocked}
    a0 = ${fold} float32 -> ${to} lanes ${lanes}
    row
      i1 = ((i0 + x1) * 5)
    v2: float32 = b0[(i1 + x2)]
    v3: float32 = b0[i1]
    v4: float32 = mul.float32(v2, v3)
    a0[0] <- v4 @ ${at}
  v5: ${to} = result a0[0]
  b1[x0] = v5`;

const given = (body: string, to = "float32"): LoopKernel => kernelOf(body, 1, ["float32", to]);

describe("folds of short rows", () => {
  it("are of elements in private memory", () => {
    expect(printLoopKernel(scheduledBy(foldedRows, given(products("5 short"))))).toMatchInlineSnapshot(`
      "kernel(b0: read float32, b1: write float32, b2: private float32 x (n0 * 5); sizes 1; )
        for x0 < 3
          i0 = (x0 * n0)
          for x1 < n0
            i1 = ((i0 + x1) * 5)
            for x2 < 5 short
              v2: float32 = b0[(i1 + x2)]
              v3: float32 = b0[i1]
              v4: float32 = mul.float32(v2, v3)
              b2[((x1 * 5) + x2)] = v4
          reduce x3 < (n0 * 5)
            a0 = sum float32 -> float32 lanes 8
            v6: float32 = b2[x3]
            a0[0] <- v6 @ 0
          v5: float32 = result a0[0]
          b1[x0] = v5"
    `);
  });

  it.each([
    ["sum", 8, "float32"],
    ["prod", 8, "float32"],
    ["max", 1, "float32"],
    ["argmax", 1, "int64"],
  ])("have the same bits: %s", (fold, lanes, to) => {
    const at = fold === "argmax" ? "((x1 * 5) + x2)" : "0";
    const kernel = given(products("5 short", { fold, lanes, to, at }), to);
    expectSameBits(kernel, scheduledBy(foldedRows, kernel), [[0], [1], [2], [7], [40]], 3 * 40 * 5);
  });

  it.each([
    ["rows that are long", products("5")],
    ["folds of several blocks", products("5 short", { blocked: " blocked" })],
  ])("stay as they are: %s", (_, body) => {
    const kernel = given(body);
    expect(printLoopKernel(scheduledBy(foldedRows, kernel))).toBe(printLoopKernel(kernel));
  });
});
