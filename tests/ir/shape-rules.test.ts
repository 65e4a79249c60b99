import {
  chunkSizes,
  concatAxis,
  elementCount,
  expandedShape,
  flattenedShape,
  matmulShapes,
  nestedShape,
  padWidths,
  reducedShape,
  repeatedShape,
  reshapedShape,
  resolveRange,
  resolveSlice,
  splitSizes,
  squeezedShape,
  unsqueezedShape,
  wrapAxes,
  wrapAxis,
} from "@fuseau/ir";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const shapes = fc.array(fc.nat(4), { maxLength: 5 });
const places = fc.option(fc.integer({ min: -9, max: 9 }), { nil: null });

describe("axes", () => {
  test("count from either end", () => {
    expect([0, 2, -1, -3].map((axis) => wrapAxis(axis, [5, 3, 4]))).toEqual([0, 2, 2, 0]);
  });
  test("come back ascending, and none of a 0-d shape", () => {
    expect(wrapAxes([-1, 0], [5, 3, 4])).toEqual([0, 2]);
    expect(wrapAxes([], [5, 3, 4])).toEqual([0, 1, 2]);
    expect(wrapAxes(null, [5, 3, 4])).toEqual([0, 1, 2]);
    expect(wrapAxes(-1, [])).toEqual([]);
    expect(wrapAxes(null, [])).toEqual([]);
  });
  test("are folded away, or kept as 1", () => {
    expect(reducedShape([5, 3, 4], [0, 2], false)).toEqual([3]);
    expect(reducedShape([5, 3, 4], [0, 2], true)).toEqual([1, 3, 1]);
  });
});

describe("reshape", () => {
  test("keeps the number of elements, whatever size is inferred", () => {
    fc.assert(
      fc.property(shapes, fc.nat(4), (shape, at) => {
        fc.pre(elementCount(shape) > 0 && at < shape.length);
        const sizes = shape.map((size, axis) => (axis === at ? -1 : size));
        expect(reshapedShape(shape, sizes)).toEqual(shape);
      }),
    );
  });
  test("flattens any run of axes", () => {
    expect(flattenedShape([2, 3, 4, 5], 1, 2)).toEqual([2, 12, 5]);
    expect(flattenedShape([], 0, -1)).toEqual([1]);
  });
});

describe("slices", () => {
  test("take the places that Array.prototype.slice takes, every step-th", () => {
    fc.assert(
      fc.property(fc.nat(12), places, places, fc.integer({ min: 1, max: 5 }), (size, start, stop, step) => {
        const all = Array.from({ length: size }, (_, place) => place);
        const expected = all.slice(start ?? 0, stop ?? size).filter((_, i) => i % step === 0);
        const [first, by, length] = resolveRange(size, [start, stop, step]);
        expect(Array.from({ length }, (_, i) => first + i * by)).toEqual(expected);
      }),
    );
  });
  test("select, insert and leave the rest", () => {
    expect(resolveSlice([10, 20, 30], [[1, null], null, "...", -1])).toEqual({
      starts: [1, 0, 29],
      steps: [1, 1, 1],
      sizes: [9, 20, 1],
      shape: [9, 1, 20],
    });
  });
});

describe("pieces", () => {
  test("add up to the axis", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 8 }), (size, piece) => {
        const sizes = splitSizes([size], 0, piece);
        expect(sizes.reduce((total, one) => total + one, 0)).toBe(size);
        expect(sizes.slice(0, -1).every((one) => one === piece)).toBe(true);
        expect(chunkSizes([size], 0, piece).reduce((total, one) => total + one, 0)).toBe(size);
      }),
    );
  });
  test("of an empty axis are one empty piece, or as many empty chunks as asked for", () => {
    expect(splitSizes([0], 0, 2)).toEqual([0]);
    expect(chunkSizes([0], 0, 3)).toEqual([0, 0, 0]);
  });
});

describe("the other rules", () => {
  test("expand axes of size 1, and keep a size for −1", () => {
    expect(expandedShape([3, 1], [2, -1, 4])).toEqual([2, 3, 4]);
    expect(expandedShape([1], [0])).toEqual([0]);
  });
  test("squeeze only axes of size 1", () => {
    expect(squeezedShape([1, 3, 1], null)).toEqual([3]);
    expect(squeezedShape([1, 3, 1], [0, 1])).toEqual([3, 1]);
    expect(unsqueezedShape([2, 3], -1)).toEqual([2, 3, 1]);
  });
  test("pad from the last axis on", () => {
    expect(padWidths([2, 3, 4], [1, 2, 0, -1])).toEqual({ before: [0, 0, 1], after: [0, -1, 2] });
  });
  test("repeat with leading ones", () => {
    expect(repeatedShape([3, 4], [2, 1, 2])).toEqual([1, 3, 4]);
  });
  test("join around legacy empty shapes", () => {
    expect(concatAxis([[0], [2, 3], [4, 3]], -2)).toBe(0);
  });
  test("multiply matrices, rows and columns", () => {
    expect(matmulShapes([7, 1, 2, 3], [5, 3, 4])).toEqual({
      batch: [7, 5],
      m: 2,
      k: 3,
      n: 4,
      shape: [7, 5, 2, 4],
    });
    expect(matmulShapes([3], [3]).shape).toEqual([]);
    expect(matmulShapes([3], [5, 3, 4]).shape).toEqual([5, 4]);
  });
  test("read the shape of nested arrays", () => {
    expect(nestedShape("tensor", [[[1], [2]]])).toEqual([1, 2, 1]);
    expect(nestedShape("tensor", [[], []])).toEqual([2, 0]);
    expect(nestedShape("tensor", 5)).toEqual([]);
  });
});
