/** Aliasing of handles: making a view, reading one after a write, and writing through one. docs/in-place.md tells the rules. */
import {
  broadcastShapes,
  canCast,
  type DType,
  DTypeError,
  ShapeError,
  type StridedView,
  sameNumbers,
  showShape,
  ViewError,
} from "@fuseau/ir";
import { torchName } from "../ops/operand.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { detached } from "../tape/detached.ts";
import { GradientError } from "../tape/errors.ts";
import { noteState } from "../tape/pending.ts";
import { recording, Step, withRecording } from "../tape/step.ts";
import { type Alias, type Cell, newCell, setCell } from "../tensor/cell.ts";
import { aliasKey, ownOf, setAlias, setValue, Tensor, unwrap } from "../tensor/handle.ts";
import { readAlias, readWindow } from "../tensor/read-cell.ts";
import { noteWritten } from "../tensor/scope.ts";
import type { AnyTensor, TensorsOf } from "../tensor/types.ts";
import { type Value, weakenViews } from "../value.ts";
import { isWhole, moveWindow, wholeWindow } from "../window/window.ts";
import { beforeWrite } from "./flush.ts";
import { distinctParts, overlaps, overlapsPartly } from "./overlap.ts";
import { rememberEarlier } from "./undo.ts";

/** The cell behind a tensor; one that stood alone gets its own. */
export function aliasOf(tensor: AnyTensor): Alias {
  const value = unwrap(tensor);
  let alias = tensor[aliasKey];
  if (alias === null) {
    alias = {
      cell: newCell(value),
      window: wholeWindow(value.node.shape),
      isBase: true,
      isDetached: false,
      version: 0,
    };
    setAlias(tensor, alias);
  }
  return alias;
}

/** Where a tensor's elements lie in its cell; of one that stands alone, row-major. */
export const windowOf = (tensor: AnyTensor): StridedView =>
  tensor[aliasKey]?.window ?? wholeWindow(tensor.shape);

/**
 * A tensor for what movements made of `parent`'s value. It is a view, which shares its elements, where they lie at strides, and a
 * copy where they do not (as PyTorch's `reshape`). Its type is what the call promises, as that of `wrap`.
 */
export function wrapView<S extends number[] = number[], D extends DType = DType>(
  parent: AnyTensor,
  value: Value,
): Tensor<S, D> {
  const window = movedWindow(parent, value);
  return window === null ? new Tensor(value) : aliased(aliasOf(parent), window, value);
}

/** The same of each of `values`, in a list. */
export function wrapViews<Shapes, D extends DType>(
  parent: AnyTensor,
  values: readonly Value[],
): TensorsOf<Shapes, D>;
export function wrapViews(parent: AnyTensor, values: readonly Value[]): AnyTensor[] {
  return values.map((value) => wrapView(parent, value));
}

function aliased<S extends number[], D extends DType>(
  { cell, version }: Alias,
  window: StridedView,
  value: Value,
): Tensor<S, D> {
  const tensor = new Tensor<S, D>(value);
  const isDetached = value.step === null && cell.value.step !== null;
  setAlias(tensor, { cell, window, isBase: false, isDetached, version });
  value.weaken();
  return tensor;
}

/** The window of `parent`'s cell that the movements between its value and `value` describe; null when there is none. */
export function movedWindow(parent: AnyTensor, value: Value): StridedView | null {
  const source = unwrap(parent);
  const path: Value[] = [];
  for (let step = value; step !== source; step = step.inputs[0] as Value) {
    if (step.storage !== null || step.inputs.length !== 1) return null;
    path.push(step);
  }
  let window: StridedView | null = windowOf(parent);
  for (let k = path.length - 1; k >= 0 && window !== null; k--)
    window = moveWindow(window, (path[k] as Value).node);
  return window;
}

/** A tensor over a window of another's cell, whatever its own window is (PyTorch: `as_strided`). */
export function wrapWindow<S extends number[] = number[], D extends DType = DType>(
  parent: AnyTensor,
  window: StridedView,
): Tensor<S, D> {
  const alias = aliasOf(parent);
  const value = alias.isDetached ? readAlias({ ...alias, window }) : readWindow(alias.cell, window);
  return aliased(alias, window, value);
}

/**
 * Lets go of a tensor. The memory of one that is no view is given back, unless another handle stands for the very same value. A
 * view has none of its own.
 */
export function disposeTensor(tensor: AnyTensor): void {
  const value = unwrap(tensor);
  const isBase = tensor[aliasKey]?.isBase ?? true;
  dropValue(tensor, value);
  weakenViews();
  // What has not been computed has no memory to give back, and others may be waiting for it.
  const isAwaited = value.storage === null && value.uses > 0;
  if (isBase && value.handles === 0 && !isAwaited) value.dispose();
}

function dropValue(tensor: AnyTensor, { node: { dtype, shape } }: Value): void {
  setAlias(tensor, null);
  setValue(tensor, record.stored(dtype, shape, new Storage(dtype, null)));
}

/** Another tensor that is the very same: what is written into one is written into both. */
export function twin(tensor: AnyTensor): AnyTensor {
  const alias = aliasOf(tensor);
  const made: AnyTensor = new Tensor(unwrap(tensor));
  setAlias(made, { ...alias });
  return made;
}

/** Lets go of a tensor, whose elements are no one's to read from then on, for the reason `why`. Others keep what they share with it. */
export function abandonTensor(tensor: AnyTensor, why: string): void {
  const { dtype, shape } = unwrap(tensor).node;
  setAlias(tensor, null);
  setValue(tensor, record.stored(dtype, shape, Storage.missing(dtype, why)));
}

/** The value of a tensor that an op made for itself and that nobody else has: from here on no tensor stands for it. */
export function takeValue(made: AnyTensor): Value {
  const value = unwrap(made);
  if (value.handles === 1) dropValue(made, value);
  return value;
}

/** Makes a tensor the view of itself that it was given (PyTorch: `transpose_`, `squeeze_` and their like), and gives it with its new type. */
export function become<S extends number[], D extends DType>(
  tensor: AnyTensor,
  view: Tensor<S, D>,
): Tensor<S, D> {
  const alias = view[aliasKey];
  const isBase = tensor[aliasKey]?.isBase ?? true;
  setValue(tensor, unwrap(view));
  setAlias(tensor, alias === null ? null : { ...alias, isBase });
  return tensor as Tensor<S, D>;
}

/**
 * Writes a result into a tensor in place, for it and all its aliases to see; gives the tensor. The result is cast to the
 * target's dtype.
 * @throws ShapeError unless the result has the target's shape; DTypeError when the category does not fit (float into int, int
 * into bool); ViewError when several places of the target are one element.
 */
export function writeInto<T extends AnyTensor>(op: string, target: T, result: Value): T {
  const { dtype, shape } = unwrap(target).node;
  refuseLeaf(target);
  refuseOverlaps(target);
  checkShape(op, shape, result.node.shape);
  if (!canCast(result.node.dtype, dtype))
    throw new DTypeError(
      `result type ${torchName[result.node.dtype]} can't be cast to the desired output type ${torchName[dtype]} (an in-place op keeps its target's dtype; ${withoutUnderscore(op)} gives a new tensor)`,
    );
  return replace(target, record.cast(result, dtype));
}

/**
 * Writes without a look at categories, as `copy_` and assignment do: any dtype is cast, any shape that expands is expanded.
 * @throws ShapeError for a shape that does not broadcast to the target's; ViewError when several places of it are one element.
 */
export function copyInto<T extends AnyTensor>(op: string, target: T, source: Value): T {
  const { dtype, shape } = unwrap(target).node;
  refuseLeaf(target);
  refuseOverlaps(target);
  checkShape(op, shape, broadcastShapes(shape, source.node.shape));
  const value = record.cast(source, dtype);
  return replace(target, sameNumbers(value.node.shape, shape) ? value : record.expand(value, shape));
}

/** Writes one value everywhere. Places that are one element do no harm here, as in PyTorch. */
export function fillWith<T extends AnyTensor>(target: T, scalar: Value): T {
  refuseLeaf(target);
  const { shape } = unwrap(target).node;
  const value = shape.length === 0 ? scalar : record.expand(scalar, shape);
  const { cell, window, isDetached } = aliasOf(target);
  if (!overlaps(window)) return replace(target, value);
  beforeWrite(cell);
  rememberEarlier(cell, value, false);
  for (const part of distinctParts(window))
    setCell(cell, updated(cell, part, record.expand(scalar, part.shape), isDetached), isDetached);
  return written(target, cell, value);
}

/**
 * What PyTorch checks before it writes: the target's places are distinct, and no operand shares some of them in another order
 * (`x[1:] += x[:-1]`, `x += x.t()`). Operands that are not dense it does not look into; they are read before the write.
 * @throws ViewError
 */
export function refuseOverlaps(target: AnyTensor, operands: readonly unknown[] = []): void {
  const alias = target[aliasKey];
  if (alias === null) return;
  const { cell, window } = alias;
  if (overlaps(window))
    throw new ViewError(
      `unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.`,
    );
  for (const operand of operands) {
    const other = operand instanceof Tensor ? operand[aliasKey] : null;
    if (other !== null && other.cell === cell && overlapsPartly(window, other.window)) {
      throw new ViewError(
        `unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.`,
      );
    }
  }
}

/** @throws GradientError for a tensor that requires a gradient itself, or a view of one, while that is recorded. */
function refuseLeaf(target: AnyTensor): void {
  if (!recording.isActive) return;
  const alias = target[aliasKey];
  if (alias?.isDetached === true || (alias?.cell.value ?? unwrap(target)).step?.isLeaf !== true) return;
  const which = alias !== null && !alias.isBase ? "a view of a leaf Variable" : "a leaf Variable";
  throw new GradientError(
    `${which} that requires grad is being used in an in-place operation. (write it inside noGrad(() => …), or write to a clone())`,
  );
}

/** Gives the target, and what aliases it, new elements of its own shape and dtype. */
function replace<T extends AnyTensor>(target: T, given: Value): T {
  const own = ownOf(given);
  const { cell, window, isDetached } = aliasOf(target);
  // What is not recorded, or goes through what was detached, leaves the derivatives of all who read the cell as they were.
  const value = isDetached || !recording.isOn ? detached(own) : own;
  beforeWrite(cell);
  const isAll = isWhole(window, countOf(cell.value));
  rememberEarlier(cell, value, isAll);
  setCell(cell, isAll ? value : updated(cell, window, value, isDetached), isDetached);
  written(target, cell, value);
  if (value !== own && recording.isOn) setValue(target, withStepOf(own, unwrap(target)));
  return target;
}

/** The elements of `value`, with the derivative of `own`. */
function withStepOf(own: Value, value: Value): Value {
  const made = withRecording(false, () => record.reshape(value, value.node.shape));
  made.setStep(new Step(made.node, [own], { name: "detached", backward: (g) => [g] }, null));
  return made;
}

/** A write through what was detached is none for derivatives: the cell is as it was to them. */
const updated = (cell: Cell, window: StridedView, value: Value, isDetached: boolean): Value =>
  withRecording(recording.isOn && !isDetached, () => record.update(cell.value, window, value));

/** What an alias stands for must be what its cell holds, so that a value which only aliases stand for can be let go of. */
function written<T extends AnyTensor>(target: T, cell: Cell, value: Value): T {
  cell.version++;
  noteWritten(target);
  if (recording.isActive) noteState(target, cell);
  // A detached alias reads its cell anew, without the cell's derivative.
  if (cell.value !== value || (value.step !== null && (target[aliasKey] as Alias).isDetached)) return target;
  (target[aliasKey] as Alias).version = cell.version;
  setValue(target, value);
  return target;
}

/** Gives all of a tensor's cell another value, of the same shape and dtype, for it and all its aliases to see. */
export function overwrite(target: AnyTensor, value: Value): void {
  const { cell, window } = aliasOf(target);
  cell.earlier.length = 0;
  setCell(cell, value);
  cell.version++;
  noteWritten(target);
  if (!isWhole(window, countOf(value)) || !sameNumbers(window.shape, value.node.shape)) return;
  (target[aliasKey] as Alias).version = cell.version;
  setValue(target, value);
}

const countOf = ({ node: { shape } }: Value): number => shape.reduce((count, size) => count * size, 1);

const withoutUnderscore = (op: string): string => `\`${op.replace(/_$/, "")}\``;

function checkShape(op: string, target: readonly number[], result: readonly number[]): void {
  if (sameNumbers(target, result)) return;
  const missing = result.length - target.length;
  let axis = result.length - 1;
  while (axis > 0 && result[axis] === (target[axis - missing] ?? 1)) axis--;
  const existing = target[axis - missing] ?? 1;
  throw new ShapeError(
    `output with shape ${showShape(target)} doesn't match the broadcast shape ${showShape(result)}. The expanded size of the tensor (${existing}) must match the existing size (${result[axis]}) at non-singleton dimension ${axis} (an in-place op keeps its target's shape; ${withoutUnderscore(op)} gives a new tensor)`,
  );
}
