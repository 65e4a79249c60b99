/**
 * Matrix products in WebAssembly: along k in order, in blocks of 256 that begin with 0 and are added in order. That is a law of
 * the element alone, so what is fused to a product, how its operands stand in memory and how it is cut into slices change no bit.
 */
import {
  type CompileOptions,
  compile,
  type Graph,
  type KernelCall,
  printGraph,
  roundToFloat16,
} from "@fuseau/compiler";
import type { DType } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { compileWasm } from "../../../packages/compiler/src/emit/wasm/compile.ts";
import { hasRelaxedLanes } from "../../../packages/runtime/src/backends/host-lanes.ts";
import type { Element } from "../../differential/reference.ts";
import { expectSameBits } from "../expect-bits.ts";
import { type Recorded, Recording } from "../recording.ts";
import { prepareSlices } from "./run-in-slices.ts";

const BLOCK = 256;

const count = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** Numbers of a dtype between −1 and 1, of an integer dtype of its whole range. */
function noise(dtype: DType, length: number, seed: number): number[] {
  let state = seed + 2654435761;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const ranges = { int8: 2 ** 7, uint8: 2 ** 7, int16: 2 ** 15, int32: 2 ** 31 } as const;
  return Array.from({ length }, () => {
    if (dtype === "float32") return Math.fround(next());
    if (dtype === "float16") return Math.round(next() * 64) / 64;
    if (dtype === "float64") return next();
    return Math.floor(next() * ranges[dtype as keyof typeof ranges]) + (dtype === "uint8" ? 2 ** 7 : 0);
  });
}

const givenTo = (graph: Graph): number[][] =>
  graph.nodes.filter(({ op }) => op === "input").map(({ dtype, shape }, k) => noise(dtype, count(shape), k));

/**
 * All ways to run the graph give the bits that its nodes, one by one, give; so they do with relaxed SIMD, where the host has
 * it, whose bits may be others.
 */
function expectOneResult(graph: Graph): Element[] {
  if (hasRelaxedLanes()) expectOneWith(graph, true);
  return expectOneWith(graph, false);
}

const ways: readonly [CompileOptions, ...(readonly number[])][] = [
  [{ fusion: "none" }, Infinity, 1],
  [{}, Infinity, 1, 3],
  [{ limits: { panel: 5 } }, Infinity],
  [{ limits: { recompute: 1000, scratch: 100_000 } }, 2],
];

function expectOneWith(graph: Graph, relaxed: boolean): Element[] {
  const given = givenTo(graph);
  let expected: Element[][] | null = null;
  for (const [options, ...cuts] of ways) {
    const run = prepareSlices(graph, options, relaxed);
    for (const itemsAtOnce of cuts) {
      const actual = run(given, itemsAtOnce);
      expected ??= actual;
      actual.forEach((result, k) => {
        const picture = (): string =>
          `${JSON.stringify(options)}, ${itemsAtOnce} work items at once, relaxed ${relaxed}\n${printGraph(graph)}`;
        expectSameBits(result, expected![k]!, picture);
      });
    }
  }
  return expected![0]!;
}

/** An element in the order: products and sums are rounded one by one. */
function dot(k: number, product: (at: number) => number, round: (value: number) => number): number {
  let total = 0;
  for (let block = 0; block < k; block += BLOCK) {
    let sum = 0;
    for (let at = block; at < Math.min(k, block + BLOCK); at++) sum = round(sum + round(product(at)));
    total = round(total + sum);
  }
  return total;
}

const rounding = { float32: Math.fround, float64: (value: number): number => value } as const;

interface Sizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

const sizes: readonly Sizes[] = [
  { m: 1, n: 1, k: 1 },
  { m: 1, n: 37, k: 300 },
  { m: 37, n: 1, k: 300 },
  { m: 4, n: 4, k: 4 },
  { m: 6, n: 11, k: 9 },
  { m: 2, n: 3, k: 5 },
  { m: 3, n: 40, k: 17 },
  { m: 40, n: 3, k: 17 },
  { m: 5, n: 7, k: 256 },
  { m: 17, n: 19, k: 257 },
  { m: 33, n: 70, k: 16 },
  { m: 64, n: 64, k: 64 },
  { m: 130, n: 9, k: 31 },
  { m: 9, n: 530, k: 40 },
  { m: 7, n: 12, k: 1030 },
  { m: 50, n: 40, k: 530 },
];
const show = ({ m, n, k }: Sizes): string => `${m} × ${k} × ${n}`;

describe("each element is what the order says", () => {
  describe.each(["float32", "float64"] as const)("%s", (dtype) => {
    it.each(sizes.map((size) => [show(size), size] as const))("%s", (_, { m, n, k }) => {
      const a = noise(dtype, m * k, 0);
      const b = noise(dtype, k * n, 1);
      const element = (i: number, j: number): number =>
        dot(k, (at) => (a[i * k + at] as number) * (b[at * n + j] as number), rounding[dtype]);
      const expected = Array.from({ length: m * n }, (_unused, place) =>
        element(Math.floor(place / n), place % n),
      );
      const g = new Recording();
      const graph = g.graph(g.contract(g.input(dtype, [m, k]), g.input(dtype, [k, n])));
      expectSameBits(expectOneResult(graph), expected, () => printGraph(graph));
    });
  });

  // Of float32 and float64 such a product is a product and a sum.
  it.each([300, 1500, 3400])("one number of float16, %i products", (k) => {
    const [a, b] = [noise("float16", k, 0), noise("float16", k, 1)];
    const sum = dot(k, (at) => (a[at] as number) * (b[at] as number), Math.fround);
    const g = new Recording();
    const graph = g.graph(g.contract(g.input("float16", [1, k]), g.input("float16", [k, 1])));
    expectSameBits(expectOneResult(graph), [roundToFloat16(sum)], () => printGraph(graph));
  });
});

describe("integers wrap in their own dtype", () => {
  it.each(["int8", "uint8", "int16", "int32"] as const)("%s", (dtype) => {
    const [m, k, n] = [9, 37, 21];
    const a = noise(dtype, m * k, 0).map(BigInt);
    const b = noise(dtype, k * n, 1).map(BigInt);
    const bits = { int8: 8, uint8: 8, int16: 16, int32: 32 }[dtype];
    const wrap = dtype === "uint8" ? BigInt.asUintN : BigInt.asIntN;
    const expected = Array.from({ length: m * n }, (_, place) => {
      let sum = 0n;
      for (let at = 0; at < k; at++)
        sum += (a[Math.floor(place / n) * k + at] as bigint) * (b[at * n + (place % n)] as bigint);
      return Number(wrap(bits, sum));
    });
    const g = new Recording();
    const graph = g.graph(g.contract(g.input(dtype, [m, k]), g.input(dtype, [k, n])));
    expectSameBits(expectOneResult(graph), expected, () => printGraph(graph));
  });
});

const transposed = (g: Recording, x: Recorded): Recorded => {
  const rank = x.node.shape.length;
  return g.permute(x, [...Array.from({ length: rank - 2 }, (_, axis) => axis), rank - 1, rank - 2]);
};

/** Graphs around products of float32. */
const fused: Record<string, (g: Recording) => Recorded | readonly Recorded[]> = {
  "bias and relu": (g) => {
    const product = g.contract(g.input("float32", [50, 300]), g.input("float32", [300, 40]));
    return g.pointwise("relu", g.pointwise("add", product, g.input("float32", [40])));
  },
  "a residual as large as the result": (g) => {
    const product = g.contract(g.input("float32", [50, 30]), g.input("float32", [30, 600]));
    return g.pointwise("add", product, g.input("float32", [50, 600]));
  },
  "B transposed": (g) => {
    const product = g.contract(g.input("float32", [50, 300]), transposed(g, g.input("float32", [40, 300])));
    return g.pointwise("add", product, g.input("float32", [40]));
  },
  "A transposed": (g) =>
    g.contract(transposed(g, g.input("float32", [30, 50])), g.input("float32", [30, 40])),
  "every second row and column": (g) => {
    const half = (x: Recorded): Recorded => g.slice(x, [1, 0], [2, 2], [13, 14]);
    const [a, b] = [half(g.input("float32", [27, 28])), transposed(g, half(g.input("float32", [27, 28])))];
    return g.contract(a, b);
  },
  batches: (g) => {
    const product = g.contract(g.input("float32", [5, 20, 30]), g.input("float32", [5, 30, 40]));
    return g.pointwise("mul", product, g.input("float32", [40]));
  },
  "batches of one right operand": (g) =>
    g.contract(g.input("float32", [5, 20, 30]), g.expand(g.input("float32", [1, 30, 40]), [5, 30, 40])),
  "batches of one left operand": (g) =>
    g.contract(g.expand(g.input("float32", [1, 20, 30]), [5, 20, 30]), g.input("float32", [5, 30, 40])),
  "batches of one left operand, several blocks along k": (g) =>
    g.contract(g.expand(g.input("float32", [1, 50, 530]), [5, 50, 530]), g.input("float32", [5, 530, 20])),
  "a product that is stored transposed": (g) =>
    transposed(g, g.contract(g.input("float32", [50, 300]), g.input("float32", [300, 40]))),
  "a left operand that is computed": (g) => {
    const a = g.pointwise(
      "tanh",
      g.pointwise("mul", g.input("float32", [50, 300]), g.input("float32", [50, 1])),
    );
    return g.contract(a, g.input("float32", [300, 40]));
  },
  "a right operand that is computed": (g) => {
    const b = g.pointwise("exp", g.pointwise("mul", g.input("float32", [300, 70]), g.input("float32", [70])));
    return g.contract(g.input("float32", [50, 300]), b);
  },
  "a right operand that is computed, of some groups of columns, few rows and a row's sum": (g) => {
    const b = g.pointwise("mul", g.input("float32", [20, 300]), g.input("float32", [20, 300]));
    return g.reduce("sum", g.contract(g.input("float32", [4, 20]), b), [1]);
  },
  "operands of another dtype": (g) =>
    g.contract(
      g.cast(g.input("uint8", [50, 30]), "float32"),
      g.cast(g.input("float16", [30, 40]), "float32"),
    ),
  "gathered rows": (g) => {
    const rows = g.gather(
      g.input("float32", [20, 30]),
      0,
      g.expand(g.reshape(g.iota("int64", 15), [15, 1]), [15, 30]),
    );
    return g.contract(rows, g.input("float32", [30, 40]));
  },
  "one number of each two rows": (g) => {
    const [x, y] = [0, 1].map(() => g.input("float32", [20, 1500])) as [Recorded, Recorded];
    return g.contract(g.reshape(x, [20, 1, 1500]), g.reshape(g.pointwise("exp", y), [20, 1500, 1]));
  },
  "one number of each two rows of float64, gathered": (g) => {
    const [x, y] = [0, 1].map(() => g.input("float64", [10, 2500])) as [Recorded, Recorded];
    const at = g.expand(g.reshape(g.iota("int64", 2500), [1, 2500]), [10, 2500]);
    return g.contract(g.reshape(g.gather(x, 1, at), [10, 1, 2500]), g.reshape(y, [10, 2500, 1]));
  },
  "rows less their mean": (g) => {
    const x = g.input("float32", [50, 64]);
    const sum = g.reshape(g.reduce("sum", x, [1]), [50, 1]);
    return g.contract(g.pointwise("sub", x, sum), g.input("float32", [64, 40]));
  },
  "a softmax": (g) => {
    const product = g.contract(g.input("float32", [50, 30]), g.input("float32", [30, 40]));
    const most = g.reshape(g.reduce("max", product, [1]), [50, 1]);
    const powers = g.pointwise("exp", g.pointwise("sub", product, most));
    return g.pointwise("div", powers, g.reshape(g.reduce("sum", powers, [1]), [50, 1]));
  },
  attention: (g) => {
    const [q, k, v] = [0, 1, 2].map(() => g.input("float32", [3, 50, 16])) as [Recorded, Recorded, Recorded];
    const product = g.contract(q, transposed(g, k));
    const most = g.reshape(g.reduce("max", product, [2]), [3, 50, 1]);
    const powers = g.pointwise("exp", g.pointwise("sub", product, most));
    const weights = g.pointwise("div", powers, g.reshape(g.reduce("sum", powers, [2]), [3, 50, 1]));
    return g.contract(weights, v);
  },
  "two layers": (g) => {
    const hidden = g.pointwise(
      "relu",
      g.contract(g.input("float32", [50, 30]), g.input("float32", [30, 20])),
    );
    return g.contract(hidden, g.input("float32", [20, 10]));
  },
  "two products of one left operand": (g) => {
    const a = g.input("float32", [50, 30]);
    const [x, y] = [g.contract(a, g.input("float32", [30, 40])), g.contract(a, g.input("float32", [30, 40]))];
    return g.pointwise("mul", x, y);
  },
  "a product and a sum over the same axis": (g) => {
    const a = g.input("float32", [50, 300]);
    const product = g.contract(a, transposed(g, g.input("float32", [40, 300])));
    return g.pointwise("add", product, g.reshape(g.reduce("sum", a, [1]), [50, 1]));
  },
  "a product that is summed": (g) =>
    g.reduce("sum", g.contract(g.input("float32", [50, 300]), g.input("float32", [300, 40])), [0, 1]),
  "a product whose columns are summed": (g) =>
    g.reduce("sum", g.contract(g.input("float32", [50, 300]), g.input("float32", [300, 40])), [0]),
  "some elements of a product": (g) =>
    g.slice(g.contract(g.input("float32", [20, 300]), g.input("float32", [300, 20])), [3, 4], [1, 1], [2, 1]),
  "an operand that is stored too": (g) => {
    const b = g.pointwise("add", g.input("float32", [30, 40]), g.input("float32", [40]));
    return [g.contract(g.input("float32", [20, 30]), b), b];
  },
  "float16, summed as float32": (g) =>
    g.contract(g.input("float16", [20, 300]), g.input("float16", [300, 20])),
  ...Object.fromEntries(
    [2, 3, 5, 8, 13, 16].flatMap((n) =>
      [true, false].map((isTransposed) => [
        `${n} columns${isTransposed ? ", of a transposed operand" : ""}: a bias, a residual, an activation, and what lies between`,
        (g: Recording) => {
          const right = (k: number): Recorded =>
            isTransposed ? transposed(g, g.input("float32", [n, k])) : g.input("float32", [k, n]);
          const biased = g.pointwise(
            "add",
            g.contract(g.input("float32", [131, 17]), right(17)),
            g.pointwise("exp", g.input("float32", [n])),
          );
          const beside = g.pointwise("add", biased, g.input("float32", [131, n]));
          return [biased, g.pointwise("relu", beside)];
        },
      ]),
    ),
  ),
  "few columns, each row less its own number": (g) => {
    const product = g.contract(g.input("float32", [131, 17]), g.input("float32", [17, 5]));
    return g.pointwise("sub", product, g.input("float32", [131, 1]));
  },
  "few columns, as many as elements along k": (g) => {
    const product = g.contract(g.input("float32", [131, 19]), transposed(g, g.input("float32", [19, 19])));
    return g.pointwise("add", product, g.input("float32", [19]));
  },
  "batches of few columns, each with a bias of its own, or one bias": (g) => {
    const product = g.contract(g.input("float32", [6, 50, 17]), g.input("float32", [6, 17, 5]));
    return [
      g.pointwise("add", product, g.input("float32", [6, 1, 5])),
      g.pointwise("add", product, g.input("float32", [5])),
    ];
  },
  "few columns of every second row of a result": (g) => {
    const product = g.contract(g.input("float32", [131, 17]), g.input("float32", [17, 5]));
    return g.pointwise("add", g.slice(product, [0, 0], [2, 1], [66, 5]), g.input("float32", [5]));
  },
  "few columns of two products of one depth, and a bias": (g) => {
    const [a, b] = [g.input("float32", [131, 16]), g.input("float32", [131, 16])];
    const [v, w] = [g.input("float32", [8, 16]), g.input("float32", [8, 16])];
    const sum = g.pointwise("add", g.contract(a, transposed(g, v)), g.contract(b, transposed(g, w)));
    return g.pointwise("add", sum, g.input("float32", [8]));
  },
  "few columns of products that share their loops": (g) => {
    const a = g.input("float32", [131, 17]);
    const b = g.input("float32", [17, 5]);
    const single = g.contract(a, b);
    const double = g.contract(g.cast(a, "float64"), g.cast(b, "float64"));
    return g.pointwise("add", g.cast(single, "float64"), g.pointwise("add", double, g.input("float64", [5])));
  },
  "few columns of integers": (g) => {
    const product = g.contract(g.input("int16", [131, 17]), g.input("int16", [17, 5]));
    return g.pointwise("add", product, g.input("int16", [5]));
  },
};

describe("fused, sliced and one by one give the same bits", () => {
  it.each(Object.keys(fused))("%s", (name) => {
    const g = new Recording();
    const outputs = fused[name]!(g);
    expectOneResult(g.graph(...(Array.isArray(outputs) ? outputs : [outputs])));
  });
});

describe("where the host has relaxed SIMD", () => {
  const source = (m: number, n: number, relaxed: boolean): string => {
    const g = new Recording();
    const graph = g.graph(g.contract(g.input("float32", [m, 12]), g.input("float32", [12, n])));
    const [{ loop, name }] = compile(graph).calls as [KernelCall];
    return compileWasm(loop, name, { shared: false, relaxed }).source();
  };
  it.each([
    ["a matrix", 20, 40],
    ["a vector", 1, 40],
    ["one number", 1, 1],
  ] as const)("products and sums of %s are one operation", (_, m, n) => {
    expect(source(m, n, true)).toContain("f32x4.relaxed_madd");
    expect(source(m, n, true)).not.toContain("f32x4.mul");
    expect(source(m, n, false)).toContain("f32x4.mul");
    expect(source(m, n, false)).not.toContain("relaxed");
  });
});

describe("empty products", () => {
  it("without k are 0", () => {
    const g = new Recording();
    const graph = g.graph(g.contract(g.input("float32", [3, 0]), g.input("float32", [0, 5])));
    expect(expectOneResult(graph)).toEqual(new Array(15).fill(0));
  });
  it.each([
    [0, 5],
    [3, 0],
  ])("of %i rows and %i columns have no elements", (m, n) => {
    const g = new Recording();
    const graph = g.graph(g.contract(g.input("float32", [m, 4]), g.input("float32", [4, n])));
    expect(expectOneResult(graph)).toEqual([]);
  });
});
