import { broadcastShapes, ShapeError } from "@fuseau/ir";
import fc from "fast-check";
import { expect, test } from "vitest";

/** Sizes as PyTorch's page on broadcasting lists them: a, b, and the result, or the dimension that does not fit. */
const examples: readonly (readonly [number[], number[], number[] | string])[] = [
  [
    [5, 7, 3],
    [5, 7, 3],
    [5, 7, 3],
  ],
  [[0], [2, 2], "The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 1"],
  [
    [5, 3, 4, 1],
    [3, 1, 1],
    [5, 3, 4, 1],
  ],
  [
    [5, 2, 4, 1],
    [3, 1, 1],
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1",
  ],
  [
    [5, 1, 4, 1],
    [3, 1, 1],
    [5, 3, 4, 1],
  ],
  [[1], [3, 1, 7], [3, 1, 7]],
  [
    [1, 9, 4],
    [15, 1, 4],
    [15, 9, 4],
  ],
  [[], [2, 3], [2, 3]],
  [[2, 3], [], [2, 3]],
  [[], [], []],
  [
    [2, 0, 1],
    [1, 5],
    [2, 0, 5],
  ],
];

test.each(examples)("%j and %j give %j", (a, b, expected) => {
  if (typeof expected === "string") {
    expect(() => broadcastShapes(a, b)).toThrow(ShapeError);
    expect(() => broadcastShapes(a, b)).toThrow(`${expected} (shapes`);
  } else {
    expect(broadcastShapes(a, b)).toEqual(expected);
  }
});

test("an operand that has the result's shape lends its very array", () => {
  const a = [5, 3, 4, 1];
  expect(broadcastShapes(a, [3, 1, 1])).toBe(a);
  expect(broadcastShapes([3, 1, 1], a)).toBe(a);
  expect(broadcastShapes(a, [...a])).toBe(a);
});

/** The definition, place by place: what can be read at index 0 of an axis of size 1 can be read at every index. */
function reference(a: readonly number[], b: readonly number[]): number[] | null {
  const rank = Math.max(a.length, b.length);
  const at = (shape: readonly number[], axis: number): number => shape[axis - rank + shape.length] ?? 1;
  const shape = Array.from({ length: rank }, (_, axis) => (at(a, axis) === 1 ? at(b, axis) : at(a, axis)));
  const fits = shape.every(
    (size, axis) => [1, size].includes(at(a, axis)) && [1, size].includes(at(b, axis)),
  );
  return fits ? shape : null;
}

const shapes = fc.array(fc.constantFrom(0, 1, 1, 2, 3), { maxLength: 5 });

test("agrees with the definition, and does not mind the order", () => {
  fc.assert(
    fc.property(shapes, shapes, (a, b) => {
      const expected = reference(a, b);
      if (expected === null) {
        expect(() => broadcastShapes(a, b)).toThrow(ShapeError);
        expect(() => broadcastShapes(b, a)).toThrow(ShapeError);
      } else {
        expect(broadcastShapes(a, b)).toEqual(expected);
        expect(broadcastShapes(b, a)).toEqual(expected);
      }
    }),
  );
});
