/**
 * What tensors share. A view reads and writes the elements of its base, the tensor that it was made of. A copy has elements of its own.
 * docs/in-place.md lists which ops give which.
 */
import { dtypes, sameNumbers } from "@fuseau/ir";
import { windowOf } from "../alias/alias.ts";
import { strideOf } from "../alias/strided.ts";
import { declare } from "../declare/declaration.ts";
import { aliasKey, type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { isContiguous as isRowMajor } from "../window/window.ts";

/** x itself if its elements lie row-major without gaps; otherwise a copy that does. */
export const contiguous = declare(
  "contiguous()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> =>
    isRowMajor(windowOf(input)) ? input : wrap(unwrap(input)),
);

/** True if the elements lie row-major without gaps. The stride of an axis of size 1 does not matter. */
export const isContiguous = declare("isContiguous()", (input: AnyTensor): boolean =>
  isRowMajor(windowOf(input)),
);

/**
 * The distance in the base between neighbours along each axis, in elements, or along `dim`.
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

/** The position in the base of the first element. */
export const storageOffset = declare("storageOffset()", (input: AnyTensor): number => windowOf(input).offset);

/** Bytes per element. */
export const elementSize = declare("elementSize()", (input: AnyTensor): number => dtypes[input.dtype].bytes);

/** True if x and `other` have the same base, so that a write to one may be seen in the other. */
export const sharesStorage = declare(
  "sharesStorage(other)",
  (input: AnyTensor, other: AnyTensor): boolean => {
    unwrap(other);
    return input === other || (input[aliasKey] !== null && input[aliasKey].cell === other[aliasKey]?.cell);
  },
);

/** True if x and `other` have the same elements of one base, in the same order. */
export const isSetTo = declare("isSetTo(other)", (input: AnyTensor, other: AnyTensor): boolean => {
  unwrap(other);
  if (input === other) return true;
  if (input[aliasKey] === null || input[aliasKey].cell !== other[aliasKey]?.cell) return false;
  const [a, b] = [windowOf(input), windowOf(other)];
  return a.offset === b.offset && sameNumbers(a.shape, b.shape) && sameNumbers(a.strides, b.strides);
});
