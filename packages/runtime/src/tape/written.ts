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
  if (step === null || value.step !== null || old === value) return;
  if (step.isLeaf) value.setStep(step);
  else if (recording.isOn && !isDetached)
    value.setStep(new Step(value.node, [old], { name: "constant", backward: () => [zerosOf(old)] }, null));
  else value.setStep(new Step(value.node, [old], { name: "unrecorded", backward: (g) => [g] }, null));
}
