/** Compositions whose derivatives are not those of their parts. */
import { isFloat } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { zerosOf } from "./constants.ts";
import { type Backward, recording, Step, withRecording } from "./step.ts";

/**
 * The result of `compute` for `inputs`, with a derivative of its own. `backward` returns gradients of the inputs, made of ops that can be
 * differentiated again. It is for compositions whose derivative in PyTorch is another (a norm at 0), and for those whose derivative would
 * overflow or cost far more. `kept` are stored values that only `backward` reads, and no tensor stands for: unless the step has them, their
 * memory is given back when the result is computed.
 */
export function withRule(
  name: string,
  inputs: readonly Value[],
  compute: () => Value,
  backward: (result: Value, ...given: Parameters<Backward>) => ReturnType<Backward>,
  kept: readonly Value[] = [],
): Value {
  if (!recording.isActive || inputs.every(({ step }) => step === null)) return compute();
  const made = withRecording(false, compute);
  if (!isFloat(made.node.dtype)) return made;
  // If nothing was computed, the result is an input, which has its own derivative.
  const isOwn = made.step === null && made.handles === 0 && !inputs.includes(made);
  const result = isOwn ? made : withRecording(false, () => record.reshape(made, made.node.shape));
  const rule = { name, backward: (g: Value, wanted: readonly boolean[]) => backward(result, g, wanted) };
  result.setStep(new Step(result.node, kept.length === 0 ? inputs : [...inputs, ...kept], rule, null));
  return result;
}

/** `value`, which does not depend on the elements of `inputs`, with a derivative that is 0. PyTorch gives zeros for it, and not none. */
export function withoutSlope(name: string, inputs: readonly Value[], value: Value): Value {
  const own = value.step === null ? [] : [value];
  return withRule(
    name,
    [...own, ...inputs],
    () => value,
    (_, g) => [...own.map(() => g), ...inputs.map(zerosOf)],
  );
}
