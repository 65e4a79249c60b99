/**
 * Three hundred ops, no two of the same shapes: the file whose checking time `benchmarks/check-time.ts` measures. Every
 * block ends in the exact type that it must come to.
 */
import { concat, stack, type Tensor, where, zeros } from "fuseau";
import { expectTypeOf, test } from "vitest";

test("block 1", () => {
  const x = zeros([2, 5, 8]);
  const a = x.add(zeros([5, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 8]);
  const d = c.matmul(zeros([8, 2]));
  const e = d.t().slice([1, null], [0, 5, 2]);
  const f = concat([e, zeros([2, 3])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[3, 3, 2], "float32">>();
});

test("block 2", () => {
  const x = zeros([3, 7, 11]);
  const a = x.add(zeros([7, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 11]);
  const d = c.matmul(zeros([11, 3]));
  const e = d.t().slice([1, null], [0, 7, 2]);
  const f = concat([e, zeros([3, 4])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[5, 4, 2], "float32">>();
});

test("block 3", () => {
  const x = zeros([4, 9, 14]);
  const a = x.add(zeros([9, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 14]);
  const d = c.matmul(zeros([14, 4]));
  const e = d.t().slice([1, null], [0, 9, 2]);
  const f = concat([e, zeros([4, 5])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[7, 5, 2], "float32">>();
});

test("block 4", () => {
  const x = zeros([5, 11, 17]);
  const a = x.add(zeros([11, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 17]);
  const d = c.matmul(zeros([17, 5]));
  const e = d.t().slice([1, null], [0, 11, 2]);
  const f = concat([e, zeros([5, 6])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[9, 6, 2], "float32">>();
});

test("block 5", () => {
  const x = zeros([6, 13, 20]);
  const a = x.add(zeros([13, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 20]);
  const d = c.matmul(zeros([20, 6]));
  const e = d.t().slice([1, null], [0, 13, 2]);
  const f = concat([e, zeros([6, 7])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[11, 7, 2], "float32">>();
});

test("block 6", () => {
  const x = zeros([7, 15, 23]);
  const a = x.add(zeros([15, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 23]);
  const d = c.matmul(zeros([23, 7]));
  const e = d.t().slice([1, null], [0, 15, 2]);
  const f = concat([e, zeros([7, 8])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[13, 8, 2], "float32">>();
});

test("block 7", () => {
  const x = zeros([8, 17, 26]);
  const a = x.add(zeros([17, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 26]);
  const d = c.matmul(zeros([26, 8]));
  const e = d.t().slice([1, null], [0, 17, 2]);
  const f = concat([e, zeros([8, 9])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[15, 9, 2], "float32">>();
});

test("block 8", () => {
  const x = zeros([9, 19, 29]);
  const a = x.add(zeros([19, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 29]);
  const d = c.matmul(zeros([29, 9]));
  const e = d.t().slice([1, null], [0, 19, 2]);
  const f = concat([e, zeros([9, 10])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[17, 10, 2], "float32">>();
});

test("block 9", () => {
  const x = zeros([10, 21, 32]);
  const a = x.add(zeros([21, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 32]);
  const d = c.matmul(zeros([32, 10]));
  const e = d.t().slice([1, null], [0, 21, 2]);
  const f = concat([e, zeros([10, 11])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[19, 11, 2], "float32">>();
});

test("block 10", () => {
  const x = zeros([11, 23, 35]);
  const a = x.add(zeros([23, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 35]);
  const d = c.matmul(zeros([35, 11]));
  const e = d.t().slice([1, null], [0, 23, 2]);
  const f = concat([e, zeros([11, 12])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[21, 12, 2], "float32">>();
});

test("block 11", () => {
  const x = zeros([12, 25, 38]);
  const a = x.add(zeros([25, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 38]);
  const d = c.matmul(zeros([38, 12]));
  const e = d.t().slice([1, null], [0, 25, 2]);
  const f = concat([e, zeros([12, 13])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[23, 13, 2], "float32">>();
});

test("block 12", () => {
  const x = zeros([13, 27, 41]);
  const a = x.add(zeros([27, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 41]);
  const d = c.matmul(zeros([41, 13]));
  const e = d.t().slice([1, null], [0, 27, 2]);
  const f = concat([e, zeros([13, 14])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[25, 14, 2], "float32">>();
});

test("block 13", () => {
  const x = zeros([14, 29, 44]);
  const a = x.add(zeros([29, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 44]);
  const d = c.matmul(zeros([44, 14]));
  const e = d.t().slice([1, null], [0, 29, 2]);
  const f = concat([e, zeros([14, 15])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[27, 15, 2], "float32">>();
});

test("block 14", () => {
  const x = zeros([15, 31, 47]);
  const a = x.add(zeros([31, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 47]);
  const d = c.matmul(zeros([47, 15]));
  const e = d.t().slice([1, null], [0, 31, 2]);
  const f = concat([e, zeros([15, 16])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[29, 16, 2], "float32">>();
});

test("block 15", () => {
  const x = zeros([16, 33, 50]);
  const a = x.add(zeros([33, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 50]);
  const d = c.matmul(zeros([50, 16]));
  const e = d.t().slice([1, null], [0, 33, 2]);
  const f = concat([e, zeros([16, 17])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[31, 17, 2], "float32">>();
});

test("block 16", () => {
  const x = zeros([17, 35, 53]);
  const a = x.add(zeros([35, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 53]);
  const d = c.matmul(zeros([53, 17]));
  const e = d.t().slice([1, null], [0, 35, 2]);
  const f = concat([e, zeros([17, 18])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[33, 18, 2], "float32">>();
});

test("block 17", () => {
  const x = zeros([18, 37, 56]);
  const a = x.add(zeros([37, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 56]);
  const d = c.matmul(zeros([56, 18]));
  const e = d.t().slice([1, null], [0, 37, 2]);
  const f = concat([e, zeros([18, 19])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[35, 19, 2], "float32">>();
});

test("block 18", () => {
  const x = zeros([19, 39, 59]);
  const a = x.add(zeros([39, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 59]);
  const d = c.matmul(zeros([59, 19]));
  const e = d.t().slice([1, null], [0, 39, 2]);
  const f = concat([e, zeros([19, 20])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[37, 20, 2], "float32">>();
});

test("block 19", () => {
  const x = zeros([20, 41, 62]);
  const a = x.add(zeros([41, 1]));
  const b = a.sub(a.mean(1, { keepdim: true }));
  const c = b.reshape([-1, 62]);
  const d = c.matmul(zeros([62, 20]));
  const e = d.t().slice([1, null], [0, 41, 2]);
  const f = concat([e, zeros([20, 21])]);
  const g = stack([f, f], -1);
  const y = where(g.gt(0), g.sum([0, -1], { keepdim: true }), 0);
  expectTypeOf(y).toEqualTypeOf<Tensor<[39, 21, 2], "float32">>();
});
