import {
  diag,
  diagEmbed,
  floatPower,
  frexp,
  mvlgamma,
  polygamma,
  tensor,
  trilIndices,
  triuIndices,
  zeros,
  zeta,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, test } from "vitest";

const double = (values: number[]) => tensor(values, { dtype: "float64" });

/** Reference values by mpmath. */
describe("special functions in float64", () => {
  test.each([
    [
      "i0",
      [0, 1, -7.5, 8.5, 30],
      [1, 1.2660658777520084, 268.16131151518937, 683.1619269901156, 781672297823.9775],
    ],
    ["i0e", [0, 100, -700], [1, 0.03994437929909668, 0.015081295651531358]],
    ["i1", [0, 1, -7.5, 30], [0, 0.565159103992485, -249.58436542268814, 768532038938.957]],
    ["i1e", [1, -100], [0.20791041534970844, -0.03974415302513025]],
    [
      "erfcx",
      [-1, 0, 5, 19.9, 20.1, 10000000000],
      [
        5.008980080762283, 1, 0.11070463773306863, 0.028315573983185766, 0.028034523526966875,
        5.641895835477563e-11,
      ],
    ],
    ["ndtr", [-1, 0, 1], [0.15865525393145705, 0.5, 0.8413447460685429]],
    ["logNdtr", [-40, -0.5, 1], [-804.6084420137538, -1.1759117615936185, -0.17275377902344988]],
    [
      "ndtri",
      [1e-300, 1e-20, 0.3, 0.975, 1, 0],
      [-37.0470962993612, -9.262340089798409, -0.5244005127080409, 1.959963984540054, Infinity, -Infinity],
    ],
    ["entr", [0, 0.5, 1], [0, 0.34657359027997264, 0]],
  ] as const)("%s", (name, points, values) => {
    const got = double([...points])
      [name]()
      .toArray() as number[];
    const errors = got.map(
      (value, i) => (value === values[i] ? 0 : Math.abs(value - values[i]!)) / (Math.abs(values[i]!) || 1),
    );
    expect(Math.max(...errors)).toBeLessThan(2e-13);
  });

  test("keep NaN and refuse what has no logarithm", () => {
    expect(double([NaN, -1]).entr().toArray()).toEqual([NaN, -Infinity]);
    expect(
      double([0, 0])
        .xlog1py(double([-2, NaN]))
        .toArray(),
    ).toEqual([0, NaN]);
  });

  test("zeta and its multiples, the derivatives of digamma, hold on both sides of 0", () => {
    const zetas = zeta(double([2, 1.5, 3, 4, 30]), double([1, 0.25, -2.5, -3.25, 0.001]));
    const values = [1.6449340668482266, 10.213055360466601, 0.0541020258208641, 259.75146713637986, 1e90];
    assertClose(zetas, double(values), { rtol: 1e-12, atol: 0 });
    expect(zeta(double([1, 0.5, 2, 2.5]), double([2, 2, -3, -0.5])).toArray()).toEqual([
      Infinity,
      NaN,
      Infinity,
      NaN,
    ]);
    const derivatives = polygamma(2, double([0.5, -1.5, 40]));
    const expected = [-16.828796644234316, -0.23620405164172825, -0.0006408202718352985];
    assertClose(derivatives, double(expected), { rtol: 1e-12, atol: 0 });
    expect(mvlgamma(double([3.5]), 3).item()).toBeCloseTo(3.895898482154039, 12);
  });

  test("frexp takes numbers apart, subnormal and infinite ones too", () => {
    const { mantissa, exponent } = frexp(double([8, -0.75, 5e-324, 0, Infinity, 2 ** 1023]));
    expect(mantissa.toArray()).toEqual([0.5, -0.75, 0.5, 0, Infinity, 0.5]);
    expect(exponent.toArray()).toEqual([4, 0, -1073, 0, 0, 1024]);
  });

  test("floatPower is float64 whatever it is given", () => {
    const power = floatPower(tensor([2, 3], { dtype: "int32" }), -1);
    expect([power.dtype, power.toArray()]).toEqual(["float64", [0.5, 1 / 3]]);
  });
});

describe("diagonals", () => {
  test("of a vector make a matrix, of a matrix a vector", () => {
    expect(diag(tensor([1, 2]), -1).toArray()).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 2, 0],
    ]);
    expect(
      diag(
        tensor([
          [1, 2],
          [3, 4],
        ]),
        1,
      ).toArray(),
    ).toEqual([2]);
    expect(() => diag(zeros([1, 1, 1]))).toThrow("matrix or a vector expected");
  });

  test("are embedded along the axes asked for", () => {
    const x = tensor([[1, 2]]);
    expect(diagEmbed(x, 0, 0, 2).shape).toEqual([2, 1, 2]);
    expect(() => diagEmbed(x, 0, 1, -2)).toThrow("diagonal dimensions cannot be identical 1, -2");
  });

  test("bound triangles, whose places are counted row by row", () => {
    expect(trilIndices(2, 3).toArray()).toEqual([
      [0, 1, 1],
      [0, 0, 1],
    ]);
    expect(triuIndices(2, 3, { offset: 1 }).toArray()).toEqual([
      [0, 0, 1],
      [1, 2, 2],
    ]);
  });
});

test("round keeps decimal places, or rounds to tens", () => {
  expect(double([1.25, -0.375]).round({ decimals: 1 }).toArray()).toEqual([1.2, -0.4]);
  expect(double([125, 135]).round({ decimals: -1 }).toArray()).toEqual([120, 140]);
  expect(() => tensor([1], { dtype: "int32" }).round({ decimals: 1 })).toThrow("not implemented for 'Int'");
});
