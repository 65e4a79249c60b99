import { readFileSync } from "node:fs";
import { allocate, type DType, elementCount, type TypedArray } from "@fuseau/ir";
import { describe, expect, test } from "vitest";
import { formatTensor } from "../../packages/runtime/src/readout/format.ts";

/** See fixtures/printed.py, which writes them with PyTorch. */
interface Printed {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** With spaces between; repeated until the shape is full. float16 as its bits. */
  readonly elements: string;
  readonly printed: string;
}

function storage({ dtype, shape, elements }: Printed): TypedArray {
  const array = allocate(dtype, elementCount(shape));
  const given = elements.split(" ");
  for (let i = 0; i < array.length; i++) {
    const element = given[i % given.length]!;
    array[i] = dtype === "int64" ? BigInt(element) : Number(element);
  }
  return array;
}

describe("a printed tensor is PyTorch's, to the character", () => {
  const file = new URL("fixtures/printed.json", import.meta.url);
  const references: readonly Printed[] = JSON.parse(readFileSync(file, "utf8"));

  test.each(references)("$dtype: $name", (reference) => {
    const { dtype, shape, printed } = reference;
    expect(formatTensor(dtype, shape, storage(reference))).toBe(printed);
  });
});

describe("a printed tensor", () => {
  test("reads no more than the elements it shows", () => {
    let reads = 0;
    const counted = new Proxy(new Float32Array(100_000), {
      get(array, key) {
        reads++;
        return Reflect.get(array, key);
      },
    });
    formatTensor("float32", [100, 10, 100], counted);
    expect(reads).toBe(6 ** 3);
  });

  test("always ends in its shape and dtype", () => {
    expect(formatTensor("float32", [2, 2], new Float32Array([1, 2, 3, 4]))).toBe(
      "tensor([[1., 2.],\n        [3., 4.]], shape=[2, 2], dtype=float32)",
    );
    expect(formatTensor("int32", [0, 3], new Int32Array())).toBe("tensor([], shape=[0, 3], dtype=int32)");
    expect(formatTensor("float64", [], new Float64Array([3.5]))).toBe(
      "tensor(3.5000, shape=[], dtype=float64)",
    );
  });
});
