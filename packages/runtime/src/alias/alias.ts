/** Aliasing of handles: makes views, reads them after a write, and writes through them. docs/in-place.md has the rules. */
import {
  broadcastShapes,
  canCast,
  type DType,
  DTypeError,
  elementCount,
  ShapeError,
  type StridedView,
  sameNumbers,
  showShape,
  ViewError,
} from "@fuseau/ir";
import { torchName } from "../ops/operand.ts";
import { depthOf } from "../random/mapping.ts";
import * as record from "../record.ts";
import { Storage } from "../storage.ts";
import { detached } from "../tape/detached.ts";
import { GradientError } from "../tape/errors.ts";
import { noteState } from "../tape/pending.ts";
import { recording, withRecording } from "../tape/step.ts";
import { type Alias, type Cell, newCell, setCell, type ViewRoot } from "../tensor/cell.ts";
import { aliasKey, hasStepOfOther, ownOf, setAlias, setValue, Tensor, unwrap } from "../tensor/handle.ts";
import { readAlias, readWindow } from "../tensor/read-cell.ts";
import { noteWritten } from "../tensor/scope.ts";
import type { AnyTensor, TensorsOf } from "../tensor/types.ts";
import { type Value, weakenViews } from "../value.ts";
import { Part } from "../window/part.ts";
import { isWhole, moveWindow, wholeWindow } from "../window/window.ts";
import { beforeWrite } from "./flush.ts";
import { refuseCaptured, refuseMapped } from "./mapped.ts";
import { distinctParts, overlaps, overlapsPartly } from "./overlap.ts";
import { carryRoot, makeRoot, rootOf, windowIn, windowInside, windowOfRoot } from "./root.ts";
import { rememberEarlier } from "./undo.ts";

/** The cell of a tensor. A tensor that stood alone gets one. */
export function aliasOf(tensor: AnyTensor): Alias {
  const value = unwrap(tensor);
  let alias = tensor[aliasKey];
  if (alias === null) {
    alias = {
      cell: newCell(value, depthOf(tensor)),
      window: wholeWindow(value.node.shape),
      isBase: true,
      isDetached: false,
      root: null,
      part: null,
      version: 0,
    };
    setAlias(tensor, alias);
  }
  return alias;
}

/** Whether the elements of a tensor have been written in place since it was made. */
export const isWritten = (tensor: AnyTensor): boolean => (tensor[aliasKey]?.cell.version ?? 0) > 0;

/** Where a tensor's elements are in its cell; row-major if it stands alone. */
export const windowOf = (tensor: AnyTensor): StridedView =>
  tensor[aliasKey]?.window ?? wholeWindow(tensor.shape);

/**
 * A tensor for a value that movements made of `parent`'s value. It is a view of `parent` if strides can express where its elements are, and
 * a copy otherwise (as PyTorch's `reshape`). Its static type is what the caller promises, as with `wrap`.
 */
export function wrapView<S extends number[] = number[], D extends DType = DType>(
  parent: AnyTensor,
  value: Value,
): Tensor<S, D> {
  const window = movedWindow(parent, value);
  if (window === null) return new Tensor(value);
  const source = unwrap(parent);
  source.isViewed = true;
  const alias = aliasOf(parent);
  const { root } = alias;
  // What strides can express of the cell, they can express of the root's elements, which are row-major.
  const within = root === null ? null : movedFrom(windowIn(root), parent, value);
  const view = aliased<S, D>(
    alias,
    window,
    value,
    root === null || within === null ? null : { ...root, within },
  );
  const part = view[aliasKey]?.part ?? null;
  for (let step = value; step !== source; step = step.inputs[0] as Value) step.part ??= part;
  return view;
}

/** A view of all of a tensor. No derivative flows between the two, whatever is written through either. */
export function detachedView<S extends number[], D extends DType>(parent: AnyTensor): Tensor<S, D> {
  const view = wrapView<S, D>(parent, detached(unwrap(parent)));
  // Until a tensor requires a gradient there is none to keep back.
  if (recording.isUsed) makeRoot(view, aliasOf(view), null);
  return view;
}

/** {@link wrapView} for each of `values`, in a list. */
export function wrapViews<Shapes, D extends DType>(
  parent: AnyTensor,
  values: readonly Value[],
): TensorsOf<Shapes, D>;
export function wrapViews(parent: AnyTensor, values: readonly Value[]): AnyTensor[] {
  return values.map((value) => wrapView(parent, value));
}

function aliased<S extends number[], D extends DType>(
  parent: Alias,
  window: StridedView,
  value: Value,
  root: ViewRoot | null,
): Tensor<S, D> {
  const { cell, version } = parent;
  // What shows all of another view is at its place. So parts do not become longer with each `x = x.t()` of a loop.
  const isPart = elementCount(window.shape) !== elementCount(parent.window.shape);
  const part = isPart ? new Part(parent.part) : parent.part;
  // The step of a view of all of a tensor is its own.
  const own = hasStepOfOther(value) ? record.reshape(value, value.node.shape) : value;
  const tensor = new Tensor<S, D>(own);
  const kept = own.step === null && root !== null && root.own.step !== null ? null : root;
  const isDetached = kept !== null || (own.step === null && (parent.isDetached || cell.value.step !== null));
  setAlias(tensor, { cell, window, isBase: false, isDetached, root: kept, part, version });
  own.part ??= part;
  own.weaken();
  return tensor;
}

/** The window of `parent`'s cell that the movements from its value to `value` describe; null if strides cannot express it. */
export const movedWindow = (parent: AnyTensor, value: Value): StridedView | null =>
  movedFrom(windowOf(parent), parent, value);

/** The window after the movements from `parent`'s value to `value`, where `parent` is at `from`. */
function movedFrom(from: StridedView, parent: AnyTensor, value: Value): StridedView | null {
  const source = unwrap(parent);
  const path: Value[] = [];
  for (let step = value; step !== source; step = step.inputs[0] as Value) {
    if (step.storage !== null || step.inputs.length !== 1) return null;
    path.push(step);
  }
  let window: StridedView | null = from;
  for (let k = path.length - 1; k >= 0 && window !== null; k--)
    window = moveWindow(window, (path[k] as Value).node);
  return window;
}

/**
 * A tensor over a window of another's cell, whatever that tensor's own window is (PyTorch: `as_strided`). Derivatives flow through the other
 * tensor if its elements lie in order and all of the window is within them, and else past it, to what it is a view of.
 * @throws ViewError for a window of a view that has derivatives of its own, unless all of its elements lie in order.
 */
export function wrapWindow<S extends number[] = number[], D extends DType = DType>(
  parent: AnyTensor,
  window: StridedView,
): Tensor<S, D> {
  const value = unwrap(parent);
  const alias = aliasOf(parent);
  const root = rootOf(alias);
  const own = root === null ? null : windowOfRoot(root, window);
  const hasOwnStep = !alias.isBase && !alias.isDetached && recording.isOn && value.step !== null;
  const within = hasOwnStep ? windowInside(alias.window, window) : null;
  if (within === null) return aliased(alias, window, readAt(alias, window, own), own);
  value.isViewed = true;
  return aliased(alias, window, record.asStrided(value, within), own);
}

/** A view at what `move` makes of the tensor's window. */
export function wrapMoved<S extends number[] = number[], D extends DType = DType>(
  parent: AnyTensor,
  move: (window: StridedView) => StridedView,
): Tensor<S, D> {
  const value = unwrap(parent);
  value.isViewed = true;
  const alias = aliasOf(parent);
  const { root } = alias;
  const within = root === null ? null : move(windowIn(root));
  const moved = record.asStrided(value, move(wholeWindow(value.node.shape)));
  return aliased(alias, move(alias.window), moved, root === null ? null : { ...root, within });
}

/** A tensor of the whole cell that a tensor is a view of. */
export function baseOf(tensor: AnyTensor): AnyTensor {
  const alias = aliasOf(tensor);
  const window = wholeWindow(alias.cell.value.node.shape);
  return aliased(alias, window, readWindow(alias.cell, window), null);
}

const readAt = (alias: Alias, window: StridedView, root: ViewRoot | null): Value =>
  alias.isDetached ? readAlias({ ...alias, window, root }) : readWindow(alias.cell, window);

/**
 * Disposes of a tensor. If it is no view, its memory is given back, unless another handle stands for the same value. So is that of a view
 * which was computed where its base was not, unless anything else may read it.
 */
export function disposeTensor(tensor: AnyTensor): void {
  const value = unwrap(tensor);
  const isBase = tensor[aliasKey]?.isBase ?? true;
  dropValue(tensor, value);
  weakenViews();
  // A value that is not computed has no memory to give back, and others may still need it.
  const isAwaited = (value.storage === null || value.isUnasked) && value.uses > 0;
  const isFree = isBase ? !isAwaited : value.storage !== null && value.isReadByNone;
  if (value.handles === 0 && isFree) value.dispose();
}

function dropValue(tensor: AnyTensor, { node: { dtype, shape } }: Value): void {
  setAlias(tensor, null);
  setValue(tensor, record.stored(dtype, shape, new Storage(dtype, null)));
}

/** A second tensor for the same elements: a write to one is a write to both. */
export function twin(tensor: AnyTensor): AnyTensor {
  const alias = aliasOf(tensor);
  const made: AnyTensor = new Tensor(unwrap(tensor));
  setAlias(made, { ...alias });
  return made;
}

/**
 * Disposes of a tensor. Nobody can read its elements from then on; `why` is what the error says. Tensors that share elements with it keep
 * them.
 */
export function abandonTensor(tensor: AnyTensor, why: string): void {
  const { dtype, shape } = unwrap(tensor).node;
  setAlias(tensor, null);
  setValue(tensor, record.stored(dtype, shape, Storage.missing(dtype, why)));
}

/** Takes the value of a tensor that an op made for itself and nobody else has. The tensor no longer stands for it. */
export function takeValue(made: AnyTensor): Value {
  const value = unwrap(made);
  if (value.handles === 1) dropValue(made, value);
  return value;
}

/** Turns a tensor into a given view of itself (PyTorch: `transpose_`, `squeeze_` and their like), and returns it with its new type. */
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
 * Writes a result into a tensor in place: the tensor and all its aliases see it. The result is cast to the target's dtype. Returns the
 * tensor.
 * @throws ShapeError unless the result has the target's shape; DTypeError when the category does not fit (float into int, int into bool);
 * ViewError when several places of the target are the same element.
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
 * Writes without checking categories, as `copy_` and assignment do: any dtype is cast, and any shape that broadcasts is expanded.
 * @throws ShapeError for a shape that does not broadcast to the target's; ViewError when several places of the target are the same element.
 */
export function copyInto<T extends AnyTensor>(op: string, target: T, source: Value): T {
  const { dtype, shape } = unwrap(target).node;
  refuseLeaf(target);
  refuseOverlaps(target);
  checkShape(op, shape, broadcastShapes(shape, source.node.shape));
  const value = record.cast(source, dtype);
  return replace(target, sameNumbers(value.node.shape, shape) ? value : record.expand(value, shape));
}

/** Writes one value everywhere. As in PyTorch, several places may be the same element. */
export function fillWith<T extends AnyTensor>(target: T, scalar: Value): T {
  refuseLeaf(target);
  const { shape } = unwrap(target).node;
  const value = shape.length === 0 ? scalar : record.expand(scalar, shape);
  const { cell, window, isDetached, root } = aliasOf(target);
  if (!overlaps(window)) return replace(target, value);
  refuseMapped(cell, value);
  if (recording.isOn) refuseCaptured(cell, value);
  beforeWrite(cell);
  rememberEarlier(cell, value, false);
  if (root !== null && recording.isOn)
    for (const within of distinctParts(windowIn(root)))
      carryRoot(cell, { ...root, within }, record.expand(scalar, within.shape));
  for (const part of distinctParts(window))
    setCell(cell, updated(cell, part, record.expand(scalar, part.shape), isDetached), isDetached);
  return written(target, cell, value);
}

/**
 * What PyTorch checks before a write: no two places of the target are the same element, and no operand shares some of them in another order
 * (`x[1:] += x[:-1]`, `x += x.t()`). Like PyTorch, it does not check operands that are not dense; they are read before the write.
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

/** @throws GradientError for a leaf that requires a gradient, or a view of one, while gradients are recorded. */
export function refuseLeaf(target: AnyTensor): void {
  if (!recording.isActive) return;
  const alias = target[aliasKey];
  const { isDetached = false, root = null } = alias ?? {};
  const step = isDetached ? root?.own.step : (alias?.cell.value ?? unwrap(target)).step;
  if (step?.isLeaf !== true) return;
  const isLeaf = root === null ? alias?.isBase !== false : unwrap(target).step === step;
  const which = isLeaf ? "a leaf Variable" : "a view of a leaf Variable";
  throw new GradientError(
    `${which} that requires grad is being used in an in-place operation. (write it inside noGrad(() => …), or write to a clone())`,
  );
}

/** Gives the target and its aliases new elements. `source` has the target's shape and dtype. */
function replace<T extends AnyTensor>(target: T, source: Value): T {
  const own = ownOf(source);
  const { cell, window, isDetached, root, part } = aliasOf(target);
  // A write that is not recorded, or that goes through a detached tensor, does not change the derivatives of what reads the cell.
  const given = isDetached || !recording.isOn ? detached(own) : own;
  const isDerived = own.step !== null || cell.value.step !== null;
  if (isDetached && recording.isActive && root === null && isDerived)
    throw new GradientError(
      "A view was created in no_grad mode and is being modified inplace with grad mode enabled. (make the view outside of noGrad, and within a tensor that was detached, or write to a clone())",
    );
  refuseMapped(cell, given);
  refuseCaptured(cell, given);
  beforeWrite(cell);
  const isAll = isWhole(window, elementCount(cell.value.node.shape));
  // The cell may give its step to what is written; what that was copied from must not get one.
  const isShared =
    isAll && (cell.value.step ?? given.step) !== null && (given.handles > 0 || given.cells > 0);
  // The cell keeps its shape, which its step goes with; the target may have the same elements in another.
  const { shape } = isAll ? cell.value.node : given.node;
  const value = isShared || !sameNumbers(given.node.shape, shape) ? record.reshape(given, shape) : given;
  rememberEarlier(cell, value, isAll);
  if (root !== null && recording.isOn) carryRoot(cell, root, own);
  const next = isAll ? value : updated(cell, window, value, isDetached);
  if (!isAll) next.part = part;
  setCell(cell, next, isDetached);
  return written(target, cell, value);
}

/** The cell's value with a window replaced. A write through a detached tensor records no derivative. */
const updated = (cell: Cell, window: StridedView, value: Value, isDetached: boolean): Value =>
  withRecording(recording.isOn && !isDetached, () => record.update(cell.value, window, value));

/** Notes a write. An alias that shows the whole cell takes the cell's own value. So a value that only aliases stand for can be released. */
function written<T extends AnyTensor>(target: T, cell: Cell, value: Value): T {
  cell.version++;
  noteWritten(target);
  if (recording.isActive) noteState(target, cell);
  showCell(target, value);
  return target;
}

/**
 * The tensor takes the value of its cell if that has just been written, and shows it as it is. A detached alias reads its cell anew, without
 * the cell's derivative; a root, and a view of it, with a step of its own.
 */
function showCell(target: AnyTensor, value: Value): void {
  const { cell, window, isBase, isDetached, root } = aliasOf(target);
  const { shape } = value.node;
  const isAll = isWhole(window, elementCount(shape)) && sameNumbers(window.shape, shape);
  const hasOtherStep = root?.own.step != null || (value.step !== null && (isDetached || !isBase));
  if (cell.value !== value || !isAll || hasOtherStep) return;
  (target[aliasKey] as Alias).version = cell.version;
  setValue(target, value);
}

/** Gives the whole cell of a tensor another value of the same shape and dtype. The tensor and all its aliases see it. */
export function overwrite(target: AnyTensor, value: Value): void {
  const { cell } = aliasOf(target);
  cell.earlier.length = 0;
  setCell(cell, value);
  cell.version++;
  noteWritten(target);
  showCell(target, value);
}

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
