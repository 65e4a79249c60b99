/** Distinct elements of many: found by counting or by sorting, where few are found on the host. */
import { type AnyTensor, type DType, setOptions, tensor } from "fuseau";
import { afterEach, describe, expect, test } from "vitest";

afterEach(() => setOptions({ fusion: undefined, emitter: undefined }));

const COUNT = 5_000;
type Element = number | bigint | boolean;

/** Numbers that look random, below `high`. */
function draws(high: number): number[] {
  let state = 1;
  return Array.from({ length: COUNT }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % high;
  });
}

const cases: Readonly<Record<string, readonly [DType, Element[]]>> = {
  "int64 in a narrow range": ["int64", draws(700).map((x) => BigInt(x - 300))],
  "int64 in a wide range": ["int64", draws(3_000).map((x) => BigInt(x) * 2n ** 51n - 2n ** 60n)],
  "int64 beyond exact numbers": ["int64", draws(50).map((x) => 2n ** 60n + BigInt(x))],
  int32: ["int32", draws(9_000).map((x) => x - 4_500)],
  "int32 in a wide range": ["int32", draws(2_000).map((x) => 1_000_003 * (x - 1_000))],
  uint8: ["uint8", draws(200)],
  int8: ["int8", draws(256).map((x) => x - 128)],
  bool: ["bool", draws(7).map((x) => x === 0)],
  float32: ["float32", draws(900).map((x) => x / 8 - 30)],
  "float32 with zeros and NaN": [
    "float32",
    draws(60).map((x) => (x < 20 ? -0 : x < 30 ? 0 : x === 59 ? Number.NaN : 1 / x)),
  ],
  float16: ["float16", draws(300).map((x) => x / 4)],
  float64: ["float64", draws(2_500).map((x) => Math.sqrt(x))],
};

/** By first places: what equals what, NaN nothing. */
function plain(elements: readonly Element[], order: readonly number[], consecutive: boolean) {
  const [indices, counts]: [number[], number[]] = [[], []];
  const inverse = new Array<number>(elements.length);
  let before: Element | undefined;
  for (const place of order) {
    const element = elements[place]!;
    if (element !== before) {
      indices.push(place);
      counts.push(0);
    }
    counts[counts.length - 1]!++;
    inverse[place] = indices.length - 1;
    before = element;
  }
  if (consecutive) return { indices, counts, inverse };
  const first = [...indices.keys()].sort((a, b) => indices[a]! - indices[b]!);
  const rank = new Map(first.map((from, to) => [from, to]));
  return {
    indices,
    counts,
    inverse,
    appearing: {
      indices: first.map((k) => indices[k]!),
      counts: first.map((k) => counts[k]!),
      inverse: inverse.map((k) => rank.get(k)!),
    },
  };
}

const ascending = (a: Element, b: Element): number =>
  Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a < b ? -1 : a > b ? 1 : 0;

const options = { returnInverse: true, returnCounts: true, returnIndices: true } as const;

type Found = Readonly<Record<"values" | "inverse" | "counts" | "indices", AnyTensor>>;
type Expected = Readonly<Record<"inverse" | "counts" | "indices", number[]>>;

function compare(found: Found, expected: Expected, x: AnyTensor, shape: readonly number[]): void {
  const elements = x.toTypedArray();
  expect([...found.values.toTypedArray()]).toEqual(expected.indices.map((place) => elements[place]));
  expect(found.values.dtype).toBe(x.dtype);
  expect([...found.indices.toTypedArray()].map(Number)).toEqual(expected.indices);
  expect([...found.counts.toTypedArray()].map(Number)).toEqual(expected.counts);
  expect([...found.inverse.toTypedArray()].map(Number)).toEqual(expected.inverse);
  expect(found.inverse.shape).toEqual(shape);
}

/** As many as are looked at on the host, and more. */
const sized = Object.entries(cases).flatMap(([name, [dtype, elements]]) => [
  [name, dtype, elements, [50, 100]] as const,
  [`${name}, few`, dtype, elements.slice(0, 900), [30, 30]] as const,
]);

describe.each(sized)("%s", (_, dtype, elements, shape) => {
  const settings = [{}, { fusion: "none" }, { emitter: "wasm" }, { emitter: "closure" }] as const;
  test.each(settings)("distinct elements, %o", (setting) => {
    setOptions(setting);
    const x = tensor(elements as number[], { dtype }).reshape(shape);
    const order = [...elements.keys()].sort((a, b) => ascending(elements[a]!, elements[b]!) || a - b);
    const { appearing, ...expected } = plain(elements, order, false);
    compare(x.unique(options), expected, x, shape);
    compare(x.unique({ ...options, sorted: false }), appearing!, x, shape);
    compare(x.uniqueConsecutive(options), plain(elements, [...elements.keys()], true), x, shape);
  });
});

test.each([[[COUNT]], [[50, 100]], [[4, 25, 50]], [[100, 50, 1]], [[1, COUNT]]])(
  "places of what is not 0, shape %j",
  (shape) => {
    const elements = draws(3);
    const x = tensor(elements, { dtype: "int32" }).reshape(shape);
    const strides = shape.map((_, axis) =>
      shape.slice(axis + 1).reduce((product, size) => product * size, 1),
    );
    const expected = [...elements.keys()]
      .filter((place) => elements[place] !== 0)
      .map((place) => shape.map((size, axis) => Math.floor(place / strides[axis]!) % size));
    expect(x.nonzero().toArray()).toEqual(expected);
    expect(x.gt(0).nonzero().shape).toEqual([expected.length, shape.length]);
    expect(x.maskedSelect(x.gt(0)).toArray()).toEqual(elements.filter((element) => element !== 0));
  },
);
