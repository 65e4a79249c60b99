/** What a write in place means for derivatives. */

import type { Value } from "../value.ts";
import { zerosOf } from "./constants.ts";
import { recording, Step } from "./step.ts";

/**
 * A cell changes from `old` to `value`, and `value` gets a step. A leaf stays a leaf. If the write was not recorded, or went through a
 * detached view, derivatives pass as if there were no write; if constants were written, derivatives stop there.
 */
export function carryStep(old: Value, value: Value, isDetached: boolean): void {
  const { step } = old;
  if (step === null || old === value) return;
  if (value.step === null) giveStep(old, step, value, isDetached);
  moveRetained(step, value.step);
}

/** A tensor that retains its gradient does so after a write: that of what it holds then. */
export function moveRetained(from: Step | null, to: Step | null): void {
  if (from === to || from === null || to === null || from.leaf === null || from.isLeaf) return;
  to.leaf = from.leaf;
  from.leaf = null;
}

/** A view that is read anew retains its gradient as before, and that of what was recorded before. */
export function shareRetained(from: Step | null, to: Step | null): void {
  if (from !== null && to !== null && from.leaf !== null && !from.isLeaf) to.leaf ??= from.leaf;
}

function giveStep(old: Value, step: Step, value: Value, isDetached: boolean): void {
  if (step.isLeaf) value.setStep(step);
  else if (recording.isOn && !isDetached)
    value.setStep(new Step(value.node, [old], { name: "constant", backward: () => [zerosOf(old)] }, null));
  else value.setStep(new Step(value.node, [old], { name: "unrecorded", backward: (g) => [g] }, null));
}
