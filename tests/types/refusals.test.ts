/**
 * What a mistake reads like. The message that tsc shows stands in the argument's type; when types are set aside, the same
 * text is thrown where the op is recorded.
 */
import {
  type AnyTensor,
  arange,
  concat,
  crossEntropy,
  embedding,
  linalg,
  matmul,
  type Nested,
  nllLoss,
  stack,
  tensor,
  where,
  zeros,
} from "fuseau";
import { Embedding } from "fuseau/nn";
import { describe, expect, it } from "vitest";
import { erased, expectRefusal, expectTensor } from "./expect.ts";

const x = zeros([5, 3, 4]);
const a = zeros([5, 2, 4, 1]);
const b = zeros([3, 1, 1]);

type First<Method> = Method extends (...list: infer List) => unknown ? List[0] : never;
type Second<Method> = Method extends (...list: infer List) => unknown ? List[1] : never;
type Third<Method> = Method extends (...list: infer List) => unknown ? List[2] : never;

describe("limits by name", () => {
  it("broadcast, and are min and max", () => {
    const c = zeros([2, 3]);
    const four = zeros([4]);
    // @ts-expect-error: it does not broadcast
    expect(() => c.clamp({ max: four })).toThrow("clamp: The size of tensor a (3) must match");
    // @ts-expect-error: no limit is called so
    expect(() => c.clamp({ mim: 0 })).toThrow('clamp: unknown option "mim"');
    // @ts-expect-error: no limit is a string
    expect(() => c.clamp("0")).toThrow("clamp: an operand is");
    // @ts-expect-error: an integer tensor does not hold it
    expect(() => zeros([2], { dtype: "int64" }).clamp_({ min: 0.5 })).toThrow("clamp_: result type Float");
  });
});

describe("matrices", () => {
  it("that are not square have no inverse", () => {
    const wide = zeros([2, 3]);
    expectRefusal<Parameters<typeof linalg.inv<typeof wide>>[0]>(
      () => linalg.inv(erased(wide)),
      "linalg.inv",
      "A must be batches of square matrices, but they are 2 by 3 matrices",
    );
  });
});

describe("broadcasting", () => {
  const message =
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1 (shapes [5, 2, 4, 1] and [3, 1, 1])";
  it("names the sizes, the dimension and both shapes", () => {
    expectRefusal<First<typeof a.add<typeof a, typeof b>>>(() => erased(a).add(erased(b)), "add", message);
    expectRefusal<First<typeof a.lt<typeof a, typeof b>>>(() => erased(a).lt(erased(b)), "lt", message);
    expectRefusal<First<typeof a.atan2<typeof a, typeof b>>>(
      () => erased(a).atan2(erased(b)),
      "atan2",
      message,
    );
    expectRefusal<First<typeof a.max<typeof a, typeof b>>>(() => erased(a).max(erased(b)), "max", message);
  });
  it("takes the last dimension that does not fit", () => {
    const c = zeros([2, 3]);
    const d = zeros([4, 5]);
    expectRefusal<First<typeof c.mul<typeof c, typeof d>>>(
      () => erased(c).mul(erased(d)),
      "mul",
      "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1 (shapes [2, 3] and [4, 5])",
    );
  });
  it("refuses an empty axis beside a longer one", () => {
    const c = zeros([0]);
    const d = zeros([2, 2]);
    expectRefusal<First<typeof c.add<typeof c, typeof d>>>(
      () => erased(c).add(erased(d)),
      "add",
      "The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 1 (shapes [0] and [2, 2])",
    );
  });
  it("looks at the third operand too", () => {
    const condition = zeros([2, 1], { dtype: "bool" });
    const c = zeros([3]);
    const d = zeros([4]);
    expectRefusal<Third<typeof where<typeof condition, typeof c, typeof d>>>(
      () => where(erased(condition), erased(c), erased(d)),
      "where",
      "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1 (shapes [2, 3] and [4])",
    );
  });
});

describe("axes", () => {
  const message = "Dimension out of range (expected to be in range of [-3, 2], but got 3) (shape [5, 3, 4])";
  it("names the range", () => {
    expectRefusal<First<typeof x.sum<typeof x, 3>>>(() => erased(x).sum(3), "sum", message);
    expectRefusal<First<typeof x.argmax<typeof x, 3>>>(() => erased(x).argmax(3), "argmax", message);
    expectRefusal<First<typeof x.softmax<typeof x, 3>>>(() => erased(x).softmax(3), "softmax", message);
    expectRefusal<First<typeof x.squeeze<typeof x, 3>>>(() => erased(x).squeeze(3), "squeeze", message);
    expectRefusal<First<typeof x.transpose<typeof x, 3, 0>>>(
      () => erased(x).transpose(3, 0),
      "transpose",
      message,
    );
    expectRefusal<Second<typeof x.chunk<typeof x, 2, 3>>>(() => erased(x).chunk(2, 3), "chunk", message);
    expectRefusal<First<typeof x.flip<typeof x, readonly [0, 3]>>>(
      () => erased(x).flip([0, 3]),
      "flip",
      message,
    );
  });
  it("counts one more where an axis is inserted", () => {
    expectRefusal<First<typeof x.unsqueeze<typeof x, 4>>>(
      () => erased(x).unsqueeze(4),
      "unsqueeze",
      "Dimension out of range (expected to be in range of [-4, 3], but got 4) (shape [5, 3, 4])",
    );
  });
  it("gives a 0-d tensor the axes 0 and −1", () => {
    const scalar = zeros([]);
    expectRefusal<First<typeof scalar.sum<typeof scalar, 1>>>(
      () => erased(scalar).sum(1),
      "sum",
      "Dimension out of range (expected to be in range of [-1, 0], but got 1) (shape [])",
    );
  });
  it("refuses an axis that is named twice", () => {
    expectRefusal<First<typeof x.mean<typeof x, readonly [0, -3]>>>(
      () => erased(x).mean([0, -3]),
      "mean",
      "dim 0 appears multiple times in the list of dims",
    );
  });
});

describe("reshape", () => {
  it("says how many elements there are", () => {
    expectRefusal<First<typeof x.reshape<typeof x, readonly [7]>>>(
      () => erased(x).reshape([7]),
      "reshape",
      "shape '[7]' is invalid for input of size 60 (shape [5, 3, 4]; 7 elements are asked for)",
    );
    expectRefusal<First<typeof x.reshape<typeof x, readonly [-1, 7]>>>(
      () => erased(x).reshape([-1, 7]),
      "reshape",
      "shape '[-1, 7]' is invalid for input of size 60 (shape [5, 3, 4]; 60 elements of [5, 3, 4] are not a multiple of 7)",
    );
  });
  it("infers one size only", () => {
    expectRefusal<First<typeof x.view<typeof x, readonly [-1, -1]>>>(
      () => erased(x).view([-1, -1] as number[]),
      "view",
      "only one dimension can be inferred",
    );
    expectRefusal<First<typeof x.reshape<typeof x, readonly [-2, 30]>>>(
      () => erased(x).reshape([-2, 30] as number[]),
      "reshape",
      "invalid shape dimension -2",
    );
    const empty = zeros([0, 2]);
    expectRefusal<First<typeof empty.reshape<typeof empty, readonly [-1, 0]>>>(
      () => erased(empty).reshape([-1, 0]),
      "reshape",
      "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any value and is ambiguous",
    );
  });
  it("flattens forwards", () => {
    expectRefusal<Second<typeof x.flatten<typeof x, 2, 1>>>(
      () => erased(x).flatten(2, 1),
      "flatten",
      "flatten() has invalid args: start_dim cannot come after end_dim",
    );
  });
});

describe("other movement", () => {
  it("permutes every axis once", () => {
    expectRefusal<First<typeof x.permute<typeof x, readonly [0, 1]>>>(
      () => erased(x).permute([0, 1]),
      "permute",
      "number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2 (dims [0, 1], shape [5, 3, 4])",
    );
    expectRefusal<First<typeof x.permute<typeof x, readonly [0, 1, 1]>>>(
      () => erased(x).permute([0, 1, 1]),
      "permute",
      "permute(): duplicate dims are not allowed.",
    );
  });
  it("expands only what has size 1", () => {
    const y = zeros([3, 1]);
    expectRefusal<First<typeof y.expand<typeof y, readonly [4, 2]>>>(
      () => erased(y).expand([4, 2]),
      "expand",
      "The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0.  Target sizes: [4, 2].  Tensor sizes: [3, 1]",
    );
    expectRefusal<First<typeof y.expand<typeof y, readonly [4]>>>(
      () => erased(y).expand([4]),
      "expand",
      "the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)",
    );
    expectRefusal<First<typeof y.expand<typeof y, readonly [-1, 3, 1]>>>(
      () => erased(y).expand([-1, 3, 1]),
      "expand",
      "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0",
    );
  });
  it("slices what is there", () => {
    expectRefusal<Second<typeof x.slice<typeof x, readonly [":", 3]>>>(
      () => erased(x).slice(":", 3),
      "slice",
      "index 3 is out of bounds for dimension 1 with size 3 (shape [5, 3, 4])",
    );
    expectRefusal<First<typeof x.slice<typeof x, readonly [-6]>>>(
      () => erased(x).slice(-6),
      "slice",
      "index -6 is out of bounds for dimension 0 with size 5 (shape [5, 3, 4])",
    );
    expectRefusal<First<typeof x.slice<typeof x, readonly [readonly [null, null, -1]]>>>(
      () => erased(x).slice([null, null, -1]),
      "slice",
      "step must be greater than zero (got -1; PyTorch has no negative steps; flip reverses)",
    );
    expectRefusal<First<typeof x.slice<typeof x, readonly [0, 0, 0, 0]>>>(
      () => erased(x).slice(0, 0, 0, 0),
      "slice",
      "too many indices for tensor of dimension 3 (4 indices, shape [5, 3, 4])",
    );
  });
  it("pads by pairs", () => {
    const y = zeros([3, 4]);
    expectRefusal<First<typeof y.pad<typeof y, readonly [1, 1, 1]>>>(
      () => erased(y).pad([1, 1, 1]),
      "pad",
      "Padding length must be divisible by 2 (widths [1, 1, 1])",
    );
    expectRefusal<First<typeof y.pad<typeof y, readonly [1, 1, 1, 1, 1, 1]>>>(
      () => erased(y).pad([1, 1, 1, 1, 1, 1]),
      "pad",
      "Length of pad should be no more than twice the number of dimensions of the input. Pad length is 6 while the input has 2 dimensions.",
    );
    expectRefusal<First<typeof y.pad<typeof y, readonly [-3, -2]>>>(
      () => erased(y).pad([-3, -2]),
      "pad",
      "The input size 4, plus negative padding -3 and -2, resulted in a negative output size, which is invalid. Check dimension 1 of your input.",
    );
    expectRefusal<First<typeof y.pad<typeof y, readonly [5, -5]>>>(
      () => erased(y).pad([5, -5]),
      "pad",
      "The input size 4, plus negative padding 5 and -5, resulted in a negative output size, which is invalid. Check dimension 1 of your input.",
    );
    expectRefusal<First<typeof y.pad<typeof y, readonly [-5, 5]>>>(
      () => erased(y).pad([-5, 5]),
      "pad",
      "The input size 4, plus negative padding -5 and 5, resulted in a negative output size, which is invalid. Check dimension 1 of your input.",
    );
  });
  it("repeats every axis", () => {
    const y = zeros([3, 4]);
    expectRefusal<First<typeof y.repeat<typeof y, readonly [2]>>>(
      () => erased(y).repeat([2]),
      "repeat",
      "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor (repeats [2], shape [3, 4]; tile adds leading ones)",
    );
  });
  it("takes the diagonal of two axes", () => {
    expectRefusal<Third<typeof x.diagonal<typeof x, 0, 1, -2>>>(
      () => erased(x).diagonal(0, 1, -2),
      "diagonal",
      "diagonal dimensions cannot be identical 1, -2 (shape [5, 3, 4])",
    );
  });
});

describe("joining", () => {
  const p = zeros([5, 3]);
  const q = zeros([2, 4]);
  it("names the tensor that does not fit", () => {
    expectRefusal<First<typeof concat<readonly [typeof p, typeof q], 0>>>(
      () => concat([erased(p), erased(q)]),
      "concat",
      "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1 in the list. (shapes [5, 3] and [2, 4])",
    );
    expectRefusal<First<typeof concat<readonly [typeof p, typeof x], 0>>>(
      () => concat([erased(p), erased(x)]),
      "concat",
      "Tensors must have same number of dimensions: got 2 and 3 (shapes [5, 3] and [5, 3, 4])",
    );
    expectRefusal<First<typeof stack<readonly [typeof p, typeof q], 0>>>(
      () => stack([erased(p), erased(q)]),
      "stack",
      "stack expects each tensor to be equal size, but got [5, 3] at entry 0 and [2, 4] at entry 1",
    );
  });
  it("wants tensors", () => {
    expectRefusal<First<typeof concat<readonly [], 0>>>(
      () => concat([] as (typeof x)[]),
      "concat",
      "torch.cat(): expected a non-empty list of Tensors",
    );
    expectRefusal<First<typeof stack<readonly [], 0>>>(
      () => stack([] as (typeof x)[]),
      "stack",
      "stack expects a non-empty TensorList",
    );
  });
});

describe("products", () => {
  it("of other ranks are refused", () => {
    const [m, v] = [zeros([2, 3]), zeros([3])];
    expectRefusal<First<typeof m.mm<typeof m, typeof v>>>(
      () => erased(m).mm(erased(v)),
      "mm",
      "mat2 must be a matrix (got shape [3])",
    );
    expectRefusal<First<typeof m.bmm<typeof m, typeof m>>>(
      () => erased(m).bmm(erased(m)),
      "bmm",
      "batch1 must be a 3D tensor (got shape [2, 3])",
    );
    expectRefusal<First<typeof v.mv<typeof v, typeof v>>>(
      () => erased(v).mv(erased(v)),
      "mv",
      "vector + matrix @ vector expected, got 1, 1, 1 (shapes [3] and [3])",
    );
    expectRefusal<First<typeof m.dot<typeof m, typeof v>>>(
      () => erased(m).dot(erased(v)),
      "dot",
      "1D tensors expected, but got 2D and 1D tensors (shapes [2, 3] and [3])",
    );
  });

  it("name the inner sizes", () => {
    const p = zeros([2, 3]);
    const q = zeros([4, 5]);
    expectRefusal<First<typeof p.matmul<typeof p, typeof q>>>(
      () => erased(p).matmul(erased(q)),
      "matmul",
      "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5) (inner sizes 3 and 4 of [2, 3] and [4, 5] differ)",
    );
    const v = zeros([3]);
    const w = zeros([4]);
    expectRefusal<First<typeof v.dot<typeof v, typeof w>>>(
      () => erased(v).dot(erased(w)),
      "dot",
      "inconsistent tensor size, expected tensor [3] and src [4] to have the same number of elements, but got 3 and 4 elements respectively",
    );
    expectRefusal<First<typeof p.matmul<typeof p, typeof w>>>(
      () => erased(p).matmul(erased(w)),
      "matmul",
      "size mismatch, got input (2), mat (2x3), vec (4) (inner sizes 3 and 4 of [2, 3] and [4] differ)",
    );
    const batch = zeros([6, 2, 3]);
    expectRefusal<First<typeof batch.matmul<typeof batch, typeof q>>>(
      () => erased(batch).matmul(erased(q)),
      "matmul",
      "mat1 and mat2 shapes cannot be multiplied (12x3 and 4x5) (inner sizes 3 and 4 of [6, 2, 3] and [4, 5] differ)",
    );
    const other = zeros([6, 4, 5]);
    expectRefusal<First<typeof batch.matmul<typeof batch, typeof other>>>(
      () => erased(batch).matmul(erased(other)),
      "matmul",
      "Expected size for first two dimensions of batch2 tensor to be: [6, 3] but got: [6, 4]. (inner sizes 3 and 4 of [6, 2, 3] and [6, 4, 5] differ)",
    );
    const scalar = zeros([]);
    expectRefusal<Second<typeof matmul<typeof p, typeof scalar>>>(
      () => matmul(erased(p), erased(scalar)),
      "matmul",
      "both arguments to matmul need to be at least 1D, but they are 2D and 0D (shapes [2, 3] and [])",
    );
  });
});

describe("creation", () => {
  it("refuses ragged arrays", () => {
    expectRefusal<First<typeof tensor<readonly [readonly [1, 2], readonly [3]]>>>(
      () => tensor([[1, 2], [3]] as Nested),
      "tensor",
      "the nested arrays are ragged: rows at the same depth must have the same length",
    );
  });
  it("refuses sizes that are none", () => {
    expectRefusal<First<typeof zeros<readonly [2, -1]>>>(
      () => zeros([2, -1] as number[]),
      "zeros",
      "Trying to create tensor with negative dimension -1: [2, -1]",
    );
    expectRefusal<First<typeof zeros<readonly [2, 1.5]>>>(
      () => zeros([2, 1.5] as number[]),
      "zeros",
      "sizes must be integers, but one of [2, 1.5] is 1.5",
    );
  });
});

describe("places", () => {
  const row = zeros([3, 4]);
  const floats = zeros([3, 2]);
  const list = zeros([2]);
  const got = 'got float32; cast it, e.g. index.to("int64")';
  it("are integers, and a list of numbers is floats", () => {
    expectRefusal<Second<typeof row.gather<typeof row, 1, typeof floats>>>(
      () => row.gather(1, erased(floats)),
      "gather",
      got,
    );
    expectRefusal<Second<typeof row.indexSelect<typeof row, 1, typeof list>>>(
      () => row.indexSelect(1, erased(list)),
      "indexSelect",
      got,
    );
    expectRefusal<Second<typeof row.indexAdd<typeof row, 0, typeof list>>>(
      () => row.indexAdd(0, erased(list), zeros([2, 4])),
      "indexAdd",
      got,
    );
    expectRefusal<First<typeof embedding<typeof list, typeof row>>>(
      () => embedding(erased(list), row),
      "embedding",
      got,
    );
    expectRefusal<First<typeof row.index<typeof row, [typeof list]>>>(
      () => row.index([erased(list)]),
      "index",
      `tensors used as indices must be long, byte or bool tensors (${got})`,
    );
    // @ts-expect-error: places are integers
    expect(() => row.scatter(1, floats, 1)).toThrow("Expected dtype int64 for index");
    // @ts-expect-error: places are integers
    expect(() => new Embedding(5, 2).forward(list)).toThrow("to have one of the following scalar types");
  });
  it("exist", () => {
    expectRefusal<Second<typeof row.select<typeof row, 0, 3>>>(
      () => row.select(0, 3 as number),
      "select",
      "select(): index 3 out of range for tensor of size [3, 4] at dimension 0",
    );
    // @ts-expect-error: there is no such column
    expect(() => row.select(-1, -5)).toThrow("index -5 out of range");
    expect(row.select(1, -4).shape).toEqual([3]);
  });
  it("may be of a dtype that is not known", () => {
    const places: AnyTensor = tensor([0, 2], { dtype: "int64" });
    expect(row.indexSelect(1, places).shape).toEqual([3, 2]);
    expect(row.index([places]).shape).toEqual([2, 4]);
    expect(new Embedding(5, 2).forward(places).shape).toEqual([2, 2]);
    expect(row.indexSelect(1, places.int()).shape).toEqual([3, 2]);
  });
});

describe("masks and targets", () => {
  const scores = zeros([4, 3]);
  it("masks are bools", () => {
    expectRefusal<First<typeof scores.maskedFill<typeof scores, typeof scores>>>(
      () => scores.maskedFill(erased(scores), 0),
      "maskedFill",
      "got float32; compare first, e.g. mask.ne(0)",
    );
    expectRefusal<Parameters<typeof where<typeof scores, 1, 0>>[0]>(
      () => where(erased(scores), 1, 0),
      "where",
      "compare first, e.g. x.ne(0)",
    );
    // @ts-expect-error: a mask is of bools
    expect(() => scores.maskedFill_(scores, 0)).toThrow("only supports boolean masks");
    const mask: AnyTensor = scores.gt(0);
    expect(where(mask, scores, 0).shape).toEqual([4, 3]);
  });
  it("losses of classes have the shape of the classes", () => {
    expectTensor(crossEntropy(scores, arange(4), { reduction: "none" }), [4], "float32");
    expectTensor(crossEntropy(scores, scores, { reduction: "none" }), [4], "float32");
    expectTensor(nllLoss(scores, arange(4).remainder(3)), [], "float32");
    const unknown: AnyTensor = arange(4).remainder(3);
    expect(crossEntropy(scores, unknown).shape).toEqual([]);
  });
});
