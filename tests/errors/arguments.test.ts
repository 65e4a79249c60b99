import * as fuseau from "fuseau";
import { ShapeError } from "fuseau";
import { describe, expect, test } from "vitest";
import { refuses } from "./refuses.ts";
import { untyped } from "./untyped.ts";

const {
  arange,
  cat,
  compute,
  concat,
  dropout,
  exp,
  eye,
  meshgrid,
  normal,
  randintLike,
  stack,
  sum,
  where,
  zeros,
} = untyped(fuseau);
const x = zeros([2, 3]);
const vmap = fuseau.func.vmap as unknown as (...list: readonly unknown[]) => (x: unknown) => unknown;

describe("axes", () => {
  refuses({
    "that do not exist": [
      () => x.sum(2),
      RangeError,
      "sum: Dimension out of range (expected to be in range of [-2, 1], but got 2) (shape [2, 3])",
    ],
    "that do not exist, counted from the end": [
      () => x.softmax(-3),
      RangeError,
      "softmax: Dimension out of range (expected to be in range of [-2, 1], but got -3) (shape [2, 3])",
    ],
    NaN: [() => x.sum(NaN), TypeError, "sum: a dimension must be an integer, but got NaN"],
    fractions: [() => x.sum(0.5), TypeError, "sum: a dimension must be an integer, but got 0.5"],
    "NaN in a list": [
      () => x.mean([0, NaN]),
      TypeError,
      "mean: dims must be integers, but one of [0, NaN] is NaN",
    ],
    "left out": [
      () => x.softmax(),
      TypeError,
      "softmax: a dimension must be an integer, but got undefined (it is called as softmax(dim, { dtype }))",
    ],
    "named twice": [
      () => x.sum([0, -2]),
      ShapeError,
      "sum: dim 0 appears multiple times in the list of dims ([0, -2] of shape [2, 3])",
    ],
    "flipped twice": [
      () => x.flip([1, 1]),
      ShapeError,
      "flip: dim 1 appears multiple times in the list of dims ([1, 1] of shape [2, 3])",
    ],
    strings: [
      () => x.sum("0"),
      TypeError,
      'sum: dim is an axis, an array of axes or null for all, but got "0"',
    ],
    "that are options": [
      () => x.sum({ keepdim: true }),
      TypeError,
      "sum: dim is an axis, an array of axes or null for all, but got an object (options come last: sum(dim, { keepdim, dtype }); null stands for a dim that is left out)",
    ],
    "that are named": [
      () => x.softmax({ dim: 1 }),
      TypeError,
      "softmax: a dimension must be an integer, but got an object (dim is an argument of its own: softmax(dim, { dtype }))",
    ],
    "by NumPy's name": [
      () => concat([x, x], { axis: 1 }),
      TypeError,
      "concat: a dimension must be an integer, but got an object (dim is an argument of its own: concat(tensors, dim))",
    ],
    "that stand behind as they should": [
      () => arange(3, { dtpye: "int32" }),
      TypeError,
      'arange: unknown option "dtpye" (did you mean "dtype"?); the options are dtype, requiresGrad',
    ],
    "that nothing keeps": [
      () => x.max(null, { keepdim: true }),
      TypeError,
      "max: keepdim is for the axis dim, and there is none (amax(null, { keepdim: true }) keeps all axes)",
    ],
  });
});

describe("operands", () => {
  const wanted = "an operand is a Tensor, a number, a bigint, a boolean or float(2), but got";
  refuses({
    arrays: [() => x.add([1, 2, 3]), TypeError, `add: ${wanted} an array (wrap it in tensor(...))`],
    strings: [() => x.mul("2"), TypeError, `mul: ${wanted} "2"`],
    nothing: [() => x.lt(), TypeError, `lt: ${wanted} undefined (it is called as lt(other))`],
    null: [() => x.sub(null), TypeError, `sub: ${wanted} null`],
    objects: [() => x.pow({}), TypeError, `pow: ${wanted} an object`],
    "arguments by name": [
      () => x.leakyRelu({ negativeSlope: 0 }),
      TypeError,
      `leakyRelu: ${wanted} an object (negativeSlope is an argument of its own: leakyRelu(negativeSlope))`,
    ],
    "an argument that no limit has": [
      () => x.clamp({ mim: 0 }),
      TypeError,
      'clamp: unknown option "mim" (did you mean "min"?); the options are min, max',
    ],
    "a tensor by name": [
      () => x.gather({ dim: 0, index: x }),
      TypeError,
      "gather: gather(): argument 'index' must be Tensor, not undefined (dim is an argument of its own: gather(dim, index))",
    ],
    "a tensor by name, after another": [
      () => x.gather(0, { index: x }),
      TypeError,
      "gather: gather(): argument 'index' must be Tensor, not object (index is an argument of its own: gather(dim, index))",
    ],
    "a number for a tensor, beside an axis that is the same number": [
      () => x.indexFill(0, 0, 1),
      TypeError,
      "indexFill: indexFill(): argument 'index' must be Tensor, not number (wrap it in tensor(...))",
    ],
    "a number where one way of calling takes options": [
      () => x.sum().requiresGrad_().backward(3),
      TypeError,
      "backward: backward(): argument 'gradient' must be Tensor, not number (wrap it in tensor(...))",
    ],
    "arguments by name where a plain object may be right": [
      () => vmap((row: unknown) => row, { inDims: 0 })(x),
      TypeError,
      "func.vmap: inDims is not of the same form as what it is for (inDims is an argument of its own: func.vmap(fn, inDims, outDims, { randomness }))",
    ],
    "options where a plain object may be right": [
      () => vmap((row: unknown) => row, { randomness: "same" })(x),
      TypeError,
      "func.vmap: inDims is not of the same form as what it is for (options come last: func.vmap(fn, inDims, outDims, { randomness }))",
    ],
    "a number for the two ends of a range": [
      () => x.histogram({ range: 1 }),
      TypeError,
      "histogram: range must be two numbers in an array, but got 1",
    ],
    "more than two ends of a range": [
      () => x.histogram({ range: [0, 1, 2] }),
      TypeError,
      "histogram: range must be two numbers in an array, but got [0, 1, 2]",
    ],
    "an array of limits": [
      () => x.compute({ limits: [] }),
      TypeError,
      "compute: limits must be an object, not []",
    ],
    "strings as bounds": [() => x.clamp("0"), TypeError, `clamp: ${wanted} "0"`],
    "scalars where only tensors go": [
      () => x.matmul(2),
      TypeError,
      "matmul: matmul(): argument 'other' must be Tensor, not number (wrap it in tensor(...))",
    ],
    "scalars as the operand of a function": [
      () => exp(2),
      TypeError,
      "exp: exp(): argument 'input' must be Tensor, not number (wrap it in tensor(...))",
    ],
    "scalars as the operand of a function with axes": [
      () => sum(2, 0),
      TypeError,
      "sum: sum(): argument 'input' must be Tensor, not number (wrap it in tensor(...))",
    ],
    "scalars as a condition": [
      () => where(true, 1, 2),
      TypeError,
      "where: where(): argument 'condition' must be Tensor, not boolean (wrap it in tensor(...))",
    ],
    "one tensor in place of a list": [
      () => concat(x),
      TypeError,
      "concat: concat(): argument 'tensors' must be an array of Tensors, not a Tensor (several are an array: [a, b])",
    ],
    "several tensors in place of a list": [
      () => meshgrid(x, x),
      TypeError,
      "meshgrid: tensors is one argument; several are an array: meshgrid([a, b])",
    ],
    "more of them than there are arguments": [
      () => stack(x, x, x),
      TypeError,
      "stack: tensors is one argument; several are an array: stack([a, b, c])",
    ],
    "a list of numbers": [
      () => stack([1]),
      TypeError,
      "stack: stack(): argument 'tensors[0]' must be Tensor, not number (wrap it in tensor(...))",
    ],
  });
});

describe("sizes and places", () => {
  refuses({
    "a size outside an array": [
      () => x.reshape(6),
      TypeError,
      "reshape: sizes must be an array of integers, e.g. [2, 3], but got 6",
    ],
    "axes outside an array": [
      () => x.permute(1, 0),
      TypeError,
      "permute: dims is one argument; several numbers are an array: permute([1, 0])",
    ],
    "a fractional size": [
      () => x.reshape([1.5, 4]),
      TypeError,
      "reshape: sizes must be integers, but one of [1.5, 4] is 1.5",
    ],
    "a selected place outside": [
      () => x.select(0, 2),
      RangeError,
      "select: select(): index 2 out of range for tensor of size [2, 3] at dimension 0",
    ],
    "a place of a 0-d tensor": [
      () => zeros([]).select(0, 0),
      RangeError,
      "select: select() cannot be applied to a 0-dim tensor.",
    ],
    "a NaN place": [() => x.slice(NaN), TypeError, "slice: an index must be an integer, but got NaN"],
    "a fractional bound": [() => x.slice([0.5]), TypeError, "slice: a place must be an integer, but got 0.5"],
    "an index that is none": [
      () => x.slice("a"),
      TypeError,
      'slice: an index is a number, null, ":", "..." or a range [start, stop, step], but got "a"',
    ],
    "two ellipses": [
      () => x.slice("...", "..."),
      ShapeError,
      "slice: an index can only have a single ellipsis ('...')",
    ],
    "a range beyond the end": [
      () => x.narrow(0, 1, 2),
      RangeError,
      "narrow: start (1) + length (2) exceeds dimension size (2). (dimension 0 of shape [2, 3])",
    ],
    "a negative length": [
      () => x.narrow(0, 0, -1),
      RangeError,
      "narrow: narrow(): length must be non-negative. (got -1)",
    ],
    "pieces of no places": [
      () => x.split(0),
      RangeError,
      "split: split_size can only be 0 if dimension size is 0, but got dimension size of 2 (shape [2, 3])",
    ],
    "pieces that do not add up": [
      () => x.split([1, 2], 0),
      ShapeError,
      "split: split_with_sizes expects split_sizes to sum exactly to 2 (input tensor's size at dimension 0), but got split_sizes=[1, 2]",
    ],
    "no chunks": [() => x.chunk(0), RangeError, "chunk: chunk expects `chunks` to be greater than 0, got: 0"],
    "pieces of a 0-d tensor": [
      () => zeros([]).unbind(),
      RangeError,
      "unbind: Dimension specified as 0 but tensor has no dimensions",
    ],
    "negative repeats": [
      () => x.repeat([-1, 1]),
      RangeError,
      "repeat: Trying to create tensor with negative dimension -1: [-1, 1]",
    ],
    "shifts without their dims": [
      () => x.roll([1, 2], [0]),
      ShapeError,
      "roll: shifts and dimensions must align. shifts: 2, dims:1",
    ],
    "0-d tensors one after another": [
      () => concat([zeros([])]),
      ShapeError,
      "concat: zero-dimensional tensor (at position 0) cannot be concatenated (use stack)",
    ],
    "the transpose of three axes": [
      () => zeros([2, 3, 4]).t(),
      ShapeError,
      "t: t() expects a tensor with <= 2 dimensions, but self is 3D (shape [2, 3, 4]; use transpose or permute)",
    ],
    "a triangle of one axis": [
      () => zeros([3]).tril(),
      ShapeError,
      "tril: input tensor must have at least 2 dimensions (got shape [3])",
    ],
    "layer norm over other sizes": [
      () => x.layerNorm([2]),
      ShapeError,
      "layerNorm: Given normalized_shape=[2], expected input with shape [*, 2], but got input of size[2, 3]",
    ],
    "weights of another shape": [
      () => x.layerNorm([3], { weight: zeros([2]) }),
      ShapeError,
      "layerNorm: Expected weight to be of same shape as normalized_shape, but got weight of shape [2] and normalized_shape = [3]",
    ],
    "slopes of another length": [
      () => x.prelu(zeros([2])),
      ShapeError,
      "prelu: Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and channel size = 3. (shapes [2] and [2, 3])",
    ],
    "batches that differ": [
      () => zeros([2, 3, 4]).bmm(zeros([3, 4, 5])),
      ShapeError,
      "bmm: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4]. (shapes [2, 3, 4] and [3, 4, 5])",
    ],
    "a matrix product of vectors": [
      () => zeros([3]).mm(x),
      ShapeError,
      "mm: self must be a matrix (got shape [3])",
    ],
  });
});

describe("nothing to fold", () => {
  refuses({
    "the maximum of nothing": [
      () => zeros([0]).max(),
      ShapeError,
      "max: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument. (shape [0])",
    ],
    "the maximum of an empty axis": [
      () => zeros([2, 0]).amax(1),
      RangeError,
      "amax: amax(): Expected reduction dim 1 to have non-zero size. (shape [2, 0])",
    ],
    "the place of an empty axis's minimum": [
      () => zeros([2, 0]).argmin(-1),
      RangeError,
      "argmin: argmin(): Expected reduction dim 1 to have non-zero size. (shape [2, 0])",
    ],
  });
});

describe("options", () => {
  refuses({
    "a rounding mode that is none": [
      () => x.div(2, { roundingMode: "ceil" }),
      TypeError,
      `div: div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "ceil" (null, "trunc" or "floor")`,
    ],
    "an approximation that is none": [
      () => x.gelu({ approximate: "erf" }),
      TypeError,
      'gelu: approximate argument must be either none or tanh. (got "erf")',
    ],
    "a norm that is none": [
      () => x.norm("l2"),
      TypeError,
      'norm: p is a number, "fro" or "nuc", but got "l2"',
    ],
    "a correction that is none": [
      () => x.std(0, { correction: "1" }),
      TypeError,
      'std: correction must be a number, but got "1"',
    ],
    "a negative tolerance": [
      () => x.isclose(x, { rtol: -1 }),
      RangeError,
      "isclose: rtol must be greater than or equal to zero, but got -1",
    ],
    "bounds left out": [
      () => x.clamp(),
      TypeError,
      "clamp: torch.clamp: At least one of 'min' or 'max' must not be None",
    ],
    "a negative width of shrinking": [
      () => x.softshrink(-1),
      RangeError,
      "softshrink: lambda must be greater or equal to 0, but found to be -1.",
    ],
  });
});

describe("kinds that JavaScript would convert", () => {
  refuses({
    "a probability as text": [
      () => dropout(x, "0.5"),
      TypeError,
      'dropout: p must be a number, but got "0.5"',
    ],
    "a rate as text": [
      () => x.exponential_("2"),
      TypeError,
      'exponential_: lambda must be a number, but got "2"',
    ],
    "a side as text": [() => eye(2, "3"), TypeError, 'eye: m must be an integer, but got "3"'],
    "a bound as text": [
      () => randintLike(x, 0, "3"),
      TypeError,
      "randintLike: argument 'high' must be int, not \"3\"",
    ],
    "what stands for NaN as text": [
      () => zeros([2], { dtype: "int32" }).nanToNum("0"),
      TypeError,
      'nanToNum: nan must be a number, but got "0"',
    ],
    "a shape beside a tensor": [
      () => normal(x, x, "3"),
      TypeError,
      'normal: takes options as an object last, but got "3"',
    ],
    "a function as axes": [
      () => x.roll(1, () => 1),
      TypeError,
      "roll: dims must be an array of integers, e.g. [2, 3], but got a function",
    ],
    "a date as options": [
      () => compute(x, new Date()),
      TypeError,
      "compute: options must be an object, not a Date",
    ],
    "text for a flag": [
      () => x.fillDiagonal_(1, "yes"),
      TypeError,
      'fillDiagonal_: wrap must be true or false, but got "yes"',
    ],
  });
});

describe("the name that was called", () => {
  refuses({
    "of an alias": [() => cat([]), ShapeError, "cat: torch.cat(): expected a non-empty list of Tensors"],
    "in place": [
      () => x.mul_(null),
      TypeError,
      "mul_: an operand is a Tensor, a number, a bigint, a boolean or float(2), but got null",
    ],
    "made of others": [
      () => x.narrowCopy(),
      TypeError,
      "narrowCopy: a dimension must be an integer, but got undefined (it is called as narrowCopy(dim, start, length))",
    ],
  });
});

test("a Generator's errors come from the caller's line", () => {
  const { Generator } = fuseau;
  for (const make of [
    () => new Generator("7" as never),
    () => new Generator().manualSeed(0.5),
    () => new Generator().setState(null as never),
  ]) {
    let thrown: unknown;
    try {
      make();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Error);
    expect((thrown as Error).stack?.match(/\n {4}at .*/)?.[0]).toContain("arguments.test");
  }
});
