/**
 * The accumulation order follows from the logical shape alone: 8 interleaved lanes when the last axis is reduced, else one; blocks, of
 * 2^15 elements unless another order is asked for; float64 lanes compensated; one rounding at the end. The reference states it a second time, plainly.
 */
import { type Emitter, printGraph } from "@fuseau/compiler";
import { type AccumulationOrder, type DType, defaultOrder, type Reducer } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { type Element, evaluate, plainMeaningIn } from "../differential/reference.ts";
import { runProgram } from "../differential/run-program.ts";
import { type Recorded, Recording } from "./recording.ts";

const emitters: readonly Emitter[] = ["js", "closure"];
/** Blocks so small that small sums have several; those of the usual order are tested last. */
const order: AccumulationOrder = { block: 64, chunk: 16 };
const BLOCK = order.block;

/** Numbers of both signs and of many magnitudes, so that the order in which they are added shows in the last bits. */
function noise(dtype: DType, length: number, seed = 1): Element[] {
  let state = seed * 2654435761;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length }, () => {
    const value = (next() - 0.45) * 2 ** Math.floor(next() * 24 - 12);
    if (dtype === "float32") return Math.fround(value);
    if (dtype === "int64") return BigInt(Math.floor(value * 2 ** 50));
    return dtype === "float64" ? value : Math.floor(value);
  });
}

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

interface Fold {
  readonly fn?: Reducer;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly axes: readonly number[];
  /** What stands between the input and the fold. */
  readonly through?: (g: Recording, x: Recorded) => Recorded;
}

function graphOf({ fn = "sum", dtype, shape, axes, through = (_, x) => x }: Fold) {
  const g = new Recording();
  return g.graph(g.reduce(fn, through(g, g.input(dtype, shape)), axes));
}

const scaledDown = (values: readonly Element[]): Element[] =>
  values.map((x) => Math.fround(1 + (Number(x) % 1) / 2 ** 12));

/** Both emitters, fused and alone, give what the reference's order says. */
function expectLaw(fold: Fold, elements = noise(fold.dtype, count(fold.shape)), own = order): void {
  const graph = graphOf(fold);
  const given = fold.fn === "prod" ? scaledDown(elements) : elements;
  const [expected] = evaluate(graph, [given], [], plainMeaningIn(own)) as [Element[]];
  for (const emitter of emitters) {
    for (const fusion of ["on", "none"] as const) {
      const [actual] = runProgram(graph, [given], [], emitter, { fusion, order: own }) as [Element[]];
      const differs = expected.findIndex((x, k) => !Object.is(x, actual[k]));
      if (differs < 0) continue;
      expect.fail(
        `${emitter}, fusion ${fusion}: element ${differs} is ${actual[differs]}, not ${expected[differs]}\n${printGraph(graph)}`,
      );
    }
  }
}

const lengths = [1, 7, 8, 9, 63, 64, 65, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 7];

describe("a sum of a whole row has 8 lanes and blocks", () => {
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    it.each(lengths)("of %i elements", (length) => {
      expectLaw({ dtype, shape: [length], axes: [0] });
    });
    it.each([
      [3, 9],
      [5, 64],
      [2, BLOCK + 1],
      [3, 3 * BLOCK + 11],
    ])("of each row of %i by %i", (rows, length) => {
      expectLaw({ dtype, shape: [rows, length], axes: [1] });
    });
  });
  it.each([9, BLOCK + 1])("a product too, of %i elements", (length) => {
    expectLaw({ fn: "prod", dtype: "float32", shape: [length], axes: [0] });
  });
});

describe("a sum over axes but the last has one lane, in the order of rows", () => {
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    it.each([
      [1, 3],
      [5, 4],
      [9, 7],
      [64, 16],
      [BLOCK - 1, 3],
      [BLOCK, 5],
      [BLOCK + 1, 4],
      [2 * BLOCK + 7, 2],
      [4 * BLOCK, 6],
    ])("columns of %i by %i", (rows, columns) => {
      expectLaw({ dtype, shape: [rows, columns], axes: [0] });
    });
    it("columns of a stack of matrices", () => {
      expectLaw({ dtype, shape: [3, 17, 5], axes: [1] });
      expectLaw({ dtype, shape: [200, 5, 170], axes: [0, 1] });
    });
  });
  it("a product too", () => {
    expectLaw({ fn: "prod", dtype: "float32", shape: [BLOCK + 9, 4], axes: [0] });
  });
});

describe("axes that memory does not walk as one are still one run of places", () => {
  const shapes: readonly (readonly [string, readonly number[], readonly number[]])[] = [
    ["an axis between, rows of 8", [5, 3, 8], [0, 2]],
    ["an axis between, rows of 7", [5, 3, 7], [0, 2]],
    ["an axis between, rows of 1", [9, 3, 1], [0, 2]],
    ["blocks that end within aligned rows", [130, 2, 264], [0, 2]],
    ["blocks that end within rows of 257", [130, 2, 257], [0, 2]],
    ["blocks that end within rows of 3", [12_000, 2, 3], [0, 2]],
    ["two axes between", [7, 2, 9, 2, 13], [0, 2, 4]],
    ["two axes between, blocks", [41, 2, 30, 2, 29], [0, 2, 4]],
    ["all but the last", [37, 2, 900, 3], [0, 2]],
  ];
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    it.each(shapes)("%s", (_, shape, axes) => {
      expectLaw({ dtype, shape, axes });
    });
    it("a cut of each row, whose places do not meet in memory", () => {
      const through = (g: Recording, x: Recorded): Recorded => g.slice(x, [0, 1], [1, 1], [180, 190]);
      expectLaw({ dtype, shape: [180, 192], axes: [0, 1], through });
    });
    it("read backwards", () => {
      const through = (g: Recording, x: Recorded): Recorded => g.slice(x, [178, 190], [-1, -1], [179, 190]);
      expectLaw({ dtype, shape: [179, 191], axes: [0, 1], through });
    });
  });
});

describe("memory layout and what stands around do not change a bit", () => {
  const [rows, columns] = [190, 181];

  it.each<[string, readonly number[], NonNullable<Fold["through"]>, readonly number[]]>([
    ["all of it", [columns, rows], (g, x) => g.permute(x, [1, 0]), [0, 1]],
    ["its rows", [columns, rows], (g, x) => g.permute(x, [1, 0]), [1]],
    ["its columns", [columns, rows], (g, x) => g.permute(x, [1, 0]), [0]],
  ])("a transposed input, %s: as the same values in order", (_, stored, through, axes) => {
    for (const dtype of ["float32", "float64"] as const) {
      const elements = noise(dtype, rows * columns);
      const moved = Array.from(
        elements,
        (_, flat) => elements[(flat % columns) * rows + Math.floor(flat / columns)] as Element,
      );
      expectEqualSums(
        { dtype, shape: stored, axes, through },
        elements,
        { dtype, shape: [rows, columns], axes },
        moved,
      );
    }
  });

  it("long transposed rows, whose accumulators stand in a row of 8 lanes each", () => {
    const through = (g: Recording, x: Recorded): Recorded => g.permute(x, [1, 0]);
    for (const dtype of ["float32", "float64"] as const) {
      expectLaw({ dtype, shape: [BLOCK + 11, 4], axes: [1], through });
      expectLaw({ dtype, shape: [100, 40], axes: [1], through });
    }
  });

  it.each<[string, readonly number[]]>([
    ["all of it", [0, 1]],
    ["its rows", [1]],
    ["its columns", [0]],
  ])("an expanded input, %s: as the same values repeated in memory", (_, axes) => {
    for (const dtype of ["float32", "float64"] as const) {
      const row = noise(dtype, columns);
      const repeated = Array.from({ length: rows * columns }, (_, flat) => row[flat % columns] as Element);
      const through = (g: Recording, x: Recorded): Recorded => g.expand(x, [rows, columns]);
      const whole = { dtype, shape: [rows, columns], axes };
      expectEqualSums({ dtype, shape: [columns], axes, through }, row, whole, repeated);
    }
  });

  it("a reshaped input: as the same values under that shape", () => {
    const elements = noise("float32", 66 * 700);
    const through = (g: Recording, x: Recorded): Recorded => g.reshape(x, [66, 700]);
    const whole = { dtype: "float32", shape: [66, 700], axes: [0, 1] } as const;
    expectEqualSums({ dtype: "float32", shape: [700, 66], axes: [0, 1], through }, elements, whole, elements);
  });

  it("a computed input: as its values stored", () => {
    for (const dtype of ["float32", "float64"] as const) {
      const through = (g: Recording, x: Recorded): Recorded =>
        g.pointwise("mul", g.pointwise("sqrt", g.pointwise("abs", x)), x);
      expectLaw({ dtype, shape: [BLOCK + 21], axes: [0], through });
      expectLaw({ dtype, shape: [300, 131], axes: [0, 1], through });
      expectLaw({ dtype, shape: [300, 131], axes: [0], through });
    }
  });

  it("several folds that share one loop: as each alone", () => {
    const elements = noise("float32", 203);
    const g = new Recording();
    const x = g.input("float32", [203]);
    const graph = g.graph(
      g.reduce("sum", x, [0]),
      g.reduce("max", x, [0]),
      g.reduce("argmin", x, [0]),
      g.reduce("sum", g.pointwise("mul", x, x), [0]),
    );
    const expected = evaluate(graph, [elements], [], plainMeaningIn(order));
    for (const emitter of emitters)
      expect(runProgram(graph, [elements], [], emitter, { order })).toEqual(expected);
  });

  function expectEqualSums(one: Fold, ones: Element[], other: Fold, others: Element[]): void {
    for (const emitter of emitters) {
      const [left] = runProgram(graphOf(one), [ones], [], emitter, { order }) as [Element[]];
      const [right] = runProgram(graphOf(other), [others], [], emitter, { order }) as [Element[]];
      expect(left).toEqual(right);
    }
  }
});

describe("integers are summed exactly, and wrap at 64 bits", () => {
  it.each([
    ["int32", 303, 2 ** 31 - 1],
    ["int32", 303, -(2 ** 31)],
    ["uint8", 303, 255],
    ["bool", 303, 1],
  ] as const)("%s, %i times %i", (dtype, length, value) => {
    const exact = [BigInt(length) * BigInt(value)];
    for (const emitter of emitters) {
      const graph = graphOf({ dtype, shape: [length], axes: [0] });
      expect(runProgram(graph, [new Array(length).fill(value)], [], emitter, { order })).toEqual([exact]);
      const columns = graphOf({ dtype, shape: [length, 4], axes: [0] });
      expect(runProgram(columns, [new Array(length * 4).fill(value)], [], emitter, { order })).toEqual([
        [...exact, ...exact, ...exact, ...exact],
      ]);
    }
  });
  it("int64, past its end", () => {
    for (const emitter of emitters) {
      const graph = graphOf({ dtype: "int64", shape: [3], axes: [0] });
      const top = 2n ** 63n - 1n;
      expect(runProgram(graph, [[top, 1n, 5n]], [], emitter, { order })).toEqual([[-(2n ** 63n) + 5n]]);
    }
    expectLaw({ dtype: "int64", shape: [BLOCK + 5], axes: [0] });
    expectLaw({ dtype: "int64", shape: [4 * BLOCK, 4], axes: [0] });
  });
});

describe("a float64 sum stays itself where compensation would spoil it", () => {
  const cases: readonly (readonly [string, readonly number[], number])[] = [
    ["an infinity", [1, Infinity, 2], Infinity],
    ["a negative infinity", [1, -Infinity, 1e308], -Infinity],
    ["both infinities", [Infinity, 1, -Infinity], NaN],
    ["a NaN", [1, NaN, Infinity], NaN],
    ["an overflow", [1e308, 1e308, 1e308], Infinity],
    ["nothing but −0", [-0, -0], 0],
    ["nothing", [], 0],
  ];
  it.each(cases)("%s", (_, values, sum) => {
    for (const emitter of emitters) {
      // The same lane each time (columns), and neighbouring lanes (a row).
      for (const [shape, axes] of [
        [[values.length], [0]],
        [[values.length, 1], [0]],
        [[1, values.length], [1]],
      ] as const) {
        const graph = graphOf({ dtype: "float64", shape, axes });
        expect(runProgram(graph, [values], [], emitter, { order }), `${emitter} of [${shape}]`).toEqual([
          [sum],
        ]);
      }
    }
  });
  it.each(cases)("%s in the second block", (_, values, sum) => {
    const padded = [...new Array<number>(BLOCK).fill(0), ...values];
    for (const emitter of emitters) {
      const graph = graphOf({ dtype: "float64", shape: [padded.length], axes: [0] });
      expect(runProgram(graph, [padded], [], emitter, { order })).toEqual([[sum]]);
    }
  });
});

describe("a sum is at least as accurate as pairwise summation", () => {
  /** The exact sum, by expansions that lose nothing (Shewchuk 1997). */
  function exactSum(values: readonly number[]): number {
    const parts: number[] = [];
    let count = 0;
    for (const value of values) {
      let x = value;
      let kept = 0;
      for (let k = 0; k < count; k++) {
        const part = parts[k] as number;
        const isLarger = Math.abs(x) >= Math.abs(part);
        const sum = x + part;
        const lost = isLarger ? part - (sum - x) : x - (sum - part);
        if (lost !== 0) parts[kept++] = lost;
        x = sum;
      }
      parts[kept] = x;
      count = kept + 1;
    }
    return parts.slice(0, count).reduceRight((sum, part) => sum + part, 0);
  }

  function pairwise(
    values: readonly number[],
    round: (x: number) => number,
    from = 0,
    to = values.length,
  ): number {
    if (to - from <= 8) {
      let sum = 0;
      for (let k = from; k < to; k++) sum = round(sum + (values[k] as number));
      return sum;
    }
    const middle = (from + to) >> 1;
    return round(pairwise(values, round, from, middle) + pairwise(values, round, middle, to));
  }

  const length = 100_003;
  const data: readonly (readonly [string, (k: number, random: number) => number])[] = [
    ["numbers from 0 to 1", (_, random) => random],
    ["numbers of both signs", (_, random) => random - 0.5],
    ["tenths", () => 0.1],
    ["one large number and many small", (k) => (k === 0 ? 1 : 2 ** -26)],
    ["large numbers that cancel", (k, random) => (k % 16 < 8 ? 1 : -1) * 2 ** 20 * (1 + (k % 8)) + random],
  ];
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    const round = dtype === "float32" ? Math.fround : (x: number): number => x;
    const epsilon = dtype === "float32" ? 2 ** -24 : 2 ** -53;

    it.each(data)("of %s", (_, make) => {
      let ours = 0;
      let theirs = 0;
      for (let seed = 1; seed <= 4; seed++) {
        const randoms = noiseBetween0And1(length, seed);
        const values = randoms.map((random, k) => round(make(k, random)));
        const exact = exactSum(values);
        const graph = graphOf({ dtype, shape: [length], axes: [0] });
        const [[sum]] = runProgram(graph, [values], [], "js", {}) as [[number]];
        // Half a unit in the last place of the result is what any summation may lose.
        const unavoidable = Math.abs(exact) * epsilon;
        const scale = exactSum(values.map(Math.abs));
        expect(Math.abs(sum - exact)).toBeLessThanOrEqual(
          unavoidable + Math.ceil(Math.log2(length)) * epsilon * scale,
        );
        ours += Math.max(0, Math.abs(sum - exact) - unavoidable);
        theirs += Math.max(0, Math.abs(pairwise(values, round) - exact) - unavoidable);
      }
      expect(ours).toBeLessThanOrEqual(theirs);
    });
    it("of columns of a tall matrix", () => {
      const values = noiseBetween0And1(length * 2, 3).map(round);
      const graph = graphOf({ dtype, shape: [length, 2], axes: [0] });
      const [sums] = runProgram(graph, [values], [], "js", {}) as [number[]];
      sums.forEach((sum, column) => {
        const own = values.filter((_, k) => k % 2 === column);
        const exact = exactSum(own);
        expect(Math.abs(sum - exact)).toBeLessThanOrEqual(exact * epsilon * 4);
      });
    });
  });

  function noiseBetween0And1(size: number, seed: number): number[] {
    let state = seed * 40503 + 1;
    return Array.from({ length: size }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    });
  }
});

describe("the usual order has blocks of 2^15", () => {
  const block = 2 ** 15;
  it.each(["float32", "float64"] as const)("of a row and of columns of %s", (dtype) => {
    for (const length of [block, block + 1, 2 * block + 7])
      expectLaw({ dtype, shape: [length], axes: [0] }, undefined, defaultOrder);
    expectLaw({ dtype, shape: [block + 1, 3], axes: [0] }, undefined, defaultOrder);
  });
  it.each([2 ** 31 - 1, -(2 ** 31)])("within which sums of int32 are exact: of %i", (value) => {
    for (const emitter of emitters) {
      const graph = graphOf({ dtype: "int32", shape: [70_003], axes: [0] });
      const sums = runProgram(graph, [new Array(70_003).fill(value)], [], emitter, {});
      expect(sums).toEqual([[70_003n * BigInt(value)]]);
    }
  });
});
