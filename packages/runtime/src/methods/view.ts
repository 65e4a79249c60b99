/**
 * What tensors share. A view reads and writes the elements of the tensor it was made of, its base; a copy has elements of its
 * own. docs/in-place.md lists which ops give which.
 */
import { dtypes, sameNumbers } from "@fuseau/ir";
import { windowOf } from "../alias/alias.ts";
import { strideOf } from "../alias/strided.ts";
import { declare } from "../declare/declaration.ts";
import { aliasKey, type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { isContiguous as isRowMajor } from "../window/window.ts";

/** x itself when its elements lie row-major without gaps, else a copy whose do. */
export const contiguous = declare(
  "contiguous()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> =>
    isRowMajor(windowOf(input)) ? input : wrap(unwrap(input)),
);

/** True when the elements lie row-major without gaps; the stride of an axis of size 1 does not matter. */
export const isContiguous = declare("isContiguous()", (input: AnyTensor): boolean =>
  isRowMajor(windowOf(input)),
);

/**
 * How many elements of the base lie between neighbours along each axis, or along `dim`.
 * @throws RangeError for an axis that does not exist.
 */
export const stride = declare(
  "stride(dim)",
  <const A extends number | null = null>(
    input: AnyTensor,
    dim?: A,
  ): A extends null ? readonly number[] : number =>
    strideOf(input, dim ?? null) as A extends null ? readonly number[] : number,
);

/** Where in the base the first element lies. */
export const storageOffset = declare("storageOffset()", (input: AnyTensor): number => windowOf(input).offset);

/** Bytes per element. */
export const elementSize = declare("elementSize()", (input: AnyTensor): number => dtypes[input.dtype].bytes);

/** True when x and `other` have one base, so that a write to one may be seen by the other. */
export const sharesStorage = declare(
  "sharesStorage(other)",
  (input: AnyTensor, other: AnyTensor): boolean => {
    unwrap(other);
    return input === other || (input[aliasKey] !== null && input[aliasKey].cell === other[aliasKey]?.cell);
  },
);

/** True when x and `other` are the same elements of one base, in the same order. */
export const isSetTo = declare("isSetTo(other)", (input: AnyTensor, other: AnyTensor): boolean => {
  unwrap(other);
  if (input === other) return true;
  if (input[aliasKey] === null || input[aliasKey].cell !== other[aliasKey]?.cell) return false;
  const [a, b] = [windowOf(input), windowOf(other)];
  return a.offset === b.offset && sameNumbers(a.shape, b.shape) && sameNumbers(a.strides, b.strides);
});
