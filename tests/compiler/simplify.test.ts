import { printGraph, simplify } from "@fuseau/compiler";
import { type DType, type Node, type NodeOp, verifyGraph } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programs } from "../differential/random-graph.ts";
import { type Element, evaluate } from "../differential/reference.ts";
import { expectSameBits } from "./expect-bits.ts";
import { opsOf, type Recorded, Recording } from "./recording.ts";

describe("what is no law is left as it was written", () => {
  it.each<[string, string, DType, (g: Recording, x: Recorded, y: Recorded) => Recorded]>([
    [
      "x * 0 (NaN, infinity, −1)",
      "mul",
      "float32",
      (g, x) => g.pointwise("mul", x, g.constant("float32", 0)),
    ],
    ["0 * x", "mul", "float32", (g, x) => g.pointwise("mul", g.constant("float32", 0), x)],
    ["x - x (NaN, infinity)", "sub", "float32", (g, x) => g.pointwise("sub", x, x)],
    ["x / x (0, NaN, infinity)", "div", "float32", (g, x) => g.pointwise("div", x, x)],
    ["x + 0 of floats (−0)", "add", "float32", (g, x) => g.pointwise("add", x, g.constant("float32", 0))],
    ["0 + x of floats (−0)", "add", "float32", (g, x) => g.pointwise("add", g.constant("float32", 0), x)],
    ["x - −0 (−0)", "sub", "float32", (g, x) => g.pointwise("sub", x, g.constant("float32", -0))],
    ["0 - x (0)", "sub", "float32", (g, x) => g.pointwise("sub", g.constant("float32", 0), x)],
    ["x * −1", "mul", "float32", (g, x) => g.pointwise("mul", x, g.constant("float32", -1))],
    ["x == x (NaN)", "eq", "float32", (g, x) => g.pointwise("eq", x, x)],
    ["x / 3", "div", "float32", (g, x) => g.pointwise("div", x, g.constant("float32", 3))],
    [
      "x / 2⁻²⁴ of float16 (2²⁴)",
      "div",
      "float16",
      (g, x) => g.pointwise("div", x, g.constant("float16", 2 ** -24)),
    ],
    [
      "x ** 2 of floats (approximated in WebAssembly)",
      "pow",
      "float32",
      (g, x) => g.pointwise("pow", x, g.constant("float32", 2)),
    ],
    ["x ** 0.5 (−0, −∞)", "pow", "float32", (g, x) => g.pointwise("pow", x, g.constant("float32", 0.5))],
    ["x ** −1", "pow", "float64", (g, x) => g.pointwise("pow", x, g.constant("float64", -1))],
    [
      "maximum(x, ∞) (NaN)",
      "maximum",
      "float32",
      (g, x) => g.pointwise("maximum", x, g.constant("float32", Infinity)),
    ],
    [
      "fmax(x, −∞) (NaN)",
      "fmax",
      "float32",
      (g, x) => g.pointwise("fmax", x, g.constant("float32", -Infinity)),
    ],
    ["|relu(x)| (−0)", "relu abs", "float32", (g, x) => g.pointwise("abs", g.pointwise("relu", x))],
    [
      "−(a − b) of floats (equal ones)",
      "sub neg",
      "float32",
      (g, x, y) => g.pointwise("neg", g.pointwise("sub", x, y)),
    ],
    [
      "¬(a < b) of floats (NaN)",
      "lt logicalNot",
      "float32",
      (g, x, y) => g.pointwise("logicalNot", g.pointwise("lt", x, y)),
    ],
    [
      "a comparison of int32 in float32 (2^24 + 1)",
      "cast cast eq",
      "int32",
      (g, x, y) => g.pointwise("eq", g.cast(x, "float32"), g.cast(y, "float32")),
    ],
    ["a sum over one element (−0)", "add", "float32", (g, x) => g.reduce("sum", g.reshape(x, [4, 1]), [1])],
    [
      "a sum of one float64 many times (its multiples are rounded)",
      "sum",
      "float64",
      (g, x) => g.reduce("sum", g.expand(g.reshape(x, [1, 4]), [3, 4]), [0]),
    ],
    [
      "a sum of one float32 many times in lanes (which may be float32)",
      "sum",
      "float32",
      (g, x) => g.reduce("sum", g.expand(g.reshape(x, [4, 1]), [4, 3]), [1]),
    ],
    [
      "a sum of a float32 constant many times that is rounded on the way",
      "sum",
      "float32",
      (g) => g.reduce("sum", g.expand(g.constant("float32", Math.fround(0.1)), [4, 3]), [1]),
    ],
    [
      "a sum of one float32 more often than float32 counts (2^24 + 1)",
      "sum",
      "float32",
      (g, x) => g.reduce("sum", g.expand(g.reshape(x, [1, 4]), [2 ** 24 + 1, 4]), [0]),
    ],
    [
      "a product of one float32 many times",
      "prod",
      "float32",
      (g, x) => g.reduce("prod", g.expand(g.reshape(x, [1, 4]), [3, 4]), [0]),
    ],
    [
      "a sum of sums of floats",
      "sum sum",
      "float32",
      (g, x) => g.reduce("sum", g.reduce("sum", g.reshape(x, [2, 2]), [1]), [0]),
    ],
    [
      "a float32 value through int32 (fractions)",
      "cast cast",
      "float32",
      (g, x) => g.cast(g.cast(x, "int32"), "float32"),
    ],
    [
      "an int32 value through float32 (2^24 + 1)",
      "cast cast",
      "int32",
      (g, x) => g.cast(g.cast(x, "float32"), "int32"),
    ],
    ["a uint8 value through int8 (200)", "cast cast", "uint8", (g, x) => g.cast(g.cast(x, "int8"), "int32")],
    [
      "a float64 value through float32 (rounding)",
      "cast cast",
      "float64",
      (g, x) => g.cast(g.cast(x, "float32"), "float64"),
    ],
    [
      "(a + b) + c is not a + (b + c)",
      "add add",
      "float32",
      (g, x, y) => g.pointwise("add", g.pointwise("add", x, y), g.constant("float32", 7)),
    ],
    [
      "(x + 1) + 2 is not x + 3",
      "add add",
      "float32",
      (g, x) => g.pointwise("add", g.pointwise("add", x, g.constant("float32", 1)), g.constant("float32", 2)),
    ],
    ["(a - b) + b", "sub add", "float32", (g, x, y) => g.pointwise("add", g.pointwise("sub", x, y), y)],
    [
      "int32 + 1 in int64 (2^31 - 1)",
      "cast add cast",
      "int32",
      (g, x) => g.cast(g.pointwise("add", g.cast(x, "int64"), g.constant("int64", 1n)), "float64"),
    ],
  ])("%s", (_, ops, dtype, term) => {
    const g = new Recording();
    const [x, y] = [g.input(dtype, [4]), g.input(dtype, [4])];
    expect(opsOf(simplify(g.graph(term(g, x, y)))).join(" ")).toBe(ops);
  });
});

describe("a rule does not undo a broadcast", () => {
  const wide = (g: Recording): Recorded => g.input("float32", [2, 3]);
  it.each<[string, (g: Recording, x: Recorded) => Recorded]>([
    ["where(true, a, b) of a wider b", (g, x) => g.pointwise("where", g.constant("bool", 1), x, wide(g))],
    ["where(false, a, b) of a wider a", (g, x) => g.pointwise("where", g.constant("bool", 0), wide(g), x)],
    ["where(c, a, a) of a wider c", (g, x) => g.pointwise("where", g.cast(wide(g), "bool"), x, x)],
    ["f(reshape(x), y) of a wider y", (g, x) => g.pointwise("add", g.reshape(x, [1, 3]), wide(g))],
  ])("%s keeps its shape", (_, term) => {
    const g = new Recording();
    const graph = g.graph(term(g, g.input("float32", [3])));
    const simplified = simplify(graph);
    const elements = [
      [1, -0, NaN],
      [0, 1, 2, 3, 4, 5],
    ];
    expect((simplified.nodes[simplified.outputs[0] as number] as Node).shape).toEqual([2, 3]);
    expect(evaluate(simplified, elements, [])).toEqual(evaluate(graph, elements, []));
  });
});

describe("a float sum keeps its order", () => {
  it.each<[string, (g: Recording, x: Recorded) => Recorded]>([
    ["of a transpose", (g, x) => g.reduce("sum", g.permute(x, [1, 0]), [1])],
    ["of all of a transpose", (g, x) => g.reduce("prod", g.permute(x, [1, 0]), [0, 1])],
    ["across runs of axes", (g, x) => g.reduce("sum", g.reshape(x, [9, 8]), [1])],
  ])("%s", (_, term) => {
    const g = new Recording();
    const graph = g.graph(term(g, g.input("float32", [8, 9])));
    expect(printGraph(simplify(graph))).toBe(printGraph(graph));
  });

  it.each([[[1]], [[1, 2]], [[0]], [[0, 2]]])("and a last axis of size 1 does not count: axes %j", (axes) => {
    const g = new Recording();
    const graph = g.graph(g.reduce("sum", g.reshape(g.input("float32", [8, 9]), [8, 9, 1]), axes));
    const elements = [Array.from({ length: 72 }, (_, k) => Math.fround(Math.sin(k) * 10 ** (k % 7)))];
    const simplified = simplify(graph);
    expect(evaluate(simplified, elements, [])).toEqual(evaluate(graph, elements, []));
  });
});

describe("a gather stays one", () => {
  const counting = (g: Recording, length: number): Recorded => g.iota("int32", length);
  it.each<[string, number, (g: Recording) => Recorded]>([
    ["by an index that wraps on the way", 300, (g) => g.cast(g.cast(counting(g, 300), "uint8"), "int32")],
    [
      "by an index that goes out of range",
      6,
      (g) => g.pointwise("add", counting(g, 6), g.constant("int32", 1)),
    ],
    ["by an index that is no line", 6, (g) => g.pointwise("minimum", counting(g, 6), g.constant("int32", 4))],
  ])("%s", (_, size, index) => {
    const g = new Recording();
    const graph = g.graph(g.gather(g.input("float32", [size]), 0, index(g)));
    expect(simplify(graph).nodes.map(({ op }) => op)).toContain("gather");
  });
  it("by an index that counts along another axis", () => {
    const g = new Recording();
    const rows = g.expand(g.reshape(g.iota("int32", 3), [3, 1]), [3, 4]);
    const graph = g.graph(g.gather(g.input("float32", [3, 4]), 1, rows));
    expect(simplify(graph).nodes.map(({ op }) => op)).toContain("gather");
  });
});

/** Of every kind of node that computes, one that is the same for the same variant. */
const twins: Readonly<
  Record<
    Exclude<NodeOp, "input" | "scalar"> | "random",
    (g: Recording, x: Recorded, y: Recorded, variant: 0 | 1) => Recorded
  >
> = {
  constant: (g, _x, _y, variant) => g.constant("float32", variant + 5),
  iota: (g, _x, _y, variant) => g.iota("int32", variant + 5),
  pointwise: (g, x, _, variant) => g.pointwise(variant === 0 ? "exp" : "log", x),
  random: (g, x, _, variant) => {
    const key = g.constant("float64", variant);
    return g.pointwise("randomWord", g.cast(x, "float64"), key, g.constant("float64", 7));
  },
  reduce: (g, x, _, variant) => g.reduce("sum", x, [variant]),
  reshape: (g, x, _, variant) => g.reshape(x, [2, 2 + 2 * variant, 4 - 2 * variant]),
  permute: (g, x, _, variant) => g.permute(g.reshape(x, [2, 2, 4]), variant === 0 ? [2, 0, 1] : [0, 2, 1]),
  expand: (g, x, _, variant) => g.expand(x, [2 + variant, 4, 4]),
  slice: (g, x, _, variant) => g.slice(x, [variant, 0], [1, 1], [1, 4]),
  shift: (g, x, _, variant) => g.shift(x, [{ slot: variant, count: 2, factor: 1, axis: 0 }], [3, 4]),
  pad: (g, x, _, variant) => g.pad(x, [variant, 0], [1 - variant, 0], g.constant("float32", 0)),
  concat: (g, x, _, variant) =>
    g.concat(variant === 0 ? [x, g.pointwise("exp", x)] : [g.pointwise("exp", x), x], 0),
  diagonal: (g, x, _, variant) => g.diagonal(x, 1 - 2 * variant, 0, 1),
  asStrided: (g, x, _, variant) => g.asStrided(x, { shape: [3], strides: [2], offset: variant }),
  update: (g, x, _, variant) => {
    const value = g.slice(x, [0, 0], [1, 1], [1, 4]);
    return g.update(x, { shape: [1, 4], strides: [4, 1], offset: 4 * variant }, value);
  },
  gather: (g, x, y, variant) => g.gather(x, variant, y),
  scatter: (g, x, y, variant) => g.scatter(x, 0, y, x, variant === 0 ? "sum" : "set"),
  scan: (g, x, _, variant) => g.scan(variant === 0 ? "sum" : "prod", x, 0),
  argsort: (g, x, _, variant) => g.argsort(x, 0, variant === 1),
  contract: (g, x, _, variant) =>
    variant === 0 ? g.contract(x, g.pointwise("exp", x)) : g.contract(g.pointwise("exp", x), x),
};

describe("common subexpressions", () => {
  it("are recorded twice and kept once", () => {
    const g = new Recording();
    const x = g.input("float32", [4]);
    const [a, b] = [g.pointwise("exp", x), g.pointwise("exp", x)];
    const [p, q] = [
      g.pointwise("add", a, g.constant("float32", 3)),
      g.pointwise("add", b, g.constant("float32", 3)),
    ];
    expect(opsOf(simplify(g.graph(g.pointwise("mul", p, q))))).toEqual(["exp", "add", "mul"]);
  });
  it.each(Object.keys(twins))("of %s are joined when they do the same, and only then", (op) => {
    const g = new Recording();
    const [x, y] = [g.input("float32", [4, 4]), g.input("int32", [4, 4])];
    const make = twins[op as keyof typeof twins];
    const [a, b, c] = simplify(g.graph(make(g, x, y, 0), make(g, x, y, 0), make(g, x, y, 1))).outputs;
    expect(b).toBe(a);
    expect(c).not.toBe(a);
  });
  it("take the operands of what commutes in either order, and of nothing else", () => {
    const g = new Recording();
    const [x, y] = [g.input("float32", [4]), g.input("float32", [4])];
    const both = (fn: "add" | "mul" | "maximum" | "eq" | "sub" | "div" | "lt") =>
      opsOf(simplify(g.graph(g.pointwise(fn, x, y), g.pointwise(fn, y, x))));
    for (const fn of ["add", "mul", "maximum", "eq"] as const) expect(both(fn)).toEqual([fn]);
    for (const fn of ["sub", "div", "lt"] as const) expect(both(fn)).toEqual([fn, fn]);
  });
  it("never join two inputs or two scalars of one dtype", () => {
    const g = new Recording();
    const given = [g.input("float32", []), g.input("float32", []), g.scalar("float32"), g.scalar("float32")];
    expect(new Set(simplify(g.graph(...given)).outputs).size).toBe(4);
  });
  it("make the mean of a variance the mean that is kept", () => {
    const g = new Recording();
    const x = g.input("float32", [4, 3]);
    const mean = (): Recorded => g.pointwise("div", g.reduce("sum", x, [0]), g.constant("float32", 3));
    const graph = g.graph(g.pointwise("sub", x, mean()), g.pointwise("sub", x, g.reshape(mean(), [1, 3])));
    expect(opsOf(simplify(graph))).toEqual(["sum", "div", "sub"]);
  });
  it("never join two inputs, or 0 and −0, or constants of two dtypes", () => {
    const g = new Recording();
    const [x, y] = [g.input("float32", [2]), g.input("float32", [2])];
    const graph = g.graph(
      g.pointwise("mul", x, g.constant("float32", 0)),
      g.pointwise("mul", y, g.constant("float32", 0)),
      g.pointwise("mul", x, g.constant("float32", -0)),
      g.cast(g.constant("float64", 3), "float32"),
    );
    const results = evaluate(
      simplify(graph),
      [
        [1, -1],
        [-1, 1],
      ],
      [],
    );
    expect(results).toEqual([[0, -0], [-0, 0], [-0, 0], [3]]);
  });
  it("keep inputs in their places, used or not, and drop what is dead", () => {
    const g = new Recording();
    const [, y] = [g.input("float32", [2]), g.input("float32", [2])];
    g.pointwise("exp", y);
    const simplified = simplify(g.graph(g.pointwise("neg", y)));
    expect(printGraph(simplified)).toBe(
      ["%0: float32[2] = input()", "%1: float32[2] = input()", "%2: float32[2] = neg(%1)", "return %2"].join(
        "\n",
      ),
    );
  });
});

describe("a random graph", () => {
  it("gives the same bits simplified, and simplified again", () => {
    fc.assert(
      fc.property(programs(), ({ graph, elements: given }) => {
        const once = simplify(graph);
        const twice = simplify(once);
        verifyGraph(once.nodes);
        const expected = evaluate(graph, given, []);
        for (const smaller of [once, twice]) {
          evaluate(smaller, given, []).forEach((result, k) => {
            expectSameBits(result, expected[k] as Element[], () => printGraph(graph));
          });
        }
        expect(printGraph(twice)).toBe(printGraph(once));
        // Movements cost nothing, and may be put in other places.
        expect(opsOf(once).length).toBeLessThanOrEqual(opsOf(graph).length);
      }),
      { numRuns: 400 },
    );
  });
  it.each<[string, (g: Recording, x: Recorded, k: number) => Recorded, string[]]>([
    ["neutral elements", (g, x) => g.pointwise("neg", g.pointwise("mul", x, g.constant("float32", 1))), []],
    ["repetition", (g, x, k) => g.expand(g.pointwise("add", x, g.constant("float32", k)), [2, 2]), ["add"]],
    ["reshapes", (g, x, k) => g.reshape(g.pointwise("exp", x), k % 2 ? [2, 1, 2] : [1, 2, 2]), ["exp"]],
    ["transposes", (g, x) => g.permute(g.pointwise("exp", g.reshape(x, [2, 2])), [1, 0]), ["exp"]],
  ])("of 100,000 ops with %s is simplified without recursion", (_, step, each) => {
    const g = new Recording();
    let x = g.input("float32", [2, 2]);
    for (let k = 0; k < 50_000; k++) x = step(g, x, k);
    expect(opsOf(simplify(g.graph(x)))).toHaveLength(50_000 * each.length);
  });
});
