/** Leaves: tensors whose gradient was asked for, and the places where gradients are added up. */
import { isFloat, ShapeError, sameNumbers, showArgument, showShape } from "@fuseau/ir";
import { disposeTensor, writeInto } from "../alias/alias.ts";
import { makeRoot } from "../alias/root.ts";
import { torchName } from "../ops/operand.ts";
import { add } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { detached } from "../tape/detached.ts";
import { GradientError } from "../tape/errors.ts";
import { isMadeOfFailed } from "../tape/failed.ts";
import { type Leaf, Step, useRecording, withRecording } from "../tape/step.ts";
import { restoreCell, setCell } from "../tensor/cell.ts";
import { aliasKey, setAlias, setValue, Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import { tracing } from "../tracing.ts";
import { Value } from "../value.ts";

/** @throws TypeError unless it is true or false. */
export function checkedFlag(requiresGrad: unknown): boolean {
  if (typeof requiresGrad === "boolean") return requiresGrad;
  throw new TypeError(`requiresGrad must be true or false, but got ${showArgument(requiresGrad)}`);
}

/**
 * Asks for the gradient of a tensor, or stops asking.
 * @throws GradientError unless the tensor is a leaf of a floating dtype.
 */
export function requireGradient(op: string, tensor: AnyTensor, wants: boolean): void {
  const value = unwrap(tensor);
  const { step } = value;
  if ((step !== null) === wants) return;
  if (wants) {
    if (!isFloat(value.node.dtype))
      throw new GradientError(
        `${op}: only Tensors of floating point dtype can require gradients (got ${torchName[value.node.dtype]})`,
      );
    useRecording();
    const made = former.get(tensor) ?? new Step(value.node, [], null, null);
    made.leaf = resting.get(tensor) ?? { isLeaf: true };
    resting.delete(tensor);
    const alias = tensor[aliasKey];
    if (alias !== null && !alias.isBase) makeRoot(tensor, alias, made);
    else ownValue(tensor, value).setStep(made);
  } else if (isLeaf(tensor)) {
    const made = step as Step;
    former.set(tensor, made);
    if (made.leaf !== null && gradients.has(made.leaf)) resting.set(tensor, made.leaf);
    if (tracing === null) made.leaf = null;
    const alias = tensor[aliasKey];
    if (alias !== null && alias.root !== null) makeRoot(tensor, { ...alias, version: -1 }, null);
    else ownValue(tensor, value).setStep(null);
  } else
    throw new GradientError(
      `${op}: you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use x.detach().`,
    );
}

/** The steps of tensors that require no gradient any more. What was recorded before has them, and leads to the tensors if they do again. */
const former = new WeakMap<AnyTensor, Step>();

/**
 * A value that no other tensor stands for, and that nothing reads which was recorded before. The tensor gets it, and its cell. For what was
 * there before the function that `jit` calls it is the value itself, which stands for the argument.
 */
function ownValue(tensor: AnyTensor, value: Value): Value {
  const alias = tensor[aliasKey];
  const isShared = value.handles > 1 || value.cells > (alias === null ? 0 : 1);
  const isGiven = tracing !== null && !tracing.isOwn(tensor);
  if (isGiven || (!isShared && value.uses === 0)) return value;
  const { node, inputs, storage } = value;
  const [input = value] = storage === null && node.op === "reshape" ? inputs : [];
  const from = sameNumbers(input.node.shape, node.shape) ? input : value;
  const own = withRecording(false, () => record.reshape(from, node.shape));
  if (alias !== null) setCell(alias.cell, own);
  setValue(tensor, own);
  return own;
}

/**
 * Takes from a tensor how it was made, for derivatives. Its views share its elements as before. They keep the derivatives that they have until
 * the next write, after which they have those of the tensor, as in PyTorch.
 * @throws GradientError for a view.
 */
export function detachInPlace(tensor: AnyTensor): void {
  const value = unwrap(tensor);
  const alias = tensor[aliasKey];
  const root = alias?.root ?? null;
  const isView = root === null ? alias?.isBase === false && !alias.isDetached : root.within !== null;
  if (isView) throw new GradientError("Can't detach views in-place. Use detach() instead.");
  if (isLeaf(tensor)) requireGradient("detach_", tensor, false);
  else if (alias === null) setValue(tensor, detached(value));
  else if (root !== null) {
    root.own.step = null;
    setAlias(tensor, { ...alias, version: -1 });
  } else {
    // The version stays: views are not to be read anew.
    const { cell } = alias;
    const isAll = cell.value === value;
    restoreCell(cell, detached(cell.value));
    setValue(tensor, isAll ? cell.value : detached(value));
  }
}

/** True if no operation that a derivative flows through made the tensor. */
export function isLeaf(tensor: AnyTensor): boolean {
  const { step } = unwrap(tensor);
  const alias = tensor[aliasKey];
  return step === null || (step.isLeaf && (alias === null || alias.isBase || alias.root?.own.step === step));
}

/** Asks to keep the gradient of a tensor that is computed from others. By default only leaves keep theirs. */
export function retainGradient(op: string, tensor: AnyTensor): void {
  const { step } = unwrap(tensor);
  if (step === null)
    throw new GradientError(`${op}: can't retain_grad on Tensor that has requires_grad=False`);
  step.leaf ??= { isLeaf: false };
}

/** The sum that backward passes have added up. */
export interface Sum {
  readonly tensor: AnyTensor;
  /** True if the user may have the tensor. */
  isShown: boolean;
  /** How many values had failed when it was last known to be none of them, nor made of one. */
  failures?: number;
}

/** The sums by leaf. */
const gradients = new WeakMap<Leaf, Sum>();

function setSum(leaf: Leaf, sum: Sum): void {
  sum.failures = Value.failures;
  gradients.set(leaf, sum);
}

/** The sums of tensors that require no gradient: they keep what they had, and may be given one. */
const resting = new WeakMap<AnyTensor, Leaf>();

/** Gives a tensor that stands for another, which requires no gradient, the one that the other has. */
export function restWith(stand: AnyTensor, tensor: AnyTensor): void {
  const leaf = resting.get(tensor);
  if (leaf !== undefined) resting.set(stand, leaf);
}

const leafOf = (tensor: AnyTensor): Leaf | null => {
  const { step } = unwrap(tensor);
  return (step === null ? resting.get(tensor) : step.leaf) ?? null;
};

const sumOf = (tensor: AnyTensor): Sum | undefined => sumAt(leafOf(tensor) ?? nowhere);

function sumAt(leaf: Leaf): Sum | undefined {
  const sum = gradientAt(leaf) ?? undefined;
  if (tracing !== null && leaf !== nowhere) tracing.gradientRead(leaf, sum?.tensor ?? null);
  return sum;
}

/**
 * The present sum of a leaf, and whether the user may have it. A sum that failed since it was made is none: whoever asked for it was told,
 * and the next backward pass begins anew.
 */
export function gradientAt(leaf: Leaf): Sum | null {
  const sum = gradients.get(leaf);
  if (sum === undefined) return null;
  if (sum.failures === Value.failures || tracing !== null) return sum;
  sum.failures = Value.failures;
  if (!isMadeOfFailed(unwrap(sum.tensor))) return sum;
  gradients.delete(leaf);
  return null;
}

/** Replaces the sum by another tensor, or by none. If the user never saw the old one, its memory is given back. */
export function replaceGradient(leaf: Leaf, sum: Sum | null): void {
  if (tracing !== null) tracing.gradientWritten(leaf);
  else {
    const earlier = gradients.get(leaf);
    if (earlier?.isShown === false && earlier.tensor !== sum?.tensor) {
      // The sums of other tensors may still be recorded from it.
      unwrap(earlier.tensor).isUnasked = true;
      disposeTensor(earlier.tensor);
    }
  }
  if (sum === null) gradients.delete(leaf);
  else setSum(leaf, sum);
}

/** The sum of a tensor's gradients. */
export function gradientOf(tensor: AnyTensor): AnyTensor | null {
  const sum = sumOf(tensor);
  if (sum === undefined) return null;
  sum.isShown = true;
  return sum.tensor;
}

/** The same for a caller that does not keep it. If the user never saw it, `x.grad = null` gives its memory back. */
export const borrowedGradient = (tensor: AnyTensor): AnyTensor | null => sumOf(tensor)?.tensor ?? null;

const nowhere: Leaf = { isLeaf: false };

/** Adds a gradient to the sum. A sum that the user may have is written in place, as PyTorch's is, unless it is to be differentiated. */
export function accumulate(step: Step, gradient: Value, createGraph: boolean): void {
  step.leaf ??= { isLeaf: false };
  const { leaf } = step;
  const sum = sumAt(leaf)?.tensor;
  const begin = (value: Value): void => {
    if (tracing !== null) tracing.gradientWritten(leaf);
    setSum(leaf, { tensor: new Tensor(value), isShown: false });
  };
  if (sum === undefined) begin(gradient);
  else if (createGraph) begin(add(unwrap(sum), gradient));
  else withRecording(false, () => writeInto("backward", sum, add(unwrap(sum), gradient)));
}

/**
 * The setter of `x.grad`.
 * @throws TypeError for a value that is neither a tensor nor null, ShapeError for another shape.
 */
export function setGradient(this: AnyTensor, grad: unknown): void {
  const { step, node } = unwrap(this);
  if (grad !== null) {
    const value = unwrap(grad);
    if (!sameNumbers(value.node.shape, node.shape))
      throw new ShapeError(
        `grad: assigned grad has data of a different size (${showShape(value.node.shape)}, the tensor has ${showShape(node.shape)})`,
      );
    if (value.node.dtype !== node.dtype)
      throw new GradientError(
        `grad: assigned grad has data of a different type (${value.node.dtype}, not ${node.dtype})`,
      );
  }
  if (step === null && grad === null) {
    resting.delete(this);
    return;
  }
  const leaf = leafOf(this) ?? { isLeaf: step === null };
  if (step === null) resting.set(this, leaf);
  else step.leaf = leaf;
  replaceGradient(leaf, grad === null ? null : { tensor: grad as AnyTensor, isShown: true });
}
