/** Lanes without an element: what they read counts for nothing, and they write nothing. Bits are those of single elements, and of folds that are spilled. */
import { allocate, type DType, type TypedArray, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { kernelFunction } from "../../differential/kernel-function.ts";
import { kernelOf } from "./kernels.ts";

const ROWS = 3;
const NUMBERS = [-0, 3.5, -7, 0, 12, NaN, -0, -Infinity, 1e30, 2, -1e-40, 5, Infinity];

/** What is read, in rows that follow each other: of numbers alone, the signs of whose zeros differ, or of all kinds. */
function elements(dtype: DType, cells: number, kind: "all" | "finite" | "zeros"): TypedArray {
  const array = allocate(dtype, cells);
  const numbers = NUMBERS.filter((x) => kind === "all" || (kind === "finite" ? Number.isFinite(x) : x === 0));
  for (let k = 0; k < cells; k++) {
    const x = numbers[(k * 5) % numbers.length]!;
    array[k] = dtype === "bool" ? Number(x > 0) : x;
  }
  return array;
}

/** What a body writes for rows of `length` elements, of the loops that `vector` names. */
function written(body: string, [from, to]: readonly [DType, DType], vector: string) {
  const kernel = kernelOf(body.replace("VECTOR", vector), 2, [from, to]);
  verifyLoopKernel(kernel);
  const run = kernelFunction(kernel, "kernel", "wasm");
  return (length: number, kind: "all" | "finite" | "zeros"): TypedArray => {
    const output = allocate(to, 2 * ROWS * 50);
    for (let k = 0; k < output.length; k++) output[k] = to === "int64" ? 77n : 77;
    run([elements(from, 2 * ROWS * 50, kind), output], [ROWS, length], []);
    return output;
  };
}

const MASKED = [
  "vector 4 masked 4",
  "vector 4 x 2 masked 4",
  "vector 4 x 4 masked 8",
  "vector 4 x 4 masked 16",
];

function expectSame(body: string, dtypes: readonly [DType, DType], plain: string, masked = MASKED): void {
  const expected = written(body, dtypes, plain);
  for (const vector of masked) {
    const given = written(body, dtypes, vector);
    for (let length = 0; length <= 37; length++)
      for (const kind of ["all", "finite", "zeros"] as const)
        expect(given(length, kind), `${vector}, rows of ${length}, ${kind}`).toEqual(expected(length, kind));
  }
}

describe("lanes without an element", () => {
  it.each<[string, DType, DType]>([
    ["sum", "float32", "float32"],
    ["sum", "float16", "float16"],
    ["sum", "int32", "int64"],
    ["sum", "uint8", "int64"],
    ["sum", "bool", "int64"],
    ["max", "float32", "float32"],
    ["min", "float16", "float16"],
    ["max", "int32", "int32"],
    ["any", "float32", "bool"],
    ["all", "int32", "bool"],
    ["argmax", "float32", "int64"],
    ["argmin", "int32", "int64"],
  ])("are nothing to the %s of %s", (fold, from, to) => {
    expectSame(
      `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1 VECTOR
    a0 = ${fold} ${from} -> ${to} lanes 8
    v1: ${from} = b0[(i0 + x1)]
    a0[0] <- v1 @ x1
  v2: ${to} = result a0[0]
  b1[x0] = v2`,
      [from, to],
      "vector 4 x 4",
      [...MASKED, "vector 4 x 4 spilled", "vector 4 x 2 masked 4 spilled"],
    );
  });

  it("are nothing to a compensated sum", () => {
    const body = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1 VECTOR
    a0 = sum float64 -> float64 lanes 8
    v1: float64 = b0[(i0 + x1)]
    a0[0] <- v1 @ x1
  v2: float64 = result a0[0]
  b1[x0] = v2`;
    expectSame(body, ["float64", "float64"], "vector 2 x 4", [
      "vector 2 x 4 masked 4",
      "vector 2 x 4 masked 8",
      "vector 2 x 4 spilled",
    ]);
  });

  it.each<[string, DType, string, string]>([
    ["neighbours", "float32", "(i0 + x1)", "(i0 + x1)"],
    ["neighbours", "float16", "(i0 + x1)", "(i0 + x1)"],
    ["neighbours", "uint8", "(i0 + x1)", "(i0 + x1)"],
    ["neighbours", "bool", "(i0 + x1)", "(i0 + x1)"],
    ["every second element", "float32", "(i0 + (x1 * 2))", "(i0 + (x1 * 2))"],
    ["elements a row apart", "float32", "(x0 + (x1 * n0))", "(x0 + (x1 * n0))"],
    ["elements from the last to the first", "float32", "((i0 + n1) + (x1 * -1))", "((i0 + n1) + (x1 * -1))"],
    ["quotients", "int16", "(i0 + (x1 / 3))", "(i0 + x1)"],
  ])("are not stored: %s of %s", (_, dtype, from, to) => {
    const body = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1 VECTOR
    v1: ${dtype} = b0[${from}]
    v2: ${dtype} = b0[${to}] if x1 < 30
    v3: ${dtype} = ${dtype === "bool" ? "logicalOr" : "add"}.${dtype}(v1, v2)
    b1[${to}] = v3`;
    expectSame(body, [dtype, dtype], "vector 1");
  });
});
