/** Products of windows, loops in and phases out: which are read where they stand, and that they are what closures compute. */
import { compileWasm } from "@fuseau/compiler";
import { describe, expect, test } from "vitest";
import { kernelOf, runner } from "../tactics/kernels.ts";

/** Filters [o, k] by windows of an image of 9 columns, x3 along it; `place` says where the window's element k is. */
const convolution = (place: string, column: string, test = ""): string => `
  for x0 < n0
    for x1 < n1
      reduce x2 < n2
        a0 = dot float32 -> float32 lanes 1 row n3 in b3 - - -
        v1: float32 = b0[((x0 * n2) + x2)]
        for x3 < n3
          v4: float32 = b1[(((x1 * 9) + ${place}) + ${column})]${test}
          a0[x3] <- v1, v4 @ 0
      for x5 < n3
        v6: float32 = result a0[x5]
        b2[((((x0 * n1) + x1) * n3) + x5)] = v6
`;

/** Windows as rows: [k of a filter, places] by [places, o], as the gradient of filters is. */
const gradient = `
  for x0 < n0
    reduce x2 < n2
      a0 = dot float32 -> float32 lanes 1 row n3 in b3 - - -
      v1: float32 = b0[((((x0 / 3) * 9) + (x0 % 3)) + (((x2 / 4) * 9) + (x2 % 4)))]
      for x3 < n3
        v4: float32 = b1[((x2 * n3) + x3)]
        a0[x3] <- v1, v4 @ 0
    for x5 < n3
      v6: float32 = result a0[x5]
      b2[((x0 * n3) + x5)] = v6
`;

/** The same the other way round: [o, places] by windows as columns, whose elements along k are uneven steps apart too. */
const gradientAcross = `
  for x0 < n0
    for x1 < n3
      reduce x2 < n2
        a0 = dot float32 -> float32 lanes 1
        v1: float32 = b0[((x0 * n2) + x2)]
        v4: float32 = b1[((((x1 / 3) * 9) + (x1 % 3)) + (((x2 / 4) * 9) + (x2 % 4)))]
        a0[0] <- v1, v4 @ 0
      v6: float32 = result a0[0]
      b2[((x0 * n3) + x1)] = v6
`;

/** A single filter, its windows an operand that the loop around decides. */
const single = `
  for x0 < n0
    for x1 < n3
      reduce x2 < n2
        a0 = dot float32 -> float32 lanes 1
        v0: float32 = b0[x2]
        v1: float32 = b1[(((x0 * 9) + (((x2 / 3) * 9) + (x2 % 3))) + (x1 * n4))]
        a0[0] <- v0, v1 @ 0
      v2: float32 = result a0[0]
      b2[((x0 * n3) + x1)] = v2
`;

/** A box filter: the windows' elements times a constant, with and without an axis of filters. */
const box = single.replace("v0: float32 = b0[x2]\n        ", "").replace("<- v0,", "<- 0.5:float32,");
const boxes = (column: string): string =>
  convolution(WINDOW, column)
    .replace("v1: float32 = b0[((x0 * n2) + x2)]\n        ", "")
    .replace("<- v1,", "<- 0.5:float32,");

const WINDOW = "(((x2 / 3) * 9) + (x2 % 3))";

const kernel = (body: string) => {
  const sizes = 5;
  const read = kernelOf(body.replace(/^ {2}/gm, ""), sizes, ["float32", "float32", "float32"]);
  return { ...read, buffers: [...read.buffers, { dtype: "float64", access: "scratch" } as const] };
};

const phasesOf = (body: string): readonly string[] =>
  compileWasm(kernel(body), "kernel", { shared: false, relaxed: false })
    .source()
    .split("\n")
    .flatMap((line) => /^func (phase0\S*)/.exec(line)?.[1] ?? []);

describe("products of windows", () => {
  test("as columns have tables, packed filters and sums", () => {
    expect(phasesOf(convolution(WINDOW, "x3"))).toEqual(["phase0_tables", "phase0_filters", "phase0"]);
    expect(phasesOf(convolution(WINDOW, "(x3 * n4)"))).toEqual(["phase0_tables", "phase0_filters", "phase0"]);
  });

  test("that meet a single column are columns that meet a single row", () => {
    expect(phasesOf(single)).toEqual(["phase0_tables", "phase0_filters", "phase0"]);
  });

  test("by a constant are read where they are too", () => {
    expect(phasesOf(box)).toEqual(["phase0_tables", "phase0_filters", "phase0"]);
    expect(phasesOf(boxes("x3"))).toEqual(["phase0_tables", "phase0_filters", "phase0"]);
  });

  test("as rows have tables, and the other operand packed", () => {
    expect(phasesOf(gradient)).toEqual(["phase0_tables", "phase0_pack1", "phase0"]);
  });

  test("as columns that are uneven steps apart have tables, by which they are packed", () => {
    expect(phasesOf(gradientAcross)).toEqual(["phase0_tables", "phase0_pack1", "phase0"]);
  });

  test("are packed as ever where elements along k are even steps apart, or are tested", () => {
    expect(phasesOf(convolution("(x2 * 9)", "x3"))).toEqual(["phase0_pack0", "phase0"]);
    expect(phasesOf(convolution(WINDOW, "x3", " if (x3 + x2) < 7"))).toEqual(["phase0_pack0", "phase0"]);
  });

  test.each([
    // Rows, lines, elements along k, columns, steps from column to column.
    [5, 6, 9, 7, 1],
    [8, 4, 6, 12, 1],
    [1, 3, 9, 5, 2],
    [1, 3, 9, 0, 1],
    [1, 2, 9, 57, 1],
    [9, 3, 9, 9, 2],
    [4, 2, 300, 4, 3],
    [3, 2, 0, 4, 1],
    [0, 2, 9, 4, 1],
  ])("of %i filters, %i lines, %i elements and %i columns, %i apart, are sums", (...sizes) => {
    for (const body of [
      convolution(WINDOW, "(x3 * n4)"),
      convolution(WINDOW, "x3"),
      gradient,
      gradientAcross,
      single,
      box,
      boxes("x3"),
      boxes("(x3 * n4)"),
    ])
      expect(runner(kernel(body), "wasm")(sizes, 4096)).toBe(runner(kernel(body), "closure")(sizes, 4096));
  });
});
