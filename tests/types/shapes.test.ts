/** Every shape rule, checked by tsc and by running: the two must agree. */
import {
  arange,
  broadcastTensors,
  concat,
  eye,
  fromTypedArray,
  full,
  fullLike,
  linalg,
  linspace,
  matmul,
  meshgrid,
  ones,
  scalarTensor,
  stack,
  tensor,
  where,
  zeros,
  zerosLike,
} from "fuseau";
import { describe, expect, it } from "vitest";
import { expectDType, expectShape, expectTensor } from "./expect.ts";

const x = zeros([5, 3, 4]);

describe("creation", () => {
  it("takes the shape of nested arrays", () => {
    expectTensor(tensor(3), [], "float32");
    expectTensor(tensor([1, 2, 3]), [3], "float32");
    expectTensor(
      tensor([
        [1, 2],
        [3, 4],
        [5, 6],
      ]),
      [3, 2],
      "float32",
    );
    expectTensor(tensor([[[1], [2]]]), [1, 2, 1], "float32");
    expectTensor(tensor([]), [0], "float32");
    expectTensor(tensor([[], []]), [2, 0], "float32");
    expectTensor(tensor([[true, false]]), [1, 2], "bool");
    expectTensor(tensor([1n, 2n]), [2], "int64");
    expectTensor(tensor([1, 2], { dtype: "int32" }), [2], "int32");
  });
  it("takes a shape for flat elements", () => {
    expectTensor(tensor([1, 2, 3, 4, 5, 6], { shape: [2, 3] }), [2, 3], "float32");
    expectTensor(tensor(new Float64Array(6), { shape: [2, 3] }), [2, 3], "float64");
    expectTensor(tensor(new Uint8Array(6), { shape: [6], dtype: "float32" }), [6], "float32");
    expectTensor(fromTypedArray(new Int32Array(6), { shape: [3, 2] }), [3, 2], "int32");
  });
  it("fills shapes", () => {
    expectTensor(zeros([5, 3, 4, 1]), [5, 3, 4, 1], "float32");
    expectTensor(zeros([]), [], "float32");
    expectTensor(ones([2], { dtype: "uint8" }), [2], "uint8");
    expectTensor(full([2, 2], 7), [2, 2], "int64");
    expectTensor(full([2, 2], 0.5), [2, 2], "float32");
    expectTensor(full([2, 2], true), [2, 2], "bool");
    expectTensor(full([2, 2], 7, { dtype: "float64" }), [2, 2], "float64");
    expectTensor(zerosLike(x, { dtype: "int32" }), [5, 3, 4], "int32");
    expectTensor(fullLike(x, 2), [5, 3, 4], "float32");
    expectTensor(scalarTensor(2), [], "float32");
    expectTensor(eye(3), [3, 3], "float32");
    expectTensor(eye(3, 4, { dtype: "bool" }), [3, 4], "bool");
  });
  it("counts", () => {
    expectTensor(arange(10), [10], "int64");
    expectTensor(arange(2, 10, 3), [3], "int64");
    expectTensor(arange(4, { dtype: "float32" }), [4], "float32");
    expectTensor(linspace(0, 1, 5), [5], "float32");
  });
});

describe("broadcasting", () => {
  it("aligns sizes from the end, and takes the one that is not 1", () => {
    expectShape(zeros([5, 7, 3]).add(zeros([5, 7, 3])), [5, 7, 3]);
    expectShape(zeros([5, 3, 4, 1]).add(zeros([3, 1, 1])), [5, 3, 4, 1]);
    expectShape(zeros([5, 1, 4, 1]).add(zeros([3, 1, 1])), [5, 3, 4, 1]);
    expectShape(zeros([1]).add(zeros([3, 1, 7])), [3, 1, 7]);
    expectShape(zeros([1, 9, 4]).add(zeros([15, 1, 4])), [15, 9, 4]);
    expectShape(zeros([0]).add(zeros([2, 1])), [2, 0]);
  });
  it("lets 0-d tensors and scalars broadcast with everything", () => {
    expectShape(x.mul(2), [5, 3, 4]);
    expectShape(x.mul(zeros([])), [5, 3, 4]);
    expectShape(zeros([]).mul(x), [5, 3, 4]);
    expectShape(zeros([]).mul(zeros([])), []);
  });
  it("takes three operands", () => {
    expectShape(where(zeros([2, 1, 1], { dtype: "bool" }), zeros([3, 1]), zeros([4])), [2, 3, 4]);
    expectShape(x.where(ones([3, 1], { dtype: "bool" }), 0), [5, 3, 4]);
    expectShape(zeros([3, 1]).addcmul(zeros([4]), zeros([2, 1, 1])), [2, 3, 4]);
    expectShape(zeros([3, 1]).lerp(zeros([4]), 0.5), [3, 4]);
    expectShape(zeros([3, 1]).clamp(zeros([4]), 2), [3, 4]);
    expectShape(zeros([3, 1]).clamp(null, zeros([4])), [3, 4]);
    expectShape(zeros([3, 1]).clamp(0), [3, 1]);
    expectShape(zeros([3, 1]).clamp({ min: 0 }), [3, 1]);
    expectShape(zeros([3, 1]).clip({ max: zeros([4]), min: zeros([2, 1, 1]) }), [2, 3, 4]);
  });
  it("solves systems, one for each matrix or one for all", () => {
    const each = eye(3).expand([4, 3, 3]);
    expectShape(linalg.qr(ones([4, 3]), { mode: "r" }).Q, [0]);
    expectShape(linalg.qr(ones([4, 3]), "r").Q, [0]);
    expectShape(linalg.solve(each, ones([4, 3, 2])), [4, 3, 2]);
    expectShape(linalg.solve(eye(3), ones([5, 3, 2])), [5, 3, 2]);
    expectShape(linalg.solve(each, ones([3])), [4, 3]);
    expectShape(linalg.lstsq(each, ones([4, 3, 2])).solution, [4, 3, 2]);
    expectShape(linalg.lstsq(ones([3, 2]), ones([3])).solution, [2]);
    const perMatrix: readonly number[] = linalg.lstsq(each, ones([4, 3])).solution.shape;
    expect(perMatrix).toEqual([4, 3]);
    expectShape(linalg.svdvals(zeros([7, 4, 9])), [7, 4]);
  });
  it("knows each tensor of a list that is broadcast", () => {
    const [rows, columns] = meshgrid([zeros([2]), zeros([3], { dtype: "int64" })]);
    expectShape(rows, [2, 3]);
    expectDType(columns, "int64");
    expectShape(meshgrid([zeros([2]), zeros([3])], { indexing: "xy" })[1], [3, 2]);
    expectShape(meshgrid([zeros([2]), zeros([]), zeros([4])])[2], [2, 1, 4]);
    expectShape(broadcastTensors([zeros([2, 1]), zeros([3])])[1], [2, 3]);
  });
});

describe("movement", () => {
  it("reshapes, with −1 as what remains", () => {
    expectShape(x.reshape([60]), [60]);
    expectShape(x.reshape([-1, 6]), [10, 6]);
    expectShape(x.view([4, -1, 5]), [4, 3, 5]);
    expectShape(zeros([1]).reshape([]), []);
    expectShape(zeros([0, 3]).reshape([3, 0]), [3, 0]);
    expectShape(zeros([512, 1204, 1000]).reshape([-1]), [616448000]);
    expectShape(x.reshapeAs(zeros([6, 10])), [6, 10]);
    expectShape(x.flatten(), [60]);
    expectShape(x.flatten(1), [5, 12]);
    expectShape(x.flatten(0, 1), [15, 4]);
    expectShape(zeros([]).flatten(), [1]);
  });
  it("orders axes", () => {
    expectShape(x.permute([2, 0, 1]), [4, 5, 3]);
    expectShape(x.permute([-1, -3, 1]), [4, 5, 3]);
    expectShape(x.transpose(0, 2), [4, 3, 5]);
    expectShape(x.transpose(-1, -2), [5, 4, 3]);
    expectShape(zeros([2, 3]).t(), [3, 2]);
    expectShape(zeros([3]).t(), [3]);
  });
  it("expands", () => {
    expectShape(zeros([3, 1]).expand([2, -1, 4]), [2, 3, 4]);
    expectShape(zeros([]).expand([2, 3]), [2, 3]);
    expectShape(zeros([3]).broadcastTo([2, 3]), [2, 3]);
    expectShape(zeros([3, 1]).expandAs(zeros([2, 3, 4])), [2, 3, 4]);
  });
  it("drops and inserts axes of size 1", () => {
    expectShape(zeros([1, 3, 1]).squeeze(), [3]);
    expectShape(zeros([1, 3, 1]).squeeze(0), [3, 1]);
    expectShape(zeros([1, 3, 1]).squeeze([0, -1]), [3]);
    expectShape(zeros([1, 3, 1]).squeeze(1), [1, 3, 1]);
    expectShape(x.unsqueeze(0), [1, 5, 3, 4]);
    expectShape(x.unsqueeze(-1), [5, 3, 4, 1]);
    expectShape(x.unsqueeze(1).squeeze(1), [5, 3, 4]);
  });
  it("slices", () => {
    const y = zeros([10, 20, 30]);
    expectShape(y.slice([1, null], [0, 10, 2]), [9, 5, 30]);
    expectShape(y.slice(3), [20, 30]);
    expectShape(y.slice(-1, ":", 0), [20]);
    expectShape(y.slice("...", -1), [10, 20]);
    expectShape(y.slice(":", null, "...", [-3]), [10, 1, 20, 3]);
    expectShape(y.slice([null, -1], []), [9, 20, 30]);
    expectShape(y.slice([5, 2]), [0, 20, 30]);
    expectShape(y.slice([0, 100, 7]), [2, 20, 30]);
    expectShape(y.slice([-100, 3]), [3, 20, 30]);
    expectShape(y.slice(1, 2, 3), []);
  });
  it("pads and repeats", () => {
    expectShape(zeros([3, 4]).pad([1, 2]), [3, 7]);
    expectShape(zeros([3, 4]).pad([1, 2, 0, 1]), [4, 7]);
    expectShape(zeros([3, 4]).pad([-1, -1]), [3, 2]);
    expectShape(zeros([3, 4]).pad([]), [3, 4]);
    expectShape(zeros([3, 4]).repeat([2, 1, 2]), [2, 3, 8]);
    expectShape(zeros([3, 4]).tile([2]), [3, 8]);
    expectShape(zeros([3]).tile([2, 2]), [2, 6]);
  });
  it("takes pieces", () => {
    const y = zeros([7, 2]);
    const [first, , last] = y.split(3);
    expectShape(first, [3, 2]);
    expectShape(last, [1, 2]);
    const [a, b] = y.split([3, 4]);
    expectShape(a, [3, 2]);
    expectShape(b, [4, 2]);
    const chunks = y.chunk(3);
    expectShape(chunks[2], [1, 2]);
    const [left] = y.unbind(1);
    expectShape(left, [7]);
    expectShape(y.select(0, -1), [2]);
    expectShape(y.narrow(0, 2, 3), [3, 2]);
  });
  it("takes diagonals and triangles", () => {
    expectShape(zeros([3, 4]).diagonal(), [3]);
    expectShape(zeros([3, 4]).diagonal(1), [3]);
    expectShape(zeros([3, 4]).diagonal(-1), [2]);
    expectShape(zeros([3, 4]).diagonal(9), [0]);
    expectShape(zeros([3, 4, 5]).diagonal(1, 1, 2), [3, 4]);
    expectShape(x.tril(), [5, 3, 4]);
    expectShape(x.flip([0, -1]).roll(1, 0), [5, 3, 4]);
  });
  it("joins", () => {
    expectShape(concat([zeros([2, 3]), zeros([4, 3])]), [6, 3]);
    expectShape(concat([zeros([2, 3]), zeros([2, 1])], -1), [2, 4]);
    expectShape(concat([zeros([0]), zeros([4, 3])]), [4, 3]);
    expectShape(concat([zeros([2, 3]), zeros([0]), zeros([4, 3])], 0), [6, 3]);
    expectShape(stack([zeros([5, 3]), zeros([5, 3])]), [2, 5, 3]);
    expectShape(stack([zeros([5, 3]), zeros([5, 3])], -1), [5, 3, 2]);
  });
});

describe("reductions", () => {
  it("fold axes away, or keep them as 1", () => {
    expectShape(x.sum(), []);
    expectShape(x.sum(1), [5, 4]);
    expectShape(x.sum(-1), [5, 3]);
    expectShape(x.sum([0, -1]), [3]);
    expectShape(x.sum([]), []);
    expectShape(x.sum(null, { keepdim: true }), [1, 1, 1]);
    expectShape(x.sum([0, 2], { keepdim: true }), [1, 3, 1]);
    expectShape(x.mean(0), [3, 4]);
    expectShape(zeros([]).sum(0), []);
    expectShape(zeros([]).sum(-1, { keepdim: true }), []);
    expectShape(x.argmax(), []);
    expectShape(x.argmax(1, { keepdim: true }), [5, 1, 4]);
    expectShape(x.max(), []);
    expectShape(x.max(0).values, [3, 4]);
    expectShape(x.min(-1, { keepdim: true }).indices, [5, 3, 1]);
    expectShape(x.max(zeros([4])), [5, 3, 4]);
    expectShape(x.amax([0, 1]), [4]);
    expectShape(x.std(0), [3, 4]);
    expectShape(x.varMean([1, 2])[1], [5]);
    expectShape(x.norm(2, 1), [5, 4]);
    expectShape(x.logsumexp(-1), [5, 3]);
    expectShape(x.softmax(-1), [5, 3, 4]);
    expectShape(x.layerNorm([4]), [5, 3, 4]);
  });
});

describe("products", () => {
  it("multiply the last two axes and broadcast the others", () => {
    expectShape(zeros([2, 3]).matmul(zeros([3, 4])), [2, 4]);
    expectShape(zeros([3]).matmul(zeros([3])), []);
    expectShape(zeros([3]).matmul(zeros([5, 3, 4])), [5, 4]);
    expectShape(zeros([5, 3, 4]).matmul(zeros([4])), [5, 3]);
    expectShape(zeros([7, 1, 2, 3]).matmul(zeros([5, 3, 4])), [7, 5, 2, 4]);
    expectShape(matmul(zeros([2, 3]), zeros([3, 4])), [2, 4]);
    expectShape(zeros([2, 3]).mm(zeros([3, 4])), [2, 4]);
    expectShape(zeros([6, 2, 3]).bmm(zeros([6, 3, 4])), [6, 2, 4]);
    expectShape(zeros([2, 3]).mv(zeros([3])), [2]);
    expectShape(zeros([3]).dot(zeros([3])), []);
    expectShape(zeros([3]).outer(zeros([4])), [3, 4]);
  });
});
