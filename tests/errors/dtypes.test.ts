import * as fuseau from "fuseau";
import { DTypeError } from "fuseau";
import { describe, expect, it, test } from "vitest";
import { refuses } from "./refuses.ts";
import { untyped } from "./untyped.ts";

const {
  batchNorm,
  conv1d,
  cosineSimilarity,
  float,
  hardtanh,
  klDiv,
  layerNorm,
  pad,
  sub,
  tensor,
  threshold,
  where,
  zeros,
} = untyped(fuseau);
const x = zeros([2]);
const ints = zeros([2], { dtype: "int32" });
const bools = zeros([2], { dtype: "bool" });
const doubles = zeros([2], { dtype: "float64" });

describe("dtypes that PyTorch refuses", () => {
  refuses({
    "subtraction of bools": [
      () => bools.sub(bools),
      DTypeError,
      "sub: Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead. (here: bitwiseXor or logicalXor)",
    ],
    "subtraction from a bool": [
      () => bools.sub(1),
      DTypeError,
      "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead. (here: bitwiseNot or logicalNot)",
    ],
    "subtraction of a bool, as a function with alpha": [
      () => sub(x, bools, { alpha: 2 }),
      DTypeError,
      "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead. (here: bitwiseNot or logicalNot)",
    ],
    "negation of bools": [
      () => bools.neg(),
      DTypeError,
      "neg: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead. (here: bitwiseNot or logicalNot)",
    ],
    "bits of floats": [
      () => x.bitwiseAnd(1),
      DTypeError,
      'bitwiseAnd: "bitwiseAnd" is not implemented for float32; cast an operand first, e.g. x.to("int64")',
    ],
    "the mean of integers": [
      () => ints.mean(),
      DTypeError,
      'mean: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Int (cast first, e.g. x.to("float32"))',
    ],
    "the mean as integers": [
      () => x.mean(0, { dtype: "int64" }),
      DTypeError,
      'mean: mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: Long (cast first, e.g. x.to("float32"))',
    ],
    "the deviation of integers": [
      () => ints.std(),
      DTypeError,
      'std: std and var only support floating point and complex dtypes (got int32; cast first, e.g. x.to("float32"))',
    ],
    "the norm of integers": [
      () => ints.norm(),
      DTypeError,
      'norm: norm(): input dtype should be either floating point or complex. Got Int instead. (cast first, e.g. x.to("float32"))',
    ],
    "the cosine of integers": [
      () => cosineSimilarity(ints, ints, { dim: 0 }),
      DTypeError,
      'cosineSimilarity: expected common dtype to be floating point, yet common dtype is Int (cast one of them, e.g. to("float32"))',
    ],
    "the divergence of integers": [
      () => klDiv(ints, ints),
      DTypeError,
      "klDiv: Integral inputs not supported (cast them with float())",
    ],
    "a convolution of bools": [
      () => conv1d(zeros([1, 1, 4], { dtype: "bool" }), zeros([1, 1, 2], { dtype: "bool" })),
      DTypeError,
      "conv1d: not implemented for bool (cast the operands, e.g. with float())",
    ],
    "scales of another dtype": [
      () => layerNorm(zeros([2, 2]), [2], { weight: doubles }),
      DTypeError,
      "layerNorm: expected scalar type Float but found Double: the weight has another dtype than the input (cast one of them with to())",
    ],
    "averages of another dtype": [
      () => batchNorm(zeros([2, 2]), doubles, doubles),
      DTypeError,
      "batchNorm: expected scalar type Float but found Double: the running_mean has another dtype than the input (cast one of them with to())",
    ],
    "softmax of integers": [
      () => ints.softmax(0),
      DTypeError,
      `softmax: "softmax" not implemented for 'Int' (cast it first, e.g. x.to("float32"))`,
    ],
    "a condition that is no bool": [
      () => where(x, 1, 2),
      DTypeError,
      "where: where expected condition to be a boolean tensor, but got a tensor with dtype Float (compare first, e.g. x.ne(0))",
    ],
    "products of two dtypes": [
      () => x.dot(doubles),
      DTypeError,
      "dot: expected scalar type Float but found Double (operands of float32 and float64; cast one of them)",
    ],
    "interpolation of two dtypes": [
      () => x.lerp(doubles, 0.5),
      DTypeError,
      "lerp: expected dtype Float for `end` but got dtype Double",
    ],
    "closeness of two dtypes": [() => x.isclose(doubles), DTypeError, "isclose: Float did not match Double"],
    "a step of two dtypes": [
      () => x.heaviside(ints),
      DTypeError,
      "heaviside: heaviside is not yet implemented for tensors with different dtypes. (float32 and int32)",
    ],
    "integers to a negative power": [
      () => ints.pow(-1),
      DTypeError,
      "pow: Integers to negative integer powers are not allowed. (make one of them floating, e.g. float(2))",
    ],
    "a floating factor of integers": [
      () => ints.add(ints, { alpha: 0.5 }),
      DTypeError,
      "add: For integral input tensors, argument alpha must not be a floating point number. (the operands are int32)",
    ],
    "a quotient added to integers": [
      () => ints.addcdiv(ints, ints),
      DTypeError,
      "addcdiv: Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. (cast one of them first)",
    ],
  });
});

describe("an integer divided by zero", () => {
  const message = "ZeroDivisionError (an integer divided by 0; by float(0) it is infinite or NaN)";
  refuses({
    "rounded down": [() => ints.floorDivide(0), RangeError, `floorDivide: ${message}`],
    "rounded toward zero": [() => ints.div(0, { roundingMode: "trunc" }), RangeError, `div: ${message}`],
    "its remainder": [() => ints.remainder(0n), RangeError, `remainder: ${message}`],
    "its remainder toward zero": [() => ints.fmod(0), RangeError, `fmod: ${message}`],
  });
  test("is infinite as a float", () => {
    expect(() => ints.floorDivide(float(0))).not.toThrow();
    expect(() => x.remainder(0)).not.toThrow();
  });
});

describe("numbers that an integer dtype does not hold, where no arithmetic is done with them", () => {
  const small = () => tensor([0, 1, 127, -3], { dtype: "int8" });
  const mask = tensor([true, false, true, false]);
  const list = tensor([0n, 1n]);
  const refused = (op: string, value = 300): string =>
    `${op}: value cannot be converted to type int8 without overflow (${value})`;
  refuses({
    "bounds of clamp": [() => small().clamp(-5, 300), RangeError, refused("clamp")],
    "a bound of clampMin": [() => small().clampMin(-300), RangeError, refused("clampMin", -300)],
    "a bound of clampMax": [() => small().clampMax(300), RangeError, refused("clampMax")],
    "bounds of hardtanh": [() => hardtanh(small(), -5, 300), RangeError, refused("hardtanh")],
    "an operand of maximum": [() => small().maximum(300), RangeError, refused("maximum")],
    "an operand of fmin": [() => small().fmin(-300), RangeError, refused("fmin", -300)],
    "a threshold": [() => threshold(small(), 300, 1), RangeError, refused("threshold")],
    "what where gives": [() => where(mask, small(), 300), RangeError, refused("where")],
    "what pad adds": [() => pad(small(), [1, 1], { value: 300 }), RangeError, refused("pad")],
    "an exponent": [() => small().pow(300), RangeError, refused("pow")],
    "alpha of add": [() => small().add(small(), { alpha: 300 }), RangeError, refused("add")],
    "alpha of indexAdd": [
      () => small().indexAdd(0, list, small().slice([0, 2]), { alpha: 300 }),
      RangeError,
      refused("indexAdd"),
    ],
    "the factor of addcmul": [
      () => small().addcmul(small(), small(), { value: 300 }),
      RangeError,
      refused("addcmul"),
    ],
  });

  it("wrap in arithmetic, as in PyTorch", () => {
    expect(small().add(300).toArray()).toEqual([44, 45, -85, 41]);
    expect(small().mul(-300).toArray()).toEqual([0, -44, 44, -124]);
    expect(small().lt(300).toArray()).toEqual([true, true, false, true]);
  });
});
