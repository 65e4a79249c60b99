import {
  autograd,
  type ComputeOptions,
  compute,
  diag,
  diagEmbed,
  floatPower,
  frexp,
  GradientError,
  igamma,
  igammac,
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
    expect(tensor([0, -1], { dtype: "float16" }).entr()).toEqual(
      tensor([0, -Infinity], { dtype: "float16" }),
    );
    expect(
      double([0, 0])
        .xlog1py(double([-2, NaN]))
        .toArray(),
    ).toEqual([0, NaN]);
  });

  test("incomplete gamma functions hold for every a and x", () => {
    // By exact sums, Q(n, x) = exp(−x) Σ x^k / k! over k < n. PyTorch 1.13 is off by up to 8·10⁻¹⁰ of them from a = 20 on.
    const rows = [
      [25, 25, 0.5266015314436407, 0.4733984685563593],
      [20, 22, 0.6939729794378253, 0.30602702056217473],
      [100, 80, 0.0171083130351331, 0.9828916869648668],
      [1000, 1000, 0.5042052441802155, 0.4957947558197845],
      [500, 400, 8.10938107879916e-7, 0.9999991890618921],
      [10000, 9900, 0.15865119219356466, 0.8413488078064353],
      // PyTorch 1.13: torch.igamma and torch.igammac of float64.
      [0.01, 1e-8, 0.8365102546852337, 0.16348974531476665],
      [0.5, 0.3, 0.5614219739190003, 0.4385780260809997],
      [1.5, 30, 0.9999999999994121, 5.878230727906919e-13],
      [5, 4, 0.3711630648201266, 0.6288369351798734],
      [15, 40, 0.9999980243767566, 1.975623243491067e-6],
    ];
    const column = (k: number) => double(rows.map((row) => row[k]!));
    assertClose(igamma(column(0), column(1)), column(2), { rtol: 1e-12, atol: 1e-15 });
    assertClose(igammac(column(0), column(1)), column(3), { rtol: 1e-11, atol: 1e-15 });
    // Far below a, where P is all but nothing: mpmath with 60 digits.
    assertClose(
      igamma(double([20, 30]), double([1e-10, 1e-5])),
      double([4.11031762292071e-219, 3.769951145241386e-183]),
      {
        rtol: 1e-12,
        atol: 0,
      },
    );
    const edges: [number, number, number][] = [
      ...([
        [0, 0, NaN],
        [0, 1, 1],
        [1, 0, 0],
        [Infinity, 1, 0],
        [Infinity, Infinity, NaN],
        [1, Infinity, 1],
      ] as const),
      ...([
        [-1, 1, NaN],
        [1, -1, NaN],
        [NaN, 1, NaN],
        [NaN, 0, 0],
        [0, Infinity, 1],
        [Infinity, 0, 0],
      ] as const),
    ].map(([a, x, p]) => [a, x, p]);
    const [a, x] = [0, 1].map((k) => tensor(edges.map((row) => row[k]!)));
    expect(a!.igamma(x!).toArray()).toEqual(edges.map(([, , p]) => p));
    expect(a!.igammac(x!).toArray()).toEqual(edges.map(([, , p]) => 1 - p));
    const at = double([0.5, 2, 30]).requiresGrad_();
    igamma(double([0.5, 3, 25]), at)
      .sum()
      .backward();
    assertClose(at.grad!, double([0.4839414490382867, 0.2706705664732254, 0.042596114524117726]), {
      rtol: 1e-9,
      atol: 0,
    });
    expect(() => igamma(at, 1).sum().backward()).toThrow(GradientError);
    expect(() => igamma(at, 1).sum().backward()).toThrow(
      "the derivative for 'self', the first operand of igamma, is not implemented",
    );
  });

  test("incomplete gamma functions give the same again, whatever memory results were put in", () => {
    const at = double([0.7, 0.9, 1.1, 0.5, 0.6, 1.3]).reshape([2, 3]).detach().requiresGrad_();
    const found = (options: ComputeOptions): number[] => {
      const loss = igamma(double([0.5, 2.5, 30]), at).sum();
      const [slope] = autograd.grad(loss, [at]);
      const all = slope!.sum();
      compute(loss, all, options);
      return [loss.item(), all.item()];
    };
    const first = found({});
    for (let again = 0; again < 2; again++) expect(found({ emitter: "js", fusion: "none" })).toEqual(first);
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
