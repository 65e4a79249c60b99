/** What is folded, or read again, of what is joined, padded, rolled or merged: loops as they suit it, and the bits of what is stored in front. */
import { type AnyTensor, avgPool2d, cat, linspace, maxPool2d, roll } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const stored = (...shape: readonly number[]): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-1, 1.7, count).reshape(shape).sin().compute();
};

const pieces: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  "padded columns": (x) => x.mul(2).pad([3, 2]),
  "padded rows and columns": (x) => x.abs().pad([1, 0, 2, 1], { value: 1.5 }),
  "cropped columns": (x) => x.mul(2).pad([-2, 4]),
  "joined columns": (x) => cat([x.mul(2), x.abs()], 1),
  "joined rows": (x) => cat([x.mul(2), x.abs()], 0),
  "rolled columns": (x) => roll(x, 3, 1).mul(2),
  "rolled rows and columns": (x) => roll(x, [2, -1], [0, 1]).mul(2),
};

const folds: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  sum: (x) => x.sum(0),
  largest: (x) => x.amax(0),
  "less their mean": (x) => x.sub(x.mean(0, { keepdim: true })),
};

const twice = (x: AnyTensor, of: (x: AnyTensor) => AnyTensor): AnyTensor => of(x);

describe("columns of pieces", () => {
  for (const [name, piecesOf] of Object.entries(pieces))
    it.each(Object.keys(folds))(`${name}, %s`, (fold) => {
      for (const [rows, columns] of [
        [1, 5],
        [3, 8],
        [4, 33],
        [9, 300],
        [130, 17],
      ] as const) {
        const x = stored(rows, columns);
        const of = (): AnyTensor => folds[fold]!(piecesOf(x));
        for (const emitter of ["js", "wasm"] as const) {
          const alone = of().compute({ emitter, fusion: "none" }).toTypedArray();
          expect(of().compute({ emitter }).toTypedArray(), `${rows} × ${columns}`).toEqual(alone);
        }
      }
    });

  it("are cut in loops that take several rows at a time", () => {
    const [kernel] = stored(50, 300).pad([3, 2]).sum(0).explain({ emitter: "wasm" }).kernels;
    expect(kernel!.schedule).toMatch(/jam 4[\s\S]* cut /);
  });
});

describe("axes that lie side by side again", () => {
  const heads = (x: AnyTensor): AnyTensor => x.mul(2).transpose(1, 2).reshape([2, 9, 96]);
  const less = (axes: number[]): AnyTensor => {
    const x = stored(3, 29, 12);
    return x.sub(x.amax(axes, { keepdim: true }));
  };
  const merged: Readonly<Record<string, () => AnyTensor>> = {
    "with what is added": () => heads(stored(2, 3, 9, 32)).add(stored(2, 9, 96)),
    "as a norm of their rows": () => heads(stored(2, 3, 9, 32)).layerNorm([96]),
    "as shares of their columns": () => heads(stored(2, 3, 9, 32)).softmax(1),
    "of three": () => stored(4, 5, 3, 8).permute([1, 0, 2, 3]).reshape([5, 96]).mul(stored(96)),
    "all of them": () => stored(33, 40).t().mul(2).reshape([-1]).mul(stored(1320)),
    "of two, too short for loops": () => stored(6, 2, 5).transpose(0, 1).reshape([60]).add(stored(60)),
    "less what is the same in all of them": () =>
      less([0])
        .reshape([-1])
        .exp()
        .mul(stored(3 * 29 * 12)),
    "less what is the same along two of them": () => less([0, 1]).reshape([-1]).mul(2).sum(),
    "less what is the same along the middle": () =>
      less([1])
        .reshape([-1])
        .mul(stored(3 * 29 * 12)),
    "that are cut apart again": () =>
      heads(stored(2, 3, 9, 32))
        .reshape([2, 9, 3, 32])
        .add(stored(3, 32)),
  };

  it.each(Object.keys(merged))("have the same elements: %s", (name) => {
    for (const emitter of ["js", "wasm", "closure"] as const) {
      const alone = merged[name]!().compute({ emitter, fusion: "none" }).toTypedArray();
      expect(merged[name]!().compute({ emitter }).toTypedArray()).toEqual(alone);
    }
  });

  it.each(["less what is the same in all of them", "less what is the same along two of them"])(
    "have no quotient: %s",
    (name) => {
      const { kernels } = merged[name]!().explain({ emitter: "wasm" });
      for (const { loop } of kernels) expect(loop).not.toMatch(/[/%]/);
    },
  );

  it("have a loop each, and no quotient", () => {
    const [kernel] = merged["with what is added"]!().explain({ emitter: "wasm" }).kernels;
    expect(kernel!.loop).not.toMatch(/[/%]/);
    expect(kernel!.strideMaps.at(-1)!.strides).toEqual({ x0: 864, x1: 96, x2: 32, x3: 1 });
  });
});

describe("short rows in pieces", () => {
  it.each<[string, () => AnyTensor]>([
    ["padded", () => stored(130, 5).logSoftmax(1).pad([3, 2])],
    ["rolled", () => stored(130, 7).softmax(1).roll(3, 1)],
    ["joined to themselves", () => twice(stored(130, 6).layerNorm([6]), (y) => cat([y, y.neg()], 1))],
    ["less their neighbours", () => twice(stored(130, 20).softmax(1), (y) => y.sub(y.roll(1, 1)))],
  ])("are walked in blocks: %s", (_, of) => {
    const [kernel] = of().explain({ emitter: "wasm" }).kernels;
    expect(kernel!.schedule).toContain("private");
    const alone = of().compute({ emitter: "wasm", fusion: "none" }).toTypedArray();
    expect(of().compute({ emitter: "wasm" }).toTypedArray()).toEqual(alone);
  });
});

describe("what would be made in loops that have no steps is stored", () => {
  const kernels = (x: AnyTensor): readonly (readonly string[])[] =>
    x.explain({ emitter: "wasm" }).kernels.map(({ ops }) => ops);

  it.each<[string, () => AnyTensor]>([
    ["windows of windows", () => maxPool2d(maxPool2d(stored(2, 8, 64, 64), 2), 2)],
    [
      "windows that overlap, of windows",
      () => maxPool2d(avgPool2d(stored(2, 8, 40, 40), 3), 3, { stride: 1 }),
    ],
    [
      "a scan that is read across",
      () =>
        stored(33, 216, 28)
          .cumsum(1)
          .transpose(-1, 0)
          .mul(stored(28, 216, 33)),
    ],
    [
      "what rows are divided by under a sum of all rows",
      () => twice(stored(3000, 20), (x) => x.div(x.square().sum(1, { keepdim: true }).sqrt()).sum(0)),
    ],
    ["expensive windows under a sum", () => stored(5000, 10).logsumexp(1).mean()],
    [
      "extrema of many neighbours under a sum",
      () => stored(120, 130).unfold(0, 5, 1).unfold(1, 5, 1).amax([2, 3]).sum(),
    ],
    ["a rolling mean under a sum", () => stored(40, 700).unfold(1, 24, 1).mean(2).square().sum()],
    ["a rolling minimum under an extremum", () => stored(700, 40).unfold(0, 60, 1).amin(2).amax()],
  ])("%s", (_, of) => {
    expect(kernels(of())).toHaveLength(2);
    const alone = of().compute({ emitter: "wasm", fusion: "none" }).toTypedArray();
    expect(of().compute({ emitter: "wasm" }).toTypedArray()).toEqual(alone);
  });
});
