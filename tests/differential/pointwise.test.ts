/** The meanings that the oracle gives to single ops, against each emitter, for all pairs of special values. */
import { emitters } from "@fuseau/compiler";
import {
  build,
  computeDType,
  type DType,
  DTypeError,
  dtypeNames,
  isFloat,
  type Node,
  type PointwiseOp,
  pointwiseNames,
  pointwiseOps,
  resultDType,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { special } from "../compiler/special-values.ts";
import { alone } from "./alone.ts";
import { plainPointwise } from "./plain-pointwise.ts";
import type { Element } from "./reference.ts";

const others = pointwiseNames.filter(
  (op): op is Exclude<PointwiseOp, "cast" | "where" | "randomWord" | "randomNormal"> =>
    op !== "cast" && op !== "where" && op !== "randomWord" && op !== "randomNormal",
);

const computedIn = (op: PointwiseOp): readonly DType[] =>
  dtypeNames.filter((dtype) => {
    try {
      return computeDType(op, dtype) === dtype;
    } catch (error) {
      if (error instanceof DTypeError) return false;
      throw error;
    }
  });

/** Operands at which the op goes on: not where an integer is divided by 0. */
function operandsOf(op: PointwiseOp, dtype: DType): Element[][] {
  const values = special[dtype];
  if (pointwiseOps[op].arity === 1) return [[...values]];
  const pairs = values
    .flatMap((a) => values.map((b) => [a, b] as const))
    .filter(([, b]) => !pointwiseOps[op].mayFail || isFloat(dtype) || Number(b) !== 0);
  return [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
}

function expectMeaning(node: Node, operands: readonly Element[][], f: (...x: Element[]) => Element): void {
  if (node.op !== "pointwise") throw new Error(node.op);
  const expected = operands[0]!.map((_, k) => f(...operands.map((each) => each[k] as Element)));
  for (const emitter of emitters) {
    const actual = alone(node, operands, emitter);
    const at = actual.findIndex((x, k) => !Object.is(x, expected[k]));
    const shown = operands.map((each) => each[at]);
    if (at >= 0) expect.fail(`${emitter}: ${shown} gives ${actual[at]}, not ${expected[at]}`);
  }
}

describe.each(others)("%s", (op) => {
  it.each(computedIn(op))("of %s", (dtype) => {
    const f = plainPointwise(op, dtype, resultDType(op, dtype));
    expect(f === null).toBe(isFloat(dtype) && pointwiseOps[op].approximated);
    if (f === null) return;
    const operands = operandsOf(op, dtype);
    const node = build.pointwise(
      op,
      operands.map(() => build.input(dtype, [1])),
    );
    expectMeaning(node, operands, f);
  });
});

describe.each(dtypeNames)("a cast of %s", (from) => {
  it.each(dtypeNames.filter((to) => to !== from))("to %s", (to) => {
    const node = build.cast(build.input(from, [1]), to);
    expectMeaning(node, [[...special[from]]], plainPointwise("cast", from, to)!);
  });
});

it("a choice, and words of random bits", () => {
  const [bool, x] = [build.input("bool", [1]), build.input("float32", [1])];
  const choice = build.pointwise("where", [bool, x, x]);
  expectMeaning(
    choice,
    [
      [0, 1],
      [1, -0],
      [2, 3],
    ],
    plainPointwise("where", "float32", "float32")!,
  );
  const word = build.input("float64", [1]);
  const counters = [0, 1, 2, 3, 4, 77, 2 ** 34 + 3];
  const keys = counters.map((_, k) => (k * 0x9e3779b1) % 2 ** 32);
  const random = build.pointwise("randomWord", [word, word, word]);
  expectMeaning(
    random,
    [counters, keys, [...keys].reverse()],
    plainPointwise("randomWord", "float64", "float64")!,
  );
});
