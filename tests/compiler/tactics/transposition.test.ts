/** Transpositions in blocks: loops in, loops out, and the bits of both. */
import { type LoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { innerTransposition, transposition } from "../../../packages/compiler/src/tactics/transposition.ts";
import { expectSameBits, kernelOf, runner, scheduledBy } from "./kernels.ts";

const scheduled = (kernel: LoopKernel): LoopKernel => scheduledBy(transposition, kernel);

const bodyOf = (kernel: LoopKernel): string => printLoopKernel(kernel).split("\n").slice(1).join("\n");

const plain = (dtype: string): LoopKernel =>
  kernelOf(
    `
for x0 < n0
  i0 = (x0 * n2)
  for x1 < n1
    v1: ${dtype} = b0[(x0 + (x1 * n3))]
    b1[(i0 + x1)] = v1`,
    4,
    [dtype, dtype],
  );

const additions = Array.from({ length: 60 }, (_, k) => `    v${k + 2}: float32 = add.float32(v${k + 1}, v1)`);

const long = kernelOf(
  `
for x0 < n0
  i0 = (x0 * n2)
  for x1 < n1
    v1: float32 = b0[(x0 + (x1 * n3))]
${additions.join("\n")}
    b1[(i0 + x1)] = v61`,
  4,
);

/** The batch stands innermost in memory, and the rows outermost. */
const inside = kernelOf(
  `
for x0 < n0
  i0 = (x0 * n3)
  for x1 < n1
    i1 = (i0 + (x1 * n2))
    for x2 < n2
      v2: float32 = b0[((x2 * n4) + ((x1 * n0) + x0))]
      v3: float32 = b1[(i1 + x2)]
      v4: float32 = sub.float32(v3, v2)
      b2[(i1 + x2)] = v4`,
  5,
  ["float32", "float32", "float32"],
);

const mixed = kernelOf(
  `
for x0 < n0
  v0: float32 = b1[x0]
  i1 = (x0 * n2)
  for x1 < n1
    v2: uint8 = b0[(x0 + (x1 * n3))]
    v3: float32 = cast.uint8(v2)
    v4: float32 = div.float32(v3, v0)
    b2[(i1 + x1)] = v4`,
  4,
  ["uint8", "float32", "float32"],
);

describe("a transposition", () => {
  it("is cut into blocks, and transposed in registers", () => {
    expect(bodyOf(scheduled(plain("float32")))).toBe(
      `  for x4 < (((n0 + 64) + -1) / 64) parallel
    i4 = (x4 * 64)
    i5 = ((n0 + (i4 * -1)) min 64)
    for x2 < (((n1 + 64) + -1) / 64) parallel
      i2 = (x2 * 64)
      i3 = ((n1 + (i2 * -1)) min 64)
      for x5 < i5 jam 4
        i0 = ((i4 + x5) * n2)
        for x3 < i3 vector 4
          v1: float32 = b0[((i4 + x5) + ((i2 + x3) * n3))]
          b1[(i0 + (i2 + x3))] = v1`,
    );
  });

  it("of bytes has as many rows at a time as a register has lanes", () => {
    expect(bodyOf(scheduled(plain("uint8")))).toContain("jam 16");
    expect(bodyOf(scheduled(mixed))).toContain("jam 4");
  });

  it("with a long body is transposed in private memory first", () => {
    const given = scheduled(long);
    expect(given.buffers.at(-1)).toMatchObject({ access: "private", dtype: "float32" });
    expect(bodyOf(given).split("\n").slice(6, 15).join("\n")).toBe(
      `      for x6 < i65 jam 4
        for x7 < i63 vector 4
          v66: float32 = b0[((i64 + x6) + ((i62 + x7) * n3))]
          b2[((x6 * 64) + x7)] = v66
      for x5 < i65
        i0 = ((i64 + x5) * n2)
        for x3 < i63
          v1: float32 = b2[((x5 * 64) + x3)]
          v2: float32 = add.float32(v1, v1)`,
    );
  });

  it("has its rows brought in from outer loops", () => {
    const loops = bodyOf(scheduled(inside))
      .split("\n")
      .filter((line) => line.includes("for"));
    expect(loops.map((line) => line.trim().split(" ").slice(-2).join(" "))).toEqual([
      "n1 parallel",
      "64) parallel",
      "64) parallel",
      "jam 4",
      "vector 4",
    ]);
  });

  it.each<[string, string]>([
    ["a load under a test", "v1: float32 = b0[(x0 + (x1 * n3))] if x1 < n1"],
    ["memory that is stored to", "v1: float32 = b1[(x0 + (x1 * n3))]"],
    ["neighbours that are apart along both axes", "v1: float32 = b0[((x0 * n3) + (x1 * n3))]"],
    ["neighbours in both orders", "v1: float32 = b0[(i0 + x1)]"],
  ])("is not %s", (_, load) => {
    const kernel = kernelOf(
      `\nfor x0 < n0\n  i0 = (x0 * n2)\n  for x1 < n1\n    ${load}\n    b1[(i0 + x1)] = v1`,
      4,
    );
    expect(scheduled(kernel).body).toEqual(kernel.body);
  });

  it("is scheduled once", () => {
    const once = scheduled(plain("float32"));
    expect(scheduled(once)).toEqual(once);
  });
});

describe("a transposition has the bits of its loops", () => {
  const sizes = [1, 3, 16, 63, 64, 65, 130];
  const pairs = sizes.flatMap((rows) => sizes.map((columns): [number, number] => [rows, columns]));
  const agrees = (
    kernel: LoopKernel,
    sizesOf: (rows: number, columns: number) => readonly number[],
    batch = 1,
  ): void => {
    const [expected, closure, wasm] = [
      runner(kernel, "closure"),
      runner(scheduled(kernel), "closure"),
      runner(kernel, "wasm"),
    ];
    for (const [rows, columns] of pairs) {
      const bound = [sizesOf(rows, columns), batch * rows * columns] as const;
      expect(closure(...bound)).toBe(expected(...bound));
      expect(wasm(...bound)).toBe(expected(...bound));
    }
  };

  it.each<[string, LoopKernel]>([
    ...["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"].map(
      (dtype): [string, LoopKernel] => [dtype, plain(dtype)],
    ),
    ["bytes to floats", mixed],
    ["a long body", long],
  ])("%s", (_, kernel) => {
    agrees(kernel, (rows, columns) => [rows, columns, columns, rows]);
  });

  it("with a batch within", () => {
    agrees(inside, (rows, columns) => [rows, 3, columns, 3 * columns, 3 * rows], 3);
  });
});

/** The sum of a block of rows, and each row as a column beside it. */
const besideFold = kernelOf(
  `
for x0 < n0
  i0 = (x0 * n3)
  reduce x1 < n2
    a0 = sum float32 -> float32 lanes 1
    v3: float32 = b0[(i0 + x1)]
    a0[0] <- v3 @ 0
  v4: float32 = result a0[0]
  for x2 < n1
    i2 = (i0 + (x2 * n2))
    for x3 < n2
      v5: float32 = b0[(i2 + x3)]
      v6: float32 = sub.float32(v5, v4)
      b1[((i0 + x2) + (x3 * n1))] = v6`,
  4,
);

describe("an inner transposition", () => {
  it("has its loops interchanged where stores go across memory, and runs in the loop around it", () => {
    const given = scheduledBy(innerTransposition, besideFold);
    expect(bodyOf(given).split("\n").slice(7).join("\n")).toBe(
      `    for x6 < (((n2 + 64) + -1) / 64)
      i9 = (x6 * 64)
      i10 = ((n2 + (i9 * -1)) min 64)
      for x4 < (((n1 + 64) + -1) / 64)
        i7 = (x4 * 64)
        i8 = ((n1 + (i7 * -1)) min 64)
        for x7 < i10 jam 4
          for x5 < i8 vector 4
            i2 = (i0 + ((i7 + x5) * n2))
            v5: float32 = b0[(i2 + (i9 + x7))]
            v6: float32 = sub.float32(v5, v4)
            b1[((i0 + (i7 + x5)) + ((i9 + x7) * n1))] = v6`,
    );
    const shapes = [1, 5, 64, 70].flatMap((rows) => [1, 6, 67].map((columns) => [rows, columns] as const));
    const sizes = shapes.map(([rows, columns]) => [2, rows, columns, rows * columns]);
    expectSameBits(besideFold, given, sizes, 2 * 70 * 67);
  });

  it("leaves whole nests to the other", () => {
    const kernel = plain("float32");
    expect(scheduledBy(innerTransposition, kernel)).toEqual(kernel);
  });
});
