import { type AnyTensor, einsum, tensor } from "fuseau";
import { describe, expect, it } from "vitest";

describe("einsum sums an axis that one operand alone has as any sum does", () => {
  const bits = tensor([
    [true, true],
    [false, true],
  ]);
  const numbers = tensor([
    [1, 2],
    [3, 4],
  ]);
  const cube = tensor([[[1, 2]], [[3, 4]]]);
  it.each<[string, readonly AnyTensor[], unknown, string]>([
    ["cg->c", [bits], [2, 1], "int64"],
    ["cg->", [bits.to("uint8")], 3, "int64"],
    [
      "gc->cg",
      [bits],
      [
        [true, false],
        [true, true],
      ],
      "bool",
    ],
    ["cg,ca->c", [bits, numbers], [6, 7], "float32"],
    ["cg,cg->c", [bits.to("int32"), numbers.to("int32")], [3, 4], "int32"],
    ["cg,gab->ca", [bits.to("uint8"), cube.to("uint8")], [[10], [7]], "int64"],
    ["ab->a", [numbers], [3, 7], "float32"],
    // One element is no sum, except where there is nothing else to do.
    [
      "cg,c->c",
      [tensor([[200], [100]], { dtype: "uint8" }), tensor([2, 2], { dtype: "uint8" })],
      [144, 200],
      "uint8",
    ],
    [
      "cg,g->c",
      [tensor([[200], [100]], { dtype: "uint8" }), tensor([2], { dtype: "uint8" })],
      [144, 200],
      "uint8",
    ],
    ["cg->c", [tensor([[200], [100]], { dtype: "uint8" })], [200, 100], "int64"],
  ])("%s", (equation, operands, expected, dtype) => {
    const result = einsum(equation, ...operands);
    expect(result.dtype).toBe(dtype);
    expect(result.toArray()).toEqual(expected);
  });
});
