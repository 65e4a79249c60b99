/** Writes elements in place, for a tensor and everything that shares them. Each method returns the tensor itself. */
import type { Scalar } from "@fuseau/ir";
import { copyInto, fillWith, refuseOverlaps } from "../alias/alias.ts";
import { fillDiagonal, fillValue } from "../alias/fill.ts";
import { declare } from "../declare/declaration.ts";
import { checkOption } from "../entry/option-kinds.ts";
import { unwrap } from "../tensor/handle.ts";
import type { FitsInto } from "../tensor/inplace-types.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** The elements of `source`, broadcast to x's shape and cast to its dtype, whatever the category. */
export const copy_ = declare(
  "copy_(source)",
  <T extends AnyTensor, const B extends AnyTensor>(input: T, source: FitsInto<T, B, "bool">): T => {
    const value = unwrap(source);
    refuseOverlaps(input, [source]);
    return copyInto("copy_", input, value);
  },
);

/** One value everywhere: a scalar or a 0-d tensor. @throws RangeError for a number that an integer dtype does not hold. */
export const fill_ = declare(
  "fill_(value)",
  <T extends AnyTensor>(input: T, value: Scalar | AnyTensor): T =>
    fillWith(input, fillValue(input.dtype, value)),
);

/** Zeros. */
export const zero_ = declare(
  "zero_()",
  <T extends AnyTensor>(input: T): T => fillWith(input, fillValue(input.dtype, 0)),
);

/**
 * Writes one value along the main diagonal. In a tall matrix `wrap` begins another diagonal below it, and so on.
 * @throws ShapeError for fewer than two axes, or more than two of different sizes.
 */
export const fillDiagonal_ = declare(
  "fillDiagonal_(value, wrap)",
  <T extends AnyTensor>(input: T, value: Scalar, wrap = false): T => {
    checkOption("fillDiagonal_", "wrap", wrap);
    return fillDiagonal(input, fillValue(input.dtype, value), wrap);
  },
);
