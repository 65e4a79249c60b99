/**
 * Views with derivatives of their own: leaves whose gradient was asked for, and what `detach()` gave. They share elements with their cell,
 * and derivatives with their own views.
 */
import { elementCount, type StridedView, ViewError } from "@fuseau/ir";
import * as record from "../record.ts";
import { recording, type Step, withRecording } from "../tape/step.ts";
import { carryStep } from "../tape/written.ts";
import type { Alias, Cell, ViewRoot } from "../tensor/cell.ts";
import { setAlias } from "../tensor/handle.ts";
import { readWindow } from "../tensor/read-cell.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { isContiguous, isWhole, wholeWindow } from "../window/window.ts";

/**
 * Gives a view derivatives of its own: those of a leaf, or none. It shares its elements as before, and no derivative flows to what it is a
 * view of.
 */
export function makeRoot(view: AnyTensor, alias: Alias, step: Step | null): void {
  const root = { own: { step }, window: alias.window, within: null };
  // Its value has a step from when it is read anew, which is at once.
  const version = step === null ? alias.version : -1;
  setAlias(view, { ...alias, isDetached: true, root, version });
}

/** The root of an alias, if a view of it is to share its derivatives. */
export const rootOf = ({ root }: Alias): ViewRoot | null =>
  root === null || (root.own.step !== null && !recording.isOn) ? null : root;

/** The alias's window of its root's elements. */
export const windowIn = ({ within, window }: ViewRoot): StridedView => within ?? wholeWindow(window.shape);

/** A window of a cell as one of the elements of another, which are row-major; null if it reaches beyond them, or they do not lie in order. */
export function windowInside(outer: StridedView, window: StridedView): StridedView | null {
  const within = { ...window, offset: window.offset - outer.offset };
  const last = within.strides.reduce(
    (place, stride, k) => place + stride * ((window.shape[k] ?? 1) - 1),
    within.offset,
  );
  const isInside = isContiguous(outer) && within.offset >= 0 && last < elementCount(outer.shape);
  return isInside ? within : null;
}

/**
 * The root, as a view at that window of its cell sees it; null if it reaches beyond a root that nothing recorded was written to.
 * @throws ViewError if it reaches beyond any other.
 */
export function windowOfRoot(root: ViewRoot, window: StridedView): ViewRoot | null {
  const within = windowInside(root.window, window);
  if (within !== null) return { ...root, within };
  if (root.own.step === null) return null;
  throw new ViewError(
    "as_strided: these are not all elements of a tensor that is a view of another, and has derivatives of its own (clone() it before requiresGrad_(), or take them from the other tensor)",
  );
}

/** A recorded write through a root, or a view of it, changes what the elements of the root are made of. */
export function carryRoot(cell: Cell, root: ViewRoot, written: Value): void {
  const { window, own, within } = root;
  if (own.step === null && written.step === null) return;
  const before = withRecording(false, () => record.reshape(readWindow(cell, window), window.shape));
  before.setStep(own.step);
  const isAll = within === null || isWhole(within, elementCount(window.shape));
  const made = isAll ? record.reshape(written, window.shape) : record.update(before, within, written);
  carryStep(before, made, false);
  own.step = made.step;
}
