/** The loop IR's text: parsing is the inverse of printing. */
import { readdirSync, readFileSync } from "node:fs";
import { compile, type Emitter } from "@fuseau/compiler";
import { type LoopKernel, parseLoopKernel, printLoopKernel } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programs } from "../differential/random-graph.ts";
import { limits, orders } from "../differential/random-limits.ts";

function survives(kernel: LoopKernel): void {
  const text = printLoopKernel(kernel);
  const parsed = parseLoopKernel(text);
  expect(parsed).toStrictEqual(kernel);
  expect(printLoopKernel(parsed)).toBe(text);
}

const reads = (text: string): void => expect(printLoopKernel(parseLoopKernel(text))).toBe(text);

describe("parseLoopKernel", () => {
  it("is the inverse of printing, for the kernels of random graphs", () => {
    const settings = fc.record({
      fusion: fc.constantFrom("on", "none"),
      order: orders,
      limits,
      emitter: fc.constantFrom<Emitter[]>("js", "wasm", "closure").map((emitter) => () => emitter),
    });
    fc.assert(
      fc.property(programs(), settings, ({ graph }, options) => {
        for (const { loop } of compile(graph, options).calls) survives(loop);
      }),
      { numRuns: 400 },
    );
  });

  const folder = new URL("../golden/expected/", import.meta.url);
  it.each(readdirSync(folder))("reads the loops of golden %s", (file) => {
    const kernels = [...readFileSync(new URL(file, folder), "utf8").matchAll(/^kernel\(.*\n(?: +.*\n)*/gm)];
    expect(kernels.length).toBeGreaterThan(0);
    for (const [kernel] of kernels) reads(kernel.trimEnd());
  });

  it("reads how loops run, and private buffers", () => {
    reads(
      [
        "kernel(b0: write float32, b1: private float32 x (n0 * 64); sizes 1; )",
        "  for x0 < n0 parallel",
        "    for x1 < 3 unrolled",
        "      for x2 < n0 jam 4",
        "        for x3 < n0 vector 4",
        "          b1[x3] = 1:float32",
        "    for x4 < n0 in order vector 4 x 2",
        "      b0[x4] += 1:float32",
      ].join("\n"),
    );
  });

  it("reads the lanes of a fold", () => {
    for (const lanes of [1, 8, 16])
      reads(
        [
          "kernel(b0: read float32, b1: write float32; sizes 1; )",
          "  reduce x0 < n0",
          `    a0 = sum float32 -> float32 lanes ${lanes}`,
          "    v0: float32 = b0[x0]",
          "    a0[0] <- v0 @ 0",
          "  v1: float32 = result a0[0]",
          "  b1[0] = v1",
        ].join("\n"),
      );
  });

  it("reads every kind of statement, expression, operand and integer", () => {
    reads(
      [
        "kernel(b0: read float32, b1: write int32, b2: scratch float64; sizes 3; c0: int64, c1: bool)",
        "  i0 = ((n0 + -3) min (n1 * 2))",
        "  for x0 < i0",
        "    i1 = ((x0 / 4) % n2)",
        "    v2: float32 = b0[(i1 + x0)] if 0 <= x0 < n0 and x0 < 7 and 2 <= i1 and i1",
        "    v3: float32 = where.float32(c1, v2, NaN:float32)",
        "    v4: int64 = select c0 if x0 < 3, else -9007199254740993:int64 if 1 <= x0 and x0 < 9, else 0:int64",
        "    v5: int32 = index (x0 + 1)",
        "    i6 = index.int64 v4 < n1 of axis 2 @ (x0 * n2)",
        "    b1[i6] = v5",
        "    b1[i6] += 3:int32",
        "    b1[i6] *= -2:int32",
        "    b1[i6] max= v5",
        "    b1[i6] min= v5",
        "    b0[0] = -0:float32",
        "    b0[0] = 1e+21:float32",
        "    b0[0] = -1.5e-7:float32",
        "    b0[0] = -Infinity:float32",
        "  for x1 < 4 in order",
        "    reduce x2 < n0, x3 < n1 blocked aligned",
        "      a0 = sum float32 -> float64 lanes 8",
        "      a1 = argmax float64 -> int64 lanes 1 row n2 in b2 - - b1",
        "      a2 = dot float64 -> float64 lanes 8 row 16 in b2 b2 b2 -",
        "      row",
        "        i7 = (x2 * n1)",
        "      a0[0] <- v2 @ (i7 + x3)",
        "      a2[x3] <- v2, 0.5:float64 @ 0",
        "    v8: float64 = result a0[0]",
        "    scan x4 < n0",
        "      a3 = lastArgmax int32 -> int64 lanes 1",
        "  b1 = order of b2 < n0",
        "  b1 = first n1 of order of b2 < n0 descending",
        "  b1 = order of sorted b2 < 8",
        "  sorted b2 < n0 descending",
      ].join("\n"),
    );
    reads("kernel(; sizes 0; )");
    reads("kernel(; sizes 0; ; blocks of 64, chunks of 16)");
  });

  it("takes the first line's indentation for its own, and passes over empty lines", () => {
    const kernel = parseLoopKernel(`
      kernel(b0: write bool; sizes 1; )

        for x0 < n0
          b0[x0] = 1:bool
    `);
    expect(printLoopKernel(kernel)).toBe(
      "kernel(b0: write bool; sizes 1; )\n  for x0 < n0\n    b0[x0] = 1:bool",
    );
  });

  const header = "kernel(b0: write float32; sizes 1; )";
  it.each([
    ["", 'line 1, column 1: expected "kernel", found the end of the text'],
    ["kernel", 'line 1, column 7: expected "(", found the end of the line'],
    [
      "kernel(b1: read bool; sizes 0; )",
      'line 1, column 8: expected "b0", found "b1: read bool; sizes 0; )"',
    ],
    ["kernel(b0: lent bool; sizes 0; )", "column 12: expected read, write, scratch or private"],
    ["kernel(b0: read float31; sizes 0; )", 'column 17: expected a dtype, found "float31; sizes 0; )"'],
    ["kernel(; sizes many; )", 'column 16: expected a number of sizes, found "many; )"'],
    ["kernel(; sizes 0; ) now", 'column 21: expected the end of the line, found "now"'],
    [
      `${header}\n    b0[0] = c0`,
      'line 2, column 5: expected a statement behind 2 spaces, found "b0[0] = c0"',
    ],
    [`${header}\nb0[0] = c0`, "line 2, column 1: expected a statement behind 2 spaces, or the end"],
    [`${header}\n\n  let v0 = 3`, 'line 3, column 3: expected a statement, found "let v0 = 3"'],
    [`${header}\n  b0[0] - c0`, 'line 2, column 9: expected = or another way to combine, found "- c0"'],
    [`${header}\n  b0[0 = c0`, 'line 2, column 8: expected "]", found "= c0"'],
    [`${header}\n  b0[y] = c0`, 'line 2, column 6: expected an integer, found "y] = c0"'],
    [`${header}\n  i0 = (n0 - 1)`, 'line 2, column 12: expected +, *, /, % or min, found "- 1)"'],
    [`${header}\n  i0 = (n0 + 1`, 'line 2, column 15: expected ")", found the end of the line'],
    [`${header}\n  v0: float32 = wibble.float32(c0)`, "line 2, column 17: expected an expression"],
    [`${header}\n  v0: float32 = add(c0, c0)`, 'line 2, column 20: expected ".", found "(c0, c0)"'],
    [`${header}\n  v0: float32 = neg.float32(x)`, "column 29: expected a value, a scalar or a constant"],
    [`${header}\n  b0[0] = 1.5:int64`, 'column 11: expected a whole number, found "1.5:int64"'],
    [`${header}\n  b0[0] = 1`, 'column 12: expected ":", found the end of the line'],
    [`${header}\n  v0: float32 = select c0 if n0`, 'column 32: expected ",", found the end of the line'],
    [`${header}\n  reduce x0 < n0\n    a0 = mean float32 -> float32`, "line 3, column 10: expected a fold"],
    [`${header}\n  reduce n0 < x0`, "line 2, column 10: expected an axis such as x0"],
    [
      `${header}\n  reduce x0 < n0\n    a0 = sum bool -> int64 lanes 4`,
      "line 3, column 34: expected 1, 8 or 16 lanes",
    ],
    [
      `${header}\n  reduce x0 < n0\n    v0: bool = index 1\n    a0 = sum bool -> int64 lanes 1`,
      'line 4, column 8: expected "["',
    ],
    [`${header}\n  i0 = n0 n0`, 'column 11: expected the end of the line, found "n0"'],
  ])("refuses %j", (text, why) => {
    expect(() => parseLoopKernel(text)).toThrow(SyntaxError);
    expect(() => parseLoopKernel(text)).toThrow(why);
  });
});
