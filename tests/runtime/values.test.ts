/** Values at the edges of what an op is defined for, each PyTorch's. */
import {
  aminmax,
  arange,
  fromTypedArray,
  full,
  lerp,
  linspace,
  logspace,
  multilabelMarginLoss,
  pad,
  scaledDotProductAttention,
  stdMean,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, test } from "vitest";

test("ranges of integers beyond those that numbers hold", () => {
  expect(arange(2n ** 53n, 2n ** 53n + 4n).toTypedArray()).toEqual(
    new BigInt64Array([0n, 1n, 2n, 3n].map((k) => 2n ** 53n + k)),
  );
  expect(arange(2n ** 62n, 2n ** 62n + 9n, 4n).numel()).toBe(3);
  expect(arange(5n, 0n, -2n).toArray()).toEqual([5, 3, 1]);
  expect(arange(-(2n ** 63n), -(2n ** 63n) + 2n).toTypedArray()[1]).toBe(1n - 2n ** 63n);
});

test("float16 is rounded once, and does not overflow on the way", () => {
  const half = (elements: number[]) => tensor(elements, { dtype: "float16" });
  expect(half([-1000, 1000]).std().item()).toBe(1414);
  expect(stdMean(half([-1000, 1000]))[0].item()).toBe(1414);
  expect(half([12, 20_000]).softplus().toArray()).toEqual([12, 20_000]);
  expect(half([20_000]).hardswish().toArray()).toEqual([20_000]);
  expect(half([-12]).silu().toArray()[0]).toBeCloseTo(-7.37e-5, 7);
  expect(lerp(half([60_000]), half([-60_000]), 0.5).toArray()).toEqual([0]);
  expect(half([-1000, 1000, 5, 6]).reshape([2, 2]).corrcoef().sum().item()).toBe(4);
});

describe("circular padding", () => {
  const x = tensor([[[0, 1, 2, 3, 4]]]);
  test.each([
    { widths: [-1, 2], wrapped: [1, 2, 3, 4, 1, 2] },
    { widths: [2, -1], wrapped: [2, 3, 0, 1, 2, 3] },
    { widths: [-2, 3], wrapped: [2, 3, 4, 2, 3, 4] },
    { widths: [-1, -1], wrapped: [1, 2, 3] },
    { widths: [0, 5], wrapped: [0, 1, 2, 3, 4, 0, 1, 2, 3, 4] },
  ] as const)("by $widths cuts first and wraps what is left", ({ widths, wrapped }) => {
    expect(pad(x, widths as never, { mode: "circular" }).toArray()).toEqual([[wrapped]]);
  });

  test("wraps each axis of what both have cut", () => {
    const square = tensor([
      [
        [
          [0, 1, 2],
          [3, 4, 5],
          [6, 7, 8],
        ],
      ],
    ]);
    expect(pad(square, [-1, 1, 1, -1], { mode: "circular" }).toArray()).toEqual([
      [
        [
          [4, 5, 4],
          [1, 2, 1],
          [4, 5, 4],
        ],
      ],
    ]);
  });

  test("refuses to wrap what is cut more than once", () => {
    expect(() => pad(x, [-3, 3] as never, { mode: "circular" })).toThrow(
      "Padding value causes wrapping around more than once.",
    );
  });

  test("leaves a reflection about the edge that was there", () => {
    expect(pad(x, [2, -1], { mode: "reflect" }).toArray()).toEqual([[[2, 1, 0, 1, 2, 3]]]);
    expect(pad(x, [-2, 2], { mode: "reflect" }).toArray()).toEqual([[[2, 3, 4, 3, 2]]]);
  });
});

describe("attention that sees nothing", () => {
  const [query, key] = [
    tensor([
      [1, 2],
      [3, 4],
    ]),
    tensor([
      [5, 6],
      [7, 8],
      [9, 1],
    ]),
  ];
  const value = tensor([
    [1, 0],
    [0, 1],
    [1, 1],
  ]);
  const seen = scaledDotProductAttention(query, key, value).select(0, 0).toArray();

  test.each(["bool", "float"])("gives 0 for a row that a %s mask hides wholly", (kind) => {
    const hidden = kind === "bool" ? false : -Infinity;
    const shown = kind === "bool" ? true : 0;
    const attnMask = tensor([
      [shown, shown, shown],
      [hidden, hidden, hidden],
    ] as number[][]);
    expect(scaledDotProductAttention(query, key, value, { attnMask }).toArray()).toEqual([seen, [0, 0]]);
  });

  test("keeps NaN where a score is NaN", () => {
    const attnMask = tensor([
      [0, 0, 0],
      [NaN, -Infinity, -Infinity],
    ]);
    expect(scaledDotProductAttention(query, key, value, { attnMask }).select(0, 1).toArray()).toEqual([
      NaN,
      NaN,
    ]);
  });

  test("gives 0 where there are no keys", () => {
    const nothing = fromTypedArray(new Float32Array(0), { shape: [0, 2] });
    const attnMask = fromTypedArray(new Float32Array(0), { shape: [2, 0] });
    const rows = scaledDotProductAttention(query, nothing, nothing, { attnMask });
    expect(rows.toArray()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe("sumToSize", () => {
  const truths = tensor([
    [true, true, false],
    [true, false, false],
  ]);
  test("of bools counts, as sum does", () => {
    const counts = truths.sumToSize([1, 3]);
    expect([counts.dtype, counts.toArray()]).toEqual(["int64", [[2, 1, 0]]]);
    expect(truths.sumToSize([]).dtype).toBe("int64");
    expect(truths.to("int8").sumToSize([3]).dtype).toBe("int64");
    expect(truths.to("float16").sumToSize([3]).dtype).toBe("float16");
  });

  test("is x itself when nothing is summed", () => {
    expect(truths.sumToSize([2, 3]).dtype).toBe("bool");
  });
});

describe("even spacing into integers", () => {
  test("cuts the fractions of the bounds before it counts, and of the numbers then", () => {
    expect(linspace(0.9, 10.9, 5, { dtype: "int32" }).toArray()).toEqual([0, 2, 5, 7, 10]);
    expect(linspace(-0.9, -4.9, 3, { dtype: "int64" }).toArray()).toEqual([0, -2, -4]);
    expect(logspace(0, 2.9, 3, 10, { dtype: "int64" }).toArray()).toEqual([1, 10, 100]);
    expect(logspace(0.5, 3.7, 4, 2, { dtype: "int32" }).toArray()).toEqual([1, 2, 4, 8]);
  });

  test("of one step gives the start", () => {
    expect(linspace(2.7, 9, 1, { dtype: "int32" }).toArray()).toEqual([2]);
    expect(logspace(0.5, 9, 1, 10, { dtype: "int32" }).toArray()).toEqual([3]);
  });

  test("refuses bounds that the dtype does not hold", () => {
    expect(() => linspace(0, 300, 3, { dtype: "uint8" })).toThrow(RangeError);
    expect(() => logspace(0, NaN, 3, 10, { dtype: "int32" })).toThrow(RangeError);
  });

  test("refuses steps with a fraction, in types too", () => {
    // @ts-expect-error: steps have no fraction
    expect(() => linspace(0, 1, 2.5)).toThrow("linspace: steps must be an integer, but got 2.5");
    // @ts-expect-error: steps have no fraction
    expect(() => logspace(0, 1, 2.5)).toThrow("logspace: steps must be an integer, but got 2.5");
    expect(linspace(0, 1, 3).shape).toEqual([3]);
  });
});

test("aminmax of a 0-d tensor has one place along an axis that is kept", () => {
  const { min, max } = aminmax(tensor(4), 0, { keepdim: true });
  const shape: readonly [1] = min.shape;
  expect([shape, max.toArray()]).toEqual([[1], [4]]);
  expect(aminmax(tensor(4), 0).min.shape).toEqual([]);
  expect(aminmax(tensor(4), null, { keepdim: true }).min.shape).toEqual([]);
});

describe("multilabelMarginLoss", () => {
  test("takes a 0-d tensor for one class", () => {
    const label = tensor(0, { dtype: "int64" });
    expect(multilabelMarginLoss(tensor(0.5), label).toArray()).toBe(0);
    expect(multilabelMarginLoss(tensor([0.5]), label, { reduction: "none" }).shape).toEqual([]);
    expect(multilabelMarginLoss(tensor(0.5), tensor([-1], { dtype: "int64" })).toArray()).toBe(0);
  });

  test("refuses no class at all", () => {
    const [none, labels] = [tensor([]), tensor([]).to("int64")];
    expect(() => multilabelMarginLoss(none, labels)).toThrow("Expected non-empty vector or matrix");
  });
});

describe("unique", () => {
  const x = tensor([3, 1, 3, 2, 1], { dtype: "int32" });

  test("stands in order, or in the order of first places", () => {
    expect(x.unique().toArray()).toEqual([1, 2, 3]);
    expect(x.unique({ sorted: false }).toArray()).toEqual([3, 1, 2]);
  });

  test("says where each stands first", () => {
    const sorted = x.unique({ returnIndices: true, returnInverse: true, returnCounts: true });
    expect(sorted.indices.toArray()).toEqual([1, 3, 0]);
    const found = x.unique({ sorted: false, returnIndices: true, returnInverse: true, returnCounts: true });
    expect(found.indices.toArray()).toEqual([0, 1, 3]);
    expect(found.inverse.toArray()).toEqual([0, 1, 0, 2, 1]);
    expect(found.counts.toArray()).toEqual([2, 2, 1]);
    expect(found.values.takeAlongDim(found.inverse).toArray()).toEqual(x.toArray());
  });

  test("does so for slices, runs and NaN", () => {
    const rows = tensor([
      [2, 1],
      [1, 2],
      [2, 1],
    ]);
    const { values, indices } = rows.unique({ dim: 0, sorted: false, returnIndices: true });
    expect([values.toArray(), indices.toArray()]).toEqual([
      [
        [1, 2],
        [2, 1],
      ],
      [1, 0],
    ]);
    expect(tensor([1, 1, 2, 1]).uniqueConsecutive({ returnIndices: true }).indices.toArray()).toEqual([
      0, 2, 3,
    ]);
    expect(tensor([NaN, 1, NaN]).unique({ sorted: false }).toArray()).toEqual([NaN, 1, NaN]);
  });
});

test("arrays that store no dtype are converted to one that is named", () => {
  const large = Uint32Array.of(1, 2 ** 32 - 1);
  expect(tensor(large, { dtype: "int64" }).toArray()).toEqual([1, 2 ** 32 - 1]);
  expect(tensor(large, { dtype: "float64", shape: [2, 1] }).toArray()).toEqual([[1], [2 ** 32 - 1]]);
  expect(tensor(Uint16Array.of(0, 15_360), { dtype: "float16" }).toArray()).toEqual([0, 15_360]);
  expect(tensor(BigUint64Array.of(7n), { dtype: "float32" }).toArray()).toEqual([7]);
});

describe("a number that becomes an element", () => {
  const place = tensor([0], { dtype: "int64" });
  test.each([
    ["tensor", () => tensor([Number.NaN], { dtype: "bool" })],
    ["full", () => full([1], Number.NaN, { dtype: "bool" })],
    ["fill_", () => zeros([1], { dtype: "bool" }).fill_(Number.NaN)],
    ["assign_", () => zeros([1], { dtype: "bool" }).assign_([0], Number.NaN)],
    ["maskedFill", () => zeros([1], { dtype: "bool" }).maskedFill(tensor([true]), Number.NaN)],
    ["scatter", () => zeros([1], { dtype: "bool" }).scatter(0, place, Number.NaN)],
    ["pad", () => pad(zeros([0], { dtype: "bool" }), [0, 1], { value: Number.NaN })],
  ] as const)("is true as a bool where it is NaN: %s", (_, make) => {
    expect(make().toArray()).toEqual([true]);
  });

  test("wraps where uint8 holds its negative, and is refused where no element holds it", () => {
    const bytes = zeros([2], { dtype: "uint8" });
    expect(bytes.fill_(-1).toArray()).toEqual([255, 255]);
    expect(full([1], -255, { dtype: "uint8" }).toArray()).toEqual([1]);
    for (const value of [256, -256, Number.NaN]) {
      expect(() => bytes.assign_([0], value)).toThrow(RangeError);
      expect(() => bytes.fill_(value)).toThrow(RangeError);
    }
  });
});
