/** Columns that are reduced: rows are jammed, with lanes for WebAssembly and without for JavaScript. */
import { scheduleLoops, targets } from "@fuseau/compiler";
import { type LoopKernel, parseLoopKernel, printLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { runner } from "./kernels.ts";

const kernelOf = (body: string, accumulator = "sum float32 -> float32 lanes 1"): LoopKernel =>
  parseLoopKernel(`kernel(b0: scratch float64, b1: read float32, b2: write float32, b3: read int64; sizes 3; )
  reduce x0 < n0
    a0 = ${accumulator} row n1 in b0 - - -
${body.replace(/^\n/, "").replace(/^/gm, "    ")}
  for x2 < n1
    v9: float32 = result a0[x2]
    b2[x2] = v9`);

const sums = `
i0 = (x0 * n1)
for x1 < n1
  v1: float32 = b1[(i0 + x1)]
  a0[x1] <- v1 @ 0`;

/** The lines of its loops, as they are scheduled. */
function loopsOf(kernel: LoopKernel, target: "wasm" | "js"): readonly string[] {
  const given = scheduleLoops(kernel, targets[target]);
  verifyLoopKernel(given);
  const text = printLoopKernel(given);
  expect(printLoopKernel(parseLoopKernel(text))).toBe(text);
  return text.match(/(for|reduce|scan) .*/g)!;
}

describe("columns", () => {
  it("are folded in four rows at a time", () => {
    const kernel = kernelOf(sums);
    expect(loopsOf(kernel, "wasm")).toEqual([
      "reduce x0 < n0 jam 4",
      "for x1 < n1 vector 4 x 2",
      "for x2 < n1 vector 4 x 2",
    ]);
    expect(loopsOf(kernel, "js").slice(0, 2)).toEqual(["reduce x0 < n0 jam 4", "for x1 < n1 vector 1"]);
  });

  it.each([
    [0, 5],
    [3, 7],
    [4, 1],
    [11, 19],
  ])("are what they were: %i rows of %i", (rows, width) => {
    const kernel = kernelOf(sums);
    const sizes = [rows, width, 1];
    const expected = runner(kernel, "closure")(sizes, 300);
    expect(runner(kernel, "wasm")(sizes, 300)).toBe(expected);
    expect(runner(scheduleLoops(kernel, targets.wasm), "closure")(sizes, 300)).toBe(expected);
  });

  it("are not where rows have lanes of their own, or are not of one length", () => {
    const isJammed = (kernel: LoopKernel): boolean => loopsOf(kernel, "js")[0]!.endsWith("jam 4");
    expect(isJammed(kernelOf(sums, "sum float32 -> float32 lanes 8"))).toBe(false);
    expect(isJammed(kernelOf(`i2 = (n1 + (x0 * -1))${sums.replace("x1 < n1", "x1 < i2")}`))).toBe(false);
  });

  it("are not where a lookup within them may fail: it would not be the first", () => {
    const within = sums.replace(
      "  v1",
      "  v2: int64 = b3[x1]\n  i3 = index.int64 v2 < n1 of axis 0 @ x1\n  v1",
    );
    expect(loopsOf(kernelOf(within), "js")[0]).toBe("reduce x0 < n0");
    const before = sums.replace("for", "v2: int64 = b3[x0]\ni3 = index.int64 v2 < n1 of axis 0 @ x0\nfor");
    expect(loopsOf(kernelOf(before), "js")[0]).toBe("reduce x0 < n0 jam 4");
    expect(loopsOf(kernelOf(before), "wasm")[0]).toBe("reduce x0 < n0");
  });

  it("are jammed where they are stored too", () => {
    const storing = sums.replace("  a0", "  b2[(i0 + x1)] = v1\n  a0");
    expect(loopsOf(kernelOf(storing), "js")[0]).toBe("reduce x0 < n0 jam 4");
    expect(loopsOf(kernelOf(storing), "wasm")[0]).toBe("reduce x0 < n0 jam 4");
  });
});
