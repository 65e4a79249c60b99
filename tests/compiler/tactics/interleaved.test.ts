/** Machines without lanes: iterations side by side, and rows that read something in common. */
import { scheduleLoops, targets } from "@fuseau/compiler";
import { type LoopKernel, parseLoopKernel, printLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { kernelOf, runner } from "./kernels.ts";

const kernel = (body: string): LoopKernel => kernelOf(body, 3, ["float32", "float32", "float32"]);

/** The lines of its loops, as they are scheduled for JavaScript. */
function loopsOf(given: LoopKernel): readonly string[] {
  const scheduled = scheduleLoops(given, targets.js);
  verifyLoopKernel(scheduled);
  const text = printLoopKernel(scheduled);
  expect(printLoopKernel(parseLoopKernel(text))).toBe(text);
  return text.match(/(for|reduce|scan) .*/g)!;
}

const tile = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1
    v1: float32 = b0[(i0 + x1)]
    v2: float32 = b1[x1]
    v3: float32 = mul.float32(v1, v2)
    b2[(i0 + x1)] = v3`;

const rows = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1
    a0 = max float32 -> float32 lanes 8
    v1: float32 = b0[(i0 + x1)]
    v2: float32 = b1[x1]
    v3: float32 = mul.float32(v1, v2)
    a0[0] <- v3 @ 0
  v4: float32 = result a0[0]
  b2[x0] = v4`;

describe("iterations side by side", () => {
  it("are eight, four of what is a call, and all of a short loop", () => {
    const loop = (op: string, extent: string): LoopKernel =>
      kernel(`
for x0 < ${extent}
  v1: float32 = b0[x0]
  v2: float32 = ${op}.float32(v1)
  b2[x0] = v2`);
    expect(loopsOf(loop("neg", "n0"))).toEqual(["for x0 < n0 vector 1 x 8"]);
    expect(loopsOf(loop("exp", "n0"))).toEqual(["for x0 < n0 vector 1 x 4"]);
    expect(loopsOf(loop("neg", "15"))).toEqual(["for x0 < 15 unrolled"]);
  });

  it("are the lanes of an order, or a whole short fold", () => {
    const fold = (fn: string, extent: string): LoopKernel =>
      kernel(`
reduce x0 < ${extent}
  a0 = ${fn} float32 -> float32 lanes 8
  v1: float32 = b0[x0]
  v2: float32 = exp.float32(v1)
  a0[0] <- v2 @ 0
v3: float32 = result a0[0]
b2[0] = v3`);
    expect(loopsOf(fold("sum", "n0"))).toEqual(["reduce x0 < n0 vector 1 x 8"]);
    expect(loopsOf(fold("max", "n0"))).toEqual(["reduce x0 < n0 vector 1 x 4"]);
    expect(loopsOf(kernel(rows.replace("x1 < n1", "x1 < 5").replace("b1[x1]", "b1[(i0 + x1)]")))).toEqual([
      "for x0 < n0",
      "reduce x1 < 5 unrolled",
    ]);
  });

  it("are two rows of four columns, or four rows that are folded, where rows load something in common", () => {
    expect(loopsOf(kernel(tile))).toEqual(["for x0 < n0 jam 2", "for x1 < n1 vector 1 x 4"]);
    expect(loopsOf(kernel(rows))).toEqual(["for x0 < n0 jam 4", "reduce x1 < n1 vector 1"]);
    const apart = (body: string): LoopKernel => kernel(body.replace("b1[x1]", "b1[(i0 + x1)]"));
    expect(loopsOf(apart(tile))).toEqual(["for x0 < n0", "for x1 < n1 vector 1 x 8"]);
    expect(loopsOf(apart(rows))).toEqual(["for x0 < n0", "reduce x1 < n1 vector 1 x 8"]);
  });

  it("are of one row where rows are not of one length, or have lanes of an order", () => {
    const uneven = kernel(
      tile.replace("(x0 * n1)", "(x0 * n1)\n  i9 = (n1 + (x0 * -1))").replace("< n1", "< i9"),
    );
    expect(loopsOf(uneven)[0]).toBe("for x0 < n0");
    expect(loopsOf(kernel(rows.replace("max", "sum")))).toEqual([
      "for x0 < n0",
      "reduce x1 < n1 vector 1 x 8",
    ]);
  });

  it.each(["vector 4 x 2", "unrolled"])(
    "are none of a scan, which is read between its elements: %s",
    (word) => {
      const scan = (run: string): LoopKernel =>
        kernel(`
scan x0 < ${run === "unrolled" ? 11 : "n0"} ${run}
  a0 = lastArgmax float32 -> int64 lanes 1
  v0: float32 = b0[x0]
  a0[0] <- v0 @ x0
  v1: int64 = result a0[0]
  v2: float32 = cast.int64(v1)
  v3: float32 = add.float32(v0, v2)
  b2[x0] = v3`);
      const expected = runner(scan(""), "closure")([11, 1, 1], 11);
      expect(runner(scan(word), "js")([11, 1, 1], 11)).toBe(expected);
    },
  );

  it.each([
    [0, 3],
    [1, 9],
    [3, 17],
    [10, 4],
    [5, 23],
  ])("are what they were one by one: %i rows of %i", (count, width) => {
    for (const body of [tile, rows]) {
      const sizes = [count, width, 1];
      const expected = runner(kernel(body), "closure")(sizes, 300);
      expect(runner(kernel(body), "js")(sizes, 300)).toBe(expected);
    }
  });
});
