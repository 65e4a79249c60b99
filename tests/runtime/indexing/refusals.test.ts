/** What is refused where it is recorded, word for word; PyTorch's sentence first. */
import * as fuseau from "fuseau";
import { DTypeError, ShapeError } from "fuseau";
import { describe, expect, it } from "vitest";
import { refuses } from "../../errors/refuses.ts";
import { untyped } from "../../errors/untyped.ts";

const { bincount, embedding, histc, oneHot, tensor, zeros } = untyped(fuseau);
const x = zeros([3, 4]);
const index = tensor([[0n, 1n]]);
const list = tensor([0n, 2n]);
const source = zeros([1, 2]);

describe("gathers", () => {
  refuses({
    "an index of another rank": [
      () => x.gather(0, list),
      ShapeError,
      "gather: Index tensor must have the same number of dimensions as input tensor (index [2], input [3, 4]; takeAlongDim broadcasts)",
    ],
    "an index that is longer off the axis": [
      () => x.gather(0, zeros([1, 5], { dtype: "int64" })),
      ShapeError,
      "gather: Size does not match at dimension 1 expected index [1, 5] to be smaller than self [3, 4] apart from dimension 0",
    ],
    "an int32 index": [
      () => x.gather(0, index.to("int32")),
      DTypeError,
      'gather: gather(): Expected dtype int64 for index (got int32; cast it, e.g. index.to("int64"))',
    ],
    "an axis that does not exist": [
      () => x.gather(2, index),
      RangeError,
      "gather: Dimension out of range (expected to be in range of [-2, 1], but got 2) (shape [3, 4])",
    ],
    "no tensor": [
      () => x.gather(0, [0, 1]),
      TypeError,
      "gather: gather(): argument 'index' must be Tensor, not object (wrap it in tensor(...))",
    ],
    "a matrix of places to select": [
      () => x.indexSelect(0, index),
      ShapeError,
      "indexSelect: index_select(): Index is supposed to be a vector (shape [1, 2]; x.index takes any)",
    ],
    "floats as places of an embedding": [
      () => embedding(zeros([2]), x),
      DTypeError,
      "embedding: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding) (got float32; cast it, e.g. index.to(\"int64\"))",
    ],
  });
});

describe("advanced indices", () => {
  refuses({
    "too many": [
      () => x.index([list, list, 0]),
      RangeError,
      "index: too many indices for tensor of dimension 2 (3 indices, shape [3, 4])",
    ],
    "too many, since bytes are masks": [
      () => x.index([zeros([3, 4, 2], { dtype: "uint8" })]),
      RangeError,
      "index: too many indices for tensor of dimension 2 (3 indices, shape [3, 4]; uint8 is a mask of as many axes as it has: index.long() makes places of it)",
    ],
    "of floats": [
      () => x.index([zeros([2])]),
      DTypeError,
      'index: tensors used as indices must be long, byte or bool tensors (got float32; cast it, e.g. index.to("int64"))',
    ],
    "that do not broadcast": [
      () => x.index([list, tensor([0n, 1n, 2n])]),
      ShapeError,
      "index: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
    ],
    "a mask of other sizes": [
      () => x.index([tensor([true, false])]),
      ShapeError,
      "index: The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0",
    ],
    "no array": [
      () => x.index(list),
      TypeError,
      'index: the indices are an array with one for each axis, e.g. [":", tensor], but got a Tensor',
    ],
    "values that do not fit": [
      () => x.indexPut([list], zeros([3])),
      ShapeError,
      "indexPut: shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2, 4]",
    ],
    "values of another dtype": [
      () => x.indexPut([list], zeros([4], { dtype: "int64" })),
      DTypeError,
      "indexPut: Index put requires the source and destination dtypes match, got Float for the destination and Long for the source. (assign_ casts)",
    ],
  });
});

describe("scatters", () => {
  refuses({
    "a source of another dtype": [
      () => x.scatter(0, index, source.to("float64")),
      DTypeError,
      "scatter: scatter(): Expected self.dtype to be equal to src.dtype (self float32, src float64; cast one of them)",
    ],
    "an index that is longer than the source": [
      () => x.scatter_(0, index, zeros([1, 1])),
      ShapeError,
      "scatter_: Expected index [1, 2] to be smaller than self [3, 4] apart from dimension 0 and to be smaller size than src [1, 1]",
    ],
    "an index that is longer off the axis": [
      () => zeros([3, 1]).scatter(0, index, 1),
      ShapeError,
      "scatter: Expected index [1, 2] to be smaller than self [3, 1] apart from dimension 0",
    ],
    "a source of another rank": [
      () => x.scatterAdd(0, index, zeros([2])),
      ShapeError,
      "scatterAdd: Index tensor must have the same number of dimensions as src tensor (index [1, 2], src [2])",
    ],
    "another reduction": [
      () => x.scatterReduce(0, index, source, "max"),
      TypeError,
      "scatterReduce: reduce argument must be either sum, prod, mean, amax or amin. (got max)",
    ],
    "another reduction of scatter": [
      () => x.scatter(0, index, source, { reduce: "sum" }),
      TypeError,
      "scatter: reduce argument must be either add or multiply. (got sum; scatterReduce has more)",
    ],
    "a number that the dtype does not hold": [
      () => x.to("int8").scatter(0, index, 300),
      RangeError,
      "scatter: value cannot be converted to type int8 without overflow (300)",
    ],
    "another number of slices than places": [
      () => x.indexAdd(0, list, zeros([3, 4])),
      ShapeError,
      "indexAdd: index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0 (self [3, 4], index [2], source [3, 4])",
    ],
    "slices of another shape": [
      () => x.indexCopy(0, list, zeros([2, 3])),
      ShapeError,
      "indexCopy: index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: [4] at dimension 0 and source slice shape: [3] at dimension 0.",
    ],
    "slices of another dtype": [
      () => x.indexAdd(0, list, zeros([2, 4], { dtype: "float64" })),
      DTypeError,
      "indexAdd: index_add_(): self (Float) and source (Double) must have the same scalar type",
    ],
    "another number of elements to put": [
      () => x.put(list, zeros([3])),
      ShapeError,
      "put: put_(): Expected source and index to have the same number of elements, but got source.numel() = 3, index.numel() = 2",
    ],
  });
});

describe("masks and counts", () => {
  refuses({
    "floats as a mask": [
      () => x.maskedSelect(x),
      DTypeError,
      "maskedSelect: masked_select: expected BoolTensor or ByteTensor for mask (got float32; compare first, e.g. mask.ne(0))",
    ],
    "a mask that would grow the target": [
      () => zeros([3]).maskedFill_(zeros([2, 1], { dtype: "bool" }), 0),
      ShapeError,
      "maskedFill_: output with shape [3] doesn't match the broadcast shape [2, 3]. The expanded size of the tensor (1) must match the existing size (2) at non-singleton dimension 0 (an in-place op keeps its target's shape; `maskedFill` gives a new tensor)",
    ],
    "counting floats": [
      () => bincount(zeros([2])),
      DTypeError,
      'bincount: "bincount_cpu" not implemented for \'Float\' (it counts integers: x.to("int64"))',
    ],
    "counting negative integers": [
      () => bincount(tensor([-1n])),
      ShapeError,
      "bincount: bincount only supports 1-d non-negative integral inputs. (shape [1], smallest -1)",
    ],
    "classes that are no int64": [
      () => oneHot(zeros([2])),
      DTypeError,
      'oneHot: one_hot is only applicable to index tensor. (got float32; cast it, e.g. index.to("int64"))',
    ],
    "intervals that end before they begin": [
      () => histc(x, { min: 1, max: 0 }),
      RangeError,
      "histc: torch.histc: max must be larger than min (0 and 1)",
    ],
  });
});

describe("the type checker", () => {
  it("refuses what is refused when it runs", () => {
    const y = fuseau.zeros([3, 4]);
    const places = fuseau.tensor([[0n, 1n]]);
    const row = fuseau.tensor([0n, 1n]);
    const run = [
      // @ts-expect-error Index tensor must have the same number of dimensions as input tensor
      () => y.gather(0, row),
      // @ts-expect-error Size does not match at dimension 1 expected index [1, 2] to be smaller than self [3, 1]
      () => fuseau.zeros([3, 1]).gather(0, places),
      // @ts-expect-error and to be smaller size than src [1, 1]
      () => y.scatter(0, places, fuseau.zeros([1, 1])),
      // @ts-expect-error as src tensor
      () => y.scatterAdd(0, places, row.to("float32")),
      // @ts-expect-error shape mismatch: indexing tensors could not be broadcast together
      () => y.index([row, fuseau.tensor([0n, 1n, 2n])]),
      // @ts-expect-error Index is supposed to be a vector
      () => y.indexSelect(0, places),
    ];
    for (const mistake of run) expect(mistake).toThrow();
  });
});
