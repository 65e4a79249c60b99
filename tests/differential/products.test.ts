/** Batches of products whose operands lie in memory in every order, of whole numbers, so that any order of sums has the same bits. */
import { type AnyTensor, fromTypedArray } from "fuseau";
import { describe, expect, it } from "vitest";

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

type Shape = readonly [number, number, number];

/** Small whole numbers, and a tensor of them whose axes lie in memory in the given order. */
function operand(shape: Shape, order: readonly number[], seed: number) {
  const elements = Float32Array.from(
    { length: shape[0] * shape[1] * shape[2] },
    (_, k) => ((k * 7 + seed * 11) % 9) - 4,
  );
  const stored = fromTypedArray(elements, { shape })
    .permute(order as number[])
    .contiguous()
    .compute();
  const back = order.map((_, axis) => order.indexOf(axis));
  return { elements, tensor: stored.permute(back) as AnyTensor };
}

function product([b, m, k]: Shape, n: number, left: Float32Array, right: Float32Array): Float32Array {
  const result = new Float32Array(b * m * n);
  for (let batch = 0; batch < b; batch++)
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let l = 0; l < k; l++) sum += left[(batch * m + i) * k + l]! * right[(batch * k + l) * n + j]!;
        result[(batch * m + i) * n + j] = sum;
      }
  return result;
}

describe("a batch of products of operands in any order", () => {
  it.each<[number, number, number, number]>([
    [20, 16, 16, 12],
    [4, 50, 50, 10],
    [4, 4, 8, 4],
    [8, 8, 8, 8],
    [3, 5, 33, 7],
    [2, 17, 6, 16],
    [9, 3, 20, 5],
    [5, 33, 33, 5],
    [16, 2, 12, 3],
    [1, 30, 14, 6],
  ])("%i × %i × %i × %i", (b, m, k, n) => {
    for (const first of orders)
      for (const second of orders) {
        const [x, y] = [operand([b, m, k], first, 1), operand([b, k, n], second, 2)];
        const expected = product([b, m, k], n, x.elements, y.elements);
        for (const emitter of ["wasm", "js"] as const) {
          const given = x.tensor.matmul(y.tensor).compute({ emitter }).toTypedArray();
          expect(given, `${first} by ${second}, ${emitter}`).toEqual(expected);
        }
        const scaled = x.tensor.mul(2).matmul(y.tensor.add(1)).compute().toTypedArray();
        const plain = product(
          [b, m, k],
          n,
          x.elements.map((each) => 2 * each),
          y.elements.map((each) => each + 1),
        );
        expect(scaled, `${first} by ${second}, of what is computed`).toEqual(plain);
      }
  });
});
