/** What is expensive stands in loops that are walked in steps: where its reader's are not, it is stored, and explain() says what either costs. */
import {
  type AnyTensor,
  arange,
  conv2d,
  fromTypedArray,
  groupNorm,
  instanceNorm,
  interpolate,
  linear,
  manualSeed,
  maxPool2d,
  pad,
  rand,
  randn,
  type Tensor,
} from "fuseau";
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
  ["random numbers under a running sum", "randomNormal", () => randn([60, 100]).cumsum(1)],
  ["an expensive chain under a running sum", "sin", () => x.exp().log().sin().cumsum(1)],
  ["a running sum under an expensive chain", "scan", () => x.mul(2).cumsum(1).exp().add(1)],
  [
    "expensive work on what is looked up in norms, under a running sum",
    "log1p",
    () =>
      x
        .layerNorm([100])
        .indexSelect(1, arange(99, -1, -1))
        .square()
        .log1p()
        .cumsum(1),
  ],
  [
    "random numbers in rows that begin amid a block",
    "randomNormal",
    () => stored(200, 1).mul(randn([200, 301])),
  ],
  [
    "windows before expensive work in short rows",
    "max",
    () => maxPool2d(stored(2, 11, 27, 27) as Tensor<[2, 11, 27, 27], "float32">, 2).gelu(),
  ],
  ["random numbers in short rows", "randomNormal", () => stored(200, 1, 29).mul(randn([200, 5, 29]))],
  ["random numbers behind a pad of short rows", "randomNormal", () => pad(randn([1000, 37]), [1, 1])],
  ["random numbers summed along the first axis", "randomNormal", () => randn([60, 100]).sum(0)],
  [
    "an expensive row under a sum over rows of three",
    "exp",
    () => stored(2_000, 3).add(stored(3)).exp().sum(),
  ],
  [
    "what a norm of short rows stores meanwhile",
    "mul",
    () => instanceNorm(stored(4, 58, 17, 4).cumsum(0).amax(0)),
  ],
  ["exponentials of a short row that is stored", "exp", () => stored(2_000, 3).softmax(1)],
  [
    "a product down the columns under an argmax of its rows",
    "prod",
    () => stored(9, 20, 90).prod(1).argmax(1),
  ],
  ["a sum down the columns under a count", "sum", () => stored(900, 90).sum(0).log().gt(0.25).sum()],
  [
    "random numbers beside a window",
    "randomNormal",
    () => maxPool2d(stored(1, 8, 60, 60), 3, { stride: 2 }).mul(randn([1, 8, 29, 29])),
  ],
  ["what a window reads", "exp", () => maxPool2d(image.exp(), 2)],
  ["a window under a mean over its lines", "max", () => maxPool2d(stored(8, 3, 40, 35), 2).mean([2, 3])],
  [
    "a softmax that is read across its rows",
    "mul",
    () => stored(100, 200).softmax(1).t().mul(stored(200, 100)),
  ],
  ["an expensive function of a row's sum", "sum", () => stored(2_000, 100).square().sum(1).sigmoid().log()],
];

describe("what is expensive is stored where its reader takes elements one by one", () => {
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

  it("a norm of groups is padded in its kernel, without a quotient", () => {
    const { kernels } = explained(pad(groupNorm(stored(3, 8, 6, 5), 1), [1, 1, 1, 1]), { emitter: "wasm" });
    expect(kernels).toHaveLength(1);
    expect(kernels[0]?.loop).not.toMatch(/[/%]/);
  });

  it("a padded image is stored in front of a convolution", () => {
    const { kernels } = explained(conv2d(image, filters, { padding: 1 }), { emitter: "wasm" });
    expect(kernels[0]?.ops).toEqual(["pad"]);
  });

  it("where elements are taken one by one anyway, it is not", () => {
    expect(explained(x.exp().log().sin().cumsum(1), { emitter: "closure" }).kernels).toHaveLength(1);
  });

  it.each(["js", "closure"] as const)(
    "what would be computed many times over is stored, by %s",
    (emitter) => {
      const made = explained(linear(stored(400, 23).fmax(0.5), stored(5, 23)), { emitter });
      if (made.kernels.length !== 2) expect.fail(picture(made));
      expect(made.notFused).toMatchObject([{ op: "fmax", reason: REASON }]);
      expect(explained(stored(400, 100).add(stored(400, 1)).relu(), { emitter }).kernels).toHaveLength(1);
    },
  );

  it.each<[string, string, () => AnyTensor]>([
    ["a few expensive elements at a time", "log1p", () => stored(900, 6).log1p().matmul(stored(6, 3))],
    [
      "random words that are not drawn in a row",
      "cast",
      () => {
        const drawn = rand([5, 400]);
        return drawn.sub(drawn.amin(0));
      },
    ],
  ])("%s are stored, by js", (_, op, make) => {
    const made = explained(make(), { emitter: "js" });
    if (made.kernels.length !== 2) expect.fail(picture(made));
    expect(made.notFused).toMatchObject([{ op, reason: REASON }]);
  });

  it.each<[string, () => AnyTensor]>([
    ["under a sum of long rows", () => x.exp().sum(1)],
    ["behind a pad of long rows", () => pad(x, [3, 3]).exp()],
    ["behind a pad of rows that it does not cut", () => pad(stored(2_000, 9), [0, 0, 3, 3]).exp()],
    ["under a sum of everything", () => x.exp().sum()],
    ["in front of a running sum down the columns", () => x.exp().cumsum(0).add(1)],
    ["softmax of rows", () => x.softmax(1)],
    ["random numbers in rows of whole blocks", () => stored(200, 1).mul(randn([200, 304]))],
    ["random numbers under a sum of rows", () => randn([60, 100]).sum(1)],
  ])("nor %s", (_, make) => {
    const explanation = explained(make(), { emitter: "wasm" });
    if (explanation.kernels.length !== 1) expect.fail(picture(explanation));
  });
});

it("an image halved by lines is one kernel: pairs of columns are summed in each of the rows that read them", () => {
  const halved = interpolate(stored(1, 3, 200, 320), { scaleFactor: 0.5, mode: "bilinear" });
  const found = explained(halved);
  expect(found.kernels.length, picture(found)).toBe(1);
});
