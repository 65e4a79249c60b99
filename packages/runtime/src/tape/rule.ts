/** Derivatives of compositions that are not those of what they are made of. */
import { isFloat } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { zerosOf } from "./constants.ts";
import { type Backward, recording, Step, withRecording } from "./step.ts";

/**
 * What `compute` makes of `inputs`, with a derivative of its own: `backward` gives gradients of the inputs, in terms of values that can be
 * differentiated again. For where PyTorch's derivative is another than that of the composition (a norm at 0), and where that of the
 * composition overflows or costs far more.
 */
export function withRule(
  name: string,
  inputs: readonly Value[],
  compute: () => Value,
  backward: (result: Value, ...given: Parameters<Backward>) => ReturnType<Backward>,
): Value {
  if (!recording.isActive || inputs.every(({ step }) => step === null)) return compute();
  const made = withRecording(false, compute);
  if (!isFloat(made.node.dtype)) return made;
  // What computes nothing gives what it was given, which has a derivative already.
  const isOwn = made.step === null && made.handles === 0 && !inputs.includes(made);
  const result = isOwn ? made : withRecording(false, () => record.reshape(made, made.node.shape));
  const rule = { name, backward: (g: Value, wanted: readonly boolean[]) => backward(result, g, wanted) };
  result.setStep(new Step(result.node, inputs, rule, null));
  return result;
}

/** `value`, which does not depend on the elements of `inputs`: its derivative is there, and 0. PyTorch gives zeros where it has an op. */
export function withoutSlope(name: string, inputs: readonly Value[], value: Value): Value {
  const own = value.step === null ? [] : [value];
  return withRule(
    name,
    [...own, ...inputs],
    () => value,
    (_, g) => [...own.map(() => g), ...inputs.map(zerosOf)],
  );
}
