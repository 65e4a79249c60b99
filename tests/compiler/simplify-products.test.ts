/** Products and sums that are matrix products: which are recognised, and that they give the same within rounding. */
import { type Graph, printGraph, simplify } from "@fuseau/compiler";
import { type DType, elementCount, type Node, verifyGraph } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { type Element, evaluate } from "../differential/reference.ts";
import { runProgram } from "../differential/run-program.ts";
import { type Recorded, Recording } from "./recording.ts";

type Shape = readonly number[];
type Record = (g: Recording, a: Recorded, b: Recorded) => Recorded;

const record = (dtype: DType, a: Shape, b: Shape, make: Record): Graph => {
  const g = new Recording();
  return g.graph(make(g, g.input(dtype, a), g.input(dtype, b)));
};
const product = (g: Recording, a: Recorded, b: Recorded, axes: Shape): Recorded =>
  g.reduce("sum", g.pointwise("mul", a, b), axes);

const contracts = ({ nodes }: Graph): Shape[][] =>
  nodes.flatMap((node) => (node.op === "contract" ? [node.inputs.map(({ shape }) => shape)] : []));

/** Numbers of about one size, positive and negative; `whole` ones have products and sums that are exact. */
function data({ shape, dtype }: Node, seed: number, whole: boolean): number[] {
  return Array.from({ length: elementCount(shape) }, (_, k) => {
    const number = ((k + seed) * 2654435761) % 1000;
    const value = whole ? (number % 17) - 8 : number / 500 - 1;
    return dtype === "float32" ? Math.fround(value) : value;
  });
}

const given = ({ nodes }: Graph, whole: boolean): Element[][] =>
  nodes.filter(({ op }) => op === "input").map((node, k) => data(node, 17 * k + 3, whole));

const windows = (g: Recording, x: Recorded): Recorded =>
  g.asStrided(x, { shape: [2, 1, 3, 6, 10, 3, 3], strides: [288, 288, 96, 12, 1, 12, 1], offset: 0 });

const recognised: readonly [string, Shape, Shape, Record, left: Shape, right: Shape][] = [
  [
    "a.unsqueeze(1).mul(b).sum(-1)",
    [16, 12],
    [32, 12],
    (g, a, b) => product(g, g.reshape(a, [16, 1, 12]), b, [2]),
    [16, 12],
    [12, 32],
  ],
  [
    "the same with explicit expands",
    [16, 12],
    [32, 12],
    (g, a, b) =>
      product(g, g.expand(g.reshape(a, [16, 1, 12]), [16, 32, 12]), g.expand(b, [16, 32, 12]), [2]),
    [16, 12],
    [12, 32],
  ],
  [
    "the factors the other way round",
    [32, 12],
    [16, 12],
    (g, a, b) => product(g, a, g.reshape(b, [16, 1, 12]), [2]),
    [16, 12],
    [12, 32],
  ],
  [
    "a sum over the middle, as a matrix product is written",
    [16, 12],
    [12, 32],
    (g, a, b) => product(g, g.reshape(a, [16, 12, 1]), b, [1]),
    [16, 12],
    [12, 32],
  ],
  [
    "a sum over the first axis",
    [12, 16],
    [12, 32],
    (g, a, b) => product(g, g.reshape(a, [12, 16, 1]), g.reshape(b, [12, 1, 32]), [0]),
    [16, 12],
    [12, 32],
  ],
  [
    "a batch",
    [3, 16, 12],
    [3, 12, 32],
    (g, a, b) => product(g, g.reshape(a, [3, 16, 12, 1]), g.reshape(b, [3, 1, 12, 32]), [2]),
    [3, 16, 12],
    [3, 12, 32],
  ],
  [
    "several axes of rows and of columns, and two summed",
    [4, 6, 3, 5],
    [3, 5, 2, 9],
    (g, a, b) => product(g, g.reshape(a, [4, 6, 3, 5, 1, 1]), b, [2, 3]),
    [24, 15],
    [15, 18],
  ],
  [
    "rows and columns that alternate",
    [4, 6, 12],
    [12, 3, 9],
    (g, a, b) =>
      product(g, g.reshape(a, [4, 1, 6, 12, 1]), g.reshape(g.permute(b, [1, 0, 2]), [1, 3, 1, 12, 9]), [3]),
    [24, 12],
    [12, 27],
  ],
  [
    "columns that do not lie as one",
    [16, 12],
    [12, 9, 3],
    (g, a, b) => product(g, g.reshape(a, [16, 1, 12, 1]), g.permute(b, [2, 0, 1]), [2]),
    [3, 16, 12],
    [3, 12, 9],
  ],
  [
    "a transposed factor",
    [12, 16],
    [32, 12],
    (g, a, b) => product(g, g.reshape(g.permute(a, [1, 0]), [16, 1, 12]), b, [2]),
    [16, 12],
    [12, 32],
  ],
  [
    "a convolution of windows, one product for each row of the image",
    [2, 3, 8, 12],
    [8, 3, 3, 3],
    (g, x, weight) => product(g, windows(g, x), g.reshape(weight, [1, 8, 3, 1, 1, 3, 3]), [2, 5, 6]),
    [2, 6, 8, 27],
    [2, 6, 27, 10],
  ],
  [
    "a reshape between the product and the sum",
    [16, 3, 4],
    [32, 3, 4],
    (g, a, b) =>
      g.reduce("sum", g.reshape(g.pointwise("mul", g.reshape(a, [16, 1, 3, 4]), b), [16, 32, 12]), [2]),
    [16, 12],
    [12, 32],
  ],
];

describe.each(["float32", "float64"] as const)("a product and a sum of %s", (dtype) => {
  it.each(recognised)("is a contraction: %s", (_, a, b, make, left, right) => {
    const graph = record(dtype, a, b, make);
    const simplified = simplify(graph);
    verifyGraph(simplified.nodes);
    expect(contracts(simplified), printGraph(simplified)).toEqual([[left, right]]);
    expect(simplified.nodes.map(({ op }) => op)).not.toContain("pointwise");

    // Sums of whole numbers are exact in any order: this tells elements that were mixed up.
    const whole = given(graph, true);
    expect(evaluate(simplified, whole, [])).toEqual(evaluate(graph, whole, []));

    const some = given(graph, false);
    const [expected] = evaluate(record("float64", a, b, make), some, []) as [number[]];
    const runs = (["js", "closure"] as const).flatMap((emitter) =>
      (["on", "none"] as const).map(
        (fusion) => runProgram(graph, some, [], emitter, { fusion })[0] as number[],
      ),
    );
    for (const actual of runs) {
      // Fused and eager are simplified alike, and so sum in the same order.
      expect(actual).toEqual(runs[0]);
      const furthest = Math.max(...actual.map((x, k) => Math.abs(x - (expected[k] as number))));
      expect(furthest).toBeLessThan(dtype === "float32" ? 1e-5 : 1e-13);
    }
  });
});

describe("a product and a sum stay what they are", () => {
  it.each<[string, DType, Shape, Shape, Record]>([
    [
      "of integers, whose sum is wider",
      "int32",
      [16, 12],
      [32, 12],
      (g, a, b) => product(g, g.reshape(a, [16, 1, 12]), b, [2]),
    ],
    [
      "of float16, whose products are rounded",
      "float16",
      [16, 12],
      [32, 12],
      (g, a, b) => product(g, g.reshape(a, [16, 1, 12]), b, [2]),
    ],
    [
      "when there are few products",
      "float32",
      [8, 8],
      [8, 8],
      (g, a, b) => product(g, g.reshape(a, [8, 1, 8]), b, [2]),
    ],
    [
      "when few are summed",
      "float32",
      [64, 2],
      [64, 2],
      (g, a, b) => product(g, g.reshape(a, [64, 1, 2]), b, [2]),
    ],
    [
      "when there are few rows",
      "float32",
      [2, 64],
      [64, 64],
      (g, a, b) => product(g, g.reshape(a, [2, 1, 64]), b, [2]),
    ],
    ["when both factors have all axes", "float32", [64, 64], [64, 64], (g, a, b) => product(g, a, b, [1])],
    [
      "when one factor has no axis of its own",
      "float32",
      [64, 64, 4],
      [64, 4],
      (g, a, b) => product(g, a, b, [2]),
    ],
    [
      "when a summed axis is missing in a factor",
      "float32",
      [16, 12, 5],
      [32, 12, 1],
      (g, a, b) => product(g, g.reshape(a, [16, 1, 12, 5]), b, [2, 3]),
    ],
    [
      "when it is another fold",
      "float32",
      [16, 12],
      [32, 12],
      (g, a, b) => g.reduce("max", g.pointwise("mul", g.reshape(a, [16, 1, 12]), b), [2]),
    ],
    [
      "when it is a distance, whose cancellation a product would lose",
      "float32",
      [16, 12],
      [32, 12],
      (g, a, b) => {
        const difference = g.pointwise("sub", g.reshape(a, [16, 1, 12]), b);
        return product(g, difference, difference, [2]);
      },
    ],
  ])("%s", (_, dtype, a, b, make) => {
    expect(contracts(simplify(record(dtype, a, b, make)))).toEqual([]);
  });
});

describe("a product of one row and one column", () => {
  const dots = (dtype: DType, shape: readonly number[]): Shape[][] => {
    const g = new Recording();
    const [k, outer] = [shape.at(-1)!, shape.slice(0, -1)];
    const product = g.contract(g.input(dtype, [...outer, 1, k]), g.input(dtype, [...outer, k, 1]));
    return contracts(simplify(g.graph(product)));
  };
  it.each(["float32", "float64"] as const)("of more than 16 elements is a sum of products: %s", (dtype) => {
    expect(dots(dtype, [17])).toEqual([]);
    expect(dots(dtype, [5, 3, 100])).toEqual([]);
    expect(dots(dtype, [16])).toEqual([
      [
        [1, 16],
        [16, 1],
      ],
    ]);
  });
  it.each(["float16", "int32"] as const)("stays what it is in %s, which sums in another dtype", (dtype) => {
    expect(dots(dtype, [100])).toHaveLength(1);
  });
});
