/** Products of operands that are joined, padded and rolled: they are computed a block of columns at a time, whose guards ask where the column stands. */
import { type AnyTensor, cat, linspace, roll, stack, where } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const stored = (...shape: readonly number[]): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-1, 1, count).reshape(shape).compute();
};

/** Of [k, n], at least 2n columns. */
const pieces: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "joined columns": (x) => cat([x, x.mul(2)], 1),
  "three of them": (x) => cat([x.sub(1), x.mul(2), x.abs()], 1),
  "padded columns": (x) => x.mul(2).pad([5, x.shape[1] as number]),
  "rolled columns": (x) => roll(cat([x, x.mul(2)], 1).add(1), 7, 1),
  "interleaved columns": (x) => stack([x.mul(3), x.neg()], 2).reshape([x.shape[0] as number, -1]),
  "joined rows": (x) => cat([x, x.mul(2)], 0).reshape([x.shape[0] as number, -1]),
  "chosen columns": (x) => {
    const joined = cat([x, x.mul(2)], 1);
    return where(joined.gt(0), joined, roll(joined, 1, 1));
  },
};

describe("a product of pieces is the product of what is stored", () => {
  for (const [name, piecesOf] of Object.entries(pieces))
    it.each([33, 70])(`${name}, %d to a piece`, (n) => {
      for (const [m, k] of [
        [2, 1],
        [2, 2],
        [3, 5],
        [8, 3],
      ] as const) {
        const [w, x] = [stored(m, k), stored(k, n)];
        for (const product of [
          () => w.matmul(piecesOf(x.sub(x.mean()))),
          () => piecesOf(x.sub(x.mean())).t().matmul(w.t()),
          () => piecesOf(x.sub(x.mean())).matmul(piecesOf(x.mul(2)).t()),
        ])
          for (const emitter of ["wasm", "js"] as const) {
            const fused = product().compute({ emitter }).toTypedArray();
            expect(fused, `${m}×${k}, ${emitter}`).toEqual(
              product().compute({ emitter, fusion: "none" }).toTypedArray(),
            );
          }
      }
    });
});
