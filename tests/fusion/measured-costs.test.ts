/** What is stored because it costs less than it does where it is read, as measured in a cache. */
import {
  type AnyTensor,
  cat,
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
];

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
