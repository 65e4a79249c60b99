/** What is refused is refused before anything has changed. */
import { type AnyTensor, arange, DTypeError, ones, ShapeError, tensor, ViewError, zeros } from "fuseau";
import { describe, expect, it } from "vitest";

function refuses(
  target: AnyTensor,
  write: (x: AnyTensor) => unknown,
  kind: unknown,
  ...sentences: string[]
): void {
  const before = target.toArray();
  for (const sentence of sentences) expect(() => write(target)).toThrow(sentence);
  expect(() => write(target)).toThrow(kind as new () => Error);
  expect(target.toArray()).toEqual(before);
}

describe("a result that is larger than its target", () => {
  it("is refused with both of PyTorch's sentences", () => {
    refuses(
      ones([1, 3, 1]),
      (x) => x.add_(zeros([3, 1, 7])),
      ShapeError,
      "add_: output with shape [1, 3, 1] doesn't match the broadcast shape [3, 3, 7]",
      "The expanded size of the tensor (1) must match the existing size (7) at non-singleton dimension 2",
    );
    refuses(
      zeros([3]),
      (x) => x.mul_(zeros([2, 3])),
      ShapeError,
      "output with shape [3] doesn't match the broadcast shape [2, 3]",
    );
    refuses(
      zeros([]),
      (x) => x.add_(zeros([1])),
      ShapeError,
      "output with shape [] doesn't match the broadcast shape [1]",
    );
  });
  it("is refused as out of place where nothing broadcasts", () => {
    refuses(
      zeros([3]),
      (x) => x.add_(zeros([4])),
      ShapeError,
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0",
    );
  });
});

describe("a category that does not fit", () => {
  const int = (): AnyTensor => tensor([4, 9], { dtype: "int64" });
  it("is refused", () => {
    const cast = "result type Float can't be cast to the desired output type Long";
    refuses(int(), (x) => x.div_(2), DTypeError, `div_: ${cast}`);
    refuses(int(), (x) => x.add_(1.5), DTypeError, `add_: ${cast}`);
    refuses(int(), (x) => x.sqrt_(), DTypeError, `sqrt_: ${cast}`);
    refuses(
      tensor([true, false]),
      (x) => x.add_(1),
      DTypeError,
      "add_: result type Long can't be cast to the desired output type Bool",
    );
  });
  it("is not that of a rounded quotient, nor of a comparison", () => {
    const x = int();
    x.div_(2, { roundingMode: "floor" });
    expect(x.toArray()).toEqual([2, 4]);
    x.eq_(2);
    expect(x.toArray()).toEqual([1, 0]);
  });
});

describe("a view whose places are one element", () => {
  const sentence =
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.";
  it("is not written through", () => {
    refuses(zeros([3]), (x) => x.expand([2, 3]).add_(1), ViewError, `add_: ${sentence}`);
    refuses(zeros([3]), (x) => x.expand([2, 3]).copy_(ones([2, 3])), ViewError, `copy_: ${sentence}`);
    refuses(zeros([5]), (x) => x.unfold(0, 3, 1).mul_(2), ViewError, `mul_: ${sentence}`);
    refuses(zeros([5]), (x) => x.asStrided([2, 2], [1, 1]).neg_(), ViewError, `neg_: ${sentence}`);
  });
  it("is one only if they are", () => {
    const x = zeros([8]);
    x.asStrided([3, 2], [2, 3]).add_(1);
    expect(x.toArray()).toEqual([1, 0, 1, 1, 1, 1, 0, 1]);
    expect(zeros([1]).expand([1]).add_(1).item()).toBe(1);
  });
});

describe("an operand that lies partly where the result goes", () => {
  const sentence =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.";
  it("is refused of a scatter too", () => {
    const index = tensor([[0, 1]], { dtype: "int64" });
    refuses(
      arange(4, { dtype: "float32" }).reshape([2, 2]),
      (x) => x.scatter_(0, index, x.t()),
      ViewError,
      `scatter_: ${sentence}`,
    );
    const mask = tensor([true, false, true]);
    refuses(
      arange(4, { dtype: "float32" }),
      (x) => x.slice([1, null]).maskedScatter_(mask, x.slice([null, -1])),
      ViewError,
      `maskedScatter_: ${sentence}`,
    );
  });
  it("is refused when both are dense, as PyTorch does", () => {
    refuses(
      arange(6, { dtype: "float32" }),
      (x) => x.slice([1, null]).add_(x.slice([null, -1])),
      ViewError,
      `add_: ${sentence}`,
    );
    refuses(arange(4).reshape([2, 2]), (x) => x.add_(x.t()), ViewError, `add_: ${sentence}`);
    refuses(arange(6), (x) => x.slice([1, null]).copy_(x.slice([null, -1])), ViewError, `copy_: ${sentence}`);
  });
  it("is welcome when it is the target itself, or lies elsewhere", () => {
    const x = arange(6, { dtype: "float32" }).clone();
    x.add_(x);
    x.slice([0, 3]).add_(x.slice([3, 6]));
    expect(x.toArray()).toEqual([6, 10, 14, 6, 8, 10]);
  });
});
