/** Products beside what the loops around them are scheduled for, and those in rows of accumulators that are no matrix product. */
import { compileWasm } from "@fuseau/compiler";
import { expect, test } from "vitest";
import { wasmOnHeap } from "../../differential/wasm-on-heap.ts";
import { kernelOf, runner } from "../tactics/kernels.ts";

const body = `
for x0 < n0
  reduce x1 < n1
    a0 = dot float32 -> float32 lanes 1 row n2 in b3 - - -
    i0 = (((x0 * n1) + x1) * n2)
    for x2 < n2
      v1: float32 = b0[(i0 + x2)]
      v2: float32 = b1[(i0 + x2)]
      a0[x2] <- v1, v2 @ 0
  for x3 < n2
    v3: float32 = result a0[x3]
    b2[((x0 * n2) + x3)] = v3
`;

/** Blocks of the order. */
const BLOCK = 256;

test.each([
  [2, 700, 37],
  [3, 5, 9],
  [1, BLOCK, 8],
  [2, 515, 10],
  [2, 0, 10],
])(
  "%i rows of %i products for each of %i columns are summed in the order of matrix products",
  (rows, depth, columns) => {
    const kernel = kernelOf(body, 3, ["float32", "float32", "float32"]);
    const scratch = { dtype: "float64", access: "scratch" } as const;
    const loop = { ...kernel, buffers: [...kernel.buffers, scratch] };
    const run = wasmOnHeap(loop, compileWasm(loop, "kernel", { shared: false, relaxed: false }));
    const numbers = (start: number): Float32Array =>
      Float32Array.from({ length: rows * depth * columns }, (_, i) => Math.sin(start + i));
    const [x, y] = [numbers(1), numbers(2)];
    const result = new Float32Array(rows * columns);
    run([x, y, result, new Float64Array(columns)], [rows, depth, columns], []);
    const expected = Float32Array.from(result, (_, cell) => {
      const first = Math.floor(cell / columns) * depth * columns + (cell % columns);
      let total = 0;
      for (let begin = 0; begin < depth; begin += BLOCK) {
        let sum = 0;
        for (let k = begin; k < Math.min(depth, begin + BLOCK); k++) {
          const at = first + k * columns;
          sum = Math.fround(sum + Math.fround(x[at]! * y[at]!));
        }
        total = Math.fround(total + sum);
      }
      return total;
    });
    expect(result).toEqual(expected);
  },
);

/** A short product in a loop that is cut where its test changes. */
const cut = `
for x0 < n0
  for x1 < n1
    v0: float32 = b1[x1] if x1 < n2
    reduce x2 < 3
      a0 = dot float32 -> float32 lanes 1
      v1: float32 = b0[((x0 * 3) + x2)]
      v2: float32 = b1[((x1 * 3) + x2)]
      v4: float32 = mul.float32(v2, v0)
      a0[0] <- v1, v4 @ 0
    v3: float32 = result a0[0]
    b2[((x0 * n1) + x1)] = v3
`;

test.each([
  [9, 30, 20],
  [1, 30, 7],
  [20, 5, 5],
])("a product whose columns are tested is one: %i rows, %i columns, %i of them there", (...sizes) => {
  const kernel = kernelOf(cut, 3, ["float32", "float32", "float32"]);
  const { source } = compileWasm(kernel, "kernel", { shared: false, relaxed: false });
  expect(source()).toContain("func phase0_pack0");
  expect(runner(kernel, "wasm")(sizes, 4096)).toBe(runner(kernel, "closure")(sizes, 4096));
});

/** Short products in a scan, one of them at a place that is looked up. */
const scanned = `
for x0 < n0
  scan x1 < n1
    a0 = lastArgmax float32 -> int64 lanes 1
    reduce x2 < 5
      a1 = dot float32 -> float32 lanes 1
      v1: float32 = b0[((x0 * 5) + x2)]
      v2: float32 = b1[(x1 + (x2 * n1))]
      a1[0] <- v1, v2 @ 0
    v3: float32 = result a1[0]
    a0[0] <- v3 @ x1
    v4: int64 = result a0[0]
    i6 = index.int64 v4 < n1 of axis 1 @ ((x0 * n1) + x1)
    reduce x3 < 5
      a2 = dot float32 -> float32 lanes 1
      v7: float32 = b0[((x0 * 5) + x3)]
      v8: float32 = b1[((x3 * n1) + i6)]
      a2[0] <- v7, v8 @ 0
    v9: float32 = result a2[0]
    b2[((x0 * n1) + x1)] = v9
`;

test("where relaxed SIMD may round a product and its sum once, no product is rounded by itself", () => {
  const kernel = kernelOf(scanned, 2, ["float32", "float32", "float32"]);
  const lines = (relaxed: boolean, op: string): number =>
    compileWasm(kernel, "kernel", { shared: false, relaxed }).source().split(`f32x4.${op}\n`).length - 1;
  expect(lines(false, "mul")).toBeGreaterThan(0);
  expect(lines(true, "relaxed_madd")).toBeGreaterThan(0);
  expect(lines(true, "mul")).toBe(0);
});
