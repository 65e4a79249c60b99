/** Work items, for WebAssembly: which loops are parallel, and how long rows are cut. */
import { scheduleLoops, targets } from "@fuseau/compiler";
import { printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { workItems } from "../../../packages/compiler/src/tactics/work-items.ts";
import { kernelOf, runner, scheduledBy } from "./kernels.ts";

const scheduled = (body: string): string => {
  const text = printLoopKernel(scheduledBy(workItems, kernelOf(body, 4)));
  return text.split("\n").slice(1).join("\n");
};

const rows = `
for x0 < n0
  i0 = (x0 * n2)
  v1: float32 = b0[x0]
  for x1 < n1
    v2: float32 = b0[(i0 + x1)]
    v3: float32 = add.float32(v2, v1)
    b1[(i0 + x1)] = v3`;

describe("work items", () => {
  it("are pieces of rows, of all rows together", () => {
    expect(scheduled(rows)).toBe(`\
  for x0 < n0 parallel
    i0 = (x0 * n2)
    v1: float32 = b0[x0]
    for x2 < (((n1 + 16384) + -1) / 16384) parallel
      i4 = (x2 * 16384)
      i5 = ((n1 + (i4 * -1)) min 16384)
      for x3 < i5
        v2: float32 = b0[(i0 + (i4 + x3))]
        v3: float32 = add.float32(v2, v1)
        b1[(i0 + (i4 + x3))] = v3`);
  });

  it.each([
    [0, 5],
    [5, 0],
    [3, 7],
    [2, 16_384],
    [3, 40_000],
  ])("compute what the loops do: %i rows of %i", (count, width) => {
    const [sizes, cells] = [[count, width, width + 1, 1], count * (width + 1) + 1] as const;
    const kernel = kernelOf(rows, 4);
    const given = scheduleLoops(kernel, targets.wasm);
    const expected = runner(kernel, "closure")(sizes, cells);
    expect(runner(kernel, "wasm")(sizes, cells)).toBe(expected);
    expect(runner(given, "closure")(sizes, cells)).toBe(expected);
  });

  it("are the iterations of two loops where more loops stand within", () => {
    const text = scheduled(`
for x0 < n0
  for x1 < n1
    for x2 < n2
      b1[((((x0 * n1) + x1) * n2) + x2)] = 1:float32`);
    expect(text.match(/for .*/g)).toEqual(["for x0 < n0 parallel", "for x1 < n1 parallel", "for x2 < n2"]);
  });

  it("are the iterations of one loop where its rows are folded, and those of lanes as they stand", () => {
    const sums = `
for x0 < n0
  reduce x1 < n1
    a0 = sum float32 -> float32 lanes 8
    v0: float32 = b0[((x0 * n1) + x1)]
    a0[0] <- v0 @ 0
  v1: float32 = result a0[0]
  b1[x0] = v1`;
    expect(scheduled(sums).match(/(for|reduce) .*/g)).toEqual(["for x0 < n0 parallel", "reduce x1 < n1"]);
    const inOrder = "\nfor x0 < n0 in order\n  for x1 < n1\n    b1[x1] += 1:float32";
    expect(scheduled(inOrder)).not.toContain("parallel");
    expect(scheduled("\nfor x0 < n0\n  b1[x0] = 1:float32")).not.toContain("parallel");
    expect(scheduled(sums.replace("sum float32", "dot float32").replace("v0 @", "v0, v0 @"))).not.toContain(
      "parallel",
    );
  });
});
