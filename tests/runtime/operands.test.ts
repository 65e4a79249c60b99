/** Functions of two operands: either may be a number, and one at least is a tensor. docs/semantics.md states the rule. */
import * as fuseau from "fuseau";
import { float, tensor } from "fuseau";
import { describe, expect, test } from "vitest";
import { untyped } from "../errors/untyped.ts";

const ints = tensor([3, 5, 7], { dtype: "int32" });
const floats = tensor([0.5, 1, 2]);

/** Every function of two operands, and a tensor that it takes. */
const pairs = {
  add: ints,
  sub: ints,
  rsub: ints,
  mul: ints,
  div: ints,
  trueDivide: ints,
  floorDivide: ints,
  remainder: ints,
  fmod: ints,
  pow: ints,
  floatPower: ints,
  maximum: ints,
  minimum: ints,
  fmax: ints,
  fmin: ints,
  gcd: ints,
  lcm: ints,
  atan2: ints,
  hypot: ints,
  copysign: ints,
  nextafter: floats,
  xlogy: ints,
  xlog1py: ints,
  logaddexp: floats,
  logaddexp2: floats,
  heaviside: floats,
  ldexp: floats,
  bitwiseAnd: ints,
  bitwiseOr: ints,
  bitwiseXor: ints,
  bitwiseLeftShift: ints,
  bitwiseRightShift: ints,
  eq: ints,
  ne: ints,
  lt: ints,
  le: ints,
  gt: ints,
  ge: ints,
  isclose: floats,
  logicalAnd: ints,
  logicalOr: ints,
  logicalXor: ints,
} as const;

describe.each(Object.entries(pairs))("%s", (name, x) => {
  const op = (a: unknown, b: unknown): fuseau.AnyTensor =>
    Reflect.get(untyped(fuseau), name)(a, b) as unknown as fuseau.AnyTensor;

  test("takes a number on either side, as a 0-d tensor of its neighbour's dtype", () => {
    const two = tensor(2, { dtype: x.dtype });
    expect(op(x, 2).toString()).toBe(op(x, two).toString());
    expect(op(2, x).toString()).toBe(op(two, x).toString());
  });

  test("has a method that takes a number", () => {
    const method = Reflect.get(x, name) as (other: unknown) => fuseau.AnyTensor;
    expect(method.call(x, 2).toString()).toBe(op(x, 2).toString());
  });

  test("refuses two numbers", () => {
    expect(() => op(2, 3)).toThrow(TypeError);
    expect(() => op(2, 3)).toThrow(/one operand at least must be a Tensor, but got [23] and [23] \(wrap/);
    expect(() => op(float(2), 5n)).toThrow(/one operand at least must be a Tensor/);
  });
});

test("where takes two numbers: its condition is a tensor", () => {
  expect(fuseau.where(tensor([true, false]), 1, 2).toArray()).toEqual([1, 2]);
  expect(fuseau.where(tensor([true, false]), 1, 2).dtype).toBe("int64");
});

test("a number adopts the dtype that it must have, or is refused", () => {
  expect(fuseau.heaviside(tensor([-1, 0, 1]), 0.5).toArray()).toEqual([0, 0.5, 1]);
  expect(() => untyped(fuseau).heaviside(ints, 0.5)).toThrow(fuseau.DTypeError);
  expect(tensor([1, 2]).isclose(1).toArray()).toEqual([true, false]);
});

test("a tensor of another copy of the package is called that", () => {
  const foreign = { [Symbol.for("fuseau.tensor")]: true } as unknown as fuseau.AnyTensor;
  expect(() => tensor([1, 2]).add(foreign)).toThrow(/but got a Tensor of another copy of fuseau/);
  expect(() => tensor([1, 2]).matmul(foreign)).toThrow(
    /must be Tensor, not a Tensor of another copy of fuseau/,
  );
});
