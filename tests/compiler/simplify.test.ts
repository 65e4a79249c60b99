import { type Graph, printGraph, simplify } from "@fuseau/compiler";
import {
  computeDType,
  type DType,
  dtypeNames,
  isFloat,
  isInt,
  type Node,
  pointwiseNames,
  pointwiseOps,
  verifyGraph,
} from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldConstants, type Rule, rules } from "../../packages/compiler/src/simplify/rules.ts";
import { type Term, Terms } from "../../packages/compiler/src/simplify/term.ts";
import { programs } from "../differential/random-graph.ts";
import { type Element, evaluate } from "../differential/reference.ts";
import { runProgram } from "../differential/run-program.ts";
import { type Recorded, Recording } from "./recording.ts";
import { elementOf, elements, special } from "./special-values.ts";

const floats = dtypeNames.filter(isFloat);
const ints = dtypeNames.filter(isInt);
const numbers = [...ints, ...floats];

/** Where a rule is to apply: a term over one input, x, and what it becomes. */
interface Example {
  readonly dtypes: readonly DType[];
  readonly shape?: readonly number[];
  readonly term: (g: Recording, x: Recorded, dtype: DType) => Recorded;
}

const c = (g: Recording, dtype: DType, value: number): Recorded => g.constant(dtype, elementOf(dtype, value));

const again =
  (fn: "neg" | "logicalNot" | "bitwiseNot" | "abs" | "relu" | "floor" | "ceil" | "trunc" | "round") =>
  (g: Recording, x: Recorded): Recorded =>
    g.pointwise(fn, g.pointwise(fn, x));
const oneself =
  (fn: "maximum" | "minimum" | "bitwiseAnd" | "bitwiseOr") =>
  (g: Recording, x: Recorded): Recorded =>
    g.pointwise(fn, x, x);

/** An example for every rule, by its law. */
const examples: Readonly<Record<string, Example>> = {
  "x * 1 → x (exact for every number)": {
    dtypes: dtypeNames,
    term: (g, x, d) => g.pointwise("mul", x, c(g, d, 1)),
  },
  "1 * x → x (exact for every number)": {
    dtypes: dtypeNames,
    term: (g, x, d) => g.pointwise("mul", c(g, d, 1), x),
  },
  "x / 1 → x (exact for every float)": {
    dtypes: floats,
    term: (g, x, d) => g.pointwise("div", x, c(g, d, 1)),
  },
  "x - 0 → x (−0 - 0 is −0)": { dtypes: numbers, term: (g, x, d) => g.pointwise("sub", x, c(g, d, 0)) },
  "x + −0 → x (0 + −0 is 0, −0 + −0 is −0)": {
    dtypes: floats,
    term: (g, x, d) => g.pointwise("add", x, g.constant(d, -0)),
  },
  "−0 + x → x (0 + −0 is 0, −0 + −0 is −0)": {
    dtypes: floats,
    term: (g, x, d) => g.pointwise("add", g.constant(d, -0), x),
  },
  "i + 0 → i for integers, which have no −0": {
    dtypes: ints,
    term: (g, x, d) => g.pointwise("add", x, c(g, d, 0)),
  },
  "0 + i → i for integers, which have no −0": {
    dtypes: ints,
    term: (g, x, d) => g.pointwise("add", c(g, d, 0), x),
  },
  "x ** 1 → x (exact)": { dtypes: numbers, term: (g, x, d) => g.pointwise("pow", x, c(g, d, 1)) },
  "−(−x) → x (flips the sign twice; integers wrap both times)": { dtypes: numbers, term: again("neg") },
  "¬¬b → b for bool": { dtypes: ["bool"], term: again("logicalNot") },
  "~~x → x (every bit flipped twice)": { dtypes: ["bool", ...ints], term: again("bitwiseNot") },
  "||x|| → |x|": { dtypes: numbers, term: again("abs") },
  "relu(relu(x)) → relu(x)": { dtypes: numbers, term: again("relu") },
  "floor(floor(x)) → floor(x): an integral value stays": { dtypes: numbers, term: again("floor") },
  "ceil(ceil(x)) → ceil(x): an integral value stays": { dtypes: numbers, term: again("ceil") },
  "trunc(trunc(x)) → trunc(x): an integral value stays": { dtypes: numbers, term: again("trunc") },
  "round(round(x)) → round(x): an integral value stays": { dtypes: numbers, term: again("round") },
  "maximum(x, x) → x (NaN stays NaN)": { dtypes: dtypeNames, term: oneself("maximum") },
  "minimum(x, x) → x (NaN stays NaN)": { dtypes: dtypeNames, term: oneself("minimum") },
  "bitwiseAnd(x, x) → x (NaN stays NaN)": { dtypes: ["bool", ...ints], term: oneself("bitwiseAnd") },
  "bitwiseOr(x, x) → x (NaN stays NaN)": { dtypes: ["bool", ...ints], term: oneself("bitwiseOr") },
  "where(true, a, b) → a": {
    dtypes: dtypeNames,
    term: (g, x, d) => g.pointwise("where", g.constant("bool", 1), x, c(g, d, 1)),
  },
  "where(false, a, b) → b": {
    dtypes: dtypeNames,
    term: (g, x, d) => g.pointwise("where", g.constant("bool", 0), c(g, d, 1), x),
  },
  "where(c, a, a) → a": {
    dtypes: dtypeNames,
    term: (g, x, d) => g.pointwise("where", g.pointwise("lt", x, c(g, d, 1)), x, x),
  },
  "cast(cast(x, m), d) → cast(x, d) where m holds every value of x's dtype exactly": {
    dtypes: dtypeNames.filter((dtype) => dtype !== "int64"),
    term: (g, x, d) => g.cast(g.cast(x, "float64"), d === "int32" ? "uint8" : "int32"),
  },
  "int64 work on values that int32 holds gives the same as int32: each intermediate value stays in range": {
    dtypes: ["bool", "uint8", "int8", "int16", "int32"],
    term: (g, x) => {
      const places = g.pointwise("mul", g.iota("int64", 6), g.constant("int64", 3n));
      return g.pointwise("lt", g.cast(x, "int64"), g.pointwise("sub", places, g.constant("int64", 5n)));
    },
  },
  "Σ, any, all and first positions of int64 values that int32 holds → of int32: the fold is exact, its result as wide":
    {
      dtypes: ["bool", "uint8", "int8", "int16", "int32"],
      term: (g, x) => g.reduce("sum", g.cast(x, "int64"), [0]),
    },
  "an index of int64 values that int32 holds → of int32: the same places": {
    dtypes: dtypeNames,
    term: (g, x) => g.gather(x, 0, g.iota("int64", 6)),
  },
  "f(reshape(x), c) → reshape(f(x, c)) for 0-d c: the same elements; so that sum(0) / n and sum(0, keepdim) / n are one":
    {
      dtypes: numbers,
      term: (g, x, d) => g.pointwise("sub", c(g, d, 3), g.reshape(x, [3, 1, 2])),
    },
  "reshape(reshape(x)) → reshape(x); reshape(x, shape of x) → x (row-major order either way)": {
    dtypes: dtypeNames,
    term: (g, x) => g.reshape(g.reshape(x, [3, 2]), [1, 6]),
  },
  "expand(expand(x)) → expand(x); expand(x, shape of x) → x": {
    dtypes: dtypeNames,
    term: (g, x) => g.expand(g.expand(x, [2, 6]), [3, 2, 6]),
  },
  "permute(permute(x, p), q) → permute(x, p∘q); the identity → x": {
    dtypes: dtypeNames,
    shape: [1, 3, 2],
    term: (g, x) => g.permute(g.permute(x, [1, 2, 0]), [2, 1, 0]),
  },
  "slice(slice(x)) → slice(x), place start + step·i twice; a slice of everything → x": {
    dtypes: dtypeNames,
    term: (g, x) => g.slice(g.slice(x, [5], [-2], [3]), [2], [-1], [2]),
  },
  "max, min over axes of size 1 → reshape (there is nothing to compare; a sum would turn −0 into 0)": {
    dtypes: dtypeNames,
    shape: [6, 1],
    term: (g, x) => g.reduce("max", x, [1]),
  },
};

const none: Example = { dtypes: [], term: (_, x) => x };

/** The last node's term with nothing simplified, and the one that the rule puts in its place. */
function applied(rule: Rule, graph: Graph): { readonly before: Term; readonly after: Term | undefined } {
  const terms = new Terms();
  const all: Term[] = [];
  graph.nodes.forEach((node, k) => {
    all.push(
      terms.intern(
        node,
        (graph.inputs[k] as readonly number[]).map((input) => all[input] as Term),
      ),
    );
  });
  const before = all[graph.outputs[0] as number] as Term;
  return { before, after: rule.at.includes(before.fn) ? rule.apply(before, terms) : undefined };
}

/** The term and what is beneath it, with the graph's own inputs in front. */
function graphOf(term: Term, inputs: readonly Node[]): Graph {
  const nodes: Node[] = [];
  const operands: number[][] = [];
  const positions = new Map<Term, number>();
  const place = (part: Term): number => {
    const known = positions.get(part);
    if (known !== undefined) return known;
    const own = part.inputs.map(place);
    nodes.push(part.node);
    operands.push(own);
    positions.set(part, nodes.length - 1);
    return nodes.length - 1;
  };
  const output = place(term);
  const used = nodes.filter(({ op }) => op === "input").length;
  expect(used, "the examples have one input").toBeLessThanOrEqual(inputs.length);
  return { nodes, inputs: operands, outputs: [output] };
}

function expectSameBits(
  actual: readonly Element[],
  expected: readonly Element[],
  picture: () => string,
): void {
  const differs = expected.findIndex((x, k) => !Object.is(x, actual[k]));
  if (differs >= 0 || actual.length !== expected.length) {
    expect.fail(`element ${differs} is ${actual[differs]}, not ${expected[differs]}\n${picture()}`);
  }
}

const only = (results: readonly (readonly Element[])[]): readonly Element[] =>
  results[0] as readonly Element[];

describe.each(rules.map((rule) => [rule.law, rule] as const))("%s", (law, rule) => {
  it("has an example", () => {
    expect(examples).toHaveProperty([law]);
  });

  const { dtypes, shape = [6], term } = examples[law] ?? none;
  it.each(dtypes)("fires, and changes no bit of %s", (dtype) => {
    const g = new Recording();
    const graph = g.graph(term(g, g.input(dtype, shape), dtype));
    const { before, after } = applied(rule, graph);
    expect(after, printGraph(graph)).toBeDefined();
    expect(after).not.toBe(before);
    const rewritten = graphOf(after as Term, [graph.nodes[0] as Node]);
    verifyGraph(rewritten.nodes);
    expect(rewritten.nodes.length, "a rule shrinks the graph").toBeLessThanOrEqual(graph.nodes.length);
    const compare = (x: readonly Element[]): void =>
      expectSameBits(
        only(evaluate(rewritten, [x], [])),
        only(evaluate(graph, [x], [])),
        () => `${printGraph(graph)}\nbecame\n${printGraph(rewritten)}`,
      );
    const values = special[dtype];
    for (let k = 0; k < values.length; k++) {
      compare(Array.from({ length: 6 }, (_, i) => values[(k + i) % values.length] as Element));
    }
    fc.assert(fc.property(elements(dtype, 6), compare), { numRuns: 40 });
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

/** The pointwise and reduce functions that are left, in order. */
const opsOf = (graph: Graph): string[] =>
  graph.nodes.flatMap((node) =>
    node.op === "pointwise" || node.op === "reduce" ? [node.attributes.fn as string] : [],
  );

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
    ["x / 2", "div", "float32", (g, x) => g.pointwise("div", x, g.constant("float32", 2))],
    ["x == x (NaN)", "eq", "float32", (g, x) => g.pointwise("eq", x, x)],
    ["x < x", "lt", "float32", (g, x) => g.pointwise("lt", x, x)],
    ["fmax(x, x)", "fmax", "float32", (g, x) => g.pointwise("fmax", x, x)],
    ["a sum over one element (−0)", "sum", "float32", (g, x) => g.reduce("sum", g.reshape(x, [4, 1]), [1])],
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
      "a * b and b * a",
      "mul mul sub",
      "float32",
      (g, x, y) => g.pointwise("sub", g.pointwise("mul", x, y), g.pointwise("mul", y, x)),
    ],
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

describe("casts", () => {
  const cases = dtypeNames.flatMap((from) =>
    dtypeNames.flatMap((middle) => dtypeNames.map((to) => [from, middle, to] as const)),
  );
  it("of casts give the same bits simplified, from any dtype through any to any", () => {
    for (const [from, middle, to] of cases) {
      const g = new Recording();
      const values = special[from];
      const graph = g.graph(g.cast(g.cast(g.input(from, [values.length]), middle), to));
      const simplified = simplify(graph);
      expectSameBits(only(evaluate(simplified, [values], [])), only(evaluate(graph, [values], [])), () =>
        printGraph(graph),
      );
    }
  });
  it("that come back through a wider dtype are gone", () => {
    const g = new Recording();
    const graph = g.graph(g.cast(g.cast(g.input("float32", [2]), "float64"), "float32"));
    expect(opsOf(simplify(graph))).toEqual([]);
  });
});

describe("int64 arithmetic on small values", () => {
  type Step =
    | { readonly kind: "iota" | "constant" | "input"; readonly n: number }
    | { readonly kind: "add" | "sub" | "mul"; readonly a: Step; readonly b: Step };
  const constants = [0, 1, -1, 3, 1000, 65536, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 40];
  const { step } = fc.letrec<{ step: Step }>((tie) => ({
    step: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        kind: fc.constantFrom("iota" as const, "constant" as const, "input" as const),
        n: fc.nat(9),
      }),
      fc.record({
        kind: fc.constantFrom("add" as const, "sub" as const, "mul" as const),
        a: tie("step"),
        b: tie("step"),
      }),
    ),
  }));
  const length = special.int32.length;
  const record = (g: Recording, x: Recorded, tree: Step): Recorded => {
    switch (tree.kind) {
      case "iota":
        return g.iota("int64", length);
      case "constant":
        return g.constant("int64", BigInt(constants[tree.n] as number));
      case "input":
        return g.cast(x, "int64");
      default:
        return g.pointwise(tree.kind, record(g, x, tree.a), record(g, x, tree.b));
    }
  };

  it("gives the same bits in whatever integers it is done", () => {
    fc.assert(
      fc.property(step, step, fc.constantFrom("int16", "int32", "uint8", "int8"), (left, right, dtype) => {
        const g = new Recording();
        const x = g.input(dtype, [length]);
        const [a, b] = [record(g, x, left), record(g, x, right)];
        const graph = g.graph(g.pointwise("lt", a, b), g.cast(a, "float64"), g.cast(b, "int16"));
        const values = Array.from({ length }, (_, k) => special[dtype][k % special[dtype].length] as Element);
        const [expected, actual] = [graph, simplify(graph)].map((one) => evaluate(one, [values], []));
        expected?.forEach((result, k) => {
          expectSameBits(actual?.[k] as Element[], result, () => printGraph(graph));
        });
      }),
      { numRuns: 1_000 },
    );
  });
  it("on positions is done in int32", () => {
    const g = new Recording();
    const row = g.pointwise("add", g.iota("int64", 4), g.constant("int64", 7n));
    const simplified = simplify(g.graph(g.cast(row, "float32")));
    expect(simplified.nodes.map(({ dtype }) => dtype)).not.toContain("int64");
  });
  it("that may pass int32's end stays in int64", () => {
    const g = new Recording();
    const row = g.pointwise("mul", g.iota("int64", 4), g.constant("int64", 2n ** 30n));
    const simplified = simplify(g.graph(g.cast(row, "float32")));
    expect(simplified.nodes.map(({ dtype }) => dtype)).toContain("int64");
  });
});

describe("a constant expression", () => {
  /** The dtypes that `fn` computes in. */
  const computed = (fn: (typeof pointwiseNames)[number]): DType[] => [
    ...new Set(
      dtypeNames.flatMap((dtype) => {
        try {
          return [computeDType(fn, dtype)];
        } catch {
          return [];
        }
      }),
    ),
  ];
  const functions = pointwiseNames.filter(
    (fn): fn is Exclude<typeof fn, "cast"> => fn !== "cast" && pointwiseOps[fn].arity < 3,
  );

  it.each(functions)("of %s folds to what a kernel gives, for all pairs of special values", (fn) => {
    const { arity } = pointwiseOps[fn];
    for (const dtype of computed(fn)) {
      const pairs = special[dtype].flatMap((a) => (arity === 1 ? [[a]] : special[dtype].map((b) => [a, b])));
      const folded = pairs.map((values) => foldedValue(fn, dtype, values));
      const kept = pairs.filter((_, k) => folded[k] !== undefined);
      const run = new Recording();
      const operands = Array.from({ length: arity }, () => run.input(dtype, [kept.length]));
      const columns = operands.map((_, side) => kept.map((pair) => pair[side] as Element));
      const [result] = runProgram(run.graph(run.pointwise(fn, ...operands)), columns, [], "js", {});
      expectSameBits(
        folded.filter((value) => value !== undefined),
        result as Element[],
        () => `${fn} of ${dtype}`,
      );
      expect(kept.length, `${fn} of ${dtype}`).toBeGreaterThan(pairs.length / 2);
    }
  });

  function foldedValue(
    fn: (typeof functions)[number],
    dtype: DType,
    values: readonly Element[],
  ): Element | undefined {
    const g = new Recording();
    const graph = g.graph(g.pointwise(fn, ...values.map((value) => g.constant(dtype, value))));
    const terms = new Terms();
    const constants = graph.nodes.slice(0, -1).map((node) => terms.intern(node, []));
    const operands = (graph.inputs.at(-1) as readonly number[]).map((k) => constants[k] as Term);
    return foldConstants.apply(terms.intern(graph.nodes.at(-1) as Node, operands), terms)?.value;
  }

  it("is one constant, however deep", () => {
    const g = new Recording();
    const two = g.pointwise("sqrt", g.constant("float32", 4));
    const x = g.input("float32", [3]);
    const graph = g.graph(
      g.pointwise("mul", x, g.pointwise("exp", g.pointwise("sub", two, g.constant("float32", 2)))),
    );
    // exp(√4 - 2) is 1, and x * 1 is x.
    expect(printGraph(simplify(graph))).toBe("%0: float32[3] = input()\nreturn %0");
  });
  it("that throws is left to throw when it runs", () => {
    const g = new Recording();
    const graph = g.graph(g.pointwise("floorDivide", g.constant("int32", 1), g.constant("int32", 0)));
    expect(opsOf(simplify(graph))).toEqual(["floorDivide"]);
    expect(() => runProgram(graph, [], [], "js", {})).toThrow(RangeError);
  });
});

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
  it("include movements and reductions with the same attributes, and only those", () => {
    const g = new Recording();
    const x = g.input("float32", [4, 4]);
    const rows = [g.reduce("sum", x, [0]), g.reduce("sum", x, [0]), g.reduce("sum", x, [1])] as const;
    const moved = [g.slice(x, [0, 0], [1, 1], [1, 4]), g.slice(x, [1, 0], [1, 1], [1, 4])] as const;
    const total = rows.reduce<Recorded>((sum, row) => g.pointwise("add", sum, row), g.reshape(moved[0], [4]));
    const simplified = simplify(g.graph(g.pointwise("add", total, g.reshape(moved[1], [4]))));
    expect(opsOf(simplified).filter((op) => op === "sum")).toHaveLength(2);
    expect(simplified.nodes.filter(({ op }) => op === "slice")).toHaveLength(2);
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
  it("of 100,000 ops is simplified without recursion", () => {
    const g = new Recording();
    let x = g.input("float32", [2]);
    for (let k = 0; k < 50_000; k++) {
      x = g.pointwise("neg", g.pointwise("mul", x, g.constant("float32", 1)));
    }
    expect(opsOf(simplify(g.graph(x)))).toEqual([]);
  });
});
