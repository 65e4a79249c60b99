import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IntrinsicName, intrinsics } from "../../packages/compiler/src/emit/intrinsics/index.ts";
import { ndtri, precise, ulpsBetween } from "./wasm/precise.ts";

describe("special functions against mpmath at 60 digits", () => {
  interface Reference {
    readonly x: string;
    readonly x2?: string;
    /** The exact values, rounded to float64. */
    readonly y: string;
  }
  const file = new URL("fixtures/special-functions.json", import.meta.url);
  const references: Readonly<Record<string, Reference>> = JSON.parse(readFileSync(file, "utf8"));
  const numbers = (text: string): number[] => text.split(" ").map(Number);

  // Half an ulp of each bound is the rounding of the reference itself.
  test.each<[IntrinsicName, string, number]>([
    ["erf", "erf", 1.5],
    ["erfc", "erfc", 3],
    ["erfinv", "erfinv", 4.5],
    ["lgamma", "lgamma", 5],
    ["digamma", "digamma", 3.5],
    ["exp2", "exp2", 1.5],
    ["hypot", "hypot", 1.5],
  ])("%s stays within its ulps", (name, key, ulps) => {
    const { x, x2, y } = references[key]!;
    const seconds = x2 === undefined ? [] : numbers(x2);
    const f = intrinsics[name] as (a: number, b?: number) => number;
    const expected = numbers(y);
    numbers(x).forEach((a, i) => {
      const error = Math.abs(f(a, seconds[i]) - expected[i]!) / ulp(expected[i]!);
      expect(
        error,
        `${name}(${a}, ${seconds[i]}) is ${f(a, seconds[i])}, not ${expected[i]}`,
      ).toBeLessThanOrEqual(ulps);
    });
  });

  test.each<[IntrinsicName, string]>([
    ["lgamma", "lgammaNegative"],
    ["digamma", "digammaNegative"],
  ])("%s of negative numbers is right in absolute terms", (name, key) => {
    const { x, y } = references[key]!;
    const expected = numbers(y);
    numbers(x).forEach((a, i) => {
      const error = Math.abs((intrinsics[name] as (a: number) => number)(a) - expected[i]!);
      expect(error, `${name}(${a})`).toBeLessThan(2e-14 * Math.max(1, Math.abs(expected[i]!)));
    });
  });

  test("take special values as C and PyTorch do", () => {
    const { erf, erfc, erfinv, lgamma, digamma } = intrinsics;
    expect([0, -0, Infinity, -Infinity, NaN, 40, -40].map(erf)).toEqual([0, -0, 1, -1, NaN, 1, -1]);
    expect([0, -0, Infinity, -Infinity, NaN, 28, -28].map(erfc)).toEqual([1, 1, 0, 2, NaN, 0, 2]);
    expect([0, -0, 1, -1, 1.1, -2, NaN, Infinity].map(erfinv)).toEqual([
      0,
      -0,
      Infinity,
      -Infinity,
      NaN,
      NaN,
      NaN,
      NaN,
    ]);
    expect([0, -0, -1, -1e300, Infinity, -Infinity].map(lgamma)).toEqual(Array(6).fill(Infinity));
    expect([1, 2, NaN].map(lgamma).map(Math.abs)).toEqual([0, 0, NaN]);
    const psi = [-Infinity, Infinity, NaN, NaN, Infinity, NaN, NaN];
    expect([0, -0, -1, -7, Infinity, -Infinity, NaN].map(digamma)).toEqual(psi);
  });

  test("ndtri stays within its ulps, in its tails too", () => {
    for (let k = 1; k < 400; k++)
      for (const p of [k / 400, 2 ** (-2.6 * k), 1 - 2 ** (-k / 8)]) {
        if (p === 0.5 || p === 1) continue;
        expect(ulpsBetween(intrinsics.ndtri(p), ndtri(precise(p))), `ndtri(${p})`).toBeLessThanOrEqual(5);
      }
  });

  test("erfinv undoes erf", () => {
    holds(
      fc.property(fc.double({ min: -0.9, max: 0.9, noNaN: true }), (x) => {
        expect(Math.abs(intrinsics.erf(intrinsics.erfinv(x)) - x)).toBeLessThanOrEqual(4 * ulp(x));
      }),
    );
  });
});

describe("float functions", () => {
  test.each([
    [1, NaN, 1],
    [1, Infinity, 1],
    [-1, Infinity, 1],
    [-1, -Infinity, 1],
    [NaN, 0, 1],
    [-8, 1 / 3, NaN],
    [-2, 3, -8],
    [0, -1, Infinity],
    [-0, -1, -Infinity],
  ])("pow(%s, %s) is %s, as in C", (x, y, expected) => {
    expect(intrinsics.pow(x, y)).toBe(expected);
  });

  test("roundHalfEven rounds halves to even and keeps -0", () => {
    const { roundHalfEven } = intrinsics;
    const halves = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 0.49999999999999994, 4503599627370495.5];
    expect(halves.map(roundHalfEven)).toEqual([0, 2, 2, 4, -0, -2, -2, 0, 4503599627370496]);
    const fixed = [NaN, Infinity, -Infinity, 0, -0, 2 ** 52, 2 ** 53 + 2, -(2 ** 52)];
    expect(fixed.map(roundHalfEven)).toEqual(fixed);
    holds(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (x) => {
        const rounded = roundHalfEven(x);
        expect(Number.isInteger(rounded)).toBe(true);
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(0.5);
        if (Math.abs(rounded - x) === 0.5) expect(Math.abs(rounded % 2)).toBe(0);
      }),
    );
  });

  test.each([
    [-1, Infinity, -1, Infinity],
    [1, -Infinity, -1, -Infinity],
    [7.5, -2, -4, -0.5],
    [-0, 3, -0, -0],
    [1, 0, Infinity, NaN],
    [-1, 0, -Infinity, NaN],
    [0, 0, NaN, NaN],
    [Infinity, 2, NaN, NaN],
  ])("%s divided by %s floors to %s and leaves %s, as in PyTorch", (x, y, quotient, rest) => {
    expect(intrinsics.floorDivide(x, y)).toBe(quotient);
    expect(intrinsics.floorDivideFloat32(x, y)).toBe(quotient);
    expect(intrinsics.remainder(x, y)).toBe(rest);
  });

  test.each([
    [238726656, 0.7961260676383972, 299860384],
    [523658016, 4.342533588409424, 120588136],
    [228238864, -7.774782657623291, -29356304],
  ])("floor division of %s by %s rounds every step to float32", (x, y, quotient) => {
    expect(intrinsics.floorDivideFloat32(x, y)).toBe(quotient);
    expect(Math.fround(intrinsics.floorDivide(x, y))).not.toBe(quotient);
  });

  test("copysign sees the sign of zero", () => {
    const { copysign } = intrinsics;
    expect([copysign(3, -0), copysign(-3, 0), copysign(0, -2), copysign(-Infinity, 1)]).toEqual([
      -3,
      3,
      -0,
      Infinity,
    ]);
  });

  test("hypot neither overflows nor underflows, and infinity wins over NaN", () => {
    const { hypot } = intrinsics;
    expect(hypot(3e300, 4e300)).toBe(5e300);
    expect([hypot(Infinity, NaN), hypot(NaN, -Infinity), hypot(NaN, 1), hypot(0, -0)]).toEqual([
      Infinity,
      Infinity,
      NaN,
      0,
    ]);
  });
});

describe("nextafter", () => {
  test.each<["nextafterFloat64" | "nextafterFloat32" | "nextafterFloat16", number, number, number]>([
    ["nextafterFloat64", 2 ** -52, 2 ** -1074, 1.7976931348623157e308],
    ["nextafterFloat32", 2 ** -23, 2 ** -149, 3.4028234663852886e38],
    ["nextafterFloat16", 2 ** -10, 2 ** -24, 65504],
  ])("%s steps by one unit in the last place", (name, epsilon, smallest, largest) => {
    const next = intrinsics[name];
    expect(next(1, 2)).toBe(1 + epsilon);
    expect(next(1, 0)).toBe(1 - epsilon / 2);
    expect(next(-1, 0)).toBe(-1 + epsilon / 2);
    expect(next(0, 1)).toBe(smallest);
    expect(next(-0, -1)).toBe(-smallest);
    expect(next(smallest, 0)).toBe(0);
    expect(next(-smallest, 1)).toBe(-0);
    expect(next(largest, Infinity)).toBe(Infinity);
    expect(next(Infinity, 0)).toBe(largest);
    expect(next(-Infinity, 0)).toBe(-largest);
    expect(next(0, -0)).toBe(-0);
    expect([next(NaN, 1), next(1, NaN)]).toEqual([NaN, NaN]);
  });
});

describe("float16", () => {
  const { float16FromBits, float16ToBits, roundToFloat16, nextafterFloat64 } = intrinsics;

  test("every bit pattern stands for its number, and comes back from it", () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const exponent = (bits >> 10) & 31;
      const fraction = bits & 1023;
      const magnitude =
        exponent === 31
          ? fraction === 0
            ? Infinity
            : NaN
          : exponent === 0
            ? fraction * 2 ** -24
            : (1024 + fraction) * 2 ** (exponent - 25);
      const value = bits >= 0x8000 ? -magnitude : magnitude;
      expectSame(float16FromBits(bits), value, `bits ${bits}`);
      expectSame(roundToFloat16(value), value, `bits ${bits}`);
      expectSame(float16ToBits(value), Number.isNaN(value) ? 0x7e00 : bits, `value ${value}`);
    }
  });

  test("rounds to the nearest, ties to the even bits, at every boundary", () => {
    for (let bits = 0; bits < 0x7c00; bits++) {
      const low = float16FromBits(bits);
      const high = bits === 0x7bff ? 65536 : float16FromBits(bits + 1);
      const rounded = bits === 0x7bff ? Infinity : high;
      const middle = (low + high) / 2;
      for (const sign of [1, -1]) {
        expectSame(
          roundToFloat16(sign * middle),
          sign * (bits % 2 === 0 ? low : rounded),
          `tie after ${low}`,
        );
        expectSame(
          roundToFloat16(sign * nextafterFloat64(middle, 0)),
          sign * low,
          `below the tie after ${low}`,
        );
        expectSame(
          roundToFloat16(sign * nextafterFloat64(middle, Infinity)),
          sign * rounded,
          `above the tie after ${low}`,
        );
      }
    }
  });

  test("overflows to infinity, keeps signed zeros, underflows to them", () => {
    const values = [
      65519.99,
      65520,
      1e300,
      -65520,
      0,
      -0,
      1e-300,
      -1e-300,
      2 ** -25,
      -(2 ** -25),
      2 ** -24.9,
    ];
    const expected = [65504, Infinity, Infinity, -Infinity, 0, -0, 0, -0, 0, -0, 2 ** -24];
    expect(values.map(roundToFloat16)).toEqual(expected);
  });
});

describe("integers", () => {
  const edges = [
    -2147483648, -2147483647, -65536, -128, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, 127, 255, 65537, 2147483647,
  ];
  const int32 = fc.oneof(fc.integer(), fc.constantFrom(...edges));
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const wrap64 = (x: bigint): bigint => BigInt.asIntN(64, x);

  test("division by zero throws in PyTorch's words", () => {
    for (const op of ["floorDivide", "truncDivide", "remainder", "fmod"] as const) {
      const message = `${op}: ZeroDivisionError (an integer was divided by 0`;
      expect(() => intrinsics[`${op}Int`](1, 0)).toThrow(RangeError);
      expect(() => intrinsics[`${op}Int`](1, 0)).toThrow(message);
      expect(() => intrinsics[`${op}Int64`](1n, 0n)).toThrow(RangeError);
      expect(() => intrinsics[`${op}Int64`](1n, 0n)).toThrow(message);
    }
  });

  test("quotients and remainders fit together, on numbers and BigInts alike", () => {
    holds(
      fc.property(int32, int32, (a, b) => {
        fc.pre(b !== 0);
        const floored = intrinsics.floorDivideInt(a, b);
        const remainder = intrinsics.remainderInt(a, b);
        expect(floored * b + remainder).toBe(a);
        expect(remainder === 0 || remainder < 0 === b < 0).toBe(true);
        expect(Math.abs(remainder)).toBeLessThan(Math.abs(b));
        const rest = intrinsics.fmodInt(a, b);
        expect(intrinsics.truncDivideInt(a, b) * b + rest).toBe(a);
        expect(rest === 0 || rest < 0 === a < 0).toBe(true);
        for (const name of ["floorDivideInt", "truncDivideInt", "remainderInt", "fmodInt"] as const) {
          const value = intrinsics[name](a, b);
          expect(intrinsics[`${name}64`](BigInt(a), BigInt(b))).toBe(BigInt(value));
        }
      }),
      2000,
    );
  });

  test("BigInt quotients and remainders fit together over the whole range", () => {
    holds(
      fc.property(int64, int64, (a, b) => {
        fc.pre(b !== 0n);
        const { floorDivideInt64, remainderInt64, truncDivideInt64, fmodInt64 } = intrinsics;
        expect(wrap64(floorDivideInt64(a, b) * b + remainderInt64(a, b))).toBe(a);
        expect(wrap64(truncDivideInt64(a, b) * b + fmodInt64(a, b))).toBe(a);
      }),
    );
  });

  test("INT_MIN by -1 wraps", () => {
    expect(intrinsics.floorDivideInt64(-(2n ** 63n), -1n)).toBe(-(2n ** 63n));
    expect(intrinsics.floorDivideInt(-(2 ** 31), -1) | 0).toBe(-(2 ** 31));
  });

  test("pow wraps like repeated multiplication", () => {
    holds(
      fc.property(int32, fc.integer({ min: 0, max: 200 }), (a, b) => {
        expect(intrinsics.powInt(a, b) | 0).toBe(Number(BigInt.asIntN(32, BigInt(a) ** BigInt(b))));
        expect(intrinsics.powInt64(BigInt(a), BigInt(b))).toBe(wrap64(BigInt(a) ** BigInt(b)));
      }),
    );
  });

  test("a negative power of ±1 is ±1, of all else 0", () => {
    for (const [a, b, expected] of [
      [1, -5, 1],
      [-1, -4, 1],
      [-1, -5, -1],
      [2, -1, 0],
      [0, -1, 0],
      [-1, -2147483648, 1],
    ] as const) {
      expect(intrinsics.powInt(a, b)).toBe(expected);
      expect(intrinsics.powInt64(BigInt(a), BigInt(b))).toBe(BigInt(expected));
    }
  });

  test("gcd divides both, lcm is the product over it", () => {
    holds(
      fc.property(int32, int32, (a, b) => {
        const gcd = intrinsics.gcdInt(a, b);
        expect(intrinsics.gcdInt64(BigInt(a), BigInt(b))).toBe(BigInt(gcd));
        if (gcd === 0) {
          expect([a, b]).toEqual([0, 0]);
          return;
        }
        expect([Math.abs(a % gcd), Math.abs(b % gcd)]).toEqual([0, 0]);
        const lcm = intrinsics.lcmInt64(BigInt(a), BigInt(b));
        const product = BigInt(a) * BigInt(b);
        expect(lcm * BigInt(gcd)).toBe(product < 0n ? -product : product);
        if (lcm < 2n ** 31n) expect(intrinsics.lcmInt(a, b)).toBe(Number(lcm));
      }),
      1000,
    );
  });

  test("int64 becomes the nearest float32, rounded once", () => {
    const { int64ToFloat32, nextafterFloat32 } = intrinsics;
    // 2^60 + 2^36 is a tie; one more is not, but Number() rounds that one away.
    expect(int64ToFloat32(2n ** 60n + 2n ** 36n + 1n)).toBe(2 ** 60 + 2 ** 37);
    expect(int64ToFloat32(-(2n ** 60n) - 2n ** 36n - 1n)).toBe(-(2 ** 60) - 2 ** 37);
    expect(int64ToFloat32(2n ** 60n + 2n ** 36n)).toBe(2 ** 60);
    const distance = (a: bigint, x: number): bigint => (a > BigInt(x) ? a - BigInt(x) : BigInt(x) - a);
    holds(
      fc.property(int64, (a) => {
        const x = int64ToFloat32(a);
        expect(Math.fround(x)).toBe(x);
        for (const toward of [Infinity, -Infinity]) {
          const neighbour = nextafterFloat32(x, toward);
          if (Number.isInteger(neighbour)) expect(distance(a, x) <= distance(a, neighbour)).toBe(true);
        }
      }),
      2000,
    );
  });

  test("a float becomes an int64 toward zero, wrapped; NaN and infinities become 0", () => {
    const values = [1.9, -1.9, -0.5, NaN, Infinity, -Infinity, 2 ** 63, -(2 ** 63), 2 ** 64 + 4096];
    const expected = [1n, -1n, 0n, 0n, 0n, 0n, -(2n ** 63n), -(2n ** 63n), 4096n];
    expect(values.map(intrinsics.floatToInt64)).toEqual(expected);
  });
});

/** The distance of neighbouring float64 numbers at x. */
function ulp(x: number): number {
  const magnitude = Math.abs(x);
  return magnitude < 2 ** -1022 ? 2 ** -1074 : intrinsics.nextafterFloat64(magnitude, Infinity) - magnitude;
}

/** As toBe, quick enough for hundreds of thousands of values. */
function expectSame(actual: number, expected: number, what: string): void {
  if (!Object.is(actual, expected)) expect.fail(`${what}: got ${actual}, expected ${expected}`);
}

/** fc.assert of a synchronous property: it throws by itself, the Promise that Biome sees is that of asynchronous ones. */
function holds<T>(property: fc.IProperty<T>, numRuns = 500): void {
  void fc.assert(property, { numRuns });
}
