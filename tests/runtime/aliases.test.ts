/** Names that PyTorch has besides: function, method and form in place are those of the name that they stand for. */
import * as fuseau from "fuseau";
import {
  type AnyTensor,
  asarray,
  asTensor,
  concatenate,
  empty,
  emptyLike,
  float,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

const unary = [
  ["absolute", "abs"],
  ["arccos", "acos"],
  ["arccosh", "acosh"],
  ["arcsin", "asin"],
  ["arcsinh", "asinh"],
  ["arctan", "atan"],
  ["arctanh", "atanh"],
  ["fix", "trunc"],
  ["negative", "neg"],
] as const;
const binary = [
  ["arctan2", "atan2"],
  ["divide", "div"],
  ["greater", "gt"],
  ["greaterEqual", "ge"],
  ["less", "lt"],
  ["lessEqual", "le"],
  ["multiply", "mul"],
  ["notEqual", "ne"],
  ["subtract", "sub"],
] as const;

type Call = (...given: unknown[]) => AnyTensor;
const functions = fuseau as unknown as Record<string, Call>;
const method = (x: AnyTensor, name: string): Call =>
  (x as unknown as Record<string, Call>)[name]!.bind(x) as Call;
const numbers = () => tensor([-1.5, -0.25, 0, 0.75, 2]);

describe("a name that PyTorch has besides is the same", () => {
  it.each([
    ...unary.map((names) => [...names, []] as const),
    ...binary.map((names) => [...names, [tensor([0.5, -0.25, 1, 0.75, -2])]] as const),
  ])("%s is %s", (name, known, others) => {
    const expected = functions[known]!(numbers(), ...others).toArray();
    expect(functions[name]!(numbers(), ...others).toArray()).toEqual(expected);
    expect(method(numbers(), name)(...others).toArray()).toEqual(expected);
    const written = method(numbers(), `${known}_`)(...others).toArray();
    expect(method(numbers(), `${name}_`)(...others).toArray()).toEqual(written);
    expect(() => functions[name]!(3, ...others.map(() => 4))).toThrow(new RegExp(`^${name}: `));
  });

  it("with its options", () => {
    const x = tensor([7, -7]);
    expect(x.divide(2, { roundingMode: "floor" }).toArray()).toEqual([3, -4]);
    expect(x.subtract(1, { alpha: float(2) }).toArray()).toEqual([5, -9]);
    expect(x.divide_(2, { roundingMode: "trunc" }).toArray()).toEqual([3, -3]);
    const shape: readonly [2] = x.multiply(2).shape;
    expect(shape).toEqual([2]);
  });

  it("of shapes and sizes", () => {
    const x = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect([x.ndimension(), x.nelement(), fuseau.numel(x)]).toEqual([2, 6, 6]);
    expect(x.viewAs(zeros([3, 2])).toArray()).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(() => x.t().viewAs(zeros([6]))).toThrow(fuseau.ViewError);
    for (const swapped of [x.adjoint(), fuseau.adjoint(x), x.mH, x.H]) {
      expect(swapped.toArray()).toEqual(x.t().toArray());
      expect(swapped.sharesStorage(x)).toBe(true);
    }
    expect(() => tensor([1]).adjoint()).toThrow(/^adjoint: tensor.adjoint\(\) is only supported on matrices/);
    expect(() => zeros([2, 3, 4]).H).toThrow(/tensor.H is only supported on matrices \(2-D tensors\)/);
    expect(() => tensor([1]).mH).toThrow(/tensor.mH is only supported/);
    expect(x.clone().swapaxes_(0, 1).shape).toEqual([3, 2]);
    expect(x.clone().swapdims_(0, 1).toArray()).toEqual(x.t().toArray());
    expect(
      tensor([1, 2])
        .ger(tensor([3, 4]))
        .toArray(),
    ).toEqual([
      [3, 4],
      [6, 8],
    ]);
    expect(concatenate([tensor([1]), tensor([2])]).toArray()).toEqual([1, 2]);
  });

  it("of dtypes", () => {
    const x = tensor([300.5, -1]);
    expect([x.short(), x.char(), x.byte()].map(({ dtype }) => dtype)).toEqual(["int16", "int8", "uint8"]);
    expect(x.short().toArray()).toEqual([300, -1]);
  });

  it("of copies and views, as functions", () => {
    const x = tensor([1, 2, 3, 4]).requiresGrad_();
    expect(fuseau.detach(x).requiresGrad).toBe(false);
    expect(fuseau.clone(x).sharesStorage(x)).toBe(false);
    expect(fuseau.asStrided(x, [2], [2]).toArray()).toEqual([1, 3]);
    expect([fuseau.isSigned(x), fuseau.isSameSize(x, zeros([4]))]).toEqual([true, true]);
  });
});

describe("tensors are made", () => {
  it("to be written", () => {
    const x = empty([2, 3], { dtype: "int32" });
    expect([x.shape, x.dtype]).toEqual([[2, 3], "int32"]);
    expect(emptyLike(x).dtype).toBe("int32");
    expect(x.newEmpty([4]).dtype).toBe("int32");
    expect(x.fill_(7).toArray()).toEqual([
      [7, 7, 7],
      [7, 7, 7],
    ]);
  });

  it("of what there is, a tensor being itself", () => {
    const x = tensor([1, 2]);
    expect(asTensor(x)).toBe(x);
    const cast: fuseau.Tensor<[2], "float64"> = asTensor(x, { dtype: "float64" });
    expect(cast.toArray()).toEqual([1, 2]);
    const made: fuseau.Tensor<[2, 1], "float32"> = asTensor([[1], [2]]);
    expect(made.shape).toEqual([2, 1]);
    const array = Float64Array.of(1, 2);
    const copy = asarray(array);
    array[0] = 5;
    expect([copy.dtype, copy.toArray()]).toEqual(["float64", [1, 2]]);
  });
});

it("has the functions of torch.special, each the one of that name", () => {
  const { expit, ...others } = fuseau.special;
  expect(expit).toBe(fuseau.sigmoid);
  const exported = new Map<string, unknown>(Object.entries(fuseau));
  for (const [name, declared] of Object.entries(others)) expect(declared, name).toBe(exported.get(name));
});
