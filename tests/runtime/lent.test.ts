import { fromTypedArray, tensor } from "fuseau";
import { describe, expect, it } from "vitest";

const emitters = ["js", "closure", "wasm"] as const;

describe("an array that is lent", () => {
  it("is refused as bool where a byte is neither 0 nor 1", () => {
    expect(() => fromTypedArray(new Uint8Array([0, 1, 255]), { dtype: "bool" })).toThrow(
      "fromTypedArray: a bool is lent as bytes of 0 and 1, but element 2 is 255",
    );
    expect(
      fromTypedArray(new Uint8Array([0, 1, 1]), { dtype: "bool" })
        .sum()
        .item(),
    ).toBe(2);
    expect(
      fromTypedArray(new Uint8Array([0, 2, 255]))
        .ne(0)
        .sum()
        .item(),
    ).toBe(2);
  });

  it.each(emitters)("says so when its buffer was transferred before it is read, by %s", (emitter) => {
    const array = new Float32Array(5000).fill(2);
    const lent = fromTypedArray(array, { shape: [50, 100] });
    const sum = lent.add(1).sum();
    structuredClone(array.buffer, { transfer: [array.buffer] });
    const sentence =
      "fromTypedArray: the array that a float32 tensor of shape [50, 100] was lent holds 0 of its 5000 elements now";
    expect(() => sum.compute({ emitter })).toThrow(sentence);
    expect(() => lent.toArray()).toThrow(sentence);
    expect(tensor([1, 2]).add(1).compute({ emitter }).toArray()).toEqual([2, 3]);
  });

  it.each(emitters)("says so after a copy of it was made for %s", (emitter) => {
    const array = new Float32Array(5000).fill(2);
    const lent = fromTypedArray(array);
    expect(lent.add(1).sum().compute({ emitter }).item()).toBe(15000);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    expect(() => lent.mul(3).compute({ emitter })).toThrow("was lent holds 0 of its 5000 elements now");
  });
});
