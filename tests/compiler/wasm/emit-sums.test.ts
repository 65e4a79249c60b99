/**
 * The accumulation order in lanes: sixteen float32 that join two float64 after each chunk, and blocks. It follows from the logical
 * shape, so memory layout, fusion and how a phase is cut into slices change no bit.
 */
import { printGraph } from "@fuseau/compiler";
import { type AccumulationOrder, type DType, defaultOrder, type Reducer } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { type Element, evaluate } from "../../differential/reference.ts";
import { wasmMeaningIn } from "../../differential/wasm-meaning.ts";
import { type Recorded, Recording } from "../recording.ts";
import { prepareSlices, runInSlices } from "./run-in-slices.ts";

/** Blocks and chunks so small that small sums have several; those of the usual order are tested last. */
const order: AccumulationOrder = { block: 128, chunk: 32 };
const { block: BLOCK, chunk: CHUNK } = order;
const meaning = wasmMeaningIn(order);

function noise(dtype: DType, length: number): Element[] {
  let state = 2654435761;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length }, () => {
    const value = (next() - 0.45) * 2 ** Math.floor(next() * 24 - 12);
    switch (dtype) {
      case "float64":
        return value;
      case "float32":
        return Math.fround(value);
      case "float16":
        return Math.floor(next() * 64) / 8 - 4;
      case "int64":
        return BigInt(Math.floor(value * 2 ** 50));
      case "bool":
        return next() < 0.5 ? 1 : 0;
      case "uint8":
        return Math.floor(next() * 256);
      case "int8":
        return Math.floor(next() * 256) - 128;
      default:
        return Math.floor(value);
    }
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
  readonly after?: (g: Recording, x: Recorded, fold: Recorded) => Recorded;
}

function expectLaw(
  { fn = "sum", dtype, shape, axes, through = (_, x) => x, after }: Fold,
  own: AccumulationOrder = order,
): void {
  const g = new Recording();
  const x = through(g, g.input(dtype, shape));
  const fold = g.reduce(fn, x, axes);
  const graph = after === undefined ? g.graph(fold) : g.graph(fold, after(g, x, fold));
  const elements = noise(dtype, count(shape));
  const given =
    fn === "prod" && dtype.startsWith("float")
      ? elements.map((value) => 1 + Math.round((Number(value) % 1) * 4) / 2 ** 10)
      : elements;
  const expected = evaluate(graph, [given], [], wasmMeaningIn(own));
  for (const fusion of ["on", "none"] as const) {
    const run = prepareSlices(graph, { fusion, order: own });
    for (const itemsAtOnce of [1, 7, Infinity]) {
      const actual = run([given], itemsAtOnce);
      actual.forEach((result, k) => {
        const at = result.findIndex((value, place) => !Object.is(value, expected[k]?.[place]));
        if (at < 0) return;
        expect.fail(
          `fusion ${fusion}, ${itemsAtOnce} work items at once: element ${at} is ${result[at]}, not ${expected[k]?.[at]}\n${printGraph(graph)}`,
        );
      });
    }
  }
}

const lengths = [
  1,
  3,
  4,
  5,
  15,
  16,
  17,
  31,
  CHUNK - 1,
  CHUNK,
  CHUNK + 1,
  2 * CHUNK + 16,
  BLOCK - 1,
  BLOCK,
  BLOCK + 1,
  2 * BLOCK + CHUNK + 11,
];

describe("rows of any length", () => {
  describe.each(["float32", "float64", "float16"] as const)("%s", (dtype) => {
    it.each(lengths)("of %i elements", (length) => {
      expectLaw({ dtype, shape: [length], axes: [0] });
    });
    it.each([
      [3, 9],
      [5, 64],
      [7, CHUNK + 8],
      [2, BLOCK + 1],
    ])("of each row of %i by %i", (rows, length) => {
      expectLaw({ dtype, shape: [rows, length], axes: [1] });
    });
  });
});

describe("every fold of every dtype", () => {
  const dtypes = [
    "float32",
    "float64",
    "float16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
  ] as const;
  const fns = ["sum", "prod", "max", "min", "argmax", "argmin", "any", "all"] as const;
  describe.each(dtypes)("%s", (dtype) => {
    it.each(fns)("%s", (fn) => {
      for (const length of [1, 2, 5, 16, 37, 130]) expectLaw({ fn, dtype, shape: [length], axes: [0] });
      expectLaw({ fn, dtype, shape: [3, 70], axes: [1] });
      expectLaw({ fn, dtype, shape: [70, 19], axes: [0] });
      expectLaw({ fn, dtype, shape: [9, 3, 11], axes: [0, 2] });
    });
  });
  // A loop remains for the indexes, which are looked at one by one.
  it.each(fns)("%s of what is the same along the loop", (fn) => {
    for (const dtype of dtypes) {
      for (const length of [1, 2, 3, 4, 5, 7, 8, 16, 33, 70]) {
        const g = new Recording();
        const same = g.expand(g.input(dtype, [1]), [2]);
        const graph = g.graph(g.reduce(fn, g.gather(same, 0, g.input("int64", [length])), [0]));
        const given = [noise(dtype, 1), Array.from({ length }, (_, k) => BigInt(k % 2))];
        expect(runInSlices(graph, given, { order }, Infinity), `${dtype}, ${length} elements`).toEqual(
          evaluate(graph, given, [], meaning),
        );
      }
    }
  });
  it.each(["max", "min"] as const)("%s of zeros among other elements", (fn) => {
    for (const dtype of ["float32", "float64", "float16"] as const) {
      for (const length of [3, 5, 9, 40]) {
        const g = new Recording();
        const x = g.input(dtype, [length]);
        const graph = g.graph(g.reduce(fn, x, [0]), g.scan(fn, x, 0));
        for (const zero of [0, -0]) {
          // The bits of 127 and 1 together are those of a NaN.
          const sign = fn === "min" ? 1 : -1;
          const given = [
            Array.from({ length }, (_, k) => (k === length - 2 ? zero : [127, 1][k % 2]! * sign)),
          ];
          expect(runInSlices(graph, given, { order }, Infinity)).toEqual(evaluate(graph, given, [], meaning));
        }
      }
    }
  });
  it.each(["max", "min"] as const)("%s of columns of special values, few and many", (fn) => {
    const values = [-0, 0, -1, 1, -Infinity, Infinity, -2.5];
    for (const dtype of ["float32", "float64", "float16"] as const) {
      for (const rows of [2, 3, 4, 5, 9, 21]) {
        const g = new Recording();
        const x = g.input(dtype, [rows, 41]);
        // A NaN without a sign, as that of JavaScript, and one with a sign, as those that processors make.
        const each = [x, g.pointwise("neg", x)];
        const graph = g.graph(
          ...each.map((one) => g.reduce(fn, one, [0])),
          ...each.map((one) => g.reduce(fn, g.permute(one, [1, 0]), [1])),
        );
        for (let seed = 1; seed < 9; seed++) {
          const few = 1 + (seed % 5);
          const given = Array.from({ length: rows * 41 }, (_, k) => {
            const column = (k % 41) + seed;
            const at = Math.floor(k / 41) * (seed + 2) + column * 3;
            return column % 7 === 0 && at % 4 === 0
              ? NaN
              : values[((column % 3) * 2 + (at % few)) % values.length]!;
          });
          expect(runInSlices(graph, [given], { order }, Infinity), `${dtype}, ${rows} rows`).toEqual(
            evaluate(graph, [given], [], meaning),
          );
        }
      }
    }
  });
  it.each(fns)("%s of more than one block", (fn) => {
    for (const dtype of ["float32", "float64", "int32", "uint8"] as const)
      expectLaw({ fn, dtype, shape: [BLOCK + 77], axes: [0] });
  });
});

describe("columns", () => {
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    it.each([
      [1, 3],
      [5, 4],
      [9, 7],
      [64, 33],
      [BLOCK + 1, 5],
    ])("of %i by %i", (rows, columns) => {
      expectLaw({ dtype, shape: [rows, columns], axes: [0] });
    });
  });
});

it("short rows of zeros: only those that are all −0 would show how a sum starts", () => {
  for (const dtype of ["float32", "float64", "float16"] as const) {
    for (const length of [1, 2, 5, 8, 13, 16]) {
      const g = new Recording();
      const x = g.input(dtype, [40, length]);
      const graph = g.graph(g.reduce("sum", g.pointwise("mul", x, x), [1]), g.reduce("sum", x, [1]));
      const given = [Array.from({ length: 40 * length }, (_, k) => (k % 160 < 80 ? -0 : 0))];
      expect(runInSlices(graph, given, { order }, Infinity)).toEqual(evaluate(graph, given, [], meaning));
    }
  }
});

describe("short rows", () => {
  const through: readonly (readonly [string, NonNullable<Fold["through"]>])[] = [
    ["as they are", (_, x) => x],
    ["squares", (g, x) => g.pointwise("mul", x, x)],
    [
      "less their neighbours'",
      (g, x) => g.pointwise("exp", g.pointwise("sub", x, g.slice(x, [0, 0], [0, 1], x.node.shape))),
    ],
    ["turned around", (g, x) => g.slice(x, [x.node.shape[0]! - 1, 0], [-1, 1], x.node.shape)],
    ["transposed", (g, x) => g.permute(g.reshape(x, [x.node.shape[1]!, x.node.shape[0]!]), [1, 0])],
    [
      "pairs",
      (g, x) => {
        const [rows, length] = x.node.shape as [number, number];
        const all = [rows, rows, length];
        const left = g.expand(g.reshape(x, [rows, 1, length]), all);
        const distance = g.pointwise("sub", left, g.expand(g.reshape(x, [1, rows, length]), all));
        return g.pointwise("mul", distance, distance);
      },
    ],
  ];
  describe.each(through)("%s", (_, through) => {
    it.each([3, 4, 8, 12, 16, 20])("of %i elements", (length) => {
      for (const dtype of ["float32", "float16", "float64"] as const) {
        for (const rows of [1, 23]) {
          const axes = [
            through(new Recording(), new Recording().input(dtype, [rows, length])).node.shape.length - 1,
          ];
          expectLaw({ dtype, shape: [rows, length], axes, through });
        }
      }
    });
  });
});

describe("axes that memory does not walk as one", () => {
  const shapes: readonly (readonly [readonly number[], readonly number[]])[] = [
    [
      [5, 3, 8],
      [0, 2],
    ],
    [
      [5, 3, 7],
      [0, 2],
    ],
    [
      [130, 2, 264],
      [0, 2],
    ],
    [
      [130, 2, 257],
      [0, 2],
    ],
    [
      [7, 2, 9, 2, 13],
      [0, 2, 4],
    ],
  ];
  it.each(shapes)("of %j along %j", (shape, axes) => {
    for (const dtype of ["float32", "float64"] as const) expectLaw({ dtype, shape, axes });
  });
  it("a cut of each row, a transposed matrix, an expanded row", () => {
    for (const dtype of ["float32", "float64"] as const) {
      expectLaw({
        dtype,
        shape: [60, 192],
        axes: [0, 1],
        through: (g, x) => g.slice(x, [0, 1], [1, 1], [60, 190]),
      });
      for (const axes of [[0], [1], [0, 1]])
        expectLaw({ dtype, shape: [31, 45], axes, through: (g, x) => g.permute(x, [1, 0]) });
      expectLaw({ dtype, shape: [600, 40], axes: [1], through: (g, x) => g.permute(x, [1, 0]) });
      expectLaw({ dtype, shape: [91], axes: [0, 1], through: (g, x) => g.expand(x, [700, 91]) });
    }
  });
  it.each([2, 5, 12, 13, 26, 31, 34, 79])("padded rows of %i elements and five more", (size) => {
    for (const dtype of ["float32", "float64", "int32"] as const) {
      const through = (g: Recording, x: Recorded): Recorded => g.pad(x, [1, 2], [0, 3], g.constant(dtype, 7));
      expectLaw({ dtype, shape: [23, size], axes: [0, 1], through });
    }
  });
});

it("loops whose extents are in the text, of one chunk, of several, and of several blocks", () => {
  for (const dtype of ["float32", "float16", "float64", "int32"] as const) {
    for (const shape of [
      [6, 5, 3, 2],
      [6, 16, 3, 2],
      [6, 9, 3, 7],
      [6, 13, 2, 16],
    ])
      expectLaw({ dtype, shape, axes: [1, 3] });
  }
});

describe("what is done with a fold", () => {
  it("each element less the sum, in one program", () => {
    for (const shape of [[40, 70], [2 * BLOCK + 5]]) {
      for (const dtype of ["float32", "float64"] as const)
        expectLaw({
          dtype,
          shape,
          axes: shape.map((_, axis) => axis),
          after: (g, x, sum) => g.pointwise("sub", x, sum),
        });
    }
  });
});

it("the usual order has chunks of 512 and blocks of 2^15", () => {
  for (const dtype of ["float32", "float64"] as const) {
    for (const shape of [[511], [512], [513], [1040], [2 ** 15 + 1], [2 ** 16 + 523]])
      expectLaw({ dtype, shape, axes: [0] }, defaultOrder);
    expectLaw({ dtype, shape: [2 ** 15 + 1, 5], axes: [0] }, defaultOrder);
  }
});
