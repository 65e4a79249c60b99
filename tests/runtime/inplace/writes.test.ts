import {
  type AnyTensor,
  arange,
  type DType,
  float,
  full,
  ones,
  setOptions,
  Tensor,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

const matrix = (): Tensor<[3, 3], "float32"> =>
  tensor([
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ]);

type Method = (this: AnyTensor, ...operands: unknown[]) => AnyTensor;
const methods = Tensor.prototype as unknown as Readonly<Record<string, Method>>;

/** What to give an op beside its receiver. */
const given: Readonly<Record<string, (x: AnyTensor) => unknown[]>> = {
  lerp: (x) => [x.mul(2), 0.25],
  addcmul: (x) => [x.mul(2), x.add(1), { value: 3 }],
  addcdiv: (x) => [x.mul(2), x.add(1), { value: 3 }],
  clamp: () => [2, 3],
  clip: () => [2, 3],
  threshold: () => [2, 7],
  mvlgamma: () => [1],
  multigammaln: () => [1],
  polygamma: () => [1],
  prelu: () => [tensor([0.5])],
  renorm: () => [2, 0, 1.5],
  tril: () => [1],
  triu: () => [-1],
};
const products = ["addmm", "addmv", "addbmm", "baddbmm", "addr"];
/** Properties are not read of the prototype: it is no tensor. */
const isMethod = (name: string): boolean =>
  typeof Object.getOwnPropertyDescriptor(methods, name)?.value === "function";
/** They write what they are told, or rearrange, and have no form that gives something new. */
const pointwise = Object.getOwnPropertyNames(Tensor.prototype).filter(
  (name) => name.endsWith("_") && isMethod(name.slice(0, -1)) && !products.includes(name.slice(0, -1)),
);

const takesMatrices = /^(renorm|tri[lu])/;
const takesIntegersAlone = /^(bitwise|gcd|lcm)/;

/** What the op says where it refuses its operands; null where it gives something. */
function refusalOf(run: () => AnyTensor): string | null {
  try {
    run().toArray();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Of a second operand those that the op takes: none, if it has no arguments or other ones, which have defaults. */
function operandsOf(op: string, x: AnyTensor, other: AnyTensor): unknown[] {
  const takesOptions = /^(gelu|softplus|leakyRelu|elu|celu|hard|softshrink|logit|nanToNum|round)/;
  if (takesOptions.test(op)) return [];
  const refusal = refusalOf(() => (methods[op] as Method).call(x, other));
  return refusal?.includes("takes no arguments") ? [] : [other];
}

describe("every op in place gives what the op of its name gives", () => {
  const skipped =
    /^(transpose|swap|t_|squeeze|unsqueeze|scatter|index|put|masked|cum|bernoulli|uniform|normal|random)/;
  const names = pointwise.filter((name) => !skipped.test(name));
  it("and there are many", () => {
    expect(names.length).toBeGreaterThan(100);
  });
  for (const name of names) {
    it(name, () => {
      for (const dtype of ["float32", "int32", "bool"] as const) {
        const op = name.slice(0, -1);
        const shape = takesMatrices.test(op) ? [2, 2] : [4];
        const start = (): AnyTensor =>
          tensor([1, 2, 0, 4], { dtype: "float32" })
            .to(dtype as DType)
            .reshape(shape)
            .clone();
        const other = dtype === "bool" ? tensor([true, true, true, false]) : tensor([2, 1, 2, 1], { dtype });
        const list = given[op]?.(start()) ?? operandsOf(op, start(), other);
        const apply = (method: string, x: AnyTensor): AnyTensor => (methods[method] as Method).apply(x, list);
        const refusal = refusalOf(() => apply(op, start()));
        if (refusal !== null) {
          // What refuses a dtype refuses it in place as well, and writes nothing.
          expect(dtype, refusal).not.toBe(takesIntegersAlone.test(op) ? "int32" : "float32");
          const target = start();
          expect(refusalOf(() => apply(name, target))).not.toBeNull();
          expect(target.toArray()).toEqual(start().toArray());
          continue;
        }
        const expected = apply(op, start());
        const target = start();
        const view = target.slice([1, null]);
        const rank = { bool: 0, int32: 1, int64: 1, float32: 2, float64: 2 } as Record<string, number>;
        if ((rank[expected.dtype] as number) > (rank[dtype] as number)) {
          expect(() => apply(name, target)).toThrow("can't be cast to the desired output type");
          expect(target.toArray()).toEqual(start().toArray());
          continue;
        }
        expect(apply(name, target)).toBe(target);
        expect(target.dtype).toBe(dtype);
        expect(target.toArray()).toEqual(expected.to(dtype as DType).toArray());
        expect(view.toArray()).toEqual(
          expected
            .to(dtype as DType)
            .slice([1, null])
            .toArray(),
        );
      }
    });
  }
});

describe("a write", () => {
  it("is seen by every alias, and not by what was recorded before", () => {
    const x = matrix();
    const row = x.select(0, 1);
    const column = x.t().select(0, 2);
    const doubled = x.mul(2);
    const total = row.sum();
    row.add_(10);
    expect(x.toArray()).toEqual([
      [1, 2, 3],
      [14, 15, 16],
      [7, 8, 9],
    ]);
    expect(column.toArray()).toEqual([3, 16, 9]);
    expect(doubled.toArray()).toEqual([
      [2, 4, 6],
      [8, 10, 12],
      [14, 16, 18],
    ]);
    expect(total.item()).toBe(15);
  });
  it("keeps the dtype of its target", () => {
    const x = tensor([1, 2, 3], { dtype: "int8" });
    expect(x.add_(tensor([127, 300, 1], { dtype: "int64" })).dtype).toBe("int8");
    expect(x.toArray()).toEqual([-128, 46, 4]);
    const y = tensor([1.5, 2.5]);
    expect(y.mul_(tensor([0.1, 0.1], { dtype: "float64" })).dtype).toBe("float32");
    expect(y.lt_(0.2).toArray()).toEqual([1, 0]);
    expect(tensor([true, false]).logicalXor_(true).toArray()).toEqual([false, true]);
  });
  it("broadcasts its operands, never its target", () => {
    expect(
      zeros([5, 3, 4, 1])
        .add_(ones([3, 1, 1]))
        .sum()
        .item(),
    ).toBe(60);
    expect(
      zeros([2, 2])
        .add_(tensor([1, 2]))
        .toArray(),
    ).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
  it("may follow another, to any depth", () => {
    const x = zeros([4]);
    const v = x.slice([1, 3]);
    for (let k = 0; k < 200; k++) (k % 2 === 0 ? v : x).add_(1);
    expect(x.toArray()).toEqual([100, 200, 200, 100]);
  });
  it("works on 0-d and empty targets", () => {
    const x = tensor([1, 2, 3]);
    x.select(0, 1).mul_(10);
    expect(x.toArray()).toEqual([1, 20, 3]);
    expect(zeros([]).add_(2).item()).toBe(2);
    expect(zeros([0, 3]).add_(1).toArray()).toEqual([]);
    x.slice([3, null]).fill_(9);
    expect(x.toArray()).toEqual([1, 20, 3]);
  });
  it("reads its right side first", () => {
    const x = arange(6, { dtype: "float32" }).clone();
    x.slice([1, null]).add_(x.slice([null, -1]).clone());
    expect(x.toArray()).toEqual([0, 1, 3, 5, 7, 9]);
    const m = matrix();
    m.add_(m.t().mul(1));
    expect(m.toArray()).toEqual([
      [2, 6, 10],
      [6, 10, 14],
      [10, 14, 18],
    ]);
    const z = matrix();
    z.slice(":", [1, null]).add_(z.slice(":", [null, -1]));
    expect(z.toArray()).toEqual([
      [1, 3, 5],
      [4, 9, 11],
      [7, 15, 17],
    ]);
  });
});

describe("copy_, fill_ and their like", () => {
  it("cast whatever they are given", () => {
    const x = tensor([1, 2, 3], { dtype: "int32" });
    expect(x.copy_(tensor([1.9, -1.9, 7])).toArray()).toEqual([1, -1, 7]);
    expect(x.copy_(tensor([true])).toArray()).toEqual([1, 1, 1]);
    expect(x.fill_(2.9).toArray()).toEqual([2, 2, 2]);
    expect(x.fill_(tensor(5)).toArray()).toEqual([5, 5, 5]);
    expect(zeros([2], { dtype: "bool" }).fill_(3).toArray()).toEqual([true, true]);
    expect(ones([2]).zero_().toArray()).toEqual([0, 0]);
    expect(zeros([1]).fill_(float(2)).item()).toBe(2);
  });
  it("refuse what does not fit", () => {
    const x = tensor([1, 2, 3], { dtype: "int8" }) as AnyTensor;
    expect(() => x.fill_(300)).toThrow("fill_: value cannot be converted to type int8 without overflow");
    expect(() => x.fill_(NaN)).toThrow("fill_: cannot convert float NaN to integer");
    expect(() => x.fill_(zeros([2]))).toThrow(
      "fill_: fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.",
    );
    expect(() => x.copy_(zeros([2, 3]))).toThrow(
      "copy_: output with shape [3] doesn't match the broadcast shape [2, 3]",
    );
    expect(() => x.copy_(zeros([4]))).toThrow(
      "copy_: The size of tensor a (3) must match the size of tensor b (4)",
    );
    expect(x.toArray()).toEqual([1, 2, 3]);
  });
  it("fill through a view whose places are one element", () => {
    const x = zeros([3]);
    x.expand([2, 3]).fill_(4);
    expect(x.toArray()).toEqual([4, 4, 4]);
    const y = zeros([5]);
    y.slice([1, null]).unfold(0, 3, 1).fill_(1);
    expect(y.toArray()).toEqual([0, 1, 1, 1, 1]);
  });
  it("fill diagonals", () => {
    expect(zeros([2, 3]).fillDiagonal_(1).toArray()).toEqual([
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(zeros([5, 2]).fillDiagonal_(1, true).toArray()).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
    expect(zeros([2, 2, 2]).fillDiagonal_(7).toTypedArray()).toEqual(Float32Array.of(7, 0, 0, 0, 0, 0, 0, 7));
    const x = zeros([2, 3]);
    x.t().fillDiagonal_(2);
    expect(x.diagonal().toArray()).toEqual([2, 2]);
    expect(() => zeros([3]).fillDiagonal_(1)).toThrow("fillDiagonal_: dimensions must larger than 1");
    expect(() => zeros([2, 2, 3]).fillDiagonal_(1)).toThrow(
      "fillDiagonal_: all dimensions of input must be of equal length",
    );
  });
  it("clear a triangle", () => {
    const x = full([3, 3], 1, { dtype: "float32" });
    x.tril_();
    expect(x.sum().item()).toBe(6);
    x.triu_();
    expect(x.sum().item()).toBe(3);
  });
});

describe("a tensor rearranged in place", () => {
  it("is the same elements, which other views still see", () => {
    const x = zeros([2, 3]);
    const row = x.select(0, 0);
    const turned = x.t_();
    expect(turned).toBe(x);
    expect(turned.shape).toEqual([3, 2]);
    expect(turned.stride()).toEqual([1, 3]);
    turned.select(1, 0).fill_(1);
    expect(row.toArray()).toEqual([1, 1, 1]);
    expect(zeros([1, 2]).squeeze_(0).unsqueeze_(1).transpose_(0, 1).shape).toEqual([1, 2]);
  });
});

it.each(["js", "wasm", "closure"] as const)("no elements of one are written, %s", (emitter) => {
  setOptions({ verify: true });
  const x = ones([1, 1]).compute();
  x.narrow(1, 1, 0).mul_(2);
  expect(x.neg().compute({ emitter }).toArray()).toEqual([[-1]]);
  setOptions({ verify: undefined });
});

it("every second element is written from the second on", () => {
  setOptions({ verify: true });
  const x = arange(9).compute();
  x.slice([1, 9, 2]).copy_(full([4], -1));
  expect(x.toArray()).toEqual([0, -1, 2, -1, 4, -1, 6, -1, 8]);
  setOptions({ verify: undefined });
});
