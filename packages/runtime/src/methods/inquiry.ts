/** Properties of a tensor that are known without computing it. */
import { wrapAxis } from "@fuseau/ir";
import { alias, declare } from "../declare/declaration.ts";
import { numel } from "../functions/inquiry.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The number of axes. */
export const dim = declare("dim()", (input: AnyTensor): number => input.shape.length);

/**
 * The size of one axis, or all sizes.
 * @throws RangeError for an axis that does not exist.
 */
export const size = declare(
  "size(dim)",
  <const A extends number | null = null>(
    input: AnyTensor,
    dim?: A,
  ): A extends null ? readonly number[] : number =>
    (dim == null ? input.shape : (input.shape[wrapAxis(dim, input.shape)] ?? 1)) as never,
);

/** {@link dim}. */
export const ndimension: typeof dim = alias("ndimension", dim);

/** {@link numel}. */
export const nelement: typeof numel = alias("nelement", numel);
