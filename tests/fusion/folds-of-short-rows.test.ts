/** Folds over several axes of which the last one is short, as of points less their centre: fast loops, and the bits of op by op. */
import { type AnyTensor, linspace, maxPool2d } from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";

compileWhole();

const stored = (...shape: readonly number[]): AnyTensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return linspace(-1, 1.7, count).reshape(shape).sin().compute();
};

const folds: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
  sum: (x) => x.sum(),
  "sums of groups": (x) => x.sum([1, 2]),
  "means of rows": (x) => x.square().reshape([x.shape[0]!, -1]).mean(1),
  "least of groups": (x) => x.amin([1, 2]),
  "place of the largest": (x) => x.reshape([x.shape[0]!, -1]).argmax(1),
  "less their mean": (x) => x.sub(x.mean([1, 2], { keepdim: true })),
  "standard deviation": (x) => x.std([1, 2]),
};

describe("points less a centre, or times a weight", () => {
  for (const [name, fold] of Object.entries(folds))
    it.each([1, 3, 5, 8, 9, 17, 63])(`${name}, rows of %d`, (width) => {
      for (const rows of [3, 50]) {
        const [x, centre, weight] = [stored(4, rows, width), stored(width), stored(4, rows, 1)];
        for (const of of [
          () => fold(x.sub(centre)),
          () => fold(x.mul(weight)),
          () => fold(x.sub(centre).mul(weight).gt(0).to("float32")),
        ])
          for (const emitter of ["js", "wasm"] as const) {
            const alone = of().compute({ emitter, fusion: "none" }).toTypedArray();
            expect(of().compute({ emitter }).toTypedArray(), `${rows} rows, ${emitter}`).toEqual(alone);
          }
      }
    });

  it("of groups are stored in private memory, and folded as one row", () => {
    const { kernels } = stored(64, 160, 5).sub(stored(5)).sum([1, 2]).explain({ emitter: "wasm" });
    const { ops, schedule } = kernels[0]!;
    expect(ops).toEqual(["sub", "sum"]);
    expect(schedule).toMatch(/for x1 < n1 vector 4[\s\S]*reduce x3 < \(n1 \* 5\) vector 4/);
  });

  it.each([4, 5, 8, 9, 17, 31])(
    "of all are stored where a fold would take them one by one: rows of %d",
    (width) => {
      const { kernels } = stored(20_000, width).sub(stored(width)).sum().explain({ emitter: "wasm" });
      expect(kernels.map(({ ops }) => ops)).toEqual([["sub"], ["sum"]]);
    },
  );

  it("of groups of more than one block have no private memory, of which each thread would hold a group", () => {
    const { kernels } = stored(2, 5_000, 17)
      .mul(stored(2, 5_000, 1))
      .amax([1, 2])
      .explain({ emitter: "wasm" });
    expect(kernels.map(({ schedule }) => schedule).join()).not.toContain("private");
  });

  it.each([2, 3, 5])("windows are no such folds: %d by as many", (size) => {
    const { kernels } = maxPool2d(stored(2, 3, 40, 40) as never, size).explain({ emitter: "wasm" });
    expect(kernels.at(-1)!.schedule).not.toMatch(/private|short/);
  });

  it.each(["js", "closure"] as const)("of groups are stored where there are no lanes: %s", (emitter) => {
    const { kernels } = stored(64, 160, 5).sub(stored(5)).sum([1, 2]).explain({ emitter });
    expect(kernels.map(({ ops }) => ops)).toEqual([["sub"], ["sum"]]);
  });

  it("are stored, not kept in scratch for each row, where closures would walk every row by itself", () => {
    const given = stored(800, 4).mul(stored(800, 1)).relu().div(3);
    const { kernels } = given.sub(given.std(1, { keepdim: true })).explain({ emitter: "closure" });
    expect(kernels.map(({ ops }) => ops.slice(0, 3))).toEqual([
      ["mul", "relu", "div"],
      ["sum", "div", "sub"],
    ]);
  });
});
