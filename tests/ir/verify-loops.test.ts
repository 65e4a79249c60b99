/** The verifier of the loop IR: each kind of broken kernel is refused, with the kernel in the message. */
import { InternalError, parseLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";

/** Rows are scaled by their sum, padded, and put in order; a column is scattered. */
const valid = `
kernel(b0: read float32, b1: write float32, b2: scratch float32, b3: scratch int32, b4: read int64; sizes 4; c0: float32)
  i0 = (n0 * n1)
  for x0 < n0
    i1 = (x0 * n2)
    reduce x1 < n1
      a0 = sum float32 -> float32 lanes 8
      row
        i2 = (i1 + 1)
      v3: float32 = b0[(i1 + x1)]
      a0[0] <- v3 @ x1
    v4: float32 = result a0[0]
    for x2 < n1
      v5: float32 = b0[(i1 + x2)] if 1 <= x2 < n3
      v6: float32 = div.float32(v5, v4)
      v7: float32 = select v6 if x2 < 5, else c0
      b1[(i1 + x2)] = v7
  for x3 < n0 in order
    v8: int64 = b4[x3]
    i9 = index.int64 v8 < n0 of axis 0 @ x3
    b1[i9] += c0
  scan x4 < n0
    a1 = sum float32 -> float32 lanes 1
    a1[0] <- c0 @ 0
    v10: float32 = result a1[0]
    b2[x4] = v10
  b3 = first n1 of order of b2 < n0
`;

/** Work items that fill memory of their own and read it. */
const scheduled = `
kernel(b0: read float32, b1: write float32, b2: private float32 x (4 * n1); sizes 3; )
  for x0 < n0 parallel
    i0 = (x0 * n1)
    for x1 < n2 jam 4
      for x2 < n1 vector 4 x 2
        v1: float32 = b0[(i0 + x2)]
        b2[x2] = v1
    for x3 < n1 vector 4
      v2: float32 = b2[x3]
      b1[(i0 + x3)] = v2
    for x4 < n1 vector 4
      for x5 < 3 unrolled
        b1[((i0 + x4) + x5)] = 1:float32
    for x6 < n0
      v3: float32 = b2[x6]
`;

describe("verifyLoopKernel", () => {
  it("accepts a kernel of every kind of statement", () => {
    expect(() => verifyLoopKernel(parseLoopKernel(valid))).not.toThrow();
  });

  it.each<[what: string, line: string, broken: string, fault: string]>([
    ["a size that is no parameter", "x0 < n0", "x0 < n4", "size slot n4"],
    ["a scalar that is no parameter", "else c0", "else c1", "scalar c1"],
    ["a store into no parameter", "b1[(i1 + x2)] = v7", "b9[(i1 + x2)] = v7", "buffer b9"],
    ["a load from no parameter", "b0[(i1 + x1)]", "b9[(i1 + x1)]", "buffer b9"],
    ["a store into what is only read", "b1[(i1 + x2)] = v7", "b0[(i1 + x2)] = v7", "b0 is only read"],
    ["an axis in its own extent", "for x0 < n0", "for x0 < x0", "axis x0 is not known here"],
    ["an axis behind its loop", "i0 = (n0 * n1)", "i0 = (x0 * n1)", "axis x0 is not known here"],
    ["an integer that is not defined", "b1[(i1 + x2)] = v7", "b1[i99] = v7", "integer i99 is not known here"],
    ["an integer out of its block", "b1[(i1 + x2)] = v7", "b1[i2] = v7", "integer i2 is not known here"],
    ["a value that is not defined", "= v7", "= v99", "value v99 is not known here"],
    ["an integer taken for a value", "= v7", "= v1", "value v1 is not known here"],
    ["a value taken for an integer", "b1[(i1 + x2)] =", "b1[i7] =", "integer i7 is not known here"],
    ["a value before its definition", "div.float32(v5, v4)", "div.float32(v7, v4)", "value v7 is not known"],
    [
      "a value of another loop",
      "v8: int64 = b4[x3]",
      "v8: int64 = cast.float32(v6)",
      "value v6 is not known",
    ],
    ["a local defined twice", "v8: int64", "v7: int64", "local 7 is defined twice"],
    ["an axis opened within itself", "for x2 < n1", "for x0 < n1", "axis x0 is open already"],
    ["too many operands", "div.float32(v5, v4)", "div.float32(v5, v4, v4)", "div of 3 operands"],
    ["too few operands", "div.float32(v5, v4)", "div.float32(v5)", "div of 1 operands"],
    ["a result within its loop", "a0[0] <- v3 @ x1", "v11: float32 = result a0[0]", "a0 is read before its"],
    ["a result of no loop", "result a0[0]", "result a9[0]", "a9 is read before its loop ends"],
    ["a fold outside its loop", "a0[0] <- v3", "a1[0] <- v3", "accumulator a1 has no loop here"],
    ["a fold of what is not defined", "a0[0] <- v3", "a0[0] <- v99", "value v99 is not known here"],
    ["a test of what is not defined", "if 1 <= x2", "if i99 <= x2", "integer i99 is not known here"],
    [
      "a sort that gives nothing",
      "b3 = first n1 of order of b2 < n0",
      "b2 < n0",
      "a sort that gives nothing",
    ],
    [
      "a sort of all keys that gives the first places",
      "order of b2",
      "order of sorted b2",
      "a sort of all keys that gives the first places",
    ],
    ["a sort of what is no scratch", "order of b2", "order of b1", "b1 is no scratch"],
    ["an order that is not int32", "b3 = first", "b2 = first", "places of b2"],
    [
      "blocks that are no power of 2",
      "c0: float32)",
      "c0: float32; blocks of 96, chunks of 16)",
      "blocks of 96",
    ],
    [
      "chunks that do not divide blocks",
      "c0: float32)",
      "c0: float32; blocks of 64, chunks of 48)",
      "chunks of 48",
    ],
    [
      "chunks that lanes do not fill",
      "c0: float32)",
      "c0: float32; blocks of 64, chunks of 8)",
      "chunks of 8",
    ],
    ["a sort of no such length", "first n1", "first n9", "size slot n9"],
  ])("refuses %s", (_, line, broken, fault) => {
    const text = valid.replace(line, broken);
    expect(text).not.toBe(valid);
    const check = (): void => verifyLoopKernel(parseLoopKernel(text));
    expect(check).toThrow(InternalError);
    expect(check).toThrow(fault);
    expect(check).toThrow(/kernel\(b0: /);
  });

  it("accepts a schedule", () => {
    expect(() => verifyLoopKernel(parseLoopKernel(scheduled))).not.toThrow();
  });

  it.each<[what: string, line: string, broken: string, fault: string]>([
    ["parallel iterations in order", "n0 parallel", "n0 in order parallel", "x0 is in order and parallel"],
    ["parallel iterations of others", "x3 < n1 vector 4", "x3 < n1 parallel", "x3 is parallel within a loop"],
    ["parallel loops beside each other", "x1 < n2 jam 4", "x1 < n2 parallel", "x1 is parallel within a loop"],
    ["a vector of three lanes", "vector 4 x 2", "vector 3 x 2", "x2 has 3 x 2 lanes"],
    [
      "a spilled loop without a fold",
      "vector 4 x 2",
      "vector 4 x 2 spilled",
      "x2 is spilled, and folds nothing",
    ],
    ["a vector around a loop", "x5 < 3 unrolled", "x5 < 3", "x4 is a vector around a loop"],
    ["to unroll so many as a size says", "x5 < 3 unrolled", "x5 < n1 unrolled", "the extent of x5"],
    [
      "to unroll a loop around one that is not",
      "x6 < n0",
      "x6 < 2 unrolled\n      for x7 < n0\n        b1[x7] = 1:float32",
      "an unrolled loop is around",
    ],
    ["a jam of one", "jam 4", "jam 1", "x1 is jammed 1 times"],
    ["a jam around no vector", "vector 4 x 2", "", "x1 is jammed around something other than one vector"],
    ["what is bound behind private memory", "; sizes 3", ", b3: write float32; sizes 3", "b3 stands behind"],
    ["cells that no size says", "float32 x (4 * n1)", "float32 x x0", "the cells of b2"],
    ["private memory that nobody filled", "b2[x2] = v1", "b1[x2] = v1", "b2 is read before its work item"],
    [
      "what another phase filled",
      "    for x6 < n0\n      v3",
      "  for x6 < n0\n    v3",
      "b2 is read before its work",
    ],
  ])("refuses %s", (_, line, broken, fault) => {
    const text = scheduled.replace(line, broken);
    expect(text).not.toBe(scheduled);
    expect(() => verifyLoopKernel(parseLoopKernel(text))).toThrow(fault);
  });

  it("refuses a literal that is no whole number, which has no text", () => {
    const kernel = parseLoopKernel(valid);
    const half = { kind: "integer", local: 0, value: { kind: "literal", value: 0.5 } } as const;
    expect(() => verifyLoopKernel({ ...kernel, body: [half] })).toThrow("literal 0.5");
  });
});
