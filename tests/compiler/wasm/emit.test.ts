/** Each statement of the loop IR in lanes, at sizes that leave every kind of rest: what the closure emitter gives, bit for bit. */
import { type CompileOptions, type Emitter, type Graph, printGraph } from "@fuseau/compiler";
import { build, type DType, type Node, type Reducer } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { data } from "../../differential/random-graph.ts";
import type { Element } from "../../differential/reference.ts";
import { runProgram } from "../../differential/run-program.ts";
import { prepareSlices } from "./run-in-slices.ts";

/** A graph under construction; nodes are known by their places. */
class Sketch {
  readonly #nodes: Node[] = [];
  readonly #inputs: number[][] = [];
  readonly elements: Element[][] = [];

  input(dtype: DType, shape: readonly number[], elements?: readonly Element[]): number {
    const count = shape.reduce((product, size) => product * size, 1);
    this.elements.push([...(elements ?? data(dtype, count, this.elements.length + 1))]);
    return this.add(build.input(dtype, shape), []);
  }

  constant(dtype: DType, value: number | bigint): number {
    return this.add(build.constant(dtype, value), []);
  }

  node(place: number): Node {
    return this.#nodes[place]!;
  }

  on(make: (...nodes: Node[]) => Node, ...operands: number[]): number {
    return this.add(make(...operands.map((place) => this.node(place))), operands);
  }

  add(node: Node, operands: readonly number[]): number {
    this.#inputs.push([...operands]);
    return this.#nodes.push(node) - 1;
  }

  graph(...outputs: readonly number[]): Graph {
    return { nodes: this.#nodes, inputs: this.#inputs, outputs };
  }
}

const binary =
  (fn: "add" | "sub" | "mul" | "remainder" | "gt") =>
  (a: Node, b: Node): Node =>
    build.pointwise(fn, [a, b]);
const unary =
  (fn: "neg" | "abs" | "relu") =>
  (a: Node): Node =>
    build.pointwise(fn, [a]);

/** Fused and not, in slices of few work items and in one. */
function expectSame(sketch: Sketch, ...outputs: readonly number[]): void {
  const graph = sketch.graph(...outputs);
  for (const fusion of ["on", "none"] as const) {
    const expected = runProgram(graph, sketch.elements, [], "closure", { fusion });
    const run = prepareSlices(graph, { fusion });
    for (const itemsAtOnce of [1, 5, Infinity]) {
      const actual = run(sketch.elements, itemsAtOnce);
      expected.forEach((result, k) => {
        const at = result.findIndex((value, place) => !Object.is(value, actual[k]?.[place]));
        if (at >= 0)
          expect.fail(
            `fusion ${fusion}, ${itemsAtOnce} work items at once: element ${at} of result ${k} is ${actual[k]?.[at]}, not ${result[at]}\n${printGraph(graph)}`,
          );
      });
    }
  }
}

const dtypes: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint8",
  "bool",
];
const numeric = dtypes.filter((dtype) => dtype !== "bool");
const sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130];

describe("loads and stores", () => {
  it.each(dtypes)("%s, of any length", (dtype) => {
    for (const size of [0, ...sizes]) {
      const g = new Sketch();
      const x = g.input(dtype, [size]);
      expectSame(
        g,
        g.on((a) => build.cast(a, "float32"), x),
        g.on((a) => build.cast(a, "bool"), x),
      );
    }
  });
  it.each(numeric)("%s, backwards, in steps, transposed, broadcast", (dtype) => {
    const g = new Sketch();
    const x = g.input(dtype, [13, 37]);
    const row = g.input(dtype, [37]);
    const column = g.input(dtype, [13, 1]);
    const sum = g.on(binary("add"), g.on(binary("add"), x, row), column);
    expectSame(
      g,
      sum,
      g.on((a) => build.slice(a, [12, 36], [-1, -1], [13, 37]), sum),
      g.on((a) => build.slice(a, [1, 2], [2, 3], [6, 11]), sum),
      g.on(
        binary("add"),
        g.on((a) => build.permute(a, [1, 0]), x),
        g.on((a) => build.permute(a, [1, 0]), column),
      ),
      g.on(
        (a) => build.reshape(a, [13, 37]),
        g.on((a) => build.permute(a, [1, 0]), g.on(unary("abs"), x)),
      ),
    );
  });
  it.each(dtypes)("%s, backwards, alone and behind a test, and folded", (dtype) => {
    for (const size of sizes) {
      const g = new Sketch();
      const x = g.input(dtype, [2, size]);
      const back = g.on((a) => build.slice(a, [0, size - 1], [1, -1], [2, size]), x);
      const wider = g.on((a, b) => build.concat([a, b], 1), back, x);
      expectSame(
        g,
        back,
        g.on((a) => build.cast(a, "float64"), wider),
        g.on((a) => build.reduce("max", a, [1]), back),
        g.on(
          (a) => build.reduce("sum", a, [1]),
          g.on((a) => build.cast(a, "int64"), wider),
        ),
      );
    }
  });
  it("of several widths in one body", () => {
    for (const size of sizes) {
      const g = new Sketch();
      const bytes = g.input("uint8", [size]);
      const wide = g.on((a) => build.cast(a, "float32"), bytes);
      const half = g.input("float16", [size]);
      const double = g.on(
        binary("mul"),
        g.on((a) => build.cast(a, "float64"), half),
        g.on((a) => build.cast(a, "float64"), wide),
      );
      const mask = g.on(binary("gt"), double, g.constant("float64", 1));
      expectSame(
        g,
        double,
        mask,
        g.on((a) => build.cast(a, "int64"), bytes),
        g.on((a) => build.cast(a, "int16"), wide),
      );
    }
  });
});

describe("guards", () => {
  it.each(["float32", "int64", "bool", "uint8"] as const)("padding and concatenation of %s", (dtype) => {
    const one = dtype === "int64" ? 1n : 1;
    for (const [rows, columns] of [
      [3, 5],
      [4, 40],
      [2, 130],
    ] as const) {
      const g = new Sketch();
      const x = g.input(dtype, [rows, columns]);
      const y = g.input(dtype, [rows, 7]);
      const fill = g.constant(dtype, one);
      const padded = g.on((a, b) => build.pad(a, [1, 2], [0, 3], b), x, fill);
      const joined = g.on((a, b, c) => build.concat([a, b, c], 1), x, y, x);
      const stacked = g.on((a, b) => build.concat([a, b], 0), x, x);
      const both = g.on((a, b) => build.pointwise("eq", [a, b]), padded, padded);
      expectSame(g, padded, joined, stacked, both);
    }
  });
  it("sums of what is joined, where lanes count from the start of the whole", () => {
    const g = new Sketch();
    const x = g.input("float64", [5, 45]);
    const y = g.input("float64", [5, 23]);
    const joined = g.on((a, b, c) => build.concat([a, b, c], 1), x, y, x);
    expectSame(
      g,
      g.on((a) => build.reduce("sum", a, [1]), joined),
      g.on((a) => build.reduce("max", a, [1]), joined),
    );
  });
});

describe("indexes from data", () => {
  const indexes = (count: number, bound: number, dtype: DType): Element[] =>
    Array.from({ length: count }, (_, k) => (dtype === "int64" ? BigInt((k * 7) % bound) : (k * 7) % bound));
  it.each(["int64", "int32"] as const)("gathers by %s", (dtype) => {
    const g = new Sketch();
    const x = g.input("float32", [40, 9]);
    const index = g.input(dtype, [33, 9], indexes(33 * 9, 40, dtype));
    expectSame(
      g,
      g.on((a, b) => build.gather(a, 0, b), x, index),
    );
  });
  it.each(["set", "sum", "prod", "max", "min"] as const)("scatters: %s", (combine) => {
    for (const dtype of ["float32", "int64", "float16", "uint8"] as const) {
      const g = new Sketch();
      const x = g.input(dtype, [12, 5]);
      const index = g.input("int64", [20, 5], indexes(100, 12, "int64"));
      const source = g.input(dtype, [20, 5]);
      expectSame(
        g,
        g.on((a, b, c) => build.scatter(a, 0, b, c, combine), x, index, source),
      );
    }
  });
  it.each(["set", "sum", "prod", "max", "min"] as const)("scatters to places that meet: %s", (combine) => {
    for (const dtype of dtypes) {
      for (const count of sizes) {
        const g = new Sketch();
        const x = g.input(dtype, [3]);
        const wide = count % 2 === 0 ? "int64" : "int32";
        const index = g.input(wide, [count], indexes(count, 3, wide));
        const [p, q] = [g.input(dtype, [count]), g.input(dtype, [count])];
        const fn = dtype === "bool" ? "logicalXor" : "add";
        const source = g.on((a, b) => build.pointwise(fn, [a, b]), p, q);
        expectSame(
          g,
          g.on((a, b, c) => build.scatter(a, 0, b, c, combine), x, index, source),
        );
      }
    }
  });
  it.each(["set", "sum"] as const)("scatters rows, and all to one place: %s", (combine) => {
    for (const dtype of ["float32", "int64", "bool"] as const) {
      for (const width of [1, 3, 4, 9, 17]) {
        const g = new Sketch();
        const x = g.input(dtype, [6, width]);
        const row = g.input("int64", [8, 1], indexes(8, 6, "int64"));
        const index = g.on((a) => build.expand(a, [8, width]), row);
        const source = g.input(dtype, [8, width]);
        const place = g.input("int64", [1, 1], [BigInt(width - 1)]);
        const one = g.on((a) => build.expand(a, [6, 7]), place);
        const given = g.input(dtype, [6, 7]);
        expectSame(
          g,
          g.on((a, b, c) => build.scatter(a, 0, b, c, combine), x, index, source),
          g.on((a, b, c) => build.scatter(a, 1, b, c, combine), x, one, given),
        );
      }
    }
  });
  it("writes through a window", () => {
    const g = new Sketch();
    const x = g.input("float32", [50]);
    const value = g.input("float32", [16]);
    expectSame(
      g,
      g.on((a, b) => build.update(a, { shape: [16], strides: [3], offset: 1 }, b), x, value),
    );
  });
});

describe("scans and sorts", () => {
  it.each(["sum", "prod", "max", "min", "lastArgmax", "lastArgmin", "lastMax", "lastMin"] as const)(
    "%s along either axis",
    (fn) => {
      for (const dtype of ["float32", "float64", "int64"] as const) {
        const g = new Sketch();
        const x = g.input(dtype, [37, 21]);
        expectSame(
          g,
          g.on((a) => build.scan(fn, a, 0), x),
          g.on((a) => build.scan(fn, a, 1), x),
        );
      }
    },
  );
  it.each(dtypes)("the order of %s", (dtype) => {
    const g = new Sketch();
    const x = g.input(dtype, [3, 70]);
    expectSame(
      g,
      g.on((a) => build.argsort(a, 1, false), x),
      g.on((a) => build.argsort(a, 0, true), x),
    );
  });
});

describe("folds within folds, and what is made of them", () => {
  it("the sum of the largest of each row, columns less their means", () => {
    const g = new Sketch();
    const x = g.input("float64", [37, 43]);
    const largest = g.on((a) => build.reduce("max", a, [1]), x);
    const columns = g.on((a) => build.reduce("sum", a, [0]), x);
    expectSame(
      g,
      g.on((a) => build.reduce("sum", a, [0]), largest),
      g.on(binary("sub"), x, columns),
      g.on((a) => build.reduce("argmin", a, [0]), largest),
    );
  });
  it.each(["sum", "prod", "max", "argmin", "any"] as const)(
    "%s of short rows, many at once",
    (fn: Reducer) => {
      for (const dtype of ["float64", "int32", "bool", "float16"] as const) {
        const g = new Sketch();
        const x = g.input(dtype, [41, 3]);
        const y = g.input(dtype, [41, 9]);
        if (fn === "sum" && dtype === "float16") continue;
        if (fn === "prod" && dtype === "float16") continue;
        expectSame(
          g,
          g.on((a) => build.reduce(fn, a, [1]), x),
          g.on((a) => build.reduce(fn, a, [1]), y),
        );
      }
    },
  );
  it("products of integer matrices", () => {
    for (const dtype of ["int64", "int32", "uint8", "int8"] as const) {
      const g = new Sketch();
      const a = g.input(dtype, [19, 23]);
      const b = g.input(dtype, [23, 29]);
      expectSame(
        g,
        g.on((x, y) => build.contract(x, y), a, b),
      );
    }
  });
});

describe("what cannot go on says why", () => {
  const message = (
    graph: Graph,
    elements: readonly Element[][],
    emitter: Emitter,
    options: CompileOptions,
  ): string => {
    try {
      runProgram(graph, elements, [], emitter, options);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      return (error as Error).message;
    }
    return expect.fail(`${emitter} throws nothing`);
  };
  function expectSameError(sketch: Sketch, output: number): void {
    const graph = sketch.graph(output);
    const [expected, actual] = (["closure", "wasm"] as const).map((emitter) =>
      message(graph, sketch.elements, emitter, {}),
    );
    expect(actual).toBe(expected);
  }
  it.each([0, 3, 17, 39])("an index out of range, at place %i", (place) => {
    for (const wrong of [40n, -1n, 2n ** 40n, -(2n ** 63n)]) {
      const g = new Sketch();
      const x = g.input("float32", [40]);
      const index = g.input(
        "int64",
        [40],
        Array.from({ length: 40 }, (_, k) => (k === place ? wrong : BigInt(k))),
      );
      expectSameError(
        g,
        g.on((a, b) => build.gather(a, 0, b), x, index),
      );
    }
  });
  it.each(["int64", "int32", "int8", "uint8"] as const)("a division of %s by zero", (dtype) => {
    for (const place of [0, 5, 18, 20]) {
      for (const fn of ["floorDivide", "truncDivide", "remainder", "fmod"] as const) {
        const g = new Sketch();
        const x = g.input(dtype, [21]);
        const zero = Array.from({ length: 21 }, (_, k) => (k === place ? 0 : 3));
        const y = g.input(dtype, [21], dtype === "int64" ? zero.map(BigInt) : zero);
        expectSameError(
          g,
          g.on((a, b) => build.pointwise(fn, [a, b]), x, y),
        );
      }
    }
  });
  it("an index into nothing", () => {
    const g = new Sketch();
    const x = g.input("float32", [0, 3]);
    const index = g.input("int64", [2, 3], [0n, 0n, 0n, 0n, 0n, 0n]);
    expectSameError(
      g,
      g.on((a, b) => build.gather(a, 0, b), x, index),
    );
  });
});
