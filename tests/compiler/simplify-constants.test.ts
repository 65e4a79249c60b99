import { printGraph, simplify } from "@fuseau/compiler";
import {
  computeDType,
  type DType,
  DTypeError,
  dtypeNames,
  isFloat,
  type Node,
  pointwiseNames,
  pointwiseOps,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";

import { constants } from "../../packages/compiler/src/simplify/rules/constants.ts";
import { type Term, Terms } from "../../packages/compiler/src/simplify/terms/term.ts";
import { tryInOrder } from "../../packages/compiler/src/simplify/terms/try.ts";
import type { Element } from "../differential/reference.ts";
import { runProgram } from "../differential/run-program.ts";
import { expectSameBits } from "./expect-bits.ts";
import { opsOf, Recording } from "./recording.ts";
import { special } from "./special-values.ts";

const foldConstants = tryInOrder(constants);

describe("a constant expression", () => {
  /** The dtypes that `fn` computes in. */
  const computed = (fn: (typeof pointwiseNames)[number]): DType[] => [
    ...new Set(
      dtypeNames.flatMap((dtype) => {
        try {
          return [computeDType(fn, dtype)];
        } catch (error) {
          if (error instanceof DTypeError) return [];
          throw error;
        }
      }),
    ),
  ];
  const functions = pointwiseNames.filter(
    (fn): fn is Exclude<typeof fn, "cast"> => fn !== "cast" && pointwiseOps[fn].arity < 3,
  );
  const folds = (fn: (typeof pointwiseNames)[number], dtype: DType): boolean =>
    !(isFloat(dtype) && pointwiseOps[fn].approximated);

  it.each(functions.filter((fn) => computed(fn).some((dtype) => folds(fn, dtype))))(
    "of %s folds to what a kernel gives, for all pairs of special values",
    (fn) => {
      const { arity } = pointwiseOps[fn];
      for (const dtype of computed(fn).filter((one) => folds(fn, one))) {
        const pairs = special[dtype].flatMap((a) =>
          arity === 1 ? [[a]] : special[dtype].map((b) => [a, b]),
        );
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
    },
  );

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
    return foldConstants(terms.intern(graph.nodes.at(-1) as Node, operands), terms, null, null)?.value;
  }

  it("is one constant, however deep", () => {
    const g = new Recording();
    const two = g.pointwise("sqrt", g.constant("float32", 4));
    const x = g.input("float32", [3]);
    const graph = g.graph(g.pointwise("mul", x, g.pointwise("sub", two, g.constant("float32", 1))));
    // √4 - 1 is 1, and x * 1 is x.
    expect(printGraph(simplify(graph))).toBe("%0: float32[3] = input()\nreturn %0");
  });
  it("is found beneath repetition and movements", () => {
    const g = new Recording();
    const ones = g.permute(g.expand(g.constant("float32", 1), [3, 2]), [1, 0]);
    const x = g.input("float32", [2, 3]);
    const twos = g.pointwise("add", ones, g.slice(ones, [1, 0], [-1, 1], [2, 3]));
    const graph = g.graph(g.pointwise("mul", x, g.pointwise("sub", twos, ones)));
    expect(printGraph(simplify(graph))).toBe("%0: float32[2, 3] = input()\nreturn %0");
  });
  it("of functions that each emitter approximates is left to the emitter", () => {
    for (const fn of ["exp", "sin", "tanh", "log1p"] as const) {
      const g = new Recording();
      expect(opsOf(simplify(g.graph(g.pointwise(fn, g.constant("float32", 1)))))).toEqual([fn]);
    }
  });
  it("that throws is left to throw when it runs", () => {
    const g = new Recording();
    const graph = g.graph(g.pointwise("floorDivide", g.constant("int32", 1), g.constant("int32", 0)));
    expect(opsOf(simplify(graph))).toEqual(["floorDivide"]);
    expect(() => runProgram(graph, [], [], "js", {})).toThrow(RangeError);
  });
});
