/** What the types know where sizes, ranks and dtypes are not literal, and how tensors are assigned to each other. */
import {
  type AnyTensor,
  arange,
  concat,
  type DType,
  fromTypedArray,
  maxPool1d,
  type Nested,
  stack,
  type Tensor,
  tensor,
  where,
  zeros,
} from "fuseau";
import { describe, expectTypeOf, test } from "vitest";

declare const n: number;
declare const sizes: number[];
declare const rows: number[][];
declare const any: AnyTensor;
declare const matrix: Tensor<[number, 3], "float32">;
declare const flag: boolean;

describe("unknown sizes", () => {
  test("are number, and fit what they meet", () => {
    expectTypeOf(zeros([n, 3])).toEqualTypeOf<Tensor<[number, 3], "float32">>();
    expectTypeOf(zeros([n, 3]).add(zeros([7, 1]))).toEqualTypeOf<Tensor<[7, 3], "float32">>();
    expectTypeOf(zeros([n, 3]).add(zeros([n, 1]))).toEqualTypeOf<Tensor<[number, 3], "float32">>();
    expectTypeOf(zeros([n, 3]).reshape([-1])).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(zeros([n, 3]).reshape([3, n])).toEqualTypeOf<Tensor<[3, number], "float32">>();
    expectTypeOf(zeros([n, 3]).matmul(zeros([3, 4]))).toEqualTypeOf<Tensor<[number, 4], "float32">>();
    expectTypeOf(zeros([n, 3]).slice([1, null], 0)).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(zeros([10]).slice([n, null])).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(concat([zeros([n, 3]), zeros([2, 3])])).toEqualTypeOf<Tensor<[number, 3], "float32">>();
    expectTypeOf(arange(n).shape).toEqualTypeOf<readonly [number]>();
    expectTypeOf(tensor(rows)).toEqualTypeOf<Tensor<[number, number], "float32">>();
    expectTypeOf(tensor(rows, { shape: [n, 2] })).toEqualTypeOf<Tensor<[number, 2], "float32">>();
    expectTypeOf(tensor(new Float32Array(n))).toEqualTypeOf<Tensor<[number], "float32">>();
  });
  test("stay what they are in what is made within a list", () => {
    const list = new Float32Array(n);
    expectTypeOf(concat([zeros([n]), tensor([5])])).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(concat([zeros([n]), fromTypedArray(list)])).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(concat([zeros([n, 2]), tensor([[1, 2]])])).toEqualTypeOf<Tensor<[number, 2], "float32">>();
    expectTypeOf(stack([tensor([1, 2]), tensor([3, 4])])).toEqualTypeOf<Tensor<[2, 2], "float32">>();
    const grown: Tensor<[number], "float32"> = concat([zeros([n]), tensor(list, { shape: [n] })]);
    expectTypeOf(grown.shape).toEqualTypeOf<readonly [number]>();
  });
  test("of type any, as JSON gives them, are unknown too", () => {
    const read = JSON.parse("4");
    expectTypeOf(zeros([4, 2]).reshape([read, -1]).shape[1]).toEqualTypeOf<number>();
    expectTypeOf(zeros([4, 2]).reshape([2, -1, read]).shape[0]).toEqualTypeOf<2>();
    expectTypeOf(zeros([4, 2]).view([read, read]).dtype).toEqualTypeOf<"float32">();
    expectTypeOf(zeros([read, 3]).reshape([read, 3, 1]).shape[1]).toEqualTypeOf<3>();
  });
  test("make an axis of unknown size where the axis is not known", () => {
    expectTypeOf(zeros([5, 3]).sum(n)).toEqualTypeOf<Tensor<[number], "float32">>();
    expectTypeOf(zeros([5, 3]).sum(sizes)).toEqualTypeOf<Tensor<number[], "float32">>();
    expectTypeOf(zeros([5, 3]).sum(n, { keepdim: true })).toEqualTypeOf<
      Tensor<[number, number], "float32">
    >();
    expectTypeOf(zeros([5, 3]).sum(0, { keepdim: flag })).toEqualTypeOf<Tensor<number[], "float32">>();
    expectTypeOf(zeros([5, 3]).transpose(n, 0)).toEqualTypeOf<Tensor<[number, number], "float32">>();
    expectTypeOf(zeros([5, 3]).unsqueeze(n)).toEqualTypeOf<Tensor<[number, number, number], "float32">>();
    expectTypeOf(zeros([n, 1]).squeeze()).toEqualTypeOf<Tensor<number[], "float32">>();
    expectTypeOf(stack([zeros([2]), zeros([2])] as Tensor<[2], "float32">[])).toEqualTypeOf<
      Tensor<[number, 2], "float32">
    >();
  });
});

describe("one of several axes, lists or options", () => {
  const x = zeros([5, 3]);
  const axis = flag ? 0 : 1;
  test("gives one of several shapes", () => {
    expectTypeOf(x.sum(axis).shape).toEqualTypeOf<readonly [3] | readonly [5]>();
    expectTypeOf(x.mean(axis, { keepdim: true }).shape).toEqualTypeOf<readonly [1, 3] | readonly [5, 1]>();
    expectTypeOf(x.sum(flag ? [0] : [0, 1]).shape).toEqualTypeOf<readonly [3] | readonly []>();
    expectTypeOf(x.select(axis, 0).shape).toEqualTypeOf<readonly [3] | readonly [5]>();
    expectTypeOf(x.narrow(axis, 0, 1).shape).toEqualTypeOf<readonly [1, 3] | readonly [5, 1]>();
    expectTypeOf(x.unsqueeze(axis).shape).toEqualTypeOf<readonly [1, 5, 3] | readonly [5, 1, 3]>();
    expectTypeOf(x.repeatInterleave(2, axis).shape).toEqualTypeOf<readonly [10, 3] | readonly [5, 6]>();
    expectTypeOf(x.topk(1, axis).values.shape).toEqualTypeOf<readonly [1, 3] | readonly [5, 1]>();
    const pooled = maxPool1d(zeros([1, 2, 6]), 2, { returnIndices: flag });
    expectTypeOf("values" in pooled ? pooled.values : pooled).toEqualTypeOf<Tensor<[1, 2, 3], "float32">>();
  });
  test("and a size that is inferred beside an unknown one is unknown", () => {
    expectTypeOf(x.reshape([n, -1])).toEqualTypeOf<Tensor<[number, number], "float32">>();
    expectTypeOf(x.view([-1, n]).add(zeros([5, 3]))).toEqualTypeOf<Tensor<[5, 3], "float32">>();
  });
});

describe("generic helpers", () => {
  const centred = <T extends Tensor<number[], "float32">>(input: T) => input.mean();
  const probabilities = <D extends "float32" | "float64">(scores: Tensor<[4, 4], D>) => scores.softmax(1);
  const twice = <D extends DType>(a: Tensor<[4, 4], D>, b: Tensor<[4, 4], D>) => a.matmul(b);
  test("may leave the dtype open", () => {
    const x = zeros([4, 4]);
    expectTypeOf(centred(x)).toEqualTypeOf<Tensor<[], "float32">>();
    expectTypeOf(probabilities(x)).toEqualTypeOf<Tensor<[4, 4], "float32">>();
    expectTypeOf(twice(x, x)).toEqualTypeOf<Tensor<[4, 4], "float32">>();
  });
});

describe("transposed matrices, as properties", () => {
  test("have their sizes swapped", () => {
    const x = zeros([2, 3]);
    expectTypeOf(x.T).toEqualTypeOf<Tensor<[3, 2], "float32">>();
    expectTypeOf(x.mT.matmul(x)).toEqualTypeOf<Tensor<[3, 3], "float32">>();
    expectTypeOf(zeros([n, 3]).T).toEqualTypeOf<Tensor<[3, number], "float32">>();
    expectTypeOf(zeros([2, 3, 4]).T).toEqualTypeOf<Tensor<[number, number, number], "float32">>();
    expectTypeOf(any.T).toEqualTypeOf<AnyTensor>();
  });
});

describe("an axis that may be null, for all axes", () => {
  const x = zeros([2, 3]);
  test("is taken by reductions", () => {
    const along = (dim: number | null) => [x.sum(dim), x.amax(dim), x.argmax(dim), x.std(dim)] as const;
    expectTypeOf<ReturnType<typeof along>[0]["shape"]>().toEqualTypeOf<readonly [] | readonly [number]>();
    const mean = (y: Tensor<number[], "float32">, dim: number | null = null) =>
      y.mean(dim, { keepdim: true });
    expectTypeOf(mean(x).dtype).toEqualTypeOf<"float32">();
  });
});

describe("unknown ranks", () => {
  test("stay unknown, but where the result's rank is known anyway", () => {
    expectTypeOf(any.add(any)).toEqualTypeOf<AnyTensor>();
    expectTypeOf(any.add(matrix).shape).toEqualTypeOf<readonly number[]>();
    expectTypeOf(any.sum(0).shape).toEqualTypeOf<readonly number[]>();
    expectTypeOf(any.sum().shape).toEqualTypeOf<readonly []>();
    expectTypeOf(any.reshape([2, 3]).shape).toEqualTypeOf<readonly [2, 3]>();
    expectTypeOf(any.reshape([-1, 3]).shape).toEqualTypeOf<readonly [number, 3]>();
    expectTypeOf(any.permute([1, 0]).shape).toEqualTypeOf<readonly [number, number]>();
    expectTypeOf(any.matmul(any).shape).toEqualTypeOf<readonly number[]>();
    expectTypeOf(zeros(sizes)).toEqualTypeOf<Tensor<number[], "float32">>();
    expectTypeOf(tensor([] as Nested).shape).toEqualTypeOf<readonly number[]>();
    expectTypeOf(any.split(2)).toEqualTypeOf<Tensor<number[], DType>[]>();
  });
});

describe("assignment", () => {
  test("forgets sizes, ranks and dtypes, but never invents them", () => {
    expectTypeOf<Tensor<[2, 3], "float32">>().toExtend<Tensor<[number, 3]>>();
    expectTypeOf<Tensor<[2, 3], "float32">>().toExtend<Tensor>();
    expectTypeOf<Tensor<[2, 3], "float32">>().toExtend<Tensor<number[], "float32">>();
    expectTypeOf<Tensor<[2, 3], "float32">>().not.toExtend<Tensor<[3, 2]>>();
    expectTypeOf<Tensor<[number, 3], "float32">>().not.toExtend<Tensor<[2, 3]>>();
    expectTypeOf<Tensor<[2, 3], "int32">>().not.toExtend<Tensor<[2, 3], "float32">>();
    expectTypeOf<Tensor>().not.toExtend<Tensor<[2, 3]>>();
  });
  test("a variable that takes other shapes is annotated", () => {
    let h: Tensor = zeros([1]);
    h = h.add(zeros([5]));
    h = h.reshape([5, 1]);
    expectTypeOf(h).toExtend<Tensor>();
  });
});

describe("functions generic over a tensor", () => {
  test("check, and resolve where they are called", () => {
    const softplus = <T extends AnyTensor>(x: T) => x.exp().add(1).log();
    expectTypeOf(softplus(zeros([2, 3]))).toEqualTypeOf<Tensor<[2, 3], "float32">>();
    const scale = (x: Tensor<[number, 3], "float32">) => x.sub(x.mean(0)).div(x.std(0));
    expectTypeOf(scale(zeros([7, 3]))).toEqualTypeOf<Tensor<[number, 3], "float32">>();
  });
  test("unions of tensors are receivers too", () => {
    const either = flag ? zeros([2, 3]) : zeros([3]);
    expectTypeOf(either.exp().shape).toEqualTypeOf<readonly [2, 3] | readonly [3]>();
    expectTypeOf(either.add(1).shape).toEqualTypeOf<readonly [2, 3] | readonly [3]>();
  });
});

describe("unknown dtypes", () => {
  test("give what can be", () => {
    expectTypeOf(any.exp().dtype).toEqualTypeOf<"float16" | "float32" | "float64">();
    expectTypeOf(any.lt(0).dtype).toEqualTypeOf<"bool">();
    expectTypeOf(where(any.bool(), matrix, 0).dtype).toEqualTypeOf<"float32">();
    expectTypeOf(zeros([2], { dtype: "int8" as DType }).dtype).toEqualTypeOf<DType>();
  });
});

test("mistakes stand at the argument", () => {
  const x = zeros([5, 2, 4, 1]);
  // @ts-expect-error: the sizes 2 and 3 at dimension 1
  x.add(zeros([3, 1, 1]));
  // @ts-expect-error: an array is no operand
  x.add([1, 2, 3]);
  // @ts-expect-error: no such dtype
  x.to("float31");
  // @ts-expect-error: dimension 4
  x.sum(4);
  // @ts-expect-error: 40 elements
  x.reshape([7]);
  // @ts-expect-error: rounding is "trunc" or "floor"
  x.div(2, { roundingMode: "ceil" });
  // @ts-expect-error: a shape is an array of numbers
  zeros(["2"]);
  // @ts-expect-error: strings are no elements
  tensor(["a"]);
  // @ts-expect-error: ragged
  tensor([[1, 2], [3]]);
  // after a mistake the rank is unknown, so that one mistake makes one message
  // @ts-expect-error: the sizes 1 and 2
  expectTypeOf(zeros([2]).add(zeros([3]))).toEqualTypeOf<Tensor<number[], "float32">>();
});
