/** What the table says of the ops is true of them: tried on special values, by the closure emitter. */
import {
  computeDType,
  type DType,
  DTypeError,
  isComparison,
  pointwiseNames,
  pointwiseOps,
  resultDType,
} from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { closurePointwise, type Scalar } from "../../packages/compiler/src/emit/closure/pointwise.ts";

const special: { readonly [D in "bool" | "int32" | "float64"]: readonly number[] } = {
  bool: [0, 1],
  int32: [-(2 ** 31), -7, -1, 0, 1, 2, 3, 31, 2 ** 31 - 1],
  float64: [Number.NEGATIVE_INFINITY, -2.5, -1, -0, 0, 0.5, 1, 3, Number.POSITIVE_INFINITY, Number.NaN],
};
type Tried = keyof typeof special;

/** The dtypes among those tried that the op computes in as they are. */
const computedIn = (op: (typeof pointwiseNames)[number]): Tried[] =>
  (Object.keys(special) as Tried[]).filter((dtype) => {
    try {
      return computeDType(op, dtype) === dtype;
    } catch (error) {
      if (error instanceof DTypeError) return false;
      throw error;
    }
  });

const pairs = pointwiseNames
  .filter((op) => pointwiseOps[op].arity === 2)
  .flatMap((op) => computedIn(op).map((dtype) => [op, dtype] as const));

/** What the op gives, or the message of what it throws. */
function result(op: (typeof pointwiseNames)[number], dtype: DType, a: Scalar, b: Scalar): Scalar | string {
  try {
    return closurePointwise[op](dtype, resultDType(op, dtype))(a, b);
  } catch (error) {
    return (error as Error).message;
  }
}

describe("what a row says of an op is so", () => {
  it.each(pointwiseNames.filter((op) => pointwiseOps[op].arity === 2))("%s", (op) => {
    const each = pairs.filter(([name]) => name === op);
    const tried = each.flatMap(([, dtype]) =>
      special[dtype].flatMap((a) =>
        special[dtype].map((b) => ({ dtype, a, b, of: result(op, dtype, a, b) })),
      ),
    );
    const commutes = tried.every(({ dtype, a, b, of }) => Object.is(of, result(op, dtype, b, a)));
    const idempotent = tried.every(({ a, b, of }) => !Object.is(a, b) || Object.is(of, a));
    const mayFail = tried.some(({ of }) => typeof of === "string");
    const said = pointwiseOps[op];
    if (said.commutative) expect(commutes).toBe(true);
    if (said.idempotent) expect(idempotent).toBe(true);
    // What a row leaves out here would run under a guard that fails, where operands are 0.
    expect(said.mayFail).toBe(mayFail);
  });
  it("comparisons are those that ask of two operands", () => {
    expect(pointwiseNames.filter(isComparison)).toEqual(["eq", "ne", "lt", "le", "gt", "ge"]);
  });
});
