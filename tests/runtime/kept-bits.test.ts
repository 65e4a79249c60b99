/** Whether a value is kept, or computed anew with what reads it, changes no bit, and neither does the backend that computes it. */
import {
  type AnyTensor,
  arange,
  clearCaches,
  compute,
  fromTypedArray,
  manualSeed,
  randn,
  setOptions,
  tensor,
} from "fuseau";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { unwrap } from "../../packages/runtime/src/tensor/handle.ts";

beforeEach(() => setOptions({ emitter: undefined }));
afterEach(() => setOptions({ emitter: undefined }));

const waves = (size: number): AnyTensor =>
  tensor(Array.from({ length: size }, (_, k) => 1.7 * Math.cos(12.9898 * k)));

const grown = (x: AnyTensor, steps: number): AnyTensor => {
  let y = x;
  for (let k = 0; k < steps; k++) y = y.sin().mul(1.1).add(0.01);
  return y;
};

describe("reading a sum again gives the same bits", () => {
  it.each([300, 700, 1_500, 3_000])("of %d elements", (size) => {
    for (const steps of [1, 2, 4, 8, 20]) {
      const x = grown(waves(size), steps);
      const sums = Array.from({ length: 6 }, () => x.sum().item());
      expect(new Set(sums).size, `${steps} steps`).toBe(1);
    }
  });

  test("where rounds are computed in stages", () => {
    const rows = randn([600, 64], { dtype: "float32" }) as AnyTensor;
    rows.compute();
    let mean = waves(64);
    for (let k = 0; k < 600; k++) mean = mean.mul(0.9).add(rows.select(0, k).mul(0.1));
    const sums = Array.from({ length: 6 }, () => mean.exp().sum().item());
    expect(new Set(sums).size).toBe(1);
  });
});

describe("a program too small for WebAssembly gives its bits", () => {
  const matrix = (dtype: "float16" | "float32" | "float64"): AnyTensor =>
    waves(13 * 11)
      .to(dtype)
      .reshape([13, 11])
      .compute();
  const programs: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
    functions: (x) => x.exp().add(x.abs().add(0.1).log()).mul(x.tanh()).add(x.sin()).sub(x.sigmoid()),
    "sums of rows": (x) => x.sum(1),
    "a sum": (x) => x.mul(3).sum(),
    "a sum of columns": (x) => x.sum(0),
    softmax: (x) => x.softmax(1),
    "logsumexp of columns": (x) => x.logsumexp(0),
    "a product": (x) => x.matmul(x.t()),
    "products of sums": (x) => x.square().sum(1).mul(x.prod(1)).add(x.mean(1)),
    deviations: (x) => x.std(1).add(x.var(1)),
    "a cumulative logsumexp": (x) => x.logcumsumexp(1),
    "powers and norms": (x) =>
      x
        .abs()
        .pow(1.5)
        .add(x.norm(2, 1, { keepdim: true })),
    "random numbers": () => {
      manualSeed(3);
      return randn([37]).mul(2);
    },
  };
  const cases = Object.entries(programs).flatMap(([name, make]) =>
    (["float16", "float32", "float64"] as const).map((dtype) => [`${name}, ${dtype}`, make, dtype] as const),
  );
  it.each(cases)("%s", (_, make, dtype) => {
    const x = matrix(dtype);
    expect(make(x).compute().toArray()).toEqual(make(x).compute({ emitter: "wasm" }).toArray());
  });

  it("long sums, which gather in several chunks", () => {
    for (const size of [500, 512, 513, 1_025, 1_400]) {
      // A program of many sizes would be one in WebAssembly.
      clearCaches();
      const x = waves(size).compute();
      expect(x.sum().explain().emitter).toBe("js");
      expect(x.sum().item()).toBe(x.sum().compute({ emitter: "wasm" }).item());
    }
  });
});

test("a sum of elements that are looked up has its own names in text", () => {
  const [x, places] = [waves(100).compute(), arange(100).flip(0).compute()];
  const sum = (): AnyTensor => x.indexSelect(0, places as never).sum();
  expect(sum().explain().emitter).toBe("js");
  expect(sum().item()).toBe(sum().compute({ emitter: "wasm" }).item());
});

test("a loop computes the same in every round, whatever earlier loops have taught", () => {
  const loop = (): unknown[] => {
    const state = waves(700).clone();
    return Array.from({ length: 8 }, () => {
      const next = grown(state, 4);
      const change = next.sub(state).square().sum().item();
      state.copy_(next);
      return change;
    });
  };
  const first = loop();
  for (let k = 0; k < 4; k++) expect(loop()).toEqual(first);
});

it("a value that is asked for is no second result, though the same graph has kept it for other values", () => {
  const given = (shift: number): AnyTensor =>
    fromTypedArray(Float32Array.from({ length: 50_000 }, (_, k) => ((k * 7919 + shift) % 997) / 997 + 0.1));
  const firsts: ((q: AnyTensor) => AnyTensor)[] = [(q) => q.sub(0.25), (q) => q.div(1.7), (q) => q.sqrt()];
  for (const [k, first] of firsts.entries()) {
    const shared = given(k).sin().exp().cos().tanh().log1p();
    first(shared).compute();
    const second = shared.mul(2.5);
    if (k === 0) second.compute();
    else compute(shared, second);
    const { storage } = unwrap(shared);
    shared.dispose();
    expect(storage?.isGone).toBe(true);
  }
});
