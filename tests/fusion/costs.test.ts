/** What is dear stands in loops that are walked in steps: where its reader's are not, it is stored, and explain() says what either costs. */
import { type AnyTensor, conv2d, fromTypedArray, manualSeed, maxPool2d, randn, type Tensor } from "fuseau";
import { describe, expect, it } from "vitest";
import { explained, picture } from "./expect-kernels.ts";

const stored = (...shape: number[]): Tensor<number[], "float32"> => {
  const cells = shape.reduce((count, size) => count * size, 1);
  return fromTypedArray(
    Float32Array.from({ length: cells }, (_, k) => (((k * 7) % 9) + 1) / 4),
    { shape },
  );
};

const x = stored(60, 100);
const image = stored(2, 3, 20, 20);
const filters = stored(4, 3, 3, 3);

const REASON = "costs more here than stored";

/** What is stored, and the expression. */
const cases: [string, string, () => AnyTensor][] = [
  ["random numbers under a running sum", "cast", () => randn([60, 100]).cumsum(1)],
  ["a dear chain under a running sum", "sin", () => x.exp().log().sin().cumsum(1)],
  ["a running sum under a dear chain", "scan", () => x.mul(2).cumsum(1).exp().add(1)],
  ["random numbers summed along the first axis", "cast", () => randn([60, 100]).sum(0)],
  ["a dear row under a sum over rows of three", "exp", () => stored(2_000, 3).add(stored(3)).exp().sum()],
  ["exponentials of a short row that is stored", "exp", () => stored(2_000, 3).softmax(1)],
  ["what a window reads", "exp", () => maxPool2d(image.exp(), 2)],
];

describe("what is dear is stored where its reader takes elements one by one", () => {
  it.each(cases)("%s", (_, op, make) => {
    const explanation = explained(make(), { emitter: "wasm" });
    const found = explanation.notFused.filter((edge) => edge.op === op && edge.reason === REASON);
    if (found.length === 0) expect.fail(picture(explanation));
    for (const { measured, limit } of found) expect(measured).toBeGreaterThan(limit);
  });

  it.each(cases)("%s: the same bits as op by op", (_, __, make) => {
    for (const emitter of ["wasm", "js", "closure"] as const) {
      const elements = (fusion: "on" | "none") => {
        manualSeed(3);
        return make().compute({ emitter, fusion }).toTypedArray();
      };
      expect(elements("on")).toEqual(elements("none"));
    }
  });

  it("a padded image is stored in front of a convolution", () => {
    const { kernels } = explained(conv2d(image, filters, { padding: 1 }), { emitter: "wasm" });
    expect(kernels[0]?.ops).toEqual(["pad"]);
  });

  it("where elements are taken one by one anyway, it is not", () => {
    expect(explained(x.exp().log().sin().cumsum(1), { emitter: "js" }).kernels).toHaveLength(1);
  });
  it.each<[string, () => AnyTensor]>([
    ["under a sum of long rows", () => x.exp().sum(1)],
    ["under a sum of everything", () => x.exp().sum()],
    ["on both sides of a running sum down the columns", () => x.exp().cumsum(0).exp()],
    ["softmax of rows", () => x.softmax(1)],
    ["random numbers under a sum of rows", () => randn([60, 100]).sum(1)],
  ])("nor %s", (_, make) => {
    const explanation = explained(make(), { emitter: "wasm" });
    if (explanation.kernels.length !== 1) expect.fail(picture(explanation));
  });
});
