/** Aliasing of handles: making a view, reading one after a write, and writing through one. docs/in-place.md tells the rules. */
import {
  canCast,
  DTypeError,
  elementCount,
  ShapeError,
  type StridedView,
  sameNumbers,
  showShape,
  ViewError,
} from "@fuseau/ir";
import { torchName } from "../ops/operand.ts";
import * as record from "../record.ts";
import { aliasKey, Tensor, unwrap, valueKey } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import type { Alias } from "./cell.ts";
import { readWindow } from "./read.ts";
import { isWhole, moveWindow, overlaps, wholeWindow } from "./window.ts";

/** The cell behind a tensor; one that stood alone gets its own. */
export function aliasOf(tensor: AnyTensor): Alias {
  unwrap(tensor);
  let alias = tensor[aliasKey];
  if (alias === null) {
    const value = tensor[valueKey];
    alias = { cell: { value, version: 0 }, window: wholeWindow(value.node.shape), version: 0 };
    tensor[aliasKey] = alias;
  }
  return alias;
}

/**
 * A tensor for what movements made of `parent`'s value: a view, which shares its elements, where they lie at strides, and
 * a copy where they do not (as PyTorch's `reshape`).
 */
export function wrapView(parent: AnyTensor, value: Value): AnyTensor {
  const tensor = new Tensor(value);
  const window = windowOf(parent, value);
  if (window !== null) tensor[aliasKey] = { ...aliasOf(parent), window };
  return tensor;
}

/** The window of `parent`'s cell that the movements between its value and `value` describe; null when there is none. */
export function windowOf(parent: AnyTensor, value: Value): StridedView | null {
  const source = unwrap(parent);
  const path: Value[] = [];
  for (let step = value; step !== source; step = step.inputs[0] as Value) {
    if (step.storage !== null || step.inputs.length !== 1) return null;
    path.push(step);
  }
  let window: StridedView | null = parent[aliasKey]?.window ?? wholeWindow(source.node.shape);
  for (let k = path.length - 1; k >= 0 && window !== null; k--)
    window = moveWindow(window, (path[k] as Value).node);
  return window;
}

/** A tensor over a window of another's cell, whatever its own window is (PyTorch: `as_strided`). */
export function wrapWindow(parent: AnyTensor, window: StridedView): AnyTensor {
  const { cell, version } = aliasOf(parent);
  const tensor = new Tensor(readWindow(cell, window));
  tensor[aliasKey] = { cell, window, version };
  return tensor;
}

/** A second handle on the same elements (PyTorch: `detach`, and `contiguous` of what is). */
export const wrapSame = (tensor: AnyTensor): AnyTensor => wrapView(tensor, unwrap(tensor));

/**
 * Writes a result into a tensor in place, for it and all its aliases to see; gives the tensor. The result is cast to the
 * target's dtype.
 * @throws ShapeError unless the result has the target's shape; DTypeError when the category does not fit (float into int, int
 * into bool); ViewError when several places of the target are one element.
 */
export function writeInto<T extends AnyTensor>(op: string, target: T, result: Value): T {
  const { dtype, shape } = unwrap(target).node;
  checkShape(op, shape, result.node.shape);
  if (!canCast(result.node.dtype, dtype)) {
    throw new DTypeError(
      `${op}: result type ${torchName[result.node.dtype]} can't be cast to the desired output type ${torchName[dtype]} (an in-place op keeps its target's dtype; use ${op.replace(/_$/, "")} without the underscore)`,
    );
  }
  return replace(op, target, record.cast(result, dtype));
}

/** Writes without a look at categories, as `copy_` and assignment do: any dtype is cast, any shape that expands is expanded. */
export function copyInto<T extends AnyTensor>(op: string, target: T, source: Value): T {
  const { dtype, shape } = unwrap(target).node;
  const value = record.cast(source, dtype);
  return replace(op, target, sameNumbers(value.node.shape, shape) ? value : record.expand(value, shape));
}

/** Gives the target, and what aliases it, new elements of its own shape and dtype. */
function replace<T extends AnyTensor>(op: string, target: T, value: Value): T {
  const alias = target[aliasKey];
  if (alias !== null) {
    const { cell, window } = alias;
    if (overlaps(window)) {
      throw new ViewError(
        `${op}: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.`,
      );
    }
    const { shape } = cell.value.node;
    if (!isWhole(window, elementCount(shape))) cell.value = record.update(cell.value, window, value);
    else cell.value = sameNumbers(shape, value.node.shape) ? value : record.reshape(value, shape);
    cell.version++;
    alias.version = cell.version;
  }
  target[valueKey] = value;
  return target;
}

function checkShape(op: string, target: readonly number[], result: readonly number[]): void {
  if (sameNumbers(target, result)) return;
  const missing = result.length - target.length;
  let axis = result.length - 1;
  while (axis > 0 && result[axis] === (target[axis - missing] ?? 1)) axis--;
  const existing = target[axis - missing] ?? 1;
  throw new ShapeError(
    `${op}: output with shape ${showShape(target)} doesn't match the broadcast shape ${showShape(result)}. The expanded size of the tensor (${existing}) must match the existing size (${result[axis]}) at non-singleton dimension ${axis} (an in-place op keeps its target's shape; use ${op.replace(/_$/, "")} without the underscore)`,
  );
}
