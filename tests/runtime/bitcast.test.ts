import { tensor, zeros } from "fuseau";
import { describe, expect, test } from "vitest";

describe("bitcast", () => {
  test("reads the bits of floats as integers, and back", () => {
    const x = tensor([1, -2, 0.5]);
    const bits = x.bitcast("int32");
    expect(bits.toArray()).toEqual([0x3f800000, -0x40000000, 0x3f000000]);
    expect(bits.bitcast("float32").equal(x)).toBe(true);
  });

  test("lengthens the last axis for a narrower dtype, and shortens it for a wider one", () => {
    const x = tensor([[1, 2]], { dtype: "int32" });
    expect(x.bitcast("uint8").toArray()).toEqual([[1, 0, 0, 0, 2, 0, 0, 0]]);
    expect(x.bitcast("int64").toArray()).toEqual([[1 + 2 * 2 ** 32]]);
  });

  test("is a copy, and x itself for its own dtype", () => {
    const x = tensor([1, 2], { dtype: "int32" });
    const bits = x.bitcast("float32");
    x.add_(1);
    expect(bits.bitcast("int32").toArray()).toEqual([1, 2]);
  });

  test("refuses bool, and a last axis that does not come out whole", () => {
    expect(() => zeros([2]).bitcast("bool")).toThrow("bits cannot be read as bool");
    expect(() => zeros([2, 3]).bitcast("float64")).toThrow(
      "self.size(-1) must be divisible by 2 to view elements of 4 bytes as 8 bytes, but got 3",
    );
    expect(() => zeros([]).bitcast("int8")).toThrow("self.dim() cannot be 0");
  });
});
