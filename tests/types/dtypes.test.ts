/** Every dtype rule, checked by tsc and by running: the two must agree. */
import {
  add,
  concat,
  div,
  float,
  full,
  linalg,
  max,
  mean,
  mul,
  pow,
  sub,
  tensor,
  where,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { expectDType } from "./expect.ts";

const f32 = zeros([2]);
const f64 = zeros([2], { dtype: "float64" });
const i32 = zeros([2], { dtype: "int32" });
const u8 = zeros([2], { dtype: "uint8" });
const i8 = zeros([2], { dtype: "int8" });
const i64 = zeros([2], { dtype: "int64" });
const bool = zeros([2], { dtype: "bool" });
const f64scalar = zeros([], { dtype: "float64" });
const i64scalar = zeros([], { dtype: "int64" });
const f32scalar = zeros([]);

describe("promotion", () => {
  it("of tensors takes the dtype that holds both", () => {
    expectDType(f32.add(f32), "float32");
    expectDType(f32.add(f64), "float64");
    expectDType(i32.add(f32), "float32");
    expectDType(i64.add(f32), "float32");
    expectDType(u8.add(i8), "int16");
    expectDType(u8.add(i32), "int32");
    expectDType(bool.add(bool), "bool");
    expectDType(bool.mul(u8), "uint8");
  });
  it("lets a 0-d tensor matter only when its category is higher", () => {
    expectDType(f32.add(f64scalar), "float32");
    expectDType(f64scalar.add(f32), "float32");
    expectDType(f32scalar.add(f64scalar), "float64");
    expectDType(i8.add(i64scalar), "int8");
    expectDType(i8.add(f64scalar), "float64");
    expectDType(bool.add(i64scalar), "int64");
    expectDType(i64scalar.add(bool), "int64");
  });
  it("takes an integer-valued number as an integer, any other as a float", () => {
    expectDType(i32.mul(2), "int32");
    expectDType(i32.mul(2.5), "float32");
    expectDType(i64.mul(float(2)), "float32");
    expectDType(f64.mul(2.5), "float64");
    expectDType(u8.add(-1), "uint8");
    expectDType(bool.add(2), "int64");
    expectDType(bool.add(true), "bool");
    expectDType(bool.add(0.5), "float32");
    expectDType(i32.add(true), "int32");
    expectDType(i32.add(5n), "int32");
    expectDType(i64scalar.mul(0.5), "float32");
  });
  it("knows no more of a number that is not literal than its type", () => {
    const count: number = 3;
    const x = i32.mul(count);
    const dtype: "int32" | "float32" = x.dtype;
    expect(dtype).toBe("int32");
    expectDType(f32.mul(count), "float32");
  });
  it("counts all of three operands", () => {
    expectDType(where(bool, 1, 0.5), "float32");
    expectDType(where(bool, i32, 0.5), "float32");
    expectDType(where(bool, f64, f32), "float64");
    expectDType(i32.clamp(0, 1.5), "float32");
    expectDType(i32.clamp(0, 1), "int32");
    expectDType(i32.clamp(null, f64), "float64");
    expectDType(f32.addcmul(i32, f64), "float64");
    expectDType(f32.lerp(f32, 0.5), "float32");
  });
});

describe("results", () => {
  it("of true division and of functions of the reals are floats", () => {
    expectDType(i32.div(i32), "float32");
    expectDType(i32.div(2), "float32");
    expectDType(i32.div(i32, { roundingMode: "floor" }), "int32");
    expectDType(f64.div(i32), "float64");
    expectDType(i32.exp(), "float32");
    expectDType(bool.sqrt(), "float32");
    expectDType(f64.tanh(), "float64");
    expectDType(i64.atan2(i32), "float32");
    expectDType(i32.abs(), "int32");
    expectDType(i32.floor(), "int32");
    expectDType(bool.square(), "int64");
  });
  it("of comparisons and logic are bool", () => {
    expectDType(f32.lt(i32), "bool");
    expectDType(i32.logicalAnd(f64), "bool");
    expectDType(f32.isnan(), "bool");
    expectDType(u8.bitwiseAnd(i32), "int32");
    expectDType(bool.bitwiseNot(), "bool");
  });
  it("of sums of integers are int64, of means floats", () => {
    expectDType(i32.sum(), "int64");
    expectDType(bool.sum(0), "int64");
    expectDType(u8.prod(0), "int64");
    expectDType(f64.sum(), "float64");
    expectDType(i32.sum(null, { dtype: "int32" }), "int32");
    expectDType(f32.mean(), "float32");
    expectDType(i32.mean(0, { dtype: "float64" }), "float64");
    const matrix = zeros([2, 2]);
    const wide = { dtype: "float64" } as const;
    expectDType(linalg.vectorNorm(matrix, 2, 1, wide), "float64");
    expectDType(linalg.matrixNorm(matrix, "fro", [0, 1], wide), "float64");
    expectDType(linalg.norm(matrix, null, null, wide), "float64");
    expectDType(linalg.norm(matrix, "nuc", [0, 1], { ...wide, keepdim: true }), "float64");
    expectDType(linalg.norm(matrix, 2, 1, { keepdim: true }), "float32");
    expectDType(linalg.matrixNorm(zeros([2, 2], wide)), "float64");
    expectDType(i32.amax(), "int32");
    expectDType(i32.max(0).values, "int32");
    expectDType(i32.max(0).indices, "int64");
    expectDType(f32.argmin(), "int64");
    expectDType(u8.any(), "uint8");
    expectDType(i32.all(), "bool");
    expectDType(f64.std(), "float64");
    expectDType(i32.logsumexp(0), "float32");
    expectDType(i32.softmax(0, { dtype: "float64" }), "float64");
  });
  it("of conversions are what is asked for", () => {
    expectDType(f32.to("int32"), "int32");
    expectDType(f32.typeAs(u8), "uint8");
    expectDType(i32.double(), "float64");
    expectDType(i32.bool(), "bool");
  });
  it("of joined tensors hold them all", () => {
    expectDType(concat([f32, i32]), "float32");
    expectDType(concat([u8, i8, bool]), "int16");
    expectDType(concat([zeros([2]), zeros([2])]), "float32");
  });
  it("of free functions are those of methods", () => {
    expectDType(add(1, i32), "int32");
    expectDType(sub(0.5, i32), "float32");
    expectDType(mul(f32, f64scalar), "float32");
    expectDType(div(1, i32), "float32");
    expectDType(pow(2, f64), "float64");
    expectDType(mean(f32, 0), "float32");
    expectDType(max(i32, 0).values, "int32");
  });
});

describe("creation", () => {
  it("takes float32, unless elements or options say otherwise", () => {
    expectDType(tensor([1, 2]), "float32");
    expectDType(tensor([true]), "bool");
    expectDType(tensor([1n]), "int64");
    expectDType(tensor(new Int16Array(2)), "int16");
    expectDType(tensor(new Uint8ClampedArray(2)), "uint8");
    expectDType(tensor(new Uint32Array(2), { dtype: "int64" }), "int64");
    expectDType(full([2], 1), "int64");
    expectDType(full([2], float(1)), "float32");
    expectDType(full([2], false), "bool");
  });
});
