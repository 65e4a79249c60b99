/** Special functions next to poles, at ∞ and where one of two shares is all but 1. Reference values by mpmath with 60 digits. */
import {
  type AnyTensor,
  autograd,
  type ComputeOptions,
  compute,
  digamma,
  igamma,
  igammac,
  logit,
  polygamma,
  tensor,
  zeta,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, test } from "vitest";

const double = (values: readonly number[]) => tensor([...values], { dtype: "float64" });
const column = (rows: readonly (readonly number[])[], k: number) => double(rows.map((row) => row[k]!));

/** The elements as every emitter has them, fused and not; they are the same. */
function everywhere(make: () => AnyTensor): number[] {
  const found = (["js", "wasm", "closure"] as const).flatMap((emitter) =>
    (["on", "none"] as const).map((fusion) => {
      const made = make();
      const options: ComputeOptions = { emitter, fusion };
      compute(made, options);
      return made.toArray() as number[];
    }),
  );
  for (let k = 0; k < found.length; k += 2) expect(found[k + 1]).toEqual(found[k]);
  for (const other of found)
    assertClose(double(other), double(found[0]!), { rtol: 1e-14, atol: 0, equalNan: true });
  return found[0]!;
}

describe("polygamma", () => {
  test("has all digits next to a pole, and is 0 at ∞", () => {
    const rows = [
      [1, -1e-8, 1.0000000000000002e16],
      [1, -1e-30, 9.999999999999998e59],
      [1, -1.0000000000009095, 1.2089258196146292e24],
      [1, -2.5, 9.539246644989124],
      [1, 1e-30, 9.999999999999998e59],
      [1, 0.3, 12.245364546107732],
      [1, 40, 0.02531510384129103],
      [1, 1e200, 1e-200],
      [2, -1e-8, 2e24],
      [2, -1e-30, 1.9999999999999995e90],
      [2, -1.0000000009313226, 2.4758800785707605e27],
      [3, -2.25, 1558.4550231887144],
      [1, Infinity, 0],
      [2, Infinity, -0],
      [3, Infinity, 0],
      [1, 0, Infinity],
      [1, -3, Infinity],
      [2, -3, -Infinity],
      [1, -Infinity, NaN],
      [1, NaN, NaN],
    ] as const;
    for (const [n, x, value] of rows) {
      const made = everywhere(() => polygamma(n, double([x])));
      assertClose(double(made), double([value]), { rtol: 1e-12, atol: 0, equalNan: true });
    }
    expect(polygamma(1, tensor([-1e-30, Infinity])).toArray()).toEqual([Infinity, 0]);
  });
  test("is the derivative of digamma", () => {
    const x = double([-1e-8, -2.5, 0.3, 40]).requiresGrad_();
    const [slope] = autograd.grad(digamma(x).sum(), [x]);
    assertClose(slope!, polygamma(1, x.detach()), { rtol: 1e-14, atol: 0 });
    const [second] = autograd.grad(polygamma(1, x).sum(), [x]);
    assertClose(second!, polygamma(2, x.detach()), { rtol: 1e-14, atol: 0 });
  });
});

test("zeta has all digits next to a pole, and its limits at ∞", () => {
  const rows = [
    [2, -1e-8, 1.0000000000000002e16],
    [3, -1e-8, -1e24],
    [2, -1.0000000000009095, 1.2089258196146292e24],
    [3, -0.9999999999990905, 1.329227995784916e36],
    [5, -3.3, -405.78054425550096],
    [4, -7.75, 259.75698676526775],
    [2, -20.25, 19.69102535100871],
    [3, -0.5, 0.41439832211716],
    [2, 0.25, 17.19732915450711],
    [Infinity, 1, 1],
    [Infinity, 0.5, Infinity],
    [Infinity, 0, Infinity],
    [Infinity, -2, Infinity],
    [Infinity, -2.5, Infinity],
    [Infinity, -0.5, Infinity],
    [Infinity, 2, 0],
    [2, Infinity, 0],
    [1, Infinity, Infinity],
    [-Infinity, 1, NaN],
    [NaN, 1, NaN],
    [2, NaN, NaN],
  ];
  const made = everywhere(() => zeta(column(rows, 0), column(rows, 1)));
  assertClose(double(made), column(rows, 2), { rtol: 1e-12, atol: 0, equalNan: true });
});

test("the upper incomplete gamma function keeps its digits where it is small", () => {
  const rows = [
    [1e-17, 0.5, 5.5977359477616085e-18],
    [1e-30, 1, 2.193839343955203e-31],
    [1e-3, 0.5, 0.0005600666564707498],
    [1e-5, 1e-10, 0.00022446123970332708],
    [0.3, 1.2, 0.0633947195692591],
    [0.9, 1.85, 0.13321331240686238],
    [0.5, 1.5, 0.0832645166635504],
    [0.999, 1.999, 0.13524976310564002],
    [1e-300, 0.25, 1.0442826344437383e-300],
    [0.25, 1e-300, 1],
    [0.01, 1e-8, 0.16348974531476665],
    [1e-10, 0.99, 2.2309982581283738e-11],
  ];
  const upper = everywhere(() => igammac(column(rows, 0), column(rows, 1)));
  assertClose(double(upper), column(rows, 2), { rtol: 5e-15, atol: 0 });
  const lower = igamma(column(rows, 0), column(rows, 1));
  assertClose(lower.add(column(rows, 2)), double(rows.map(() => 1)), { rtol: 1e-14, atol: 0 });
  assertClose(igammac(tensor([1e-30]), tensor([1])), tensor([2.193839343955203e-31]), {
    rtol: 1e-6,
    atol: 0,
  });
});

describe("logit", () => {
  test("takes the lower bound first, as PyTorch does", () => {
    const x = tensor([-0.5, 0, 0.5, 1, 1.5, NaN]);
    const rows = [
      [
        0.6,
        [
          0.40546518564224243,
          0.40546518564224243,
          0.40546518564224243,
          -0.40546515583992004,
          -0.40546515583992004,
          NaN,
        ],
      ],
      [0.5, [0, 0, 0, 0, 0, NaN]],
      [1, [Infinity, Infinity, Infinity, -Infinity, -Infinity, NaN]],
      [0, [-Infinity, -Infinity, 0, Infinity, Infinity, NaN]],
      [-1, [NaN, -Infinity, 0, Infinity, NaN, NaN]],
      [2, [NaN, NaN, NaN, NaN, NaN, NaN]],
    ] as const;
    for (const [eps, values] of rows)
      assertClose(tensor(everywhere(() => logit(x, eps))), tensor([...values]), {
        rtol: 1e-6,
        atol: 0,
        equalNan: true,
      });
  });
  test("has PyTorch's gradients", () => {
    const at = [-0.5, 0, 0.3, 0.5, 0.7, 1, 1.5];
    const rows = [
      [0.6, [0, 0, 0, 0, 0, 0, 0]],
      [0.2, [0, 0, 4.761904716491699, 4, 4.761904716491699, 0, 0]],
      [-1, [NaN, Infinity, 4.761904716491699, 4, 4.761904716491699, Infinity, NaN]],
    ] as const;
    for (const [eps, values] of rows) {
      const x = tensor(at).requiresGrad_();
      const [slope] = autograd.grad(logit(x, eps).sum(), [x]);
      assertClose(slope!, tensor([...values]), { rtol: 1e-6, atol: 0, equalNan: true });
    }
  });
});
