/** What a mapped function takes and gives: the shapes of one example with the axis of the batch. */
import { type AnyTensor, func, type Tensor, zeros } from "fuseau";
import { expect, expectTypeOf, test } from "vitest";

type Row = Tensor<[5], "float32">;
const batch = zeros([4, 5]);

test("a function of rows takes a batch of rows", () => {
  const sums = func.vmap((row: Row) => row.sum())(batch);
  expectTypeOf(sums).toEqualTypeOf<Tensor<[number], "float32">>();
  const outer = func.vmap((row: Row, other: Tensor<[3], "float64">) => row.gt(0).unsqueeze(1).mul(other));
  expectTypeOf(outer(batch, zeros([4, 3], { dtype: "float64" }))).toEqualTypeOf<
    Tensor<[number, 5, 3], "float64">
  >();
});

test("a batch of other rows, or of another dtype, is refused", () => {
  const sum = func.vmap((row: Row) => row.sum());
  // @ts-expect-error: rows of 6
  expect(() => sum(zeros([4, 6]))).not.toThrow();
  // @ts-expect-error: a row, which is no batch of rows
  expect(() => sum(zeros([5]))).not.toThrow();
  // @ts-expect-error: float64
  expect(() => sum(zeros([4, 5], { dtype: "float64" }))).not.toThrow();
});

test("inDims and outDims say where the axis is, and null that there is none", () => {
  const weight = zeros([5, 2]);
  const apply = (w: Tensor<[5, 2], "float32">, row: Row) => row.matmul(w);
  expectTypeOf(func.vmap(apply, [null, 0])(weight, batch)).toEqualTypeOf<Tensor<[number, 2], "float32">>();
  expectTypeOf(func.vmap(apply, [null, 1], 1)(weight, zeros([5, 4]))).toEqualTypeOf<
    Tensor<[number, number], "float32">
  >();
  const scaled = func.vmap(
    (of: { readonly x: Row; readonly y: Row }) => ({ z: of.x.mul(of.y) }),
    [{ x: 0, y: null }],
  );
  expectTypeOf(scaled({ x: batch, y: zeros([5]) })).toEqualTypeOf<{ z: Tensor<[number, 5], "float32"> }>();
  const dims: func.Dims = [null, 0];
  expectTypeOf(func.vmap(apply, dims)(weight, batch)).toEqualTypeOf<Tensor<[number, 2], "float32">>();
});

test("where ranks are unknown any tensor fits, and mapped functions are mapped again", () => {
  const any = func.vmap((x: AnyTensor) => x.sin());
  expectTypeOf(any(batch).shape).toEqualTypeOf<readonly number[]>();
  const gradients = func.vmap(func.grad((x: AnyTensor): AnyTensor => x.square().sum()));
  expectTypeOf(gradients(batch).shape).toEqualTypeOf<readonly number[]>();
  const twice = func.vmap(func.vmap((row: Row) => row.sum()));
  expectTypeOf(twice(zeros([2, 4, 5]))).toEqualTypeOf<Tensor<[number, number], "float32">>();
});
