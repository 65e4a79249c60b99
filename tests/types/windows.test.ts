/** What windows that slide make of shapes, in types and when it runs. */
import {
  type AnyTensor,
  adaptiveAvgPool2d,
  adaptiveMaxPool1d,
  avgPool1d,
  avgPool2d,
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  lpPool1d,
  maxPool1d,
  maxPool2d,
  maxPool2dWithIndices,
  zeros,
} from "fuseau";
import { ConvTranspose2d, MaxPool2d } from "fuseau/nn";
import { describe, expect, expectTypeOf, it } from "vitest";
import { expectShape, expectTensor } from "./expect.ts";

const x = zeros([8, 4, 28, 30], { dtype: "float64" });
const w = zeros([6, 4, 5, 3], { dtype: "float64" });

describe("convolutions", () => {
  it("count the places of the kernel", () => {
    expectTensor(conv2d(x, w), [8, 6, 24, 28], "float64");
    expectShape(conv1d(zeros([4, 20]), zeros([6, 4, 20])), [6, 1]);
    expectShape(conv3d(zeros([1, 2, 5, 6, 7]), zeros([3, 2, 1, 2, 3])), [1, 3, 5, 5, 5]);
  });
  it("follow strides, padding, dilation and groups", () => {
    expectShape(conv2d(x, w, { stride: 2 }), [8, 6, 12, 14]);
    expectShape(conv2d(x, w, { stride: [2, 3] }), [8, 6, 12, 10]);
    expectShape(conv2d(x, w, { padding: [2, 1] }), [8, 6, 28, 30]);
    expectShape(conv2d(x, w, { padding: "same" }), [8, 6, 28, 30]);
    expectShape(conv2d(x, w, { padding: "valid" }), [8, 6, 24, 28]);
    expectShape(conv2d(x, w, { dilation: 3, padding: 1, stride: 2 }), [8, 6, 9, 13]);
    expectShape(conv2d(x, zeros([6, 2, 5, 3], { dtype: "float64" }), { groups: 2 }), [8, 6, 24, 28]);
  });
  it("of what is known late are left to run time", () => {
    const stride: number = 2;
    expectTypeOf(conv2d(x, w, { stride }).shape).toEqualTypeOf<readonly [8, 6, number, number]>();
    const some: AnyTensor = w;
    expectTypeOf(conv2d(x, some).shape).toEqualTypeOf<readonly [number, number, number, number]>();
    expectTypeOf(conv2d(some, w).shape).toEqualTypeOf<readonly number[]>();
    const options: { readonly padding?: number } = {};
    expectTypeOf(conv2d(x, w, options).shape).toEqualTypeOf<readonly [8, 6, number, number]>();
  });
  it("transposed give the size that they undo", () => {
    const v = zeros([4, 6, 5, 3], { dtype: "float64" });
    expectShape(convTranspose2d(x, v), [8, 6, 32, 32]);
    expectShape(convTranspose2d(x, v, { stride: 2, padding: 1, outputPadding: 1 }), [8, 6, 58, 60]);
    expectShape(convTranspose2d(x, v, { dilation: [2, 1], groups: 2 }), [8, 12, 36, 32]);
    expectShape(convTranspose1d(zeros([3, 1]), zeros([3, 2, 4]), { padding: 1 }), [2, 2]);
    expectShape(
      new ConvTranspose2d(4, 6, 3, { stride: 2, padding: 1, dtype: "float64" }).forward(x),
      [8, 6, 55, 59],
    );
  });
});

describe("pools", () => {
  it("have windows that touch", () => {
    expectTensor(maxPool2d(x, 2), [8, 4, 14, 15], "float64");
    expectShape(avgPool2d(x, [4, 3]), [8, 4, 7, 10]);
    expectShape(avgPool1d(zeros([3, 10]), 3), [3, 3]);
    expectShape(lpPool1d(zeros([3, 10]), 2, 5), [3, 2]);
  });
  it("follow strides, padding, dilation, and count partial windows when asked", () => {
    expectShape(maxPool2d(x, 3, { stride: 2, padding: 1 }), [8, 4, 14, 15]);
    expectShape(maxPool2d(x, 3, { stride: null }), [8, 4, 9, 10]);
    expectShape(maxPool1d(zeros([3, 10]), 3, { dilation: 2, stride: 2 }), [3, 3]);
    expectShape(maxPool1d(zeros([3, 10]), 3, { ceilMode: true }), [3, 4]);
    expectShape(maxPool1d(zeros([3, 9]), 3, { ceilMode: true }), [3, 3]);
    expectShape(maxPool1d(zeros([3, 5]), 2, { stride: 4, padding: 1, ceilMode: true }), [3, 2]);
    expectShape(maxPool1d(zeros([3, 4]), 1, { stride: 5, ceilMode: true }), [3, 1]);
  });
  it("give places too", () => {
    expectShape(maxPool2d(x, 2, { returnIndices: true }).indices, [8, 4, 14, 15]);
    expectTensor(maxPool2dWithIndices(x, 2).indices, [8, 4, 14, 15], "int64");
  });
  it("give as many as are asked for", () => {
    expectShape(adaptiveAvgPool2d(x, 7), [8, 4, 7, 7]);
    expectShape(adaptiveAvgPool2d(x, [null, 2]), [8, 4, 28, 2]);
    expectShape(adaptiveMaxPool1d(zeros([3, 10]), null), [3, 10]);
  });
});

it("what does not fit is refused", () => {
  // @ts-expect-error: the input must have 5 channels (axis 1), but has 4
  expect(() => conv2d(x, zeros([6, 5, 5, 3], { dtype: "float64" }))).toThrow("to have 5 channels, but got 4");
  // @ts-expect-error: weight should have 4 dimensions, but got 3
  expect(() => conv2d(x, zeros([6, 4, 5], { dtype: "float64" }))).toThrow("weight should have 4 dimensions");
  // @ts-expect-error: Kernel size can't be greater than actual input size (31 and, with padding, 30)
  expect(() => conv2d(x, zeros([6, 4, 1, 31], { dtype: "float64" }))).toThrow("can't be greater than actual");
  // @ts-expect-error: Kernel size can't be greater than actual input size (29 and, with padding, 28)
  expect(() => maxPool2d(x, 29)).toThrow("Output size is too small");
  // @ts-expect-error: the input must have 3 or 4 axes
  expect(() => new MaxPool2d(2).forward(zeros([4, 4]))).toThrow();
});
