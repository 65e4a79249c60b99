/** Loops in lanes, for WebAssembly: which loop is a vector, of how many, and which are unrolled in it. */
import { printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { lanes } from "../../../packages/compiler/src/tactics/lanes.ts";
import { kernelOf, scheduledBy } from "./kernels.ts";

/** The first lines of the kernel's loops. */
function loopsOf(body: string, dtypes?: readonly string[]): string[] {
  const text = printLoopKernel(scheduledBy(lanes, kernelOf(body, 4, dtypes)));
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(for|reduce|scan) /.test(line));
}

const copied = (dtype: string): string => `\nfor x0 < n0\n  v0: ${dtype} = b0[x0]\n  b1[x0] = v0`;

describe("lanes", () => {
  it.each([
    ["uint8", "vector 16 x 2"],
    ["int16", "vector 8 x 2"],
    ["float16", "vector 4 x 2"],
    ["float32", "vector 4 x 2"],
    ["float64", "vector 2 x 2"],
  ])("are as many %s as a register holds, in two registers", (dtype, run) => {
    expect(loopsOf(copied(dtype), [dtype, dtype])).toEqual([`for x0 < n0 ${run}`]);
  });

  it("are in four registers where a body is long", () => {
    const long = "\nfor x0 < n0\n  v0: float32 = b0[x0]\n  v1: float32 = exp.float32(v0)\n  b1[x0] = v1";
    expect(loopsOf(long)).toEqual(["for x0 < n0 vector 4 x 4 masked 4"]);
  });

  it("are in two registers where a body is long, and broad: chains side by side do not wait for each other", () => {
    const functions = ["exp", "tanh", "sin", "sigmoid"];
    const broad = functions.map((fn, k) => `  v${k + 1}: float32 = ${fn}.float32(v0)`).join("\n");
    const sums = [5, 6, 7].map((k) => `  v${k}: float32 = add.float32(v${k - 4}, v${k === 5 ? 2 : k - 1})`);
    const body = `\nfor x0 < n0\n  v0: float32 = b0[x0]\n${broad}\n${sums.join("\n")}\n  b1[x0] = v7`;
    expect(loopsOf(body)).toEqual(["for x0 < n0 vector 4 x 2 masked 4"]);
    const chained = functions.map((fn, k) => `  v${k + 1}: float32 = ${fn}.float32(v${k})`).join("\n");
    expect(loopsOf(body.replace(broad, chained))).toEqual(["for x0 < n0 vector 4 x 4 masked 4"]);
  });

  it("are no more than the iterations that the text says", () => {
    expect(loopsOf(copied("float32").replace("n0", "5"))).toEqual(["for x0 < 5 vector 4"]);
    expect(loopsOf(copied("float32").replace("n0", "3"))).toEqual(["for x0 < 3 vector 1"]);
    expect(loopsOf(copied("float32").replace("n0", "2"))).toEqual(["for x0 < 2 unrolled"]);
  });

  it("are those of the innermost loop, and of a loop around short ones", () => {
    const nest = (extent: string): string =>
      `\nfor x0 < n0\n  for x1 < ${extent}\n    v0: float32 = b0[((x0 * n2) + x1)]\n    b1[((x0 * n2) + x1)] = v0`;
    expect(loopsOf(nest("n1"))).toEqual(["for x0 < n0", "for x1 < n1 vector 4 x 2"]);
    expect(loopsOf(nest("3"))).toEqual(["for x0 < n0 vector 4 x 2", "for x1 < 3 unrolled"]);
  });

  it("are those of a loop around a short sum", () => {
    const sum = `
for x0 < n0
  reduce x1 < 3
    a0 = sum float32 -> float32 lanes 8
    v0: float32 = b0[((x0 * 3) + x1)]
    a0[0] <- v0 @ 0
  v1: float32 = result a0[0]
  b1[x0] = v1`;
    expect(loopsOf(sum)).toEqual(["for x0 < n0 vector 4 x 2", "reduce x1 < 3 unrolled"]);
    expect(loopsOf(sum.replace("< 3", "< n1"))).toEqual([
      "for x0 < n0",
      "reduce x1 < n1 vector 4 x 4 masked 16",
    ]);
  });

  it("have what is folded in memory while they compute something expensive", () => {
    const body = (fn: string): string => `
for x0 < n0
  reduce x1 < n1
    a0 = max float32 -> float32 lanes 8
    v0: float32 = b0[((x0 * n1) + x1)]
    v1: float32 = ${fn}.float32(v0)
    a0[0] <- v1 @ 0
  v2: float32 = result a0[0]
  b1[x0] = v2`;
    expect(loopsOf(body("tanh"))).toEqual(["for x0 < n0", "reduce x1 < n1 vector 4 x 4 masked 8 spilled"]);
    expect(loopsOf(body("neg"))).toEqual(["for x0 < n0", "reduce x1 < n1 vector 4 x 4"]);
  });

  it("of a fold are those of its order, and of a scan one, or those of its places", () => {
    const folded = (loop: string, fold: string): readonly string[] =>
      loopsOf(`
${loop} x0 < n0
  a0 = ${fold}
  v0: float32 = b0[x0]
  a0[0] <- v0 @ x0
v1: float32 = result a0[0]
b1[0] = v1`);
    expect(folded("reduce", "sum float32 -> float32 lanes 8")).toEqual([
      "reduce x0 < n0 vector 4 x 4 masked 16",
    ]);
    expect(folded("reduce", "max float32 -> float32 lanes 8")).toEqual(["reduce x0 < n0 vector 4 x 4"]);
    expect(folded("reduce", "argmax float32 -> int64 lanes 8")).toEqual([
      "reduce x0 < n0 vector 4 x 4 masked 16",
    ]);
    expect(folded("reduce", "sum float32 -> float32 lanes 1")).toEqual(["reduce x0 < n0 vector 1"]);
    expect(folded("reduce", "dot float32 -> float32 lanes 1")).toEqual(["reduce x0 < n0"]);
    expect(folded("scan", "sum float32 -> float32 lanes 1")).toEqual(["scan x0 < n0 vector 1"]);
    expect(folded("scan", "lastMax float32 -> float32 lanes 1")).toEqual(["scan x0 < n0 vector 4 x 2"]);
  });

  it("are masked where an element is expensive, unless it may fail or is a call", () => {
    const expensive = (value: string, first = ""): readonly string[] =>
      loopsOf(
        `\nfor x0 < n0\n  v0: float32 = b0[x0]${first}\n  v1: float32 = exp.float32(v0)${value}\n  b1[x0] = v2`,
      );
    const vector = "for x0 < n0 vector 4 x 4";
    expect(expensive("\n  v2: float32 = sin.float32(v1)")).toEqual([`${vector} masked 4`]);
    const call = "\n  v8: int32 = cast.float32(v0)\n  v9: int32 = gcd.int32(v8, v8)";
    expect(expensive("\n  v2: float32 = cast.int32(v9)", call)).toEqual([vector]);
    const index = "\n  v8: int32 = cast.float32(v0)\n  i9 = index.int32 v8 < n1 of axis 0 @ x0";
    expect(expensive("\n  v2: float32 = b0[i9]", index)).toEqual([vector]);
  });

  it("are one where an iteration reads what another stores, and four where stores come in order", () => {
    const carried = "\nfor x0 < n0 in order\n  v0: float32 = b1[x0]\n  b1[(x0 + 1)] = v0";
    expect(loopsOf(carried)).toEqual(["for x0 < n0 in order vector 1"]);
    const scattered = "\nfor x0 < n0 in order\n  v0: float32 = b0[x0]\n  b1[(x0 / 2)] += v0";
    expect(loopsOf(scattered)).toEqual(["for x0 < n0 in order vector 4"]);
  });

  it("go along a row that is looked up, unless it is transposed, expensive, or stored across", () => {
    const looked = (length: number, fn: string | null, to = "((x0 * n3) + x1)"): readonly string[] => {
      const computed = fn === null ? "" : `\n    v2: float32 = ${fn}.float32(v1)`;
      return loopsOf(
        `
for x0 < n0
  v0: int64 = b0[x0]
  i9 = index.int64 v0 < n1 of axis 0 @ x0
  for x1 < ${length}
    v1: float32 = b1[((i9 * n2) + x1)]${computed}
    b2[${to}] = ${fn === null ? "v1" : "v2"}`,
        ["int64", "float32", "float32"],
      );
    };
    expect(looked(17, "relu")).toEqual(["for x0 < n0", "for x1 < 17 vector 4 x 2"]);
    expect(looked(14, "relu")).toEqual(["for x0 < n0 vector 4", "for x1 < 14 unrolled transposed"]);
    expect(looked(4, "relu")).toEqual(["for x0 < n0 vector 2 x 2", "for x1 < 4 unrolled transposed"]);
    // Four rows, also where the index alone decides how many.
    for (const length of [7, 16])
      expect(looked(length, null)).toEqual([
        "for x0 < n0 vector 2 x 2",
        `for x1 < ${length} unrolled transposed`,
      ]);
    expect(looked(14, "exp")).toEqual(["for x0 < n0 vector 4", "for x1 < 14 unrolled"]);
    expect(looked(14, "relu", "((x1 * n3) + x0)")).toEqual(["for x0 < n0 vector 4", "for x1 < 14 unrolled"]);
  });

  it("are as many as what a scan's function computes needs, although wider elements are cast in front of it", () => {
    const scanned = (fn: string): readonly string[] =>
      loopsOf(
        `
scan x0 < n0
  a0 = ${fn} float32 -> float32 lanes 1 row n1 in b2 - - -
  for x1 < n1
    v0: int64 = b0[((x0 * n1) + x1)]
    v1: float32 = cast.int64(v0)
    a0[x1] <- v1 @ 0
    v2: float32 = result a0[x1]
    b3[((x0 * n1) + x1)] = v2`,
        ["int64", "float32", "float64", "float32"],
      );
    expect(scanned("lastMax")).toEqual(["scan x0 < n0", "for x1 < n1 vector 2 x 2"]);
    expect(scanned("logaddexp")).toEqual(["scan x0 < n0", "for x1 < n1 vector 4 x 2"]);
  });
});
