import * as record from "../record.ts";
import { Step, useRecording, withRecording } from "../tape/step.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";

/** A new value for each tensor, to differentiate with respect to. So nobody else's derivative goes through it. */
export function open(tensors: readonly AnyTensor[]): Value[] {
  useRecording();
  return tensors.map((tensor) => {
    const value = unwrap(tensor);
    const source = withRecording(false, () => record.reshape(value, value.node.shape));
    source.setStep(new Step(source.node, value.step === null ? [] : [value], null, null));
    return source;
  });
}
