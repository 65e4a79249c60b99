/** What is stored because it costs less than it does where it is read, as measured in a cache. */
import {
  type AnyTensor,
  avgPool1d,
  cat,
  conv1d,
  layerNorm,
  manualSeed,
  maxPool1d,
  maxPool2d,
  randint,
  randn,
  type Tensor,
  where,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained } from "./expect-kernels.ts";

compileWhole();

type Floats = Tensor<number[], "float32">;
const stored = (...shape: number[]): Floats => randn(shape).compute() as Floats;
const along = (axis: number): [number, { keepdim: true }] => [axis, { keepdim: true }];

const programs: readonly [string, () => AnyTensor, string[]][] = [
  [
    "a mask that is widened in two loops",
    () => {
      const [x, y] = [stored(1000, 37), stored(1000, 37)];
      const chosen = where(x.gt(0).compute(), x, y);
      return chosen.sub(chosen.mean(...along(1)));
    },
    ["where", "sum div sub"],
  ],
  [
    "but not a product of two operands",
    () => {
      const x = stored(1000, 37).mul(stored(1000, 37));
      return x.sub(x.mean(...along(1)));
    },
    ["mul sum div sub"],
  ],
  [
    "floats that are cut to integers in two loops",
    () => {
      const x = stored(1000, 37).mul(10).to("int32").float();
      return x.sub(x.mean(...along(0)));
    },
    ["mul cast cast", "sum div sub"],
  ],
  [
    "the sums of columns, in front of expensive ops in rows of odd length",
    () => {
      const x = stored(1000, 37);
      return x.sub(x.sum(...along(0))).tanh();
    },
    ["sum", "sub tanh"],
  ],
  [
    "patches that are computed, in front of a product: places that are loaded are in a table",
    () =>
      stored(1, 3, 64, 64)
        .mul(2)
        .reshape([1, 3, 8, 8, 8, 8])
        .permute([0, 2, 4, 1, 3, 5])
        .reshape([64, 192])
        .matmul(stored(192, 48)),
    ["mul", "contract"],
  ],
  [
    "pooled windows that are laid out as rows of a product",
    () =>
      maxPool2d(stored(16, 5, 28, 28), 2)
        .flatten(1)
        .matmul(stored(980, 10)),
    ["max", "contract"],
  ],
  [
    "differences from the sums of columns, transposed in front of a product",
    () => {
      const x = stored(1000, 37);
      return x
        .sub(x.sum(...along(0)))
        .t()
        .matmul(stored(1000, 16));
    },
    ["sum", "sub", "contract"],
  ],
  [
    "and in front of a product",
    () => {
      const x = stored(1000, 37);
      return x.sub(x.sum(...along(0))).matmul(stored(37, 16));
    },
    ["sum", "sub contract"],
  ],
  [
    "expensive ops in short steps of a product",
    () => stored(1000, 37).exp().matmul(stored(37, 3)),
    ["exp", "contract"],
  ],
  [
    "what a product would make in rows of a few columns",
    () => stored(6, 5000).matmul(stored(5000, 7).mul(stored(5000, 7))),
    ["mul", "contract"],
  ],
  [
    "norms of rows that are sorted one after another",
    () => layerNorm(stored(5000, 7), [7]).sort(1).values,
    ["sum div sub mul sum div add rsqrt mul", "gather"],
  ],
  [
    "joined rows that are looked up",
    () =>
      cat([stored(5000, 3), stored(5000, 4)], 1).indexSelect(0, randint(0, 5000, [3000]).compute() as never),
    ["concat", "gather"],
  ],
  [
    "what is folded along rows that it does not have in memory",
    () => stored(5000, 7).t().add(1).sum(1),
    ["add", "sum"],
  ],
  [
    "a mask among rows of a few sums",
    () => where(stored(5000, 7).gt(0).compute(), stored(5000, 7), stored(5000, 7)).sum(0),
    ["where", "sum"],
  ],
  [
    "a mask under windows",
    () => {
      const mask = stored(1000, 37).gt(0).compute();
      return maxPool1d(where(mask, stored(1000, 37), stored(1000, 37)).unsqueeze(0) as never, 2);
    },
    ["where", "max"],
  ],
  [
    "expensive ops beside a transposed operand",
    () => stored(1000, 37).tanh().add(stored(1000, 37).exp()).add(stored(37, 1000).t()),
    ["tanh exp add", "add"],
  ],
  [
    "windows in windows that overlap: each element would be folded again",
    () => maxPool1d(maxPool1d(stored(1000, 1, 37) as never, 3, { stride: 1 }), 3, { stride: 1 }),
    ["max", "max"],
  ],
  [
    "windows in windows that are strided: each element would be loaded by itself",
    () => avgPool1d(maxPool1d(stored(8, 1, 4096) as never, 2), 3, { stride: 1 }),
    ["max", "sum div"],
  ],
  [
    "what is folded in order along memory, and has columns in its own order",
    () => stored(1000, 37).t().add(1).sum(0),
    ["add", "sum"],
  ],
  [
    "sums of columns that each row would round again",
    () => {
      const x = stored(1000, 37);
      return layerNorm(x.sub(x.sum(...along(0))), [37]);
    },
    ["sum", "sub sum div sub mul sum div add rsqrt mul"],
  ],
  [
    "but not what a row makes of an input, which is as quick to compute again",
    () => stored(1000, 37).mul(stored(37)).softmax(0),
    ["mul max", "mul sub exp", "sum reciprocal mul"],
  ],
  [
    "the extrema of long rows, in front of what is stored across them",
    () => {
      const x = stored(37, 1000).t();
      return x.sub(x.amax(0));
    },
    ["max", "sub"],
  ],
  [
    "short rows that are looked up for two walks",
    () => {
      const rows = stored(20_000, 4).indexSelect(0, randint(0, 20_000, [20_000]).compute() as never);
      return rows.sub(rows.mean(...along(0)));
    },
    ["gather", "sum div sub"],
  ],
  [
    "short rows that are looked up for a product",
    () =>
      stored(5000, 7)
        .indexSelect(0, randint(0, 5000, [5000]).compute() as never)
        .matmul(stored(7, 16)),
    ["gather", "contract"],
  ],
  [
    "rows that are looked up in front of a transposed operand",
    () =>
      stored(128, 128)
        .indexSelect(0, randint(0, 128, [128]).compute() as never)
        .add(stored(128, 128).t()),
    ["gather", "add"],
  ],
  [
    "a scan in front of a transposed operand",
    () => stored(128, 128).cumsum(0).add(stored(128, 128).t()),
    ["scan", "add"],
  ],
  [
    "exponentials of columns that are folded: rows of 37 have no whole steps",
    () => stored(1000, 37).softmax(0),
    ["max", "sub exp", "sum reciprocal mul"],
  ],
  [
    "a product of two channels whose rows are looked up",
    () =>
      conv1d(stored(64, 1, 513) as never, stored(2, 1, 3) as never)
        .select(1, 1)
        .indexSelect(0, randint(0, 64, [64]).compute() as never),
    ["contract", "gather"],
  ],
  [
    "what is rolled in front of a scan of short rows",
    () => stored(300, 20).roll(1, 1).cumsum(1),
    ["concat", "scan"],
  ],
  [
    "floats that are cut to integers in front of a scan along rows",
    () => stored(300, 20).mul(10).int().cumsum(1),
    ["mul cast cast", "scan"],
  ],
  [
    "a product whose few rows are summed: they would be columns there",
    () => stored(4, 2000).matmul(stored(2000, 12)).sum(0),
    ["contract", "sum"],
  ],
  [
    "elements that are looked up in front of a transposed operand",
    () =>
      stored(128, 128)
        .gather(1, randint(0, 128, [128, 128]).compute() as never)
        .add(stored(128, 128).t()),
    ["gather", "add"],
  ],
];

describe("what reads a scan that is stored", () => {
  it("has the loops of a nest of its own, which is transposed in blocks", () => {
    const scan = stored(128, 128).logcumsumexp(1);
    const { kernels } = explained(scan.sub(scan.mean(...along(0))), { emitter: "wasm" });
    expect(kernels.map(({ ops }) => ops.join(" "))).toEqual(["scan", "sum div", "sub"]);
    expect(kernels[2]?.schedule).toContain("jam 4");
  });
});

describe("softmax and a transposed operand", () => {
  it("are one kernel, whose last rows are overwritten in blocks", () => {
    const sum = stored(128, 128).softmax(1).add(stored(128, 128).t());
    const { kernels } = explained(sum, { emitter: "wasm" });
    expect(kernels).toHaveLength(1);
    expect(kernels[0]?.schedule).toContain("jam 4");
  });
});

describe.each(programs)("%s", (_, make, kernels) => {
  it("is stored where that costs less", () => {
    const found = explained(make(), { emitter: "wasm" }).kernels.map(({ ops }) => ops.join(" "));
    expect(found.map((ops) => ops.split(" ").sort())).toEqual(kernels.map((ops) => ops.split(" ").sort()));
  });
  it("has the bits of op by op", () => {
    const elements = (fusion: "on" | "none") => {
      manualSeed(3);
      return make().compute({ emitter: "wasm", fusion }).toTypedArray();
    };
    expect(elements("on")).toEqual(elements("none"));
  });
});
