/** The shapes and dtypes of random tensors. */
import {
  binomial,
  dropout,
  multinomial,
  normal,
  ones,
  poisson,
  rand,
  randint,
  randLike,
  randperm,
  type Tensor,
} from "fuseau";
import { expectTypeOf, test } from "vitest";

test("random tensors have the shape and dtype that is asked for", () => {
  expectTypeOf(rand([2, 3])).toEqualTypeOf<Tensor<[2, 3], "float32">>();
  expectTypeOf(rand([2], { dtype: "float64" })).toEqualTypeOf<Tensor<[2], "float64">>();
  expectTypeOf(randint(9, [2])).toEqualTypeOf<Tensor<[2], "int64">>();
  expectTypeOf(randint(-9n, 9, [2], { dtype: "int8" })).toEqualTypeOf<Tensor<[2], "int8">>();
  expectTypeOf(randperm(5)).toEqualTypeOf<Tensor<[5], "int64">>();
  expectTypeOf(randLike(ones([4], { dtype: "float16" }))).toEqualTypeOf<Tensor<[4], "float16">>();
  expectTypeOf(normal(ones([3, 1]), ones([4]))).toEqualTypeOf<Tensor<[3, 4], "float32">>();
  expectTypeOf(normal(0, 1, [7])).toEqualTypeOf<Tensor<[7], "float32">>();
  expectTypeOf(poisson(ones([3, 9]))).toEqualTypeOf<Tensor<[3, 9], "float32">>();
  expectTypeOf(binomial(ones([9]), rand([3, 1]))).toEqualTypeOf<Tensor<[3, 9], "float32">>();
  expectTypeOf(multinomial(ones([3, 9]), 2)).toEqualTypeOf<Tensor<[3, 2], "int64">>();
  expectTypeOf(dropout(ones([3]))).toEqualTypeOf<Tensor<[3], "float32">>();
  expectTypeOf(ones([2, 2]).uniform_()).toEqualTypeOf<Tensor<[2, 2], "float32">>();
  // @ts-expect-error: integers are not uniform
  rand([2], { dtype: "int64" });
});
