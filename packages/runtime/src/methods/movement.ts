/** Movements that are methods alone, as in PyTorch. `functions/movement.ts` has the others, and the errors that all of them throw. */
import {
  type Accept,
  type CheckSlice,
  type Expand,
  type ExpandOrFail,
  type Repeat,
  type RepeatOrFail,
  type Reshape,
  type ReshapeOrFail,
  type Slice,
  type SliceIndex,
  type Unfold,
  type UnfoldOrFail,
  unfoldedWindow,
} from "@fuseau/ir";
import { wrapMoved, wrapView } from "../alias/alias.ts";
import { strictView } from "../alias/strided.ts";
import { declare, declareAs, type method } from "../declare/declaration.ts";
import * as ops from "../ops/movement.ts";
import { type ShapeKey, type Tensor, unwrap, wrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";

/**
 * {@link reshape} that never copies.
 * @throws ViewError if the elements do not lie so that a view can have that shape.
 */
export const view = declare(
  "view(shape)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    shape: Accept<ReshapeOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Reshape<T[ShapeKey], R>, T["dtype"]> => strictView(input, ops.reshape(unwrap(input), shape as R)),
);

/** {@link view} of the shape of `other`. */
export const viewAs = declare(
  "viewAs(other)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: Accept<ReshapeOrFail<T[ShapeKey], B[ShapeKey]>, B>,
  ): Tensor<Reshape<T[ShapeKey], B[ShapeKey]>, T["dtype"]> =>
    strictView(input, ops.reshape(unwrap(input), unwrap(other).node.shape)),
);

/** {@link reshape} to the shape of `other`. */
export const reshapeAs = declare(
  "reshapeAs(other)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: Accept<ReshapeOrFail<T[ShapeKey], B[ShapeKey]>, B>,
  ): Tensor<Reshape<T[ShapeKey], B[ShapeKey]>, T["dtype"]> => {
    const { shape } = unwrap(other).node;
    return wrapView(input, ops.reshape(unwrap(input), shape));
  },
);

/** Axes of size 1 repeated up to `sizes`, missing ones added in front; −1 keeps a size. */
export const expand = declare(
  "expand(sizes)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    sizes: Accept<ExpandOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Expand<T[ShapeKey], R>, T["dtype"]> => wrapView(input, ops.expand(unwrap(input), sizes as R)),
);

/** {@link expand} to the shape of `other`. */
export const expandAs = declare(
  "expandAs(other)",
  <T extends AnyTensor, const B extends AnyTensor>(
    input: T,
    other: Accept<ExpandOrFail<T[ShapeKey], B[ShapeKey]>, B>,
  ): Tensor<Expand<T[ShapeKey], B[ShapeKey]>, T["dtype"]> => {
    const { shape } = unwrap(other).node;
    return wrapView(input, ops.expand(unwrap(input), shape));
  },
);

/** The type is written by hand: `methodOf` would lose the name of each index in its check. */
interface SliceMethod {
  <T extends AnyTensor, const R extends readonly SliceIndex[]>(
    input: T,
    ...indices: CheckSlice<T[ShapeKey], R>
  ): Tensor<Slice<T[ShapeKey], R>, T["dtype"]>;
  readonly [method]: <T extends AnyTensor, const R extends readonly SliceIndex[]>(
    this: T,
    ...indices: CheckSlice<T[ShapeKey], R>
  ) => Tensor<Slice<T[ShapeKey], R>, T["dtype"]>;
}

/**
 * Part of a tensor, by one index for each axis from the front, as Python's `x[...]`. A number selects a place and drops the axis, `[start,
 * stop, step]` takes a range (`[1]` all but the first, `[null, -1]` all but the last), `":"` is a whole axis, `"..."` as many as are left,
 * `null` a new axis. `x.slice([1, null], 0)` is Python's `x[1:, 0]`.
 * @throws RangeError for a place outside the axis, too many indices, or a step below 1.
 */
export const slice = declareAs<SliceMethod>(
  "slice(...indices)",
  (input: AnyTensor, ...indices: readonly SliceIndex[]): AnyTensor =>
    wrapView(input, ops.slice(unwrap(input), indices)),
);

/** The whole tensor repeated along each axis. There must be a count for every axis. */
export const repeat = declare(
  "repeat(repeats)",
  <T extends AnyTensor, const R extends readonly number[]>(
    input: T,
    repeats: Accept<RepeatOrFail<T[ShapeKey], R>, R>,
  ): Tensor<Repeat<T[ShapeKey], R>, T["dtype"]> => wrap(ops.repeat(unwrap(input), repeats as R)),
);

/**
 * A view of all windows of `size` places along one axis, `step` places apart. The axis counts the windows; their places are a new last
 * axis.
 */
export const unfold = declare(
  "unfold(dim, size, step)",
  <T extends AnyTensor, const A extends number, const Z extends number, const P extends number>(
    input: T,
    dim: Accept<UnfoldOrFail<T[ShapeKey], A, Z, P>, A>,
    size: Z,
    step: P,
  ): Tensor<Unfold<T[ShapeKey], A, Z, P>, T["dtype"]> =>
    wrapMoved(input, (window) => unfoldedWindow(window, dim as A, size, step)),
);
