/** Whether a value is kept, or computed anew with what reads it, changes no bit: the backend that would have computed both computes the rest. */
import { type AnyTensor, randn, setOptions, tensor } from "fuseau";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";

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

test("explain() says why a small program runs where a large one did", () => {
  const x = grown(waves(1_500), 4);
  for (let k = 0; k < 3; k++) x.sum().item();
  const { emitter, emitterReason } = x.sum().explain();
  expect([emitter, emitterReason]).toEqual(["wasm", "it reads what a larger program has kept"]);
  // What was given, or asked for, is read where its size says.
  expect(waves(1_500).sum().explain().emitter).toBe("js");
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
