import { type AnyTensor, compute, explain, fromTypedArray, setOptions, tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

it("a result read through a window that covers as many places as it has, but not all of them, is stored whole", () => {
  const s = tensor([0, 1, 2, 3, 4, 5]).add(1);
  const windows = s.unfold(0, 3, 2);
  compute(s, windows);
  expect(s.toArray()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(windows.toArray()).toEqual([
    [1, 2, 3],
    [3, 4, 5],
  ]);
});

describe("what a kernel of many ops reads at other places", () => {
  const x = fromTypedArray(Float32Array.from({ length: 600 }, (_, k) => Math.sin(k)));
  const expensive = (): AnyTensor => x.sin().exp();
  function read(s: AnyTensor, steps: number): AnyTensor {
    let y = s.add(s.flip(0));
    for (let k = 0; k < steps; k++) y = y.mul(0.5).add(k + 0.25);
    return y;
  }

  it.each([
    ["is a stage in front of a small kernel", 3, false, 1],
    ["is a kernel of its own in front of a large one", 20, false, 2],
    ["is a stage in front of a large one that stores it anyway", 20, true, 1],
  ])("%s", (_, steps, isWanted, kernels) => {
    const s = expensive();
    const y = read(s, steps);
    const wanted = isWanted ? [s, y] : [y];
    expect(explain(...wanted).kernels).toHaveLength(kernels);
    compute(...wanted);
    setOptions({ fusion: "none" });
    const [alone, exact] = [expensive(), read(expensive(), steps)];
    compute(alone, exact);
    setOptions({ fusion: "on" });
    expect([s.equal(alone), y.equal(exact)]).toEqual([true, true]);
  });
});

it("a long chain over a sum along short rows that is wanted too is not cut link by link", () => {
  const x = fromTypedArray(
    Float32Array.from({ length: 600 }, (_, k) => Math.cos(k)),
    { shape: [20, 30] },
  );
  const sums = x.exp().sum(1);
  let y: AnyTensor = x.sub(sums.flip(0).unsqueeze(1));
  for (let k = 0; k < 40; k++) y = y.mul(0.5).add(k + 0.25);
  expect(explain(sums, y).kernels.length).toBeLessThanOrEqual(2);
});
