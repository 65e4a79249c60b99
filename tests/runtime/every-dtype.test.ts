/** Every dtype through every kind of op, against plain JavaScript. */
import {
  type AnyTensor,
  arange,
  cat,
  type DType,
  dtypes,
  eye,
  fromTypedArray,
  full,
  iinfo,
  ones,
  scalarTensor,
  setOptions,
  tensor,
  where,
  zeros,
  zerosLike,
} from "fuseau";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Element = number | bigint;
const names = Object.keys(dtypes) as DType[];
const isFloat = (dtype: DType): boolean => dtypes[dtype].category === "float";
const isBool = (dtype: DType): boolean => dtype === "bool";

/** Six values of each dtype, its edges among them. */
const values: { readonly [D in DType]: readonly Element[] } = {
  bool: [0, 1, 1, 0, 1, 0],
  uint8: [0, 1, 127, 128, 255, 3],
  int8: [-128, -1, 0, 1, 127, 3],
  int16: [-32768, -1, 0, 255, 32767, 3],
  int32: [-2147483648, -1, 0, 65537, 2147483647, 3],
  int64: [-(2n ** 63n), -1n, 0n, 9007199254740993n, 2n ** 63n - 1n, 3n],
  float16: [-65504, -0.5, 0, 0.0999755859375, 2049.5, 3].map(half),
  float32: [-1e38, -0.5, 0, 0.1, 16777217, 3].map(Math.fround),
  float64: [-1e300, -0.5, 0, 0.1, 2 ** 53 - 1, 3],
};

/** To the nearest of 11 binary digits, ties to even. */
function half(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const step = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(x)))) - 10);
  const scaled = x / step;
  const low = Math.floor(scaled);
  const rest = scaled - low;
  const rounded = (rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low) * step;
  return Math.abs(rounded) > 65504 ? Math.sign(x) * Infinity : rounded;
}

/** The dtype's element for an exact number: floats round, integers wrap, bools ask whether it is 0. */
function element(dtype: DType, exact: Element): Element {
  switch (dtype) {
    case "bool":
      return Number(exact) !== 0 || Number.isNaN(exact) ? 1 : 0;
    case "float16":
      return half(Math.fround(Number(exact)));
    case "float32":
      return Math.fround(Number(exact));
    case "float64":
      return Number(exact);
    default: {
      const whole =
        typeof exact === "bigint" ? exact : Number.isFinite(exact) ? BigInt(Math.trunc(exact)) : 0n;
      const bits = dtypes[dtype].bytes * 8;
      const wrapped = dtype === "uint8" ? BigInt.asUintN(8, whole) : BigInt.asIntN(bits, whole);
      return dtype === "int64" ? wrapped : Number(wrapped);
    }
  }
}

/** The elements as they are held: bools and bytes as numbers, halves decoded, int64 as bigints. */
const elements = (x: AnyTensor): Element[] =>
  Array.from((x.dtype === "float16" ? x.to("float32") : x).toTypedArray() as ArrayLike<Element>);

const made = (dtype: DType, list: readonly Element[] = values[dtype]): AnyTensor =>
  dtype === "bool" ? tensor(list.map((x) => x !== 0)) : tensor(list as number[], { dtype });

const isWhole = (dtype: DType): boolean => !isFloat(dtype);
/** Exact arithmetic: BigInt of integers, numbers of floats (float64 holds a sum or product of singles before rounding). */
const exact = (dtype: DType, x: Element): Element => (isWhole(dtype) ? BigInt(x) : x);
const calculate =
  (onInt: (a: bigint, b: bigint) => bigint, onFloat: (a: number, b: number) => number) =>
  (dtype: DType, a: Element, b: Element): Element =>
    element(
      dtype,
      isWhole(dtype)
        ? onInt(exact(dtype, a) as bigint, exact(dtype, b) as bigint)
        : onFloat(a as number, b as number),
    );
const plus = calculate(
  (a, b) => a + b,
  (a, b) => a + b,
);
const minus = calculate(
  (a, b) => a - b,
  (a, b) => a - b,
);
const times = calculate(
  (a, b) => a * b,
  (a, b) => a * b,
);

describe.each(["js", "closure"] as const)("by the %s emitter", (emitter) => {
  beforeAll(() => setOptions({ emitter }));
  afterAll(() => setOptions({ emitter: "js" }));

  describe.each(names)("%s", (dtype) => {
    const list = values[dtype];
    const turned = [...list.slice(2), ...list.slice(0, 2)];
    const x = (): AnyTensor => made(dtype);
    const y = (): AnyTensor => made(dtype, turned);
    const pairs = (f: (a: Element, b: Element) => Element): Element[] => list.map((a, k) => f(a, turned[k]!));

    test("is made of elements, and read back exactly", () => {
      expect(x().dtype).toBe(dtype);
      expect(elements(x())).toEqual(list);
      expect(elements(fromTypedArray(x().toTypedArray(), { dtype }))).toEqual(list);
      const safe = list.filter((e) => Math.abs(Number(e)) <= Number.MAX_SAFE_INTEGER);
      expect(made(dtype, safe).toArray()).toEqual(safe.map((e) => (isBool(dtype) ? e !== 0 : Number(e))));
      expect(made(dtype, safe.slice(0, 1)).item()).toBe(isBool(dtype) ? safe[0] !== 0 : Number(safe[0]));
    });

    test("is made of nothing", () => {
      const one = element(dtype, 1);
      const zero = element(dtype, 0);
      const counted = [0, 1, 2, 3].map((count) => element(dtype, count));
      const cases: readonly (readonly [AnyTensor, readonly Element[]])[] = [
        [zeros([2], { dtype }), [zero, zero]],
        [ones([2], { dtype }), [one, one]],
        [full([2], 1, { dtype }), [one, one]],
        [scalarTensor(1, { dtype }), [one]],
        [eye(2, { dtype }), [one, zero, zero, one]],
        [arange(4, { dtype }), counted],
        [arange(3, -1, -1, { dtype: isBool(dtype) ? "uint8" : dtype }).to(dtype), [...counted].reverse()],
        [zerosLike(x()), list.map(() => zero)],
        [zeros([0, 3], { dtype }), []],
      ];
      for (const [made, expected] of cases) {
        expect(made.dtype).toBe(dtype);
        expect(elements(made)).toEqual(expected);
      }
    });

    test.each(names)("becomes %s", (to) => {
      // Floats beyond an integer's range are undefined in PyTorch.
      const inRange = list.filter(
        (e) => !isFloat(dtype) || isFloat(to) || to === "bool" || Math.abs(Number(e)) < 100,
      );
      const kept = inRange.filter((e) => to !== "uint8" || !isFloat(dtype) || Number(e) > -1);
      const cast = made(dtype, kept).to(to);
      expect(cast.dtype).toBe(to);
      expect(elements(cast)).toEqual(kept.map((e) => element(to, e)));
    });

    test("adds and multiplies; bools by or and and", () => {
      expect(elements(x().add(y()))).toEqual(
        pairs((a, b) => (isBool(dtype) ? Number(a) | Number(b) : plus(dtype, a, b))),
      );
      expect(elements(x().mul(y()))).toEqual(pairs((a, b) => times(dtype, a, b)));
      if (isBool(dtype)) expect(() => x().sub(y())).toThrow("not supported");
      else expect(elements(x().sub(y()))).toEqual(pairs((a, b) => minus(dtype, a, b)));
      expect(x().add(y()).dtype).toBe(dtype);
    });

    test("compares, chooses, and asks for truth", () => {
      expect(elements(x().lt(y()))).toEqual(pairs((a, b) => (a < b ? 1 : 0)));
      expect(elements(x().eq(x()))).toEqual(list.map(() => 1));
      expect(elements(x().maximum(y()))).toEqual(pairs((a, b) => (a > b ? a : b)));
      expect(elements(where(x().lt(y()), x(), y()))).toEqual(pairs((a, b) => (a < b ? a : b)));
      expect(elements(x().logicalAnd(y()))).toEqual(pairs((a, b) => (Number(a) && Number(b) ? 1 : 0)));
      expect(elements(x().logicalNot())).toEqual(list.map((a) => (Number(a) ? 0 : 1)));
      expect(x().eq(0).dtype).toBe("bool");
    });

    test("becomes floating where the result is", () => {
      const result = isFloat(dtype) ? dtype : "float32";
      const root = made(dtype, [element(dtype, 0), element(dtype, 1)]).sqrt();
      expect([root.dtype, elements(root)]).toEqual([result, [0, 1]]);
      const quotient = ones([2], { dtype }).div(made(dtype, [element(dtype, 1), element(dtype, 0)]));
      expect([quotient.dtype, elements(quotient)]).toEqual([result, [1, Infinity]]);
    });

    test("meets scalars and other dtypes as PyTorch says", () => {
      const meets = (scalar: number): DType => x().mul(scalar).dtype;
      expect(meets(2)).toBe(isBool(dtype) ? "int64" : dtype);
      expect(meets(2.5)).toBe(isFloat(dtype) ? dtype : "float32");
      for (const other of names) {
        const sum = x().add(zeros([6], { dtype: other }));
        expect(sum.dtype).toBe(made(other).add(x()).dtype);
        if (!isFloat(sum.dtype) && !isBool(sum.dtype))
          expect(elements(sum)).toEqual(list.map((e) => element(sum.dtype, e)));
        expect(zeros([], { dtype }).add(zeros([1], { dtype: other })).dtype).toBe(
          dtypes[dtype].category === dtypes[other].category || isFloat(other)
            ? other
            : zeros([1], { dtype: other }).add(zeros([1], { dtype })).dtype,
        );
      }
    });

    test("is summed, multiplied up and searched", () => {
      const total = isFloat(dtype) ? dtype : "int64";
      const small = made(dtype, [element(dtype, 1), element(dtype, 1), element(dtype, 3)]);
      const third = isBool(dtype) ? 1 : 3;
      expect([small.sum().dtype, Number(elements(small.sum())[0])]).toEqual([total, 2 + third]);
      expect([small.prod().dtype, Number(elements(small.prod())[0])]).toEqual([total, third]);
      const largest = list.reduce((a, b) => (b > a ? b : a));
      const smallest = list.reduce((a, b) => (b < a ? b : a));
      expect([x().max().dtype, elements(x().max())]).toEqual([dtype, [largest]]);
      expect(elements(x().amin(0))).toEqual([smallest]);
      expect([x().argmax().dtype, elements(x().argmax())]).toEqual([
        "int64",
        [BigInt(list.indexOf(largest))],
      ]);
      expect(elements(x().argmin())).toEqual([BigInt(list.indexOf(smallest))]);
      expect([x().any().dtype, elements(x().any())]).toEqual([dtype === "uint8" ? dtype : "bool", [1]]);
      expect(elements(x().all())).toEqual([0]);
      const matrix = x().reshape([2, 3]);
      const rows = matrix.max(1);
      expect(elements(rows.values)).toEqual(
        [list.slice(0, 3), list.slice(3)].map((row) => row.reduce((a, b) => (b > a ? b : a))),
      );
      expect(matrix.sum(0).shape).toEqual([3]);
    });

    test("moves", () => {
      const at = (...places: number[]): Element[] => places.map((place) => list[place]!);
      const matrix = x().reshape([2, 3]);
      const zero = element(dtype, 0);
      const cases: readonly (readonly [AnyTensor, readonly Element[]])[] = [
        [matrix.t(), at(0, 3, 1, 4, 2, 5)],
        [matrix.narrow(1, 1, 2), at(1, 2, 4, 5)],
        [x().slice([1, 6, 2]), at(1, 3, 5)],
        [matrix.flip([1]), at(2, 1, 0, 5, 4, 3)],
        [matrix.select(0, 1), at(3, 4, 5)],
        [matrix.diagonal(), at(0, 4)],
        [matrix.select(1, 0).reshape([2, 1]).expand([2, 2]), at(0, 0, 3, 3)],
        [cat([x(), y()]), [...list, ...turned]],
        [x().pad([1, 1]), [zero, ...list, zero]],
        [x().roll(1, 0), at(5, 0, 1, 2, 3, 4)],
        [matrix.tril(), [list[0]!, zero, zero, list[3]!, list[4]!, zero]],
      ];
      for (const [moved, expected] of cases) {
        expect(moved.dtype).toBe(dtype);
        expect(elements(moved)).toEqual(expected);
      }
    });
  });
});

test("halves meet scalars as halves, and are multiplied and divided by them in single precision", () => {
  const tenth = half(0.1);
  const x = tensor([0.1, 3], { dtype: "float16" });
  expect(x.eq(0.1).toArray()).toEqual([true, false]);
  expect(full([1], 0.1, { dtype: "float16" }).sub(tenth).toArray()).toEqual([0]);
  expect(full([1], 0.1, { dtype: "float16" }).mul(10).toArray()).toEqual([half(tenth * 10)]);
  expect(x.clamp(null, 0.1).mul(1000).toArray()).toEqual([half(tenth * 1000), half(tenth * 1000)]);
  const single = (x: number): number => half(Math.fround(x));
  expect(x.mul(0.1).toArray()).toEqual([single(tenth * Math.fround(0.1)), single(3 * Math.fround(0.1))]);
  expect(x.div(0.1).toArray()).toEqual([single(tenth / Math.fround(0.1)), single(3 / Math.fround(0.1))]);
  expect(x.mul(0.1).dtype).toBe("float16");
});

test("cat promotes", () => {
  expect(cat([made("uint8"), made("int8")]).dtype).toBe("int16");
  expect(elements(cat([made("bool"), made("int64")]))).toEqual([...values.bool.map(BigInt), ...values.int64]);
});

test("int64 is exact, from bigints to bigints", () => {
  const { max, min } = iinfo("int64");
  const x = tensor([max, min, 2n ** 53n + 1n]);
  expect(x.dtype).toBe("int64");
  expect([...x.add(0).toTypedArray()]).toEqual([max, min, 2n ** 53n + 1n]);
  expect([...x.sum(0, { keepdim: true }).toTypedArray()]).toEqual([2n ** 53n]);
  expect([...x.add(1n).toTypedArray()]).toEqual([min, min + 1n, 2n ** 53n + 2n]);
  expect([...x.mul(3n).floorDivide(2n).toTypedArray()].at(-1)).toBe(((2n ** 53n + 1n) * 3n) / 2n);
  expect(() => x.toArray()).toThrow(RangeError);
  expect(() => tensor([2n ** 63n])).toThrow(RangeError);
});

test.each<[DType, string]>([
  ["bool", "tensor([False,  True], shape=[2], dtype=bool)"],
  ["uint8", "tensor([  0, 255], shape=[2], dtype=uint8)"],
  ["int8", "tensor([-128,  127], shape=[2], dtype=int8)"],
  ["int16", "tensor([-32768,  32767], shape=[2], dtype=int16)"],
  ["int32", "tensor([-2147483648,  2147483647], shape=[2], dtype=int32)"],
  ["int64", "tensor([-9223372036854775808,  9223372036854775807], shape=[2], dtype=int64)"],
  ["float16", "tensor([-6.5504e+04,  9.9976e-02], shape=[2], dtype=float16)"],
  ["float32", "tensor([-0.5000,  0.1000], shape=[2], dtype=float32)"],
  ["float64", "tensor([-0.5000,  0.1000], shape=[2], dtype=float64)"],
])("%s prints as PyTorch prints it", (dtype, text) => {
  const [first, second] = {
    bool: [0, 1],
    uint8: [0, 255],
    float16: [-65504, 0.1],
    float32: [-0.5, 0.1],
    float64: [-0.5, 0.1],
    int8: [-128, 127],
    int16: [-32768, 32767],
    int32: [-2147483648, 2147483647],
    int64: [-(2n ** 63n), 2n ** 63n - 1n],
  }[dtype] as [Element, Element];
  expect(String(made(dtype, [first, second]))).toBe(text);
});
