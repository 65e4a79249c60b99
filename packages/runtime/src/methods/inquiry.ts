/** What is known of a tensor without computing it. */
import { elementCount, sameNumbers, wrapAxis } from "@fuseau/ir";
import { declare } from "../declare/declaration.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The number of elements. */
export const numel = declare("numel()", (input: AnyTensor): number => elementCount(input.shape));

/** The number of axes. */
export const dim = declare("dim()", (input: AnyTensor): number => input.shape.length);

/** The size of one axis, or every one. @throws RangeError for an axis that does not exist. */
export const size = declare(
  "size(dim)",
  <const A extends number | null = null>(
    input: AnyTensor,
    dim?: A,
  ): A extends null ? readonly number[] : number =>
    (dim == null ? input.shape : (input.shape[wrapAxis(dim, input.shape)] ?? 1)) as never,
);

/** True when the dtype has negative numbers. */
export const isSigned = declare(
  "isSigned()",
  (input: AnyTensor): boolean => input.dtype !== "bool" && input.dtype !== "uint8",
);

/** True when the shapes are the same. */
export const isSameSize = declare("isSameSize(other)", (input: AnyTensor, other: AnyTensor): boolean =>
  sameNumbers(input.shape, unwrap(other).node.shape),
);
