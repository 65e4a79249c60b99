import * as fuseau from "fuseau";
import { DTypeError, ShapeError } from "fuseau";
import { describe } from "vitest";
import { refuses } from "./refuses.ts";
import { untyped } from "./untyped.ts";

const { arange, eye, fromTypedArray, full, linspace, ones, tensor, zeros } = untyped(fuseau);

const circular: unknown[] = [];
circular.push(circular);

describe("bounds of arange", () => {
  const wanted = "arange: an operand is a Tensor, a number, a bigint, a boolean or float(2), but got";
  refuses({
    "that are arrays": [() => arange(0, [4]), TypeError, `${wanted} an array (wrap it in tensor(...))`],
    "that are boxed numbers": [() => arange(0, Object(4)), TypeError, `${wanted} a Number`],
    "in front of which options stand": [
      () => arange(0, { dtype: "int32" }, 1),
      TypeError,
      `${wanted} an object (options come last: arange(start, end, { dtype, requiresGrad }))`,
    ],
    "that are left out in front of a step": [() => arange(0, undefined, 2), TypeError, `${wanted} undefined`],
  });
});

describe("sizes", () => {
  refuses({
    "negative ones": [
      () => zeros([2, -1]),
      ShapeError,
      "zeros: Trying to create tensor with negative dimension -1: [2, -1]",
    ],
    "fractional ones": [
      () => ones([1.5]),
      TypeError,
      "ones: sizes must be integers, but one of [1.5] is 1.5",
    ],
    NaN: [() => full([NaN, 2], 0), TypeError, "full: sizes must be integers, but one of [NaN, 2] is NaN"],
    "infinite ones": [
      () => zeros([Infinity]),
      TypeError,
      "zeros: sizes must be integers, but one of [Infinity] is Infinity",
    ],
    strings: [() => zeros(["2"]), TypeError, 'zeros: sizes must be integers, but one of ["2"] is "2"'],
    bigints: [() => zeros([2n]), TypeError, "zeros: sizes must be integers, but one of [2n] is 2n"],
    "numbers that are not in an array": [
      () => zeros(5),
      TypeError,
      "zeros: sizes must be an array of integers, e.g. [2, 3], but got 5",
    ],
    "more than 2^31 − 1 elements": [
      () => zeros([65536, 32768]),
      RangeError,
      "zeros: numel: integer multiplication overflow ([65536, 32768] has 2147483648 elements, a tensor holds at most 2147483647)",
    ],
    "of a tensor that broadcasting would make": [
      () => zeros([70000, 1]).add(zeros([70000])),
      RangeError,
      "add: numel: integer multiplication overflow ([70000, 70000] has 4900000000 elements, a tensor holds at most 2147483647)",
    ],
  });
});

describe("dtypes", () => {
  refuses({
    "that do not exist": [
      () => zeros([2], { dtype: "float31" }),
      DTypeError,
      'zeros: unknown dtype "float31" (did you mean "float32"?); the dtypes are bool, uint8, int8, int16, int32, int64, float16, float32, float64',
    ],
    "that are no names": [
      () => zeros([2]).to(7),
      DTypeError,
      "to: unknown dtype 7; the dtypes are bool, uint8, int8, int16, int32, int64, float16, float32, float64",
    ],
    "left out of a conversion": [
      () => zeros([2]).to(),
      DTypeError,
      "to: unknown dtype undefined; the dtypes are bool, uint8, int8, int16, int32, int64, float16, float32, float64",
    ],
  });
});

describe("nested arrays", () => {
  const ragged = "the nested arrays are ragged: rows at the same depth must have the same length";
  refuses({
    "with rows of different lengths": [
      () => tensor([[1, 2], [3]]),
      ShapeError,
      `tensor: expected sequence of length 2 at dim 1 (got 1): ${ragged}`,
    ],
    "with an array among elements": [
      () => tensor([1, [2]]),
      ShapeError,
      `tensor: expected an element at dim 1 (got an array): ${ragged}`,
    ],
    "with an element among arrays": [
      () => tensor([[1], 2]),
      ShapeError,
      `tensor: expected a sequence of length 1 at dim 1 (got 2): ${ragged}`,
    ],
    "that contain themselves": [
      () => tensor(circular),
      ShapeError,
      "tensor: arrays are nested more than 64 deep",
    ],
    "that do not fit the shape asked for": [
      () => tensor([1, 2, 3], { shape: [2, 2] }),
      ShapeError,
      "tensor: shape '[2, 2]' is invalid for input of size 3 ([2, 2] has 4 elements)",
    ],
    "of strings": [
      () => tensor(["1"]),
      TypeError,
      'tensor: elements are numbers, bigints or booleans, but element 0 is "1"',
    ],
    "with holes": [
      // biome-ignore lint/suspicious/noSparseArray: the mistake under test
      () => tensor([1, , 2]),
      TypeError,
      "tensor: elements are numbers, bigints or booleans, but element 1 is undefined",
    ],
    "of numbers and bigints": [
      () => tensor([1, 2n]),
      TypeError,
      'tensor: numbers and bigints are mixed; give a dtype, e.g. { dtype: "int64" }',
    ],
  });
});

describe("elements that their dtype does not hold", () => {
  refuses({
    "a number too large": [
      () => tensor([1, 300], { dtype: "uint8" }),
      RangeError,
      "tensor: value cannot be converted to type uint8 without overflow (element 1 is 300)",
    ],
    "a negative number": [
      () => tensor([-256], { dtype: "uint8" }),
      RangeError,
      "tensor: value cannot be converted to type uint8 without overflow (element 0 is -256)",
    ],
    "a bigint beyond int64": [
      () => tensor([2n ** 63n]),
      RangeError,
      "tensor: value cannot be converted to type int64 without overflow (element 0 is 9223372036854775808n)",
    ],
    "a bigint beyond int32": [
      () => tensor([2n ** 31n], { dtype: "int32" }),
      RangeError,
      "tensor: value cannot be converted to type int32 without overflow (element 0 is 2147483648n)",
    ],
    "NaN as an integer": [
      () => tensor([NaN], { dtype: "int32" }),
      RangeError,
      "tensor: cannot convert float NaN to integer (element 0, dtype int32)",
    ],
    "infinity as an integer": [
      () => tensor(new Float32Array([Infinity]), { dtype: "int64" }),
      RangeError,
      "tensor: cannot convert float infinity to integer (element 0, dtype int64)",
    ],
    "a fill value too large": [
      () => full([2], 300, { dtype: "uint8" }),
      RangeError,
      "full: value cannot be converted to type uint8 without overflow (300)",
    ],
    "a fill value that is NaN": [
      () => full([2], NaN, { dtype: "int32" }),
      RangeError,
      "full: cannot convert float NaN to integer (dtype int32)",
    ],
    "a bigint operand": [
      () => zeros([2]).add(2n ** 64n),
      RangeError,
      "add: Overflow when unpacking long (18446744073709551616 does not fit int64)",
    ],
  });
});

describe("typed arrays", () => {
  refuses({
    "whose length does not fit": [
      () => fromTypedArray(new Float32Array(2), { shape: [3] }),
      ShapeError,
      "fromTypedArray: shape '[3]' is invalid for input of size 2 ([3] has 3 elements)",
    ],
    "whose length does not fit, copied": [
      () => tensor(new Float32Array(6), { shape: [2, 2] }),
      ShapeError,
      "tensor: shape '[2, 2]' is invalid for input of size 6 ([2, 2] has 4 elements)",
    ],
    "that store another dtype": [
      () => fromTypedArray(new Float32Array(2), { dtype: "int32" }),
      DTypeError,
      "fromTypedArray: a Float32Array stores no int32; tensor(array, { dtype }) copies and converts",
    ],
    "that store none": [
      () => fromTypedArray(new Uint32Array(2)),
      DTypeError,
      "fromTypedArray: a Uint32Array stores no dtype by itself; tensor(array, { dtype }) copies and converts",
    ],
    "that store none, copied": [
      () => tensor(new Uint32Array(2)),
      TypeError,
      'tensor: a Uint32Array stores no dtype by itself; name one to convert to, e.g. { dtype: "int64" }',
    ],
    "that may hold the bits of float16, copied": [
      () => tensor(new Uint16Array(2)),
      TypeError,
      'tensor: a Uint16Array stores no dtype by itself; name one to convert to, e.g. { dtype: "int64" } (fromTypedArray lends float16 bits)',
    ],
    "that hold what the dtype does not": [
      () => tensor(BigUint64Array.of(2n ** 63n), { dtype: "int64" }),
      RangeError,
      "tensor: value cannot be converted to type int64 without overflow (element 0 is 9223372036854775808n)",
    ],
    "that have no elements of one kind": [
      () => tensor(new DataView(new ArrayBuffer(8)), { dtype: "int64" }),
      TypeError,
      "tensor: a DataView is no array of numbers; make a typed array over its buffer",
    ],
    "that are arrays": [
      () => fromTypedArray([1, 2]),
      TypeError,
      "fromTypedArray: a typed array is lent, but got [1, 2] (tensor(...) copies arrays)",
    ],
  });
});

describe("ranges", () => {
  refuses({
    "without a step": [() => arange(0, 5, 0), RangeError, "arange: step must be nonzero"],
    "that lead away": [
      () => arange(0, 5, -1),
      RangeError,
      "arange: upper bound and larger bound inconsistent with step sign (start 0, end 5, step -1)",
    ],
    "without an end": [
      () => arange(0, Infinity),
      RangeError,
      "arange: unsupported range: 0 -> inf (both must be finite)",
    ],
    "of NaN": [() => arange(NaN), RangeError, "arange: unsupported range: 0 -> nan (both must be finite)"],
    "of fewer than no steps": [
      () => linspace(0, 1, -1),
      RangeError,
      "linspace: number of steps must be non-negative (got -1)",
    ],
    "of half a step": [
      () => linspace(0, 1, 0.5),
      TypeError,
      "linspace: steps must be an integer, but got 0.5",
    ],
    "of a negative identity": [() => eye(-1), ShapeError, "eye: n must be greater or equal to 0, got -1"],
    "of strings": [
      () => arange("5"),
      TypeError,
      'arange: an operand is a Tensor, a number, a bigint, a boolean or float(2), but got "5"',
    ],
  });
});
