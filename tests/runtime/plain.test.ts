/** Tensors as JSON, as what can be sent, and as rows. */
import { arange, type DType, fromJSON, fromTransferable, tensor, zeros } from "fuseau";
import { describe, expect, test } from "vitest";

const numbers = [0, 1, 2, 3, 4, 5];
const dtypes: readonly DType[] = [
  "bool",
  "uint8",
  "int8",
  "int16",
  "int32",
  "int64",
  "float16",
  "float32",
  "float64",
];

describe.each(dtypes)("%s", (dtype) => {
  const x = tensor(numbers, { dtype, shape: [2, 3] } as { dtype: DType });

  test("survives JSON", () => {
    const back = fromJSON(JSON.parse(JSON.stringify(x)));
    expect([back.dtype, back.shape, back.toTypedArray()]).toEqual([dtype, [2, 3], x.toTypedArray()]);
  });

  test("survives structuredClone", () => {
    const back = fromTransferable(structuredClone(x.toTransferable()));
    expect([back.dtype, back.shape, back.toTypedArray()]).toEqual([dtype, [2, 3], x.toTypedArray()]);
  });
});

describe("JSON", () => {
  test("keeps what JSON has no numbers for", () => {
    const x = tensor([NaN, Infinity, -Infinity, -0, 0.1], { dtype: "float64" });
    expect(JSON.stringify(x)).toBe(
      '{"dtype":"float64","shape":[5],"data":["NaN","Infinity","-Infinity","-0",0.1]}',
    );
    expect(fromJSON(JSON.parse(JSON.stringify(x))).toTypedArray()).toEqual(x.toTypedArray());
    const large = tensor([2n ** 63n - 1n, -(2n ** 63n), 7n]);
    expect(JSON.stringify(large)).toContain('["9223372036854775807","-9223372036854775808",7]');
    expect(fromJSON(JSON.parse(JSON.stringify(large))).toTypedArray()).toEqual(large.toTypedArray());
  });

  test("keeps shapes without elements, and 0-d ones", () => {
    expect(fromJSON(JSON.parse(JSON.stringify(zeros([2, 0, 3])))).shape).toEqual([2, 0, 3]);
    expect(fromJSON(JSON.parse(JSON.stringify({ loss: tensor(1.5) })).loss).item()).toBe(1.5);
  });

  test.each([
    [{ dtype: "float32", shape: [2], data: [1] }, "does not fit the shape [2]"],
    [{ dtype: "float32", shape: [1], data: ["1"] }, "no element that toJSON writes"],
    [{ dtype: "int64", shape: [1], data: [0.5] }, "no element that toJSON writes"],
    [{ dtype: "float31", shape: [1], data: [1] }, "unknown dtype"],
    ["{}", "JSON.parse it first"],
  ])("refuses %j", (json, message) => {
    expect(() => fromJSON(json as never)).toThrow(message);
  });
});

test("cloning a tensor is refused, with the way out", () => {
  for (const holder of [tensor([1]), { x: [tensor([1])] }]) {
    expect(() => structuredClone(holder)).toThrow(/send x\.toTransferable\(\) instead/);
  }
});

describe("iteration", () => {
  test("gives rows, which are views", () => {
    const x = tensor([
      [1, 2],
      [3, 4],
    ]);
    for (const row of x) row.add_(10);
    expect(x.toArray()).toEqual([
      [11, 12],
      [13, 14],
    ]);
    const [first] = [...x];
    const shape: readonly [number] | undefined = first?.shape as readonly [number] | undefined;
    expect([shape, [...arange(3)].map((element) => element.item())]).toEqual([[2], [0, 1, 2]]);
  });

  test("of a 0-d tensor is refused", () => {
    expect(() => [...(tensor(1) as unknown as Iterable<unknown>)]).toThrow(TypeError);
  });

  test("toList is toArray", () => {
    expect(tensor([[1], [2]]).toList()).toEqual([[1], [2]]);
  });
});
