/** Writes of one value to many places. */
import { type DType, type Scalar, ShapeError, type StridedView, showShape } from "@fuseau/ir";
import { as, checkTerm, exactly } from "../ops/operand.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { fillWith, windowOf, wrapWindow } from "./alias.ts";

/**
 * The value that `fill_` writes, in the target's dtype.
 * @throws ShapeError for a tensor that is not 0-d, RangeError for a number that an integer dtype does not hold.
 */
export function fillValue(dtype: DType, value: Scalar | AnyTensor): Value {
  if (
    value === null ||
    (typeof value === "object" && !("float" in value && typeof value.float === "number"))
  ) {
    const found = unwrap(value);
    const { length } = found.node.shape;
    if (length === 0) return as(dtype, found);
    throw new ShapeError(
      `fill_ only supports 0-dimension value tensor but got tensor with ${length} dimensions.`,
    );
  }
  checkTerm(value);
  return exactly(dtype, value as Scalar);
}

/**
 * The main diagonal of a matrix, or of a cube of any rank. With `wrap` it begins again below, in a tall matrix (PyTorch: `fill_diagonal_`).
 */
export function fillDiagonal<T extends AnyTensor>(target: T, value: Value, wrap: boolean): T {
  const { shape } = unwrap(target).node;
  const [height = 0, width = 0] = shape;
  if (shape.length < 2) throw new ShapeError(`dimensions must larger than 1 (shape ${showShape(shape)})`);
  if (shape.length > 2 && shape.some((size) => size !== height))
    throw new ShapeError(`all dimensions of input must be of equal length (shape ${showShape(shape)})`);
  const { strides, offset } = windowOf(target);
  const stride = strides.reduce((sum, own) => sum + own, 0);
  const along = (start: number, size: number): StridedView => ({
    shape: [size],
    strides: [stride],
    offset: start,
  });
  const size = Math.min(...shape);
  fillWith(wrapWindow(target, along(offset, size)), value);
  if (wrap && shape.length === 2 && height > width + 1) {
    const step = width + 1;
    const rest = Math.ceil((height * width) / step) - size;
    fillWith(wrapWindow(target, along(offset + step * (strides[0] as number), rest)), value);
  }
  return target;
}
