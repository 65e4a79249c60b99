/** Copies and views of all of a tensor. docs/in-place.md lists what shares elements with what. */
import { detachedView } from "../alias/alias.ts";
import { asStrided as strided } from "../alias/strided.ts";
import { declare } from "../declare/declaration.ts";
import { detached } from "../tape/detached.ts";
import { recording } from "../tape/step.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/** A copy: later writes to x do not change it, and writes to it do not change x. It is row-major. Nothing is copied until it must be. */
export const clone = declare(
  "clone()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> =>
    wrap(recording.isOn ? unwrap(input) : detached(unwrap(input))),
);

/** A view of all of x through which no derivative flows. */
export const detach = declare(
  "detach()",
  <T extends AnyTensor>(input: T): Tensor<T[ShapeKey], T["dtype"]> => detachedView(input),
);

/**
 * A view of x's base of any shape, strides and offset (x's own by default) in elements. If two places are the same element, it cannot be
 * written.
 * @throws RangeError when it reaches beyond the base, ShapeError unless there is a stride for each axis.
 */
export const asStrided = declare(
  "asStrided(size, stride, storageOffset)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    size: R,
    stride: readonly number[],
    storageOffset?: number,
  ): Tensor<[...R], T["dtype"]> => strided(input, size, stride, storageOffset),
);

/* @__NO_SIDE_EFFECTS__ */
const itself = (name: string) =>
  declare(`${name}()`, <T extends AnyTensor>(input: T): T => {
    unwrap(input);
    return input;
  });

/** x itself: there are no complex numbers. So are `conjPhysical`, `real`, `resolveConj` and `resolveNeg`. */
export const conj = itself("conj");

/** {@link conj}. */
export const conjPhysical = itself("conjPhysical");

/** {@link conj}. */
export const real = itself("real");

/** {@link conj}. */
export const resolveConj = itself("resolveConj");

/** {@link conj}. */
export const resolveNeg = itself("resolveNeg");
