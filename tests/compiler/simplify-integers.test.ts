import { printGraph, simplify } from "@fuseau/compiler";
import { dtypeNames } from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Element, evaluate } from "../differential/reference.ts";
import { expectSameBits } from "./expect-bits.ts";
import { opsOf, type Recorded, Recording } from "./recording.ts";
import { special } from "./special-values.ts";

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
      expectSameBits(evaluate(simplified, [values], [])[0]!, evaluate(graph, [values], [])[0]!, () =>
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
