/** The emitters alone: loops in, elements out, by all three. */
import type { Emitter } from "@fuseau/compiler";
import { allocate, type LoopKernel, parseLoopKernel, type TypedArray, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { kernelFunction } from "../differential/kernel-function.ts";

type Numbers = readonly number[];

/** What the kernel writes, where what it reads is given in order; all else holds 77 when it begins. */
function run(
  loop: LoopKernel,
  emitter: Emitter,
  given: readonly Numbers[],
  cells: number,
  sizes: Numbers,
  over: NonNullable<Case["over"]> = [],
): number[][] {
  verifyLoopKernel(loop);
  const rest = [...given];
  const buffers = loop.buffers.map(({ dtype, access }): TypedArray => {
    const numbers = access === "read" ? rest.shift()! : new Array<number>(cells).fill(77);
    const array = allocate(dtype, numbers.length);
    numbers.forEach((x, k) => {
      array[k] = dtype === "int64" ? BigInt(x) : x;
    });
    return array;
  });
  for (const [written, read] of over) buffers[written] = buffers[read]!;
  kernelFunction(loop, "kernel", emitter)(
    buffers,
    sizes,
    loop.scalars.map(() => 2),
  );
  return buffers
    .filter((_, slot) => loop.buffers[slot]?.access === "write")
    .map((array) => Array.from(array as ArrayLike<number | bigint>, Number));
}

interface Case {
  readonly what: string;
  readonly loops: string;
  readonly given: readonly Numbers[];
  readonly sizes: Numbers;
  /** Buffers that are stored to, each with the one that is read and is the same memory. */
  readonly over?: readonly (readonly [number, number])[];
  readonly gives: readonly Numbers[];
}

const cases: readonly Case[] = [
  {
    what: "jammed rows look up where they read: neighbouring rows do not read neighbours",
    loops: `
      kernel(b0: read float32, b1: write float32; sizes 5; )
        for x0 < n0
          for x2 < n1 jam 2
            for x1 < n2 vector 2
              i0 = ((x1 * n1) + x2)
              v1: int32 = index x2
              i2 = index.int32 v1 < n1 of axis 0 @ x2
              v3: float32 = b0[(((x1 * n3) + x2) + (i2 * n4))]
              b1[i0] = v3`,
    // A row reads at its own place and ten further for each row.
    given: [Array.from({ length: 40 }, (_, k) => k)],
    sizes: [1, 3, 3, 5, 10],
    gives: [[0, 11, 22, 5, 16, 27, 10, 21, 32]],
  },
  {
    what: "products of rows that begin in any of 8 lanes: each lane has its own elements",
    loops: `
      kernel(b0: read float64, b1: write float64; sizes 3; )
        reduce x0 < n0, x1 < n1
          a0 = prod float64 -> float64 lanes 8
          row
            i0 = (x0 * n2)
          v1: float64 = b0[(i0 + x1)]
          a0[0] <- v1 @ 0
        v2: float64 = result a0[0]
        b1[0] = v2`,
    // Lane k of 8 has the elements k, k + 8, …: only so a huge one meets its tiny one before two huge ones meet.
    given: [Array.from({ length: 33 }, (_, k) => (k < 32 ? (k % 16 < 8 ? 1e200 : 1e-200) : 3))],
    sizes: [3, 11, 11],
    gives: [[3, 77, 77]],
  },
  {
    what: "a loop, a scalar and a constant; the rest of a buffer stays",
    loops: `
      kernel(b0: read float32, b1: write float32; sizes 1; c0: float32)
        for x0 < n0
          v0: float32 = b0[x0]
          v1: float32 = mul.float32(v0, c0)
          v2: float32 = add.float32(v1, 0.5:float32)
          b1[x0] = v2`,
    given: [[1, 2, 3, 4, 5]],
    sizes: [5],
    gives: [[2.5, 4.5, 6.5, 8.5, 10.5, 77]],
  },
  {
    what: "no iterations at all",
    loops: `
      kernel(b0: write int32; sizes 1; )
        for x0 < n0
          b0[x0] = 1:int32`,
    given: [],
    sizes: [0],
    gives: [[77, 77]],
  },
  {
    what: "integer arithmetic: transposed, divided, taken modulo, the smaller of two",
    loops: `
      kernel(b0: write int32; sizes 2; )
        for x0 < n0
          i0 = (x0 / n1)
          i1 = (x0 % n1)
          v2: int32 = index ((x0 * 10) min (n0 + 3))
          b0[((i1 * 2) + i0)] = v2`,
    given: [],
    sizes: [6, 3],
    gives: [[0, 9, 9, 9, 9, 9]],
  },
  {
    what: "a load behind a test is 0 where it fails, and reads nothing there",
    loops: `
      kernel(b0: read float32, b1: write float32; sizes 2; )
        for x0 < n0
          v0: float32 = b0[(x0 + -2)] if 2 <= x0 < n1
          b1[x0] = v0`,
    given: [[1, 2, 3]],
    sizes: [7, 5],
    gives: [[0, 0, 1, 2, 3, 0, 0]],
  },
  {
    what: "the first case whose tests hold",
    loops: `
      kernel(b0: write int32; sizes 1; )
        for x0 < n0
          v0: int32 = select 1:int32 if x0 < 2, else 2:int32 if 1 <= x0 and x0 < 4, else 3:int32
          b0[x0] = v0`,
    given: [],
    sizes: [6],
    gives: [[1, 1, 2, 2, 3, 3]],
  },
  {
    what: "values meet what stands there",
    loops: `
      kernel(b0: read int64, b1: read int32, b2: write int32; sizes 1; )
        for x0 < n0 in order
          v0: int64 = b0[x0]
          i1 = index.int64 v0 < 5 of axis 0 @ x0
          v2: int32 = b1[x0]
          b2[0] = v2
          b2[1] += v2
          b2[2] max= v2
          b2[3] min= v2
          b2[(i1 + 4)] *= v2`,
    given: [
      [0, 1, 0, 4],
      [3, -5, 2, 90],
    ],
    sizes: [4],
    gives: [[90, 77 + 90, 90, -5, 77 * 6, 77 * -5, 77, 77, 77 * 90]],
  },
  {
    what: "a reduction of rows, its result read behind it",
    loops: `
      kernel(b0: read float32, b1: write float32, b2: write int64; sizes 2; )
        for x0 < n0
          reduce x1 < n1
            a0 = sum float32 -> float32 lanes 8
            a1 = argmax float32 -> int64 lanes 1
            v0: float32 = b0[((x0 * n1) + x1)]
            a0[0] <- v0 @ 0
            a1[0] <- v0 @ x1
          v1: float32 = result a0[0]
          b1[x0] = v1
          v2: int64 = result a1[0]
          b2[x0] = v2`,
    given: [[1, 5, 2, 7, 7, 3]],
    sizes: [2, 3],
    gives: [
      [8, 17],
      [1, 0],
    ],
  },
  {
    what: "products of what rows sum to: the lane of a row is its own, whatever was folded in it",
    loops: `
      kernel(b0: read float64, b1: write float64; sizes 2; )
        reduce x0 < n0
          a0 = prod float64 -> float64 lanes 8
          i0 = (x0 * n1)
          reduce x1 < n1
            a1 = sum float64 -> float64 lanes 8
            v1: float64 = b0[(i0 + x1)]
            a1[0] <- v1 @ 0
          v2: float64 = result a1[0]
          a0[0] <- v2 @ 0
        v3: float64 = result a0[0]
        b1[0] = v3`,
    // As above: row k of 8 is huge, row k + 8 tiny.
    given: [
      Array.from({ length: 32 * 100 }, (_, k) =>
        k % 100 > 0 ? 0 : Math.floor(k / 100) % 16 < 8 ? 1e200 : 1e-200,
      ),
    ],
    sizes: [32, 100],
    gives: [[1, 77]],
  },
  {
    what: "a row of accumulators in scratch",
    loops: `
      kernel(b0: read float32, b1: write float32, b2: scratch float64; sizes 2; )
        reduce x0 < n0
          a0 = sum float32 -> float32 lanes 1 row n1 in b2 - - -
          for x1 < n1
            v0: float32 = b0[((x0 * n1) + x1)]
            a0[x1] <- v0 @ 0
        for x2 < n1
          v1: float32 = result a0[x2]
          b1[x2] = v1`,
    given: [[1, 2, 3, 10, 20, 30, 100, 200, 300]],
    sizes: [3, 3],
    gives: [[111, 222, 333]],
  },
  {
    what: "a scan is read after each element",
    loops: `
      kernel(b0: read float32, b1: write float32; sizes 1; )
        scan x0 < n0
          a0 = prod float32 -> float32 lanes 1
          v0: float32 = b0[x0]
          a0[0] <- v0 @ 0
          v1: float32 = result a0[0]
          b1[x0] = v1`,
    given: [[1, 2, 3, 4]],
    sizes: [4],
    gives: [[1, 2, 6, 24, 77]],
  },
  {
    what: "a sort of keys in scratch, and their order",
    loops: `
      kernel(b0: read float32, b1: write float32, b2: write int64, b3: scratch float32, b4: scratch int32; sizes 1; )
        for x0 < n0
          v0: float32 = b0[x0]
          b3[x0] = v0
        b4 = order of sorted b3 < n0 descending
        for x1 < n0
          v1: float32 = b3[x1]
          b1[x1] = v1
          v2: int32 = b4[x1]
          v3: int64 = cast.int32(v2)
          b2[x1] = v3`,
    given: [[2, 7, 1, 7]],
    sizes: [4],
    gives: [
      [7, 7, 2, 1],
      [1, 3, 0, 2],
    ],
  },
  {
    what: "a fold by products and another fold of what is written over what both read",
    loops: `
      kernel(b0: read float32, b1: read float32, b2: write float32, b3: write float32, b4: write float32; sizes 1; )
        reduce x0 < n0
          a0 = dot float32 -> float32 lanes 1
          a1 = sum float32 -> float32 lanes 8
          v0: float32 = b0[x0]
          v1: float32 = b1[x0]
          v2: float32 = add.float32(v0, 1:float32)
          b2[x0] = v2
          a0[0] <- v0, v1 @ 0
          a1[0] <- v2 @ 0
        v3: float32 = result a0[0]
        b3[0] = v3
        v4: float32 = result a1[0]
        b4[0] = v4`,
    given: [
      [1, 2, 3],
      [10, 10, 10],
    ],
    sizes: [3],
    over: [[2, 0]],
    gives: [[2, 3, 4], [60], [9]],
  },
  {
    what: "what is read in front of a product of rows, written over there, and used behind it",
    loops: `
      kernel(b0: read float32, b1: read float32, b2: read float32, b3: write float32, b4: write float32; sizes 3; )
        for x0 < n0
          i0 = (x0 * n1)
          v1: float32 = b0[x0]
          reduce x1 < n1
            a0 = max float32 -> float32 lanes 8
            v2: float32 = b1[(i0 + x1)]
            a0[0] <- v2 @ 0
          v3: float32 = result a0[0]
          b3[x0] = v3
          for x2 < n2
            i4 = (x2 * n1)
            reduce x3 < n1
              a1 = dot float32 -> float32 lanes 1
              v5: float32 = b1[(i0 + x3)]
              v6: float32 = sub.float32(v5, v3)
              v7: float32 = b2[(i4 + x3)]
              a1[0] <- v6, v7 @ 0
            v8: float32 = result a1[0]
            v9: float32 = mul.float32(v8, v1)
            b4[((x0 * n2) + x2)] = v9`,
    given: [
      [10, 100],
      [1, 2, 3, 4],
      [1, 0, 0, 1, 1, 1],
    ],
    sizes: [2, 2, 3],
    over: [[3, 0]],
    gives: [
      [2, 4],
      [-10, 0, -10, -100, 0, -100],
    ],
  },
  {
    what: "indexes that are written over before they are looked up",
    loops: `
      kernel(b0: read int64, b1: read int64, b2: read int32, b3: write int64, b4: write int32; sizes 2; )
        for x0 < n0
          v0: int64 = b0[x0]
          v1: int64 = b1[x0]
          b3[x0] = v1
          i2 = index.int64 v0 < n1 of axis 0 @ x0
          v3: int32 = b2[i2]
          b4[x0] = v3`,
    given: [
      [2, 1, 0, 0, 1, 2, 2, 1, 0],
      [5, 6, 7, 5, 6, 7, 5, 6, 7],
      [10, 11, 12],
    ],
    sizes: [9, 3],
    over: [[3, 0]],
    gives: [
      [5, 6, 7, 5, 6, 7, 5, 6, 7],
      [12, 11, 10, 10, 11, 12, 12, 11, 10],
    ],
  },
];

describe.each<Emitter>(["js", "closure", "wasm"])("by %s", (emitter) => {
  it.each(cases)("$what", ({ loops, given, sizes, over, gives }) => {
    const cells = Math.max(...gives.map(({ length }) => length));
    const results = run(parseLoopKernel(loops), emitter, given, cells, sizes, over);
    gives.forEach((expected, k) => {
      const rest = new Array(results[k]!.length - expected.length).fill(77);
      expect(results[k]).toEqual([...expected, ...rest]);
    });
  });

  it("an index from data that is out of range", () => {
    const loop = parseLoopKernel(`
      kernel(b0: read int64, b1: write int32; sizes 1; )
        for x0 < n0 in order
          v0: int64 = b0[x0]
          i1 = index.int64 v0 < 3 of axis 0 @ x0
          b1[i1] = 1:int32`);
    expect(() => run(loop, emitter, [[0, 1, 3]], 3, [3])).toThrow(RangeError);
    expect(() => run(loop, emitter, [[0, 1, -1]], 3, [3])).toThrow(RangeError);
  });
});
