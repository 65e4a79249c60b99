/** Windows that users ask for, and questions about them. */
import {
  checkInteger,
  checkIntegers,
  type DType,
  dtypes,
  ShapeError,
  showShape,
  ViewError,
  wrapAxis,
} from "@fuseau/ir";
import type { Tensor } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { aliasOf, movedWindow, windowOf, wrapView, wrapWindow } from "./alias.ts";

/**
 * PyTorch's `as_strided`. Without an offset, the tensor's own is used.
 * @throws RangeError when a place is outside the base; ShapeError unless there is a stride for each axis.
 */
export function asStrided<S extends number[], D extends DType>(
  x: AnyTensor,
  size: readonly number[],
  stride: readonly number[],
  storageOffset: number | undefined,
): Tensor<S, D> {
  checkIntegers("size", size);
  checkIntegers("stride", stride);
  const offset = storageOffset ?? windowOf(x).offset;
  checkInteger("storageOffset", offset);
  if (size.length !== stride.length)
    throw new ShapeError(
      `mismatch in length of strides and shape (size ${showShape(size)}, stride ${showShape(stride)})`,
    );
  if (size.some((own) => own < 0)) throw new ShapeError(`negative dimension in size ${showShape(size)}`);
  if (stride.some((own) => own < 0))
    throw new RangeError(
      `asStrided: as_strided: Negative strides are not supported at the moment, got strides: ${showShape(stride)} (use flip, which copies)`,
    );
  if (offset < 0) throw new RangeError(`Tensor: invalid storage offset ${offset}`);
  checkReach(x, size, stride, offset);
  return wrapWindow(x, { shape: [...size], strides: [...stride], offset });
}

function checkReach(x: AnyTensor, size: readonly number[], stride: readonly number[], offset: number): void {
  if (size.includes(0)) return;
  const { shape } = aliasOf(x).cell.value.node;
  const count = shape.reduce((product, own) => product * own, 1);
  const needed = size.reduce((reach, own, axis) => reach + (own - 1) * (stride[axis] as number), offset + 1);
  if (needed <= count) return;
  const { bytes } = dtypes[x.dtype];
  throw new RangeError(
    `asStrided: setStorage: sizes ${showShape(size)}, strides ${showShape(stride)}, storage offset ${offset}, and itemsize ${bytes} requiring a storage size of ${needed * bytes} are out of bounds for storage of size ${count * bytes}`,
  );
}

/**
 * A view of x for the result of a reshape.
 * @throws ViewError where only a copy has that shape (PyTorch: `view`).
 */
export function strictView<S extends number[], D extends DType>(x: AnyTensor, value: Value): Tensor<S, D> {
  if (movedWindow(x, value) !== null) return wrapView(x, value);
  const { shape, strides } = windowOf(x);
  throw new ViewError(
    `view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead. (size ${showShape(value.node.shape)} of shape ${showShape(shape)} with strides ${showShape(strides)})`,
  );
}

/** All strides, or that of one axis. */
export function strideOf(x: AnyTensor, dim: number | null): number | readonly number[] {
  const { shape, strides } = windowOf(x);
  return dim === null ? [...strides] : (strides[wrapAxis(dim, shape)] ?? 1);
}
