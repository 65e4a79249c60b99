import { type DType, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { checkHolds, elementOf } from "../../packages/runtime/src/ops/operand.ts";

const dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16"] as const;
type Source = Parameters<typeof tensor>[0] & ArrayLike<number | bigint>;

const numbers = [
  0,
  -0,
  1,
  -1,
  1.5,
  -1.5,
  -0.4,
  127,
  -128,
  255,
  -255,
  65_504,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 53 + 2,
];
const wide = [
  NaN,
  Infinity,
  -Infinity,
  256,
  -256,
  -255.5,
  255.9,
  32_768,
  2 ** 31,
  2 ** 62,
  2 ** 63,
  -(2 ** 63),
  1e300,
];
const bigints = [
  0n,
  1n,
  -1n,
  255n,
  2n ** 31n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 3n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

const sources: Record<string, Source> = {
  Float64Array: Float64Array.from([...numbers, ...wide]),
  Float32Array: Float32Array.from([...numbers, ...wide]),
  Int32Array: Int32Array.from(numbers),
  Uint32Array: Uint32Array.of(0, 1, 255, 256, 2 ** 31, 2 ** 32 - 1) as never,
  Uint16Array: Uint16Array.of(0, 1, 255, 256, 65_535) as never,
  Int16Array: Int16Array.from(numbers),
  Int8Array: Int8Array.from(numbers),
  Uint8Array: Uint8Array.from(numbers),
  Uint8ClampedArray: Uint8ClampedArray.from(numbers),
  BigInt64Array: BigInt64Array.from(bigints),
  BigUint64Array: BigUint64Array.of(0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n) as never,
};

/** The elements one by one, or the error of the first that the dtype does not hold. */
function expected(source: ArrayLike<number | bigint | boolean>, dtype: DType): (number | bigint)[] | string {
  try {
    return Array.from(source, (value, k) => {
      if (dtype === "int64" || dtype === "uint8" || dtype.startsWith("int"))
        checkHolds(dtype as "int64", value, `element ${k}`);
      return elementOf(dtype, value);
    });
  } catch (error) {
    return (error as Error).message.replace(/^tensor: /, "");
  }
}

function made(data: unknown, dtype: DType): (number | bigint)[] | string {
  try {
    const x = tensor(data as number[], { dtype });
    const read = dtype === "float16" ? x.float() : x;
    return Array.from(read.toTypedArray() as ArrayLike<number | bigint>);
  } catch (error) {
    return (error as Error).message.replace(/^tensor: /, "");
  }
}

describe.each(Object.keys(sources))("a %s", (name) => {
  const source = sources[name]!;
  it.each(dtypes)("is converted to %s as its elements are", (dtype) => {
    // All of it, and each element alone: what is refused stands alone too.
    expect(made(source, dtype)).toEqual(expected(source, dtype));
    for (let k = 0; k < source.length; k++) {
      const one = (source as Float64Array).slice(k, k + 1);
      expect(made(one, dtype)).toEqual(expected(one, dtype));
    }
  });
});

describe("nested arrays, short and long", () => {
  const repeated = <T>(values: readonly T[], times: number): T[] =>
    Array.from({ length: times }, () => values).flat();
  it.each(dtypes)("are converted to %s as their elements are", (dtype) => {
    for (const values of [
      [1, 0, 3, 2],
      [true, false, false, true],
      [1.5, -0, 0.25, 2],
      numbers.slice(0, 12),
      [300, 1],
    ])
      for (const times of [1, 20]) {
        const list = repeated(values as number[], times);
        expect(made(list, dtype)).toEqual(expected(list, dtype));
        const rows = [list, list];
        expect(made(rows, dtype)).toEqual(
          expected(typeof expected(list, dtype) === "string" ? list : rows.flat(), dtype),
        );
      }
  });
  it("of numbers and booleans, or of bigints, are taken one by one", () => {
    const mixed = repeated<number | boolean>([1, true, 2.5], 30);
    expect(made(mixed, "float32")).toEqual(mixed.map(Number));
    expect(tensor(mixed as number[]).dtype).toBe("float32");
    const long = repeated([2n ** 60n + 1n, -3n], 40);
    expect(made(long, "int64")).toEqual(long);
    expect(tensor(repeated([true, false], 40)).dtype).toBe("bool");
    expect(tensor(Array.from({ length: 50 }, () => [])).shape).toEqual([50, 0]);
    expect(made([...repeated([1], 50), "2"], "float32")).toMatch(/elements are numbers.*element 50/);
    expect(() => tensor([...repeated([[1, 2]], 50), [3]] as number[][])).toThrow(/ragged/);
  });
});
