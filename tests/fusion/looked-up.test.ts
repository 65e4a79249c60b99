/** Folds at places that are looked up by what other folds of the same loops find. */
import {
  type AnyTensor,
  avgPool2d,
  cat,
  conv2d,
  manualSeed,
  mseLoss,
  ones,
  randint,
  randn,
  setOptions,
  stats,
  zeros,
} from "fuseau";
import { beforeEach, describe, expect, it } from "vitest";
import { compileWhole } from "../compiled-whole.ts";
import { explained } from "./expect-kernels.ts";

compileWhole();

const sample = (): AnyTensor[] => {
  manualSeed(1);
  return [
    [6, 5],
    [5, 7],
    [6, 5],
    [5, 7],
  ].map((shape) => randn(shape as [number, number]).compute());
};

const programs: Readonly<Record<string, (...x: AnyTensor[]) => AnyTensor>> = {
  "a product at a running maximum of another": (a, b, c, d) =>
    a!.matmul(b!).takeAlongDim(c!.matmul(d!).cummax(1).indices, 1),
  "the earlier product at a running maximum of the later": (a, b, c, d) => {
    const [first, second] = [a!.matmul(b!), c!.matmul(d!)];
    return first.takeAlongDim(second.cummax(1).indices, 1).add(second);
  },
  "both at one": (a, b, c, d) => {
    const { indices } = c!.matmul(d!).cummax(1);
    return a!.matmul(b!).takeAlongDim(indices, 1).mul(a!.matmul(d!).takeAlongDim(indices, 1));
  },
  "a product at the largest of another": (a, b, c, d) =>
    a!.matmul(b!).takeAlongDim(c!.matmul(d!).argmax(1, { keepdim: true }), 1),
  "sums of rows beside an element that is looked up": (a, _b, c) =>
    a!.takeAlongDim(c!.argmax(1, { keepdim: true }), 1).mul(a!.sum(1, { keepdim: true })),
};

beforeEach(() => {
  setOptions({ onFault: "throw", verify: true });
});

describe.each(["js", "wasm", "closure"] as const)("%s", (emitter) => {
  it.each(Object.entries(programs))("%s", (_, program) => {
    const { count } = stats().faults;
    const fused = program(...sample()).compute({ emitter });
    const unfused = program(...sample()).compute({ emitter, fusion: "none" });
    expect(fused.toArray()).toEqual(unfused.toArray());
    expect(stats().faults.count).toBe(count);
  });
});

/** What is read from data depends on axes where it is read: what is one piece of memory there is one loop. */
it.each<[string, (x: AnyTensor, index: AnyTensor) => AnyTensor, number]>([
  ["along the first axis", (x, index) => x.gather(0, index), 2],
  ["along the last", (x, index) => x.gather(3, index), 2],
  ["of some rows", (x, index) => x.indexSelect(1, index.select(0, 0).select(0, 0).select(0, 0)), 3],
])("a gather %s walks as one the axes that are", (_, gathered, loops) => {
  const x = randn([2, 3, 4, 5]).compute();
  const index = zeros([2, 3, 4, 5], { dtype: "int64" }).compute();
  const { kernels } = gathered(x, index).explain({ emitter: "closure" }).toJSON();
  expect(kernels.map((kernel) => JSON.stringify(kernel).match(/for x\d+ </g)?.length)).toEqual([loops]);
});

it.each(["js", "wasm", "closure"] as const)(
  "rows of 13 that are looked up, under expensive work, %s",
  (emitter) => {
    const x = randn([12, 16, 13]).abs().compute();
    const exponents = randn([13]).compute();
    const index = randint(12, [15, 16, 13]).compute();
    const powers = (fusion: "on" | "none") => x.gather(0, index).pow(exponents).compute({ emitter, fusion });
    expect(powers("on").toArray()).toEqual(powers("none").toArray());
  },
);

/** Its element is the same wherever it is looked up, or there is none: a place out of range is told all the same. */
describe.each<[string, () => AnyTensor, string]>([
  ["an axis that is expanded", () => ones([13, 1]).compute().expand([13, 5]), "size 5"],
  ["an axis of no elements", () => zeros([13, 0]).compute(), "size 0"],
])("%s", (_, source, size) => {
  const readers: Readonly<Record<string, (x: AnyTensor) => AnyTensor>> = {
    "expensive work in short rows": (x) => x.exp(),
    "a sum of expensive work": (x) => x.exp().sum(1),
    "a product": (x) => x.matmul(ones([x.shape[1]!, 20]).compute() as never),
    "expensive work in long rows": (x) => x.t().tanh(),
  };
  it.each(
    Object.keys(readers).flatMap((name) => (["js", "wasm", "closure"] as const).map((each) => [name, each])),
  )("under %s, %s", (name, emitter) => {
    const at = randint(5, 9, [33]).compute();
    const read = readers[name!]!(source().indexSelect(1, at));
    expect(() => read.compute({ emitter: emitter as "js" })).toThrow(size);
  });
});

const rowsOf = (x: AnyTensor, axis: number, length = x.shape[axis]!): AnyTensor =>
  x.indexSelect(axis, randint(x.shape[axis]!, [length]).compute());

/** A fold, and where it is read by division, costs more than a copy of the rows. */
const folds: [string, (x: AnyTensor, y: AnyTensor) => AnyTensor, string[][]][] = [
  ["rows under a sum of all", (x) => rowsOf(x, 0).sum(), [["gather"], ["sum"]]],
  ["short rows under a sum of all", (x) => rowsOf(x.reshape([13_400, 5]), 0).sum(), [["gather"], ["sum"]]],
  [
    "rows within others under a loss",
    (x, y) => mseLoss(rowsOf(x.reshape([25, 40, 67]), 1), y.reshape([25, 40, 67]) as never),
    [["gather"], ["sub", "mul", "sum", "div"]],
  ],
  [
    "rows that are walked as others",
    (x, y) =>
      rowsOf(x, 0)
        .reshape([67, 1000])
        .sub(y.reshape([67, 1000])),
    [["gather"], ["sub"]],
  ],
  ["rows that are whole steps", (x) => rowsOf(x.reshape([67, 1000]), 0).sum(), [["sum"]]],
  ["rows that are summed by themselves", (x) => rowsOf(x, 0).sum(1), [["sum"]]],
  [
    "flattened rows",
    (x, y) =>
      rowsOf(x, 0)
        .reshape([-1])
        .add(y.reshape([-1])),
    [["add"]],
  ],
  [
    "rows under windows",
    (x) => avgPool2d(rowsOf(x.reshape([10, 100, 67]), 1) as never, 2),
    [["gather"], ["sum", "cast", "div"]],
  ],
  ["rows of expensive ops that have no whole steps", (x) => rowsOf(x, 0).tanh(), [["gather"], ["tanh"]]],
  [
    "rows behind their folds",
    (x) => rowsOf(x.narrow(1, 0, 37).sub(x.narrow(1, 0, 37).amax(1, { keepdim: true })), 0),
    [["max", "sub"], ["gather"]],
  ],
  [
    "a running sum that comes along with what is looked up in it",
    (x) => {
      const doubled = x.mul(2);
      const looked = doubled.gather(1, randint(67, [1000, 67]).compute()).tanh();
      return cat([rowsOf(doubled.cumsum(1), 0), looked]);
    },
    [["mul", "gather"], ["tanh"], ["mul", "scan", "concat"]],
  ],
  [
    "columns of a convolution",
    (x, y) => {
      const image = x.slice([0, 810], [0, 6]).reshape([3, 5, 18, 18]);
      return rowsOf(conv2d(image as never, y.slice([0, 60], [0, 6]).reshape([8, 5, 3, 3]) as never), 3, 10);
    },
    [["contract"], ["gather"]],
  ],
  [
    "rows of a convolution",
    (x, y) => {
      const image = x.slice([0, 810], [0, 6]).reshape([3, 5, 18, 18]);
      return rowsOf(conv2d(image as never, y.slice([0, 60], [0, 6]).reshape([8, 5, 3, 3]) as never), 2, 10);
    },
    [["contract", "gather"]],
  ],
];

describe("what is looked up is stored where it costs more where it is read", () => {
  const operands = (): [AnyTensor, AnyTensor] => {
    manualSeed(1);
    return [randn([1000, 67]).compute(), randn([1000, 67]).compute()];
  };
  it.each(folds)("%s", (_, make, kernels) => {
    const { kernels: found } = make(...operands()).explain({ emitter: "wasm" });
    expect(found.map(({ ops }) => ops)).toEqual(kernels);
  });
  it.each(folds)("%s: the same bits as op by op", (_, make) => {
    const computed = (fusion: "on" | "none") =>
      make(...operands())
        .compute({ emitter: "wasm", fusion })
        .toTypedArray();
    expect(computed("on")).toEqual(computed("none"));
  });
  it("flattened rows are walked without a quotient", () => {
    const [x, y] = operands();
    const { kernels } = rowsOf(x, 0)
      .reshape([-1])
      .add(y.reshape([-1]))
      .explain({ emitter: "wasm" });
    expect(kernels[0]!.loop).not.toMatch(/ div | mod |\/|%/);
  });
});

describe("convolutions read at other places are stored: tiles read windows where they are", () => {
  const convolved = (): AnyTensor =>
    conv2d(zeros([2, 8, 20, 20]).compute() as never, zeros([6, 8, 5, 5]).compute() as never);
  const places = (count: number) => zeros([count], { dtype: "int64" }).compute();
  it.each<[string, (x: AnyTensor) => AnyTensor, string]>([
    ["channels", (x) => x.indexSelect(1, places(6)), "gather"],
    ["images", (x) => x.indexSelect(0, places(2)), "gather"],
    ["rows", (x) => x.indexSelect(2, places(16)), "gather"],
    ["columns, backwards", (x) => x.flip([3]), "slice"],
  ])("%s", (_, read, op) => {
    expect(explained(read(convolved())).kernels.map(({ ops }) => ops)).toEqual([["contract"], [op]]);
  });
  it("but not for a few of them", () => {
    const few = convolved().indexSelect(2, places(3));
    expect(explained(few).kernels.at(-1)?.ops).toEqual(["contract", "gather"]);
  });
});

it.each<[string, (x: AnyTensor) => AnyTensor]>([
  ["transposed", (x) => x.t()],
  ["at columns that are looked up", (x) => x.indexSelect(1, zeros([200], { dtype: "int64" }).compute())],
])("random numbers read %s are stored: a block of words has four neighbours", (_, read) => {
  const drawn = read(randn([200, 200])).mul(zeros([200, 200]).compute());
  expect(explained(drawn).kernels.map(({ ops }) => ops.at(-1))).toEqual(["randomNormal", "mul"]);
});

it("is stored where it is read transposed: lookups have no lanes down a column", () => {
  const x = zeros([60, 300, 20]).compute();
  const places = zeros([60, 300, 20], { dtype: "int64" }).compute();
  const y = zeros([60, 20, 300]).compute();
  const read = x.gather(1, places as never).transpose(1, 2);
  expect(explained(read.add(y)).kernels.map(({ ops }) => ops)).toEqual([["gather"], ["add"]]);
});

it("what is looked up, and what is not, share a kernel where they are few", () => {
  const beside = (rows: number) => {
    const [x, y] = [zeros([rows, 6]).compute(), zeros([rows, 6]).compute()];
    const places = zeros([rows, 6], { dtype: "int64" }).compute();
    return explained([x.gather(1, places as never), x.add(y)]).kernels.map(({ ops }) => ops);
  };
  expect(beside(30)).toEqual([["gather", "add"]]);
  expect(beside(3_000)).toEqual([["gather"], ["add"]]);
});
