/** Steps: loops in, loops out, and what they refuse. */
import {
  type ForStatement,
  type LoopKernel,
  printLoopKernel,
  type Run,
  type Statement,
  verifyLoopKernel,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { Numbering } from "../../../packages/compiler/src/tactics/numbering.ts";
import { Refusal, raise, reorder, runAs, split } from "../../../packages/compiler/src/tactics/steps.ts";
import { kernelOf } from "./kernels.ts";

const outermost = ({ body }: LoopKernel): ForStatement =>
  body.find((each) => each.kind === "for") as ForStatement;

/** The kernel with its loop replaced by what a step makes of it, as text without the first line; or why it is refused. */
function stepped(
  kernel: LoopKernel,
  step: (loop: ForStatement, names: Numbering) => Statement | readonly Statement[] | Refusal,
): string {
  const loop = outermost(kernel);
  const given = step(loop, new Numbering(kernel));
  if (given instanceof Refusal) return given.reason;
  const changed = "kind" in given ? [given] : given;
  const body = kernel.body.flatMap((each) => (each === loop ? changed : [each]));
  verifyLoopKernel({ ...kernel, body });
  return printLoopKernel({ ...kernel, body })
    .split("\n")
    .slice(1)
    .join("\n");
}

const rowsAndColumns = kernelOf(
  `
for x0 < n0
  i0 = (x0 * n2)
  i1 = (n2 * 2)
  for x1 < n1
    v2: float32 = b0[((i0 + x1) + i1)]
    b1[(i0 + x1)] = v2`,
  3,
);

const doubled = kernelOf(
  `
for x0 < n0
  v0: float32 = b0[x0]
  b1[x0] = v0`,
  1,
);

describe("split", () => {
  it("makes blocks, and the places in a block, of which the last has what is left", () => {
    expect(stepped(doubled, (loop, names) => split(loop, 8, names))).toBe(
      `  for x1 < (((n0 + 8) + -1) / 8)
    i1 = (x1 * 8)
    i2 = ((n0 + (i1 * -1)) min 8)
    for x2 < i2
      v0: float32 = b0[(i1 + x2)]
      b1[(i1 + x2)] = v0`,
    );
  });
});

describe("reorder", () => {
  it("moves out what the outer loop does not decide, and computes the rest anew", () => {
    expect(stepped(rowsAndColumns, reorder)).toBe(
      `  i1 = (n2 * 2)
  for x1 < n1
    for x0 < n0
      i0 = (x0 * n2)
      v2: float32 = b0[((i0 + x1) + i1)]
      b1[(i0 + x1)] = v2`,
    );
  });

  it.each([
    ["a loop alone", doubled, "x0 is no perfect nest"],
    [
      "a triangle",
      kernelOf("\nfor x0 < n0\n  for x1 < x0\n    b1[((x0 * n1) + x1)] = 1:float32", 2),
      "x0 decides how long the loop within is",
    ],
    [
      "iterations in order",
      kernelOf("\nfor x0 < n0 in order\n  for x1 < n1\n    b1[(x0 + x1)] += 1:float32", 2),
      "x0 or the loop within is in order",
    ],
    [
      "a value that the loop within overwrites",
      kernelOf("\nfor x0 < n0\n  v0: float32 = b1[x0]\n  for x1 < n1\n    b1[((x0 * n1) + x1)] = v0", 2),
      "what x0 reads in front of the loop within is stored there",
    ],
  ])("refuses %s", (_, kernel, why) => {
    expect(stepped(kernel, reorder)).toBe(why);
  });
});

describe("raise", () => {
  it("puts integers that a loop does not decide in front of it", () => {
    expect(stepped(rowsAndColumns, raise).split("\n").slice(0, 3)).toEqual([
      "  i1 = (n2 * 2)",
      "  for x0 < n0",
      "    i0 = (x0 * n2)",
    ]);
  });
  it("leaves what the loop stores, and what is computed of it, and moves what is read elsewhere", () => {
    const kernel = kernelOf(
      "\nfor x0 < n0\n  v1: float32 = b1[0]\n  v2: float32 = neg.float32(v1)\n  v3: float32 = b0[0]\n" +
        "  v4: float32 = add.float32(v2, v3)\n  b1[x0] = v4",
      1,
    );
    expect(
      stepped(kernel, raise)
        .trim()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "v3: float32 = b0[0]",
      "for x0 < n0",
      "v1: float32 = b1[0]",
      "v2: float32 = neg.float32(v1)",
      "v4: float32 = add.float32(v2, v3)",
      "b1[x0] = v4",
    ]);
  });
});

describe("runAs", () => {
  const vector: Run = { kind: "vector", lanes: 4, copies: 2 };

  it("says how a loop runs", () => {
    expect(stepped(doubled, (loop) => runAs(loop, vector)).split("\n")[0]).toBe("  for x0 < n0 vector 4 x 2");
    expect(stepped(doubled, (loop) => runAs(loop, { kind: "parallel" })).split("\n")[0]).toBe(
      "  for x0 < n0 parallel",
    );
  });

  it("jams a loop around a vector", () => {
    const jammed = stepped(rowsAndColumns, (loop) => {
      const inner = runAs(loop.body.at(-1) as ForStatement, vector);
      return inner instanceof Refusal
        ? inner
        : runAs({ ...loop, body: [...loop.body.slice(0, -1), inner] }, { kind: "jam", copies: 4 });
    });
    expect(jammed.split("\n").filter((line) => line.includes("for"))).toEqual([
      "  for x0 < n0 jam 4",
      "    for x1 < n1 vector 4 x 2",
    ]);
  });

  /** Each element is read where it is stored; or its neighbour in the next row is. */
  const overwriting = (read: string) =>
    kernelOf(
      `
for x0 < n0
  i0 = (x0 * n2)
  for x1 < n1
    v3: float32 = b1[${read}]
    v1: float32 = b0[(x0 + (x1 * n0))]
    v2: float32 = add.float32(v3, v1)
    b1[(i0 + x1)] = v2`,
      3,
    );
  const jammedText = (kernel: LoopKernel): string =>
    stepped(kernel, (loop) => {
      const inner = runAs(loop.body.at(-1) as ForStatement, { ...vector, copies: 1 });
      return inner instanceof Refusal
        ? inner
        : runAs({ ...loop, body: [...loop.body.slice(0, -1), inner] }, { kind: "jam", copies: 4 });
    });

  it("jams rows that are overwritten, each element where it is read", () => {
    expect(jammedText(overwriting("(i0 + x1)"))).toContain("for x0 < n0 jam 4");
  });

  it.each(["((i0 + n2) + x1)", "x1", "(n1 + (x0 + x1))"])("jams no rows that read %s as well", (read) => {
    expect(jammedText(overwriting(read))).toMatch("reads what another iteration may store");
  });

  it.each<[string, LoopKernel, Run, string]>([
    ["a vector around a loop", rowsAndColumns, vector, "x0 has loops in it that are not unrolled"],
    [
      "a jam around no vector",
      rowsAndColumns,
      { kind: "jam", copies: 4 },
      "x0 has more in it than one vector",
    ],
    [
      "to unroll so many as a size says",
      doubled,
      { kind: "unrolled" },
      "x0 has an extent that is not in the text",
    ],
    [
      "to unroll a loop around one that is not",
      kernelOf("\nfor x0 < 2\n  for x1 < n0\n    b1[((x0 * n0) + x1)] = 1:float32", 1),
      { kind: "unrolled" },
      "x0 has loops in it that are not unrolled",
    ],
    [
      "a vector of what one iteration hands to the next",
      kernelOf("\nfor x0 < n0\n  v0: float32 = b1[x0]\n  b1[(x0 + 1)] = v0", 1),
      vector,
      "x0 reads what another iteration may store",
    ],
    [
      "parallel iterations that are in order",
      kernelOf("\nfor x0 < n0 in order\n  b1[0] += 1:float32", 1),
      { kind: "parallel" },
      "x0 is in order",
    ],
  ])("refuses %s", (_, kernel, run, why) => {
    expect(stepped(kernel, (loop) => runAs(loop, run))).toBe(why);
  });
});
