/** Kernels with more operands than pointers that advance, of several widths and strides, against plain loops. */
import { type AnyTensor, fromTypedArray } from "fuseau";
import { expect, it } from "vitest";

it.each(["wasm", "js"] as const)("%s", (emitter) => {
  for (const columns of [1, 3, 4, 7, 8, 17, 33, 40]) {
    const [rows, size] = [5, 5 * columns];
    const whole = (seed: number): number[] =>
      Array.from({ length: size }, (_, k) => ((k * 7 + seed) % 11) - 5);
    const [a, b, c, d] = [1, 2, 3, 4].map((seed) => new Float32Array(whole(seed))) as Float32Array[];
    const [bytes, doubles] = [new Int8Array(whole(5)), new Float64Array(whole(6))];
    const of = (elements: Float32Array | Int8Array | Float64Array, shape = [rows, columns]): AnyTensor =>
      fromTypedArray(elements as Float32Array, { shape }) as AnyTensor;
    const given = of(a!)
      .add(of(b!).flip([1]))
      .add(of(c!, [columns, rows]).t())
      .mul(of(bytes))
      .sub(of(d!).roll(2, 0))
      .add(of(a!).mul(of(d!)))
      .add(of(doubles).mul(2));
    const expected = Float64Array.from({ length: size }, (_, k) => {
      const [i, j] = [Math.floor(k / columns), k % columns];
      const sum = a![k]! + b![i * columns + columns - 1 - j]! + c![j * rows + i]!;
      const rolled = d![((i + rows - 2) % rows) * columns + j]!;
      return sum * bytes[k]! - rolled + a![k]! * d![k]! + doubles[k]! * 2;
    });
    expect(given.compute({ emitter }).toTypedArray(), `${columns} columns`).toEqual(expected);
  }
});
