import { type DType, elementCount, type TypedArray } from "@fuseau/ir";
import { describe, expect, test } from "vitest";
import { toNested, toScalar } from "../../packages/runtime/src/readout/nested.ts";

const limit = 2n ** 53n;

describe("toNested", () => {
  test.each<[DType, TypedArray, unknown]>([
    ["bool", new Uint8Array([0, 1]), [false, true]],
    ["uint8", new Uint8Array([0, 255]), [0, 255]],
    ["int8", new Int8Array([-128, 127]), [-128, 127]],
    ["int16", new Int16Array([-32768, 3]), [-32768, 3]],
    ["int32", new Int32Array([-(2 ** 31), 3]), [-(2 ** 31), 3]],
    ["int64", new BigInt64Array([-limit, limit]), [-(2 ** 53), 2 ** 53]],
    ["float16", new Uint16Array([0x3e00, 0xfc00]), [1.5, -Infinity]],
    ["float32", new Float32Array([0.1, NaN]), [Math.fround(0.1), NaN]],
    ["float64", new Float64Array([0.1, -0]), [0.1, -0]],
  ])("gives the elements of %s", (dtype, elements, expected) => {
    expect(toNested(dtype, [2], elements)).toStrictEqual(expected);
  });

  test("nests as deep as the shape is long, the last axis innermost", () => {
    const elements = Int32Array.from({ length: 12 }, (_, i) => i);
    expect(toNested("int32", [2, 3, 2], elements)).toStrictEqual([
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
      [
        [6, 7],
        [8, 9],
        [10, 11],
      ],
    ]);
    expect(toNested("int32", [1, 1, 1, 1], new Int32Array([7]))).toStrictEqual([[[[7]]]]);
  });

  test("gives the scalar of a 0-d tensor", () => {
    expect(toNested("float32", [], new Float32Array([2.5]))).toBe(2.5);
    expect(toNested("bool", [], new Uint8Array([1]))).toBe(true);
  });

  test.each<[readonly number[], unknown]>([
    [[0], []],
    [[0, 3], []],
    [
      [3, 0],
      [[], [], []],
    ],
    [
      [2, 2, 0],
      [
        [[], []],
        [[], []],
      ],
    ],
    [
      [2, 0, 3],
      [[], []],
    ],
  ])("keeps the empty axes of %j", (shape, expected) => {
    expect(toNested("float32", shape, new Float32Array(elementCount(shape)))).toStrictEqual(expected);
  });

  test.each([limit + 1n, -limit - 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    "refuses the int64 %s, and says where it is and what to use",
    (value) => {
      const elements = new BigInt64Array(24);
      elements[17] = value;
      const read = () => toNested("int64", [2, 3, 4], elements);
      expect(read).toThrow(RangeError);
      expect(read).toThrow(
        `toArray: the int64 ${value} at [1, 1, 1] is beyond 2^53, where numbers no longer hold every integer ` +
          "(toTypedArray() gives a BigInt64Array)",
      );
    },
  );

  test("names no position in a 0-d tensor", () => {
    const read = () => toNested("int64", [], new BigInt64Array([limit + 1n]));
    expect(read).toThrow("toArray: the int64 9007199254740993 is beyond 2^53");
  });
});

describe("toScalar", () => {
  test("gives the only element", () => {
    expect(toScalar("float64", new Float64Array([0.1]))).toBe(0.1);
    expect(toScalar("bool", new Uint8Array([0]))).toBe(false);
    expect(toScalar("int64", new BigInt64Array([-limit]))).toBe(-(2 ** 53));
    expect(toScalar("float16", new Uint16Array([0x3c00]))).toBe(1);
  });

  test("refuses an int64 beyond 2^53", () => {
    const read = () => toScalar("int64", new BigInt64Array([2n ** 60n]));
    expect(read).toThrow(RangeError);
    expect(read).toThrow("item: the int64 1152921504606846976 is beyond 2^53");
  });

  test("refuses none and several elements", () => {
    expect(() => toScalar("float32", new Float32Array(3))).toThrow(
      "item: a Tensor with 3 elements cannot be converted to Scalar",
    );
    expect(() => toScalar("float32", new Float32Array())).toThrow("item: a Tensor with 0 elements");
  });
});
