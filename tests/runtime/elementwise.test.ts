import { type AnyTensor, float, tensor, where } from "fuseau";
import { describe, expect, test } from "vitest";

const { abs, exp, log, log1p, max, min, PI, sqrt, tanh } = Math;
const points = [-30, -3.5, -1, -0.5, 0, 0.25, 0.5, 1, 2.75, 30];
const sigmoid = (v: number): number => 1 / (1 + exp(-v));
const softplus = (v: number): number => (v > 20 ? v : log1p(exp(v)));

const double = (v: number): AnyTensor => tensor(v, { dtype: "float64" });

/** Each composition beside its definition over the reals, computed in float64. */
const definitions: Readonly<Record<string, readonly [(x: AnyTensor) => AnyTensor, (v: number) => number]>> = {
  square: [(x) => x.square(), (v) => v * v],
  frac: [(x) => x.frac(), (v) => v - Math.trunc(v)],
  deg2rad: [(x) => x.deg2rad(), (v) => (v * PI) / 180],
  rad2deg: [(x) => x.rad2deg(), (v) => (v * 180) / PI],
  logit: [(x) => x.sigmoid().logit(1e-3), (v) => min(max(v, log(1e-3 / 0.999)), log(0.999 / 1e-3))],
  softplus: [(x) => x.softplus(), softplus],
  silu: [(x) => x.silu(), (v) => v * sigmoid(v)],
  mish: [(x) => x.mish(), (v) => v * tanh(log1p(exp(v)))],
  "gelu by tanh": [
    (x) => x.gelu({ approximate: "tanh" }),
    (v) => 0.5 * v * (1 + tanh(sqrt(2 / PI) * (v + 0.044715 * v ** 3))),
  ],
  relu6: [(x) => x.relu6(), (v) => min(max(v, 0), 6)],
  hardtanh: [(x) => x.hardtanh(-0.75, 2), (v) => min(max(v, -0.75), 2)],
  hardsigmoid: [(x) => x.hardsigmoid(), (v) => min(max(v + 3, 0), 6) / 6],
  hardswish: [(x) => x.hardswish(), (v) => (v * min(max(v + 3, 0), 6)) / 6],
  leakyRelu: [(x) => x.leakyRelu(0.1), (v) => (v > 0 ? v : 0.1 * v)],
  elu: [(x) => x.elu(2), (v) => (v > 0 ? v : 2 * Math.expm1(v))],
  celu: [(x) => x.celu(2), (v) => (v > 0 ? v : 2 * Math.expm1(v / 2))],
  selu: [(x) => x.selu(), (v) => 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * Math.expm1(v))],
  logSigmoid: [(x) => x.logSigmoid(), (v) => -log1p(exp(-v))],
  softsign: [(x) => x.softsign(), (v) => v / (1 + abs(v))],
  tanhshrink: [(x) => x.tanhshrink(), (v) => v - tanh(v)],
  softshrink: [(x) => x.softshrink(), (v) => (v > 0.5 ? v - 0.5 : v < -0.5 ? v + 0.5 : 0)],
  hardshrink: [(x) => x.hardshrink(), (v) => (abs(v) <= 0.5 ? 0 : v)],
  threshold: [(x) => x.threshold(0.3, -7), (v) => (v > 0.3 ? v : -7)],
  prelu: [(x) => x.prelu(double(0.2)), (v) => (v > 0 ? v : 0.2 * v)],
  sinc: [(x) => x.sinc(), (v) => (v === 0 ? 1 : Math.sin(PI * v) / (PI * v))],
  lerp: [(x) => x.lerp(double(10), 0.25), (v) => v + 0.25 * (10 - v)],
  "lerp from the end": [(x) => x.lerp(double(10), 0.75), (v) => v + 0.75 * (10 - v)],
  addcmul: [(x) => x.addcmul(x, tensor(3), { value: 0.5 }), (v) => v + 0.5 * v * 3],
  addcdiv: [(x) => x.addcdiv(x, tensor(4), { value: 2 }), (v) => v + (2 * v) / 4],
  logaddexp: [(x) => x.logaddexp(tensor(1)), (v) => log(exp(v) + exp(1))],
  logaddexp2: [(x) => x.logaddexp2(tensor(1)), (v) => Math.log2(2 ** v + 2)],
  ldexp: [(x) => x.ldexp(tensor(3)), (v) => v * 8],
  rsub: [(x) => x.rsub(2, { alpha: 3 }), (v) => 2 - 3 * v],
  "add with alpha": [(x) => x.add(2, { alpha: 0.5 }), (v) => v + 1],
  clamp: [(x) => x.clamp(-1, 2), (v) => min(max(v, -1), 2)],
  clampMin: [(x) => x.clampMin(0.5), (v) => max(v, 0.5)],
  clampMax: [(x) => x.clampMax(0.5), (v) => min(v, 0.5)],
};

describe("compositions are what they are defined as", () => {
  for (const [name, [op, definition]] of Object.entries(definitions)) {
    test(name, () => {
      const doubles = op(tensor(points, { dtype: "float64" })).toTypedArray() as Float64Array;
      points.forEach((point, i) => {
        const exact = definition(point);
        expect(abs(doubles[i]! - exact)).toBeLessThanOrEqual(1e-12 + 1e-9 * abs(exact));
      });
    });
  }
});

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;

describe("special values", () => {
  test("NaN wins in clamp and loses in fmax", () => {
    expect(tensor([nan, 1]).clamp(0, 2).toArray()).toEqual([nan, 1]);
    expect(tensor([nan, 1]).fmax(0).toArray()).toEqual([0, 1]);
    expect(tensor([nan, 1]).maximum(0).toArray()).toEqual([nan, 1]);
  });
  test("limits may be given by name", () => {
    const x = tensor([-1, 0.5, nan]);
    expect(x.clamp({ min: 0 }).toArray()).toEqual([0, 0.5, nan]);
    expect(x.clip({ max: tensor([0, 0, 0]) }).toArray()).toEqual([-1, 0, nan]);
    expect(x.clone().clamp_({ min: 0, max: 0.25 }).toArray()).toEqual([0, 0.25, nan]);
    expect(tensor([nan, Infinity]).nanToNum({ posinf: 2 }).toArray()).toEqual([0, 2]);
    const line = tensor([1, 2, 3]);
    expect(() => line.slice([1, null]).clamp_({ min: line.slice([null, -1]) })).toThrow(
      /single memory location/,
    );
  });
  test("clamp with min above max gives max", () => {
    expect(tensor([1, 5]).clamp(4, 2).toArray()).toEqual([2, 2]);
  });
  test("xlogy is 0 at 0, but NaN where the logarithm's operand is", () => {
    expect(
      tensor([0, 0, 1])
        .xlogy(tensor([0, nan, 1]))
        .toArray(),
    ).toEqual([0, nan, 0]);
  });
  test("logaddexp of equal infinities is that infinity", () => {
    expect(
      tensor([inf, -inf])
        .logaddexp(tensor([inf, -inf]))
        .toArray(),
    ).toEqual([inf, -inf]);
  });
  test("heaviside takes the given value at zero", () => {
    expect(tensor([-1, 0, 2]).heaviside(tensor(0.5)).toArray()).toEqual([0, 0.5, 1]);
  });
  test("nanToNum replaces by the limits of the dtype", () => {
    const limit = (2 - 2 ** -23) * 2 ** 127;
    expect(tensor([nan, inf, -inf, 1]).nanToNum().toArray()).toEqual([0, limit, -limit, 1]);
    expect(tensor([nan, inf, -inf, 1]).nanToNum(7, 8, 9).toArray()).toEqual([7, 8, 9, 1]);
  });
  test("isclose counts equal infinities, and NaN when asked to", () => {
    const x = tensor([1, inf, nan, 1]);
    const y = tensor([1 + 1e-6, inf, nan, 1.1]);
    expect(x.isclose(y).toArray()).toEqual([true, true, false, false]);
    expect(x.isclose(y, { equalNan: true }).toArray()).toEqual([true, true, true, false]);
  });
  test("where chooses, and never multiplies by a mask", () => {
    expect(where(tensor([true, false]), tensor([1, nan]), 2).toArray()).toEqual([1, 2]);
  });
  test("round goes to the even neighbour", () => {
    expect(tensor([0.5, 1.5, 2.5, -0.5]).round().toArray()).toEqual([0, 2, 2, -0]);
  });
});

describe("integers", () => {
  const ints = tensor([-7, 7, 2], { dtype: "int32" });
  test("divide as PyTorch's: floored, truncated, and with the divisor's sign left over", () => {
    expect(ints.floorDivide(2).toArray()).toEqual([-4, 3, 1]);
    expect(ints.div(2, { roundingMode: "trunc" }).toArray()).toEqual([-3, 3, 1]);
    expect(ints.remainder(3).toArray()).toEqual([2, 1, 2]);
    expect(ints.fmod(3).toArray()).toEqual([-1, 1, 2]);
    expect(ints.div(2).toArray()).toEqual([-3.5, 3.5, 1]);
    expect(ints.div(0).toArray()).toEqual([-inf, inf, inf]);
  });
  test("stay integers beside integer scalars, and become floats beside floating ones", () => {
    expect(ints.mul(2).toArray()).toEqual([-14, 14, 4]);
    expect(ints.mul(float(2)).dtype).toBe("float32");
    expect(tensor([250], { dtype: "uint8" }).add(10).toArray()).toEqual([4]);
    expect(tensor([127], { dtype: "int8" }).add(1).toArray()).toEqual([-128]);
  });
  test("keep their dtype under a threshold", () => {
    expect(ints.threshold(0.5, -2).toArray()).toEqual([-2, 7, 2]);
  });
});
