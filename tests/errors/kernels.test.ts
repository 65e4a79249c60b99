/** What only a kernel can find, in the elements, reaches the user with the op in front and a way out. */
import { type AnyTensor, type ComputeOptions, type DType, fmod, tensor } from "fuseau";
import { describe, expect, test } from "vitest";
import * as record from "../../packages/runtime/src/record.ts";
import { unwrap, wrap } from "../../packages/runtime/src/tensor/handle.ts";

const ways: readonly ComputeOptions[] = [
  { emitter: "js" },
  { emitter: "closure" },
  { emitter: "js", fusion: "none" },
];

describe.each(ways)("by %o", (options) => {
  test.each<DType>(["uint8", "int8", "int16", "int32", "int64"])("%s divided by 0", (dtype) => {
    const ops: readonly (readonly [string, (a: AnyTensor, b: AnyTensor) => AnyTensor])[] = [
      ["floorDivide", (a, b) => a.floorDivide(b)],
      ["div", (a, b) => a.div(b, { roundingMode: "trunc" })],
      ["remainder", (a, b) => a.remainder(b)],
      ["fmod", (a, b) => fmod(a, b)],
    ];
    for (const [op, divide] of ops) {
      const result = divide(tensor([1, 2], { dtype }), tensor([1, 0], { dtype }));
      expect(() => result.compute(options)).toThrow(RangeError);
      expect(() => result.mul(2).add(1).compute(options)).toThrow(
        `${op}: ZeroDivisionError (an integer was divided by 0; replace the zeros of the divisor, or make one operand floating)`,
      );
    }
  });

  test.each([
    [
      "gather",
      3,
      "gather: index 3 is out of bounds for dimension 0 with size 3 (element 1 of the index; places are 0 to 2)",
    ],
    [
      "gather",
      -1,
      "gather: index -1 is out of bounds for dimension 0 with size 3 (element 1 of the index; places are 0 to 2)",
    ],
    [
      "scatter",
      7,
      "scatter: index 7 is out of bounds for dimension 0 with size 3 (element 1 of the index; places are 0 to 2)",
    ],
  ])("%s at place %i of 3", (op, place, message) => {
    const x = unwrap(tensor([1, 2, 3]));
    const index = unwrap(tensor([0, place], { dtype: "int64" }));
    const source = unwrap(tensor([5, 6]));
    const result = wrap(
      op === "gather" ? record.gather(x, 0, index) : record.scatter(x, 0, index, source, "set"),
    );
    expect(() => result.compute(options)).toThrow(RangeError);
    expect(() => result.mul(2).compute(options)).toThrow(message);
  });
});
