import { type AnyTensor, arange, concat, fromTypedArray, randn, stack, type Tensor, where } from "fuseau";
import { describe, expect, it } from "vitest";
import { expectKernels, explained, opCounts } from "./expect-kernels.ts";

/** A stored tensor, so that reading it is a read and not an expression. */
const stored = (...shape: number[]): Tensor<number[], "float32"> =>
  fromTypedArray(new Float32Array(shape.reduce((count, size) => count * size, 1)), { shape });

describe("a pointwise chain is one kernel of one phase", () => {
  const x = stored(20, 30, 40);
  it.each<[string, AnyTensor]>([
    ["of one op", x.add(1)],
    [
      "with a row, a column and a plane broadcast",
      x
        .mul(stored(40))
        .add(stored(30, 1))
        .sub(stored(20, 1, 1)),
    ],
    [
      "whose ranks differ from 0 to 6",
      x
        .add(stored())
        .mul(stored(40))
        .div(stored(2, 1, 1, 20, 1, 1)),
    ],
    ["that goes through bool and back", where(x.gt(0).logicalAnd(x.lt(1)), x, x.neg()).to("int32")],
    ["of a dozen transcendental functions", x.exp().log().sin().cos().tanh().sqrt().erf().sigmoid()],
    ["over a 0-d tensor", stored().exp().add(1)],
    ["over something empty, where nothing runs", stored(0, 3).exp().add(stored(3))],
    ["over what no input gives", arange(100).add(1).mul(2)],
  ])("%s", (_, tensor) => {
    const empty = tensor.shape.includes(0);
    const explanation = expectKernels(tensor, empty ? 0 : 1, empty ? 0 : 1);
    expect(explanation.bytes.intermediate).toBe(0);
    expect(explanation.notFused).toEqual([]);
  });

  it("of 60 ops over 10 full-size inputs", () => {
    const inputs = Array.from({ length: 10 }, () => stored(64, 64));
    let chain: AnyTensor = inputs[0] as AnyTensor;
    for (let k = 0; k < 30; k++)
      chain = chain.mul(inputs[k % 10] as AnyTensor).add(inputs[(k + 3) % 10] as AnyTensor);
    const { kernels } = expectKernels(chain, 1, 1);
    expect(kernels[0]?.ops).toHaveLength(60);
    expect(kernels[0]?.inputs).toHaveLength(10);
  });
});

describe("a part over fewer axes", () => {
  it("is computed once for its own elements, in a phase of its own", () => {
    const { kernels, bytes } = expectKernels(stored(40).exp().mul(stored(30, 40)), 1, 2);
    expect(kernels[0]?.ops).toEqual(["exp", "mul"]);
    expect(bytes).toMatchObject({ intermediate: 0, arena: 40 * 4 });
  });
});

describe("a shared subexpression is computed once", () => {
  it("within one expression", () => {
    const x = stored(50, 8);
    const e = x.exp();
    expect(opCounts(expectKernels(e.mul(e).add(e.sqrt()), 1, 1))).toEqual({
      exp: 1,
      mul: 1,
      sqrt: 1,
      add: 1,
    });
  });
  it("recorded twice", () => {
    const x = stored(50, 8);
    expect(opCounts(expectKernels(x.exp().add(1).mul(x.exp().add(1)), 1, 1))).toEqual({
      exp: 1,
      add: 1,
      mul: 1,
    });
  });
  it("by two results, which leave one kernel", () => {
    const [x, y] = [stored(50, 8), stored(50, 8)];
    const e = x.exp();
    const explanation = expectKernels([e.add(1), e.mul(y)], 1, 1);
    expect(opCounts(explanation)).toEqual({ exp: 1, add: 1, mul: 1 });
    expect(explanation.kernels[0]?.outputs).toHaveLength(2);
  });
  it("that is a result itself", () => {
    const e = stored(50, 8).exp();
    expect(opCounts(expectKernels([e, e.mul(2)], 1, 1))).toEqual({ exp: 1, mul: 1 });
  });
  it("whatever the order of the results", () => {
    const e = stored(50, 8).exp();
    expectKernels([e.mul(2), e], 1, 1);
    expectKernels([e.mul(2), e, e.add(3)], 1, 1);
  });
  it("on one side of a broadcast alone: the cosine of a row belongs to the row", () => {
    const [row, column] = [stored(30, 1), stored(40)];
    const { kernels } = expectKernels(row.cos().mul(column.cos()), 1);
    // The row's cosine is above the inner loop; the column's is kept in a scratch row.
    expect(kernels[0]?.loop.match(/cos\.float32/g)).toHaveLength(2);
    const lines = (kernels[0]?.loop ?? "").split("\n").filter((line) => line.includes("cos.float32"));
    expect(lines.map((line) => line.search(/\S/))).toEqual([4, 4]);
  });
});

describe("a movement costs no kernel", () => {
  const x = stored(12, 20);
  it.each<[string, AnyTensor]>([
    ["transpose", x.t().add(1)],
    ["reshape", x.reshape([3, 80]).add(1)],
    ["slice with steps", x.slice([1, 9, 2], 3).add(1)],
    ["flip", x.flip([0, 1]).add(1)],
    ["expand", x.unsqueeze(0).expand([5, 12, 20]).add(1)],
    ["diagonal", x.diagonal(1).add(1)],
    ["roll", x.roll(3, 1).add(1)],
    ["tril", x.tril(1).add(1)],
    ["repeat", x.repeat([2, 3]).add(1)],
    ["all at once", x.t().reshape([4, 5, 12]).flip(1).slice([0, 3]).permute([2, 0, 1]).add(1)],
  ])("%s", (_, tensor) => {
    const explanation = expectKernels(tensor, 1, 1);
    expect(explanation.bytes.intermediate).toBe(0);
  });
  it("between two ops", () => {
    expectKernels(x.exp().t().reshape([2, 120]).mul(2), 1, 1);
  });
  it("until it is wanted itself, which is one copy", () => {
    expectKernels(x.t(), 1, 1);
  });
  it("and a result that is an input as it is takes none", () => {
    expectKernels(x.mul(1).neg().neg(), 0, 0);
  });
});

describe("pieces put together are one kernel", () => {
  const [a, b] = [stored(6, 20), stored(6, 20)];
  it.each<[string, AnyTensor, number]>([
    ["concat of rows", concat([a, b, a]), 3],
    ["concat of columns", concat([a, b, a], 1), 3],
    ["concat of expressions", concat([a.exp(), b.mul(2), a], 1), 3],
    ["stack", stack([a, b], 1), 2],
    ["pad", a.pad([1, 2, 3, 4]), 5],
    ["pad of an expression, inside another", a.exp().pad([1, 1], { value: 7 }).mul(2), 3],
    ["concat of pads", concat([a.pad([1, 1]), b.pad([2, 0])], 0).add(1), 5],
  ])("%s", (_, tensor, parts) => {
    const explanation = expectKernels(tensor, 1, parts);
    expect(explanation.bytes.intermediate).toBe(0);
  });
  it("concat of three into a reduction", () => {
    expectKernels(concat([a, b, a], 1).sum(1), 1, 1);
  });
  it("a stencil of slices", () => {
    const x = stored(64, 64);
    const step = x
      .slice([1, -1], [1, -1])
      .add(x.slice([0, -2], [1, -1]))
      .add(x.slice([2], [1, -1]))
      .add(x.slice([1, -1], [0, -2]))
      .add(x.slice([1, -1], [2]))
      .mul(0.2);
    const { kernels } = expectKernels(step, 1, 1);
    expect(kernels[0]?.inputs).toHaveLength(1);
  });
});

it("places are counted in each of many kernels, and never stored: random words are made in lanes there", () => {
  const { kernels } = explained(Array.from({ length: 50 }, () => randn([20_000]).exp().cumsum(0)));
  const drawn = kernels.filter(({ ops }) => ops.includes("randomNormal"));
  expect(drawn).toHaveLength(50);
  expect(drawn.filter(({ ops }) => ops[0] !== "iota")).toEqual([]);
});

describe("op by op, when fusion is off", () => {
  it("every op is a kernel that tells why", () => {
    const x = stored(50, 8);
    const { kernels, notFused, fusion, bytes } = explained(x.exp().add(1).mul(x), { fusion: "none" });
    expect(fusion).toBe("none");
    expect(kernels.map(({ ops }) => ops)).toEqual([["exp"], ["add"], ["mul"]]);
    expect(notFused.map(({ op, reason }) => [op, reason])).toEqual([
      ["add", "fusion is off"],
      ["exp", "fusion is off"],
    ]);
    expect(bytes.intermediate).toBe(2 * 50 * 8 * 4);
  });
});
