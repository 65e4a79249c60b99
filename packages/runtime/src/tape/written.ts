/** What a write in place is for derivatives. */

import type { Value } from "../value.ts";
import { zerosOf } from "./constants.ts";
import { recording, Step } from "./step.ts";

/**
 * A cell that held `old` holds `value` from now on. A leaf stays one. A write that was not recorded, or went through a detached view,
 * is none for derivatives; one of constants stops them.
 */
export function carryStep(old: Value, value: Value, isDetached: boolean): void {
  const { step } = old;
  if (step === null || value.step !== null || old === value) return;
  if (step.isLeaf) value.setStep(step);
  else if (recording.isOn && !isDetached)
    value.setStep(new Step(value.node, [old], { name: "constant", backward: () => [zerosOf(old)] }, null));
  else value.setStep(new Step(value.node, [old], { name: "unrecorded", backward: (g) => [g] }, null));
}
