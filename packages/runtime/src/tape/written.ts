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
    value.setStep(ruled(value, { name: "constant", inputs: [old], backward: () => [zerosOf(old)] }));
  else value.setStep(ruled(value, { name: "unrecorded", inputs: [old], backward: (gradient) => [gradient] }));
}

const ruled = (value: Value, rule: NonNullable<Step["rule"]>): Step =>
  new Step(value.node, rule.inputs, rule, null);
