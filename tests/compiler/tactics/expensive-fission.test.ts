/** Which parts of expensive work are loops of their own: loops in, loops out. */
import { parseLoopKernel, printLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { expensiveFission } from "../../../packages/compiler/src/tactics/expensive-fission.ts";
import { kernelFunction } from "../../differential/kernel-function.ts";
import { expectSameBits, kernelOf, scheduledBy } from "./kernels.ts";

const dtypes = ["int64", "float32", "float32"];

const gatherTanh = `
for x0 < n0
  i0 = (x0 * n1)
  for x1 < n1
    v1: int64 = b0[(i0 + x1)]
    i2 = index.int64 v1 < n2 of axis 0 @ (i0 + x1)
    v3: float32 = b1[((i2 * n0) + x0)]
    v4: float32 = tanh.float32(v3)
    b2[(i0 + x1)] = v4`;

const gatherExpSum = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1
    a0 = sum float32 -> float32 lanes 8
    v1: int64 = b0[(i0 + x1)]
    i2 = index.int64 v1 < n2 of axis 0 @ (i0 + x1)
    v3: float32 = b1[i2]
    v4: float32 = tanh.float32(v3)
    a0[0] <- v4 @ 0
  v5: float32 = result a0[0]
  b2[x0] = v5`;

const given = (body: string): string =>
  printLoopKernel(scheduledBy(expensiveFission, kernelOf(body, 3, dtypes)));

it("counters are computed in the part that reads them, where random words are seen to follow one another", () => {
  const body = `
for x0 < n0
  v0: float32 = b1[x0]
  v1: float64 = index x0
  v2: float64 = mul.float64(v1, 2:float64)
  v3: float32 = tanh.float32(v0)
  v4: float32 = randomNormal.float64(v2, 1:float64, 2:float64)
  v5: float32 = add.float32(v3, v4)
  b2[x0] = v5`;
  expect(given(body)).toMatchInlineSnapshot(`
    "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
      for x1 < (((n0 + 512) + -1) / 512) parallel
        i6 = (x1 * 512)
        i7 = ((n0 + (i6 * -1)) min 512)
        for x3 < i7
          v0: float32 = b1[(i6 + x3)]
          v3: float32 = tanh.float32(v0)
          b3[x3] = v3
        for x4 < i7
          v8: float32 = b3[x4]
          v1: float64 = index (i6 + x4)
          v2: float64 = mul.float64(v1, 2:float64)
          v4: float32 = randomNormal.float64(v2, 1:float64, 2:float64)
          v5: float32 = add.float32(v8, v4)
          b2[(i6 + x4)] = v5"
  `);
});

it("long functions stand in loops of their own, though several of their values wait for a second result", () => {
  const steps = Array.from({ length: 6 }, (_, k) => [
    `  v${10 * k + 3}: float64 = add.float64(v2, ${k}:float64)`,
    `  v${10 * k + 4}: float32 = randomNormal.float64(v${10 * k + 3}, 1:float64, 2:float64)`,
    `  v${10 * k + 5}: float32 = add.float32(v${k === 0 ? 0 : 10 * k - 5}, v${10 * k + 4})`,
  ]).flat();
  const most = Array.from(
    { length: 6 },
    (_, k) => `  v${100 + k}: float32 = maximum.float32(v${k === 0 ? 0 : 99 + k}, v${10 * k + 5})`,
  );
  const body = `for x0 < n0
  v0: float32 = b1[x0]
  v1: float64 = index x0
  v2: float64 = mul.float64(v1, 2:float64)
${steps.join("\n")}
  b2[x0] = v55
${most.join("\n")}
  b2[(x0 + n1)] = v105`;
  const loops = given(body)
    .split(/for x\d+ < i/)
    .slice(1);
  expect(loops.map((loop) => loop.match(/randomNormal/g)?.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

describe("lookups", () => {
  it("of a block come first, and what they find waits", () => {
    expect(given(gatherTanh)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
        for x0 < n0 parallel
          i0 = (x0 * n1)
          for x2 < (((n1 + 512) + -1) / 512) parallel
            i5 = (x2 * 512)
            i6 = ((n1 + (i5 * -1)) min 512)
            for x4 < i6
              v1: int64 = b0[(i0 + (i5 + x4))]
              i2 = index.int64 v1 < n2 of axis 0 @ (i0 + (i5 + x4))
              v3: float32 = b1[((i2 * n0) + x0)]
              b3[x4] = v3
            for x5 < i6
              v7: float32 = b3[x5]
              v4: float32 = tanh.float32(v7)
              b2[(i0 + (i5 + x5))] = v4"
    `);
  });

  it("of a fold come first for all of its row", () => {
    expect(given(gatherExpSum)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x n1; sizes 3; )
        for x0 < n0
          i0 = (x0 * n1)
          for x2 < n1
            v1: int64 = b0[(i0 + x2)]
            i2 = index.int64 v1 < n2 of axis 0 @ (i0 + x2)
            v3: float32 = b1[i2]
            b3[x2] = v3
          reduce x3 < n1
            a0 = sum float32 -> float32 lanes 8
            v6: float32 = b3[x3]
            v4: float32 = tanh.float32(v6)
            a0[0] <- v4 @ 0
          v5: float32 = result a0[0]
          b2[x0] = v5"
    `);
  });

  it.each<[string, string]>([
    ["the work is cheap", gatherTanh.replace("tanh", "neg")],
    ["rows are short", gatherTanh.replace("x1 < n1", "x1 < 100")],
    ["iterations are in order", gatherTanh.replace("x1 < n1", "x1 < n1 in order")],
    ["it is stored where was looked", gatherTanh.replace("b2[(i0 + x1)]", "b2[i2]")],
    ["it is added to what stands there", gatherTanh.replace("] = v4", "] += v4")],
  ])("stay where %s", (_, body) => {
    expect(given(body)).not.toContain("private");
  });

  it.each([gatherTanh, gatherExpSum])("give the same bits, for rows of any length", (body) => {
    const kernel = kernelOf(body, 3, dtypes);
    const sizes = [1, 3, 130, 511, 512, 513, 1_030].map((n) => [3, n, 128]);
    expectSameBits(kernel, scheduledBy(expensiveFission, kernel), sizes, 4_000);
  });

  it("fail where they did", () => {
    const scheduled = scheduledBy(expensiveFission, kernelOf(gatherTanh, 3, dtypes));
    for (const emitter of ["closure", "wasm", "js"] as const) {
      const indexes = new BigInt64Array(2_000);
      indexes[1_700] = 5n;
      const arrays = [indexes, new Float32Array(2_000), new Float32Array(2_000)];
      expect(() => kernelFunction(scheduled, "kernel", emitter)(arrays, [2, 1_000, 5], [])).toThrow(/5/);
    }
  });
});

const chain = `
for x0 < n0
  v1: float32 = b1[x0]
  v2: float32 = exp.float32(v1)
  v3: float32 = add.float32(v2, v1)
  v4: float32 = tanh.float32(v3)
  b2[x0] = v4`;

const sumOfChain = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1
    a0 = sum float32 -> float32 lanes 8
    v1: float32 = b1[(i0 + x1)]
    v2: float32 = exp.float32(v1)
    a0[0] <- v2 @ 0
    v3: float32 = sin.float32(v2)
    a0[0] <- v3 @ 0
  v4: float32 = result a0[0]
  b2[x0] = v4`;

const gates = `
for x0 < n0
  v1: float32 = b1[x0]
  v2: float32 = b1[(x0 + n1)]
  v3: float32 = b1[(x0 + n2)]
  v4: float32 = sigmoid.float32(v1)
  v5: float32 = tanh.float32(v2)
  v6: float32 = mul.float32(v4, v5)
  v7: float32 = add.float32(v6, v3)
  b2[x0] = v7`;

const normalised = `
for x0 < n0
  i0 = (x0 * n1)
  reduce x1 < n1
    a0 = sum float32 -> float32 lanes 8
    v1: float32 = b1[(i0 + x1)]
    a0[0] <- v1 @ 0
  v2: float32 = result a0[0]
  for x2 < n1
    v3: float32 = b1[(i0 + x2)]
    v4: float32 = add.float32(v2, v3)
    v5: float32 = sin.float32(v4)
    v6: float32 = exp.float32(v5)
    b2[(i0 + x2)] = v6`;

describe("expensive functions", () => {
  it("wait for one that they rest on, a block of elements at a time", () => {
    expect(given(chain)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
        for x1 < (((n0 + 512) + -1) / 512) parallel
          i5 = (x1 * 512)
          i6 = ((n0 + (i5 * -1)) min 512)
          for x3 < i6
            v1: float32 = b1[(i5 + x3)]
            v2: float32 = exp.float32(v1)
            v3: float32 = add.float32(v2, v1)
            b3[x3] = v3
          for x4 < i6
            v7: float32 = b3[x4]
            v4: float32 = tanh.float32(v7)
            b2[(i5 + x4)] = v4"
    `);
  });

  it("of a fold wait for all of its row, and what is folded comes last", () => {
    expect(given(sumOfChain)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x n1; sizes 3; )
        for x0 < n0
          i0 = (x0 * n1)
          for x2 < n1
            v1: float32 = b1[(i0 + x2)]
            v2: float32 = exp.float32(v1)
            b3[x2] = v2
          reduce x3 < n1
            a0 = sum float32 -> float32 lanes 8
            v5: float32 = b3[x3]
            v3: float32 = sin.float32(v5)
            a0[0] <- v5 @ 0
            a0[0] <- v3 @ 0
          v4: float32 = result a0[0]
          b2[x0] = v4"
    `);
  });

  it("of the rows behind a fold wait too", () => {
    expect(given(normalised)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
        for x0 < n0
          i0 = (x0 * n1)
          reduce x1 < n1
            a0 = sum float32 -> float32 lanes 8
            v1: float32 = b1[(i0 + x1)]
            a0[0] <- v1 @ 0
          v2: float32 = result a0[0]
          for x3 < (((n1 + 512) + -1) / 512)
            i7 = (x3 * 512)
            i8 = ((n1 + (i7 * -1)) min 512)
            for x5 < i8
              v3: float32 = b1[(i0 + (i7 + x5))]
              v4: float32 = add.float32(v2, v3)
              v5: float32 = sin.float32(v4)
              b3[x5] = v5
            for x6 < i8
              v9: float32 = b3[x6]
              v6: float32 = exp.float32(v9)
              b2[(i0 + (i7 + x6))] = v6"
    `);
  });

  it.each<[string, string]>([
    ["both are short and rest on no other", chain.replace("tanh.float32(v3)", "sin.float32(v1)")],
    ["one is cheap", chain.replace("tanh", "neg")],
    ["more would wait than is gained", manyWait()],
  ])("stay together where %s", (_, body) => {
    expect(given(body)).not.toContain("private");
  });

  it.each(["int16", "int32", "int64"])(
    "stand apart from casts to %s, which branch or go lane by lane",
    (to) => {
      const cast = chain.replace("v4: float32 = tanh.float32(v3)", `v4: ${to} = cast.float32(v3)`);
      expect(
        printLoopKernel(scheduledBy(expensiveFission, kernelOf(cast, 2, ["int64", "float32", to]))),
      ).toContain("private float32 x 512");
    },
  );

  it("that need many registers stand apart from each other, and each loads what it reads", () => {
    expect(given(gates)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
        for x1 < (((n0 + 512) + -1) / 512) parallel
          i8 = (x1 * 512)
          i9 = ((n0 + (i8 * -1)) min 512)
          for x3 < i9
            v1: float32 = b1[(i8 + x3)]
            v4: float32 = sigmoid.float32(v1)
            b3[x3] = v4
          for x4 < i9
            v10: float32 = b3[x4]
            v2: float32 = b1[((i8 + x4) + n1)]
            v5: float32 = tanh.float32(v2)
            v6: float32 = mul.float32(v10, v5)
            v3: float32 = b1[((i8 + x4) + n2)]
            v7: float32 = add.float32(v6, v3)
            b2[(i8 + x4)] = v7"
    `);
  });

  it("load nothing behind a store, which may be to the same memory", () => {
    const text = given(gates.replace("  v4:", "  b2[(x0 + n1)] = v1\n  v4:"));
    expect(text.lastIndexOf("= b1[")).toBeLessThan(text.indexOf("b2[("));
  });

  it.each([chain, gates, sumOfChain, normalised])("give the same bits, for rows of any length", (body) => {
    const kernel = kernelOf(body, 3, dtypes);
    const sizes = [1, 3, 130, 511, 512, 513, 1_030].map((n) => [3, n, 128]);
    expectSameBits(kernel, scheduledBy(expensiveFission, kernel), sizes, 4_000);
  });
});

const scattered = `
for x0 < n0 in order
  i0 = (x0 * n1)
  for x1 < n1 in order
    v1: int64 = b0[(i0 + x1)]
    v2: float32 = b1[(i0 + x1)]
    v3: float32 = exp.float32(v2)
    i4 = index.int64 v1 < n2 of axis 0 @ (i0 + x1)
    b2[i4] += v3`;

describe("expensive work that is scattered", () => {
  it("is done in any order before a block is stored in its own", () => {
    expect(given(scattered)).toMatchInlineSnapshot(`
      "kernel(b0: read int64, b1: read float32, b2: write float32, b3: private float32 x 512; sizes 3; )
        for x0 < n0 in order
          i0 = (x0 * n1)
          for x2 < (((n1 + 512) + -1) / 512) in order
            i5 = (x2 * 512)
            i6 = ((n1 + (i5 * -1)) min 512)
            for x4 < i6
              v1: int64 = b0[(i0 + (i5 + x4))]
              v2: float32 = b1[(i0 + (i5 + x4))]
              v3: float32 = exp.float32(v2)
              b3[x4] = v3
            for x5 < i6 in order
              v7: int64 = b0[(i0 + (i5 + x5))]
              v8: float32 = b3[x5]
              i4 = index.int64 v7 < n2 of axis 0 @ (i0 + (i5 + x5))
              b2[i4] += v8"
    `);
  });

  it("stays where it is, if it reads what is stored", () => {
    expect(given(scattered.replace("b1[(i0 + x1)]", "b2[(i0 + x1)]"))).not.toContain("private");
  });

  it("gives the same bits, for rows of any length", () => {
    const kernel = kernelOf(scattered, 3, dtypes);
    const sizes = [1, 3, 130, 511, 512, 513, 1_030].map((n) => [3, n, 128]);
    expectSameBits(kernel, scheduledBy(expensiveFission, kernel), sizes, 4_000);
  });
});

const binned = `
for x0 < n0 in order
  i0 = (x0 * n1)
  v1: int64 = b0[x0]
  v2: int64 = remainder.int64(v1, 7:int64)
  for x1 < n1 in order
    v3: float32 = b1[(i0 + x1)]
    i4 = index.int64 v2 < n2 of axis 0 @ (i0 + x1)
    b2[(x1 + (i4 * n1))] += v3`;

const flat = `
for x0 < n0 in order
  v1: int64 = b0[x0]
  v2: int64 = bitwiseAnd.int64(v1, 15:int64)
  v3: float32 = b1[x0]
  i4 = index.int64 v2 < n2 of axis 0 @ x0
  b2[i4] max= v3`;

describe("places of a scatter", () => {
  it.each([binned, flat])("are computed in any order before a block is stored in its own", (body) => {
    const text = given(body);
    expect(text).toContain("private int64 x 512");
    expect(text.split("in order").length).toBe(body.split("in order").length + 1);
  });

  it("stay where they are, if they are loaded", () => {
    const loaded = flat.replace("bitwiseAnd.int64(v1, 15:int64)", "b0[(x0 + 1)]");
    expect(given(loaded)).not.toContain("private");
  });

  it.each([binned, flat])("give the same bits, for rows of any length", (body) => {
    const kernel = kernelOf(body, 3, dtypes);
    const sizes = [1, 3, 130, 511, 512, 513, 1_030].map((n) => [n, 2, 128]);
    expectSameBits(kernel, scheduledBy(expensiveFission, kernel), sizes, 4_000);
  });
});

describe("rows that are folded", () => {
  const kernel =
    parseLoopKernel(`kernel(b0: scratch float64, b1: read float32, b2: write float32, b3: write float32; sizes 2; )
  for x0 < 1
    reduce x1 < n0
      a0 = sum float32 -> float32 lanes 1 row n1 in b0 - - -
      i0 = (x1 * n1)
      for x2 < n1
        v1: float32 = b1[(i0 + x2)]
        v2: float32 = exp.float32(v1)
        b2[(i0 + x2)] = v2
        a0[x2] <- v2 @ 0
    for x3 < n1
      v3: float32 = result a0[x3]
      b3[x3] = v3`);

  it("are computed a block at a time, without the accumulators", () => {
    expect(printLoopKernel(scheduledBy(expensiveFission, kernel))).toMatchInlineSnapshot(`
      "kernel(b0: scratch float64, b1: read float32, b2: write float32, b3: write float32, b4: private float32 x 512; sizes 2; )
        for x0 < 1
          reduce x1 < n0
            a0 = sum float32 -> float32 lanes 1 row n1 in b0 - - -
            i0 = (x1 * n1)
            for x4 < (((n1 + 512) + -1) / 512)
              i4 = (x4 * 512)
              i5 = ((n1 + (i4 * -1)) min 512)
              for x6 < i5
                v1: float32 = b1[(i0 + (i4 + x6))]
                v2: float32 = exp.float32(v1)
                b2[(i0 + (i4 + x6))] = v2
                b4[x6] = v2
              for x7 < i5
                v6: float32 = b4[x7]
                a0[(i4 + x7)] <- v6 @ 0
          for x3 < n1
            v3: float32 = result a0[x3]
            b3[x3] = v3"
    `);
  });

  it("stay whole where nothing in them is expensive", () => {
    const cheap = parseLoopKernel(printLoopKernel(kernel).replace("exp.float32", "neg.float32"));
    expect(printLoopKernel(scheduledBy(expensiveFission, cheap))).toBe(printLoopKernel(cheap));
  });

  it("give the same bits, of any length", () => {
    const sizes = [1, 3, 130, 511, 512, 513, 1_030].map((n) => [5, n]);
    expectSameBits(kernel, scheduledBy(expensiveFission, kernel), sizes, 5_200);
  });
});

/** Four values and more are read on both sides. */
function manyWait(): string {
  const front = [2, 3, 4, 5].map((k) => `  v${k}: float32 = ${k === 2 ? "exp" : "neg"}.float32(v${k - 1})`);
  const back = [3, 4, 5].map((k) => `  v${k + 4}: float32 = add.float32(v${k + 3}, v${k})`);
  return [
    "",
    "for x0 < n0",
    "  v1: float32 = b1[x0]",
    ...front,
    "  v6: float32 = tanh.float32(v2)",
    ...back,
    "  b2[x0] = v9",
  ].join("\n");
}
