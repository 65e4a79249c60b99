/**
 * The order of a sum follows from its logical shape alone (docs/accumulation-order.md): what is moved, repeated or reshaped is summed as its
 * elements are that lie in memory in order.
 */
import * as fc from "fast-check";
import { type AnyTensor, fromTypedArray } from "fuseau";
import { expect, test } from "vitest";

type Move = (x: AnyTensor, pick: () => number) => AnyTensor;

/** `pick`: a whole number from 0 on. */
const moves: readonly Move[] = [
  (x, pick) => x.unsqueeze(pick() % (x.shape.length + 1)),
  (x, pick) => {
    const last = pick() % 3 === 0 ? -1 : pick() % 5;
    return x.expand(x.shape.map((size, axis) => (size === 1 && axis !== last ? 2 + (pick() % 3) : size)));
  },
  (x, pick) => x.transpose(pick() % x.shape.length, pick() % x.shape.length),
  (x, pick) =>
    x.reshape([...x.shape.slice(0, pick() % (x.shape.length + 1)), -1, ...(pick() % 2 ? [1] : [])]),
  (x, pick) => x.narrow(pick() % x.shape.length, 0, 1),
  (x, pick) => x.repeat(x.shape.map(() => 1 + (pick() % 2))),
];

const folds: readonly ((x: AnyTensor, axes: readonly number[]) => AnyTensor)[] = [
  (x, axes) => x.sum(axes),
  (x, axes) => x.prod(axes[0] as number),
  (x, axes) => x.var(axes as number[], { correction: 0 }),
];

const memory = (x: AnyTensor): ArrayBufferView => x.toTypedArray();

test.each(["float32", "float64"] as const)("%s", (dtype) => {
  void fc.assert(
    fc.property(
      fc.infiniteStream(fc.nat({ max: 1000 })),
      fc.integer({ min: 1, max: 5 }),
      (numbers, steps) => {
        const pick = (): number => numbers.next().value as number;
        const shape = [1 + (pick() % 40), 1 + (pick() % 3), 1 + (pick() % 2)];
        const count = shape.reduce((a, b) => a * b, 1);
        // Of magnitudes that differ, so that each order has other bits.
        const elements = Array.from(
          { length: count },
          (_, k) => Math.sin(k + 1) * 10 ** (((k * 7) % 13) - 6),
        );
        let moved: AnyTensor = fromTypedArray(
          new (dtype === "float32" ? Float32Array : Float64Array)(elements),
          {
            shape,
          },
        );
        for (let k = 0; k < steps; k++) {
          const next = moves[pick() % moves.length]!;
          const result = next(moved, pick);
          if (result.numel() <= 4000 && result.numel() > 0 && result.shape.length < 6) moved = result;
        }
        const axes = [...moved.shape.keys()].filter((axis) => axis === 0 || pick() % 2 === 0);
        const fold = folds[pick() % folds.length]!;
        const emitters = ["js", "wasm"] as const;
        // Before the elements are asked for: they would be kept.
        const found = emitters.map((emitter) => fold(moved, axes).compute({ emitter }));
        const plain = fromTypedArray(moved.toTypedArray().slice() as Float32Array, {
          shape: [...moved.shape],
        });
        for (const [k, emitter] of emitters.entries())
          expect(memory(found[k]!)).toEqual(memory(fold(plain, axes).compute({ emitter })));
      },
    ),
    { numRuns: 300, seed: 7 },
  );
});
