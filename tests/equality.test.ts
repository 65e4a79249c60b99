import { expect, test } from "vitest";

test.each<[string, ArrayBufferView, ArrayBufferView]>([
  ["another element", Float32Array.of(1, 2), Float32Array.of(1, 3)],
  ["−0 for 0", Float64Array.of(-0), Float64Array.of(0)],
  ["fewer", Int32Array.of(1, 2), Int32Array.of(1)],
  ["another kind", Int32Array.of(1), Uint32Array.of(1)],
  ["another element of a part", new Uint8Array([1, 2, 3]).subarray(1), Uint8Array.of(2, 4)],
  ["another integer of 64 bits", BigInt64Array.of(2n ** 60n), BigInt64Array.of(2n ** 60n + 1n)],
])("typed arrays with %s are not equal", (_, a, b) => {
  expect(a).not.toEqual(b);
  expect([{ a }]).not.toEqual([{ a: b }]);
});

test("typed arrays of the same elements are equal, NaN among them", () => {
  expect({ a: Float32Array.of(1, NaN, -0) }).toEqual({ a: Float32Array.of(1, NaN, -0) });
  expect(new Uint8Array([1, 2, 3]).subarray(1)).toEqual(Uint8Array.of(2, 3));
});
