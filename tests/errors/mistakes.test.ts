/** What users of PyTorch and NumPy write in JavaScript at first: each says what to write instead. */
import * as fuseau from "fuseau";
import { describe, expect, test } from "vitest";

/** Programs without types. */
// biome-ignore lint/suspicious/noExplicitAny: what is under test is what types refuse
type Plain = any;

const f = fuseau as Plain;
const x = fuseau.tensor([
  [1, 2, 3],
  [4, 5, 6],
]) as Plain;

const mistakes: { readonly [mistake: string]: readonly [run: () => unknown, message: string] } = {
  "NumPy's keepdims": [
    () => x.sum([0], { keepdims: true }),
    'sum: unknown option "keepdims" (did you mean "keepdim"?); the options are keepdim, dtype',
  ],
  "NumPy's axis among options": [
    () => x.sum(null, { axis: 1 }),
    'sum: unknown option "axis"; dim is an argument of its own: sum(dim, { keepdim, dtype }); the options are keepdim, dtype',
  ],
  "a plural option": [
    () => f.conv2d(x, x, { strides: 2 }),
    'conv2d: unknown option "strides" (did you mean "stride"?); the options are bias, stride, padding, dilation, groups',
  ],
  "a swapped letter": [
    () => f.zeros([2], { dtpye: "int32" }),
    'zeros: unknown option "dtpye" (did you mean "dtype"?); the options are dtype, requiresGrad',
  ],
  "a missing letter": [
    () => x.sort(-1, { decending: true }),
    'sort: unknown option "decending" (did you mean "descending"?); the options are descending, stable',
  ],
  "an option of another op": [
    () => f.avgPool2d(x, 2, { dilation: 2 }),
    'avgPool2d: unknown option "dilation"; the options are stride, padding, ceilMode, countIncludePad, divisorOverride',
  ],
  "Python's underscores": [
    () => f.interpolate(x, { align_corners: true }),
    'interpolate: unknown option "align_corners" (did you mean "alignCorners"?)',
  ],
  "a dtype by itself": [
    () => f.zeros([2], "int32"),
    'zeros: takes options as an object last: { dtype: "int32" }, but got "int32"',
  ],
  "a flag by itself": [
    () => x.sum(1, true),
    "sum: takes options as an object last: { keepdim: true }, but got true",
  ],
  "a tensor for an option": [
    () => f.conv2d(x, x, x),
    "conv2d: takes options as an object last: { bias: tensor }, but got a tensor",
  ],
  "a flag that is a string": [
    () => x.sum(0, { keepdim: "yes" }),
    'sum: keepdim must be true or false, but got "yes"',
  ],
  "a fraction of a stride": [
    () => f.conv2d(x, x, { stride: 1.5 }),
    "conv2d: stride must be an integer or an array of integers, but got 1.5",
  ],
  "options where there are none": [
    () => x.relu({ inplace: true }),
    "relu: takes no options, but got { inplace } (it is called as relu())",
  ],
  "an option in place": [
    () => x.clone().add_(1, { alph: 2 }),
    'add_: unknown option "alph" (did you mean "alpha"?)',
  ],
  "sizes one by one": [
    () => f.zeros(2, 3),
    "zeros: shape is one argument; several numbers are an array: zeros([2, 3])",
  ],
  "axes one by one": [
    () => x.permute(1, 0),
    "permute: dims is one argument; several numbers are an array: permute([1, 0])",
  ],
  "too many arguments": [() => x.mul(2, 3), "mul: takes at most 1 argument, but 2 were given: mul(other)"],
  "a function given to map": [
    () => [x].map(f.exp),
    "exp: map and forEach give three arguments; write (x) => exp(x)",
  ],
  "torch's float": [
    () => f.zeros([2], { dtype: "float" }),
    'zeros: unknown dtype "float" (did you mean "float32"?)',
  ],
  "torch.int64": [
    () => f.tensor([1], { dtype: "torch.int64" }),
    'unknown dtype "torch.int64" (did you mean "int64"?)',
  ],
  "a seed as a generator": [
    () => f.rand([2], { seed: 3 }),
    'rand: unknown option "seed" (did you mean "generator"?)',
  ],
  devices: [
    () => f.zeros([2], { device: "cpu" }),
    'zeros: unknown option "device"; the options are dtype, requiresGrad',
  ],
  "a number for a tensor": [
    () => x.matmul(3),
    "matmul: matmul(): argument 'other' must be Tensor, not number",
  ],
  "an array for a tensor": [() => x.add([1, 2, 3]), "but got an array (wrap it in tensor(...))"],
  "a list of tensors to compute": [
    () => f.compute([x], { fusion: "none" }),
    "compute: each tensor is an argument of its own: compute(...tensors, options)",
  ],
  "options for a dim of integers": [
    () => f.arange(3).mean({ dtype: "float32" }),
    "options come last: mean(dim, { keepdim, dtype })",
  ],
  undefined: [() => x.add(undefined), "but got undefined"],
  "a missing await": [() => x.add(Promise.resolve(1)), "but got a Promise (await it first)"],
  "a missing await of data": [() => f.tensor(Promise.resolve([1])), "a Promise (await it first)"],
  "a Map": [() => f.tensor(new Map()), "a Map"],
  "a tensor of a tensor": [() => f.tensor(x), "tensor: that is a Tensor already; x.clone() copies it"],
  "a tensor of tensors": [() => f.tensor([x, x]), "stack(tensors) makes one of them"],
  "ragged arrays": [() => f.tensor([[1, 2], [3]]), "rows at the same depth must have the same length"],
  "NaN as a size": [() => f.zeros([NaN]), "zeros: sizes must be integers, but one of [NaN] is NaN"],
  "strings in arrays": [
    () => f.tensor(["1"]),
    'elements are numbers, bigints or booleans, but element 0 is "1"',
  ],
  "bigints among numbers": [() => f.tensor([1, 2n]), "numbers and bigints are mixed"],
  "float of a string": [() => f.float("2"), 'float: value must be a number, but got "2"'],
  "adding with +": [() => x + x, "a tensor is no operand of JavaScript's operators: x.add(y)"],
  "multiplying with *": [() => x * 2, "a tensor is no operand of JavaScript's operators"],
  "comparing with <": [() => x < 2, "x.lt(y)"],
  "Math.exp": [() => Math.exp(x), "x.item() is its number"],
  "reading with brackets": [() => x[0], "x[0]: brackets read no elements; x.select(0, 0) or x.slice(0) does"],
  "reading the last with brackets": [() => x[-1], "x[-1]: brackets read no elements"],
  "writing with brackets": [
    () => {
      x[0] = 5;
    },
    "x[0]: brackets write no elements; x.select(0, 0).copy_(…) and x.assign_([0], …) write",
  ],
  length: [
    () => x.length,
    "length: a tensor has none; x.shape[0] is the number of rows, x.numel() that of elements",
  ],
  numpy: [() => x.numpy(), "numpy: toTypedArray() gives the elements, toArray() nested arrays"],
  astype: [() => x.astype("int32"), "astype: to(dtype) casts"],
  "new Tensor": [() => new f.Tensor([1, 2]), "Tensor: tensor(data) makes one, not new Tensor(data)"],
  "a method by itself": [
    () => {
      const { sum } = x;
      return sum();
    },
    "sum: called without a tensor; write x.sum(…)",
  ],
  "a disposed tensor": [
    () => {
      const y = fuseau.tensor([1, 2]);
      y.dispose();
      return y.toArray();
    },
    "the tensor's memory was given back by dispose()",
  ],
  "an async tidy": [() => f.tidy(async () => x), "tidy: fn must not be async"],
  "tidy of no function": [() => f.tidy(3), "tidy: fn must be a function, but got 3"],
  "a negative step": [
    () => x.slice([0, 2, -1]),
    "slice: step must be greater than zero (got -1; PyTorch has no negative steps; flip reverses)",
  ],
  "the largest of nothing": [
    () => f.zeros([2, 0]).amax(1),
    "amax: amax(): Expected reduction dim 1 to have non-zero size.",
  ],
  "an option of a call": [
    () => x.compute({ emiter: "js" }),
    'compute: unknown option "emiter" (did you mean "emitter"?)',
  ],
  "one value for each group": [
    () => f.groupNorm(f.ones([1, 2]), 2),
    "groupNorm: Expected more than 1 value per channel when training, got input size [1, 2]",
  ],
  "neighbours of none": [
    () => f.localResponseNorm(f.ones([1, 2, 3]), 0),
    "localResponseNorm: kernel size should be greater than zero, but got size 0",
  ],
  "a size and a scale that is to follow from it": [
    () => f.interpolate(f.ones([1, 1, 4]), { size: 3, recomputeScaleFactor: true }),
    "interpolate: recompute_scale_factor is not meaningful with an explicit size",
  ],
  "a grid without channels": [
    () => f.affineGrid(f.ones([1, 2, 3]), [1, 0, 2, 2]),
    "affineGrid: Expected non-zero, positive output size. Got [1, 0, 2, 2]",
  ],
  "a shape that does not fit": [() => x.add(f.zeros([4])), "add: The size of tensor a (3) must match"],
};

describe("is told", () => {
  test.each(Object.entries(mistakes))("%s", (_, [run, message]) => {
    let thrown: Error | undefined;
    try {
      run();
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.message).toContain(message);
    const [, first, second] = thrown?.stack?.split("\n    at ") ?? [];
    expect(/^(Array|Math)\./.test(first ?? "") ? second : first).toContain("mistakes.test.ts");
  });
});

describe("works", () => {
  test("a text of a tensor", () => {
    expect(`${fuseau.tensor([1, 2])}`).toBe("tensor([1., 2.], shape=[2], dtype=float32)");
  });
  test("options that are null are left out, as None is", () => {
    expect(x.sum(0, null).toArray()).toEqual([5, 7, 9]);
    expect(x.sum(0, { keepdim: null }).shape).toEqual([3]);
    expect(f.conv1d(f.ones([1, 1, 3]), f.ones([1, 1, 2]), null).shape).toEqual([1, 1, 2]);
  });
  test("a shape is the caller's own", () => {
    const { shape } = fuseau.zeros([2, 3]) as Plain;
    shape[1] = 1;
    expect(f.ones(shape).shape).toEqual([2, 1]);
    expect(x.shape).toEqual([2, 3]);
  });
});
