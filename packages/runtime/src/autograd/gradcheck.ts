/** Compares derivatives with finite differences. Source: torch.autograd.gradcheck on pytorch.org/docs/stable. */
import { elementCount, showShape } from "@fuseau/ir";
import { asUser } from "../entry/operation.ts";
import { computeValues } from "../execute/compute.ts";
import { optionsOf } from "../options.ts";
import { stored } from "../record.ts";
import { Storage } from "../storage.ts";
import { zerosOf } from "../tape/constants.ts";
import { GradientError } from "../tape/errors.ts";
import { Step, useRecording, withRecording } from "../tape/step.ts";
import { Tensor, unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { backward } from "./backward.ts";
import { leavesOf } from "./tree.ts";

/** Tolerances: |derivative − difference| ≤ atol + rtol·|difference|. */
export interface Closeness {
  /** The step of the differences. */
  readonly eps: number;
  readonly atol: number;
  readonly rtol: number;
}

type Checked = (...inputs: AnyTensor[]) => unknown;

/**
 * Null when the gradients of all outputs of `fn` agree with central differences; otherwise a sentence about the first that does not. Inputs
 * that require a gradient must be float64: differences of float32 are noise.
 */
export function checkGradients(fn: Checked, inputs: readonly AnyTensor[], limits: Closeness): string | null {
  const places = inputs.flatMap((input, k) => (input.requiresGrad ? [k] : []));
  for (const k of places)
    if (inputs[k]!.dtype !== "float64")
      throw new GradientError(`gradcheck: input ${k} is ${inputs[k]!.dtype}; differences need float64`);
  const elements = inputs.map((input) => numbersOf(unwrap(input)));
  const outputsAt = (changed: readonly Float64Array[]): Value[] =>
    withRecording(false, () =>
      valuesOf(
        fn,
        inputs.map((input, k) => (places.includes(k) ? like(input, changed[k]!) : input)),
      ),
    );
  const analytic = jacobians(fn, inputs, places, elements);
  for (const k of places) {
    const count = elementCount(inputs[k]!.shape);
    for (let place = 0; place < count; place++) {
      const [above, below] = [limits.eps, -limits.eps].map((by) => {
        const moved = elements.map((own) => own.slice());
        moved[k]![place]! += by;
        return outputsAt(moved).map(numbersOf);
      }) as [Float64Array[], Float64Array[]];
      for (const [output, high] of above.entries()) {
        for (const [row, value] of high.entries()) {
          const numeric = (value - below[output]![row]!) / (2 * limits.eps);
          const own = analytic[output]![row]!.get(k)![place]!;
          if (Math.abs(own - numeric) <= limits.atol + limits.rtol * Math.abs(numeric)) continue;
          return `Jacobian mismatch for output ${output} with respect to input ${k}: at element ${row} of the output and ${place} of the input (shape ${showShape(inputs[k]!.shape)}) numerical ${numeric}, analytical ${own}`;
        }
      }
    }
  }
  return null;
}

function valuesOf(fn: Checked, inputs: readonly AnyTensor[]): Value[] {
  return leavesOf(
    "gradcheck",
    "what fn gives",
    asUser(() => fn(...inputs)),
  )
    .map(unwrap)
    .filter(({ node }) => node.dtype === "float64");
}

/** By output and element: the gradients of each input. */
function jacobians(
  fn: Checked,
  inputs: readonly AnyTensor[],
  places: readonly number[],
  elements: readonly Float64Array[],
): Map<number, Float64Array>[][] {
  useRecording();
  return withRecording(true, () => {
    const fresh = inputs.map((input, k) => {
      if (!places.includes(k)) return input;
      const tensor = like(input, elements[k]!);
      const value = unwrap(tensor);
      value.setStep(new Step(value.node, [], null, null));
      return tensor;
    });
    const sources = places.map((k) => unwrap(fresh[k]!));
    return valuesOf(fn, fresh).map((root) =>
      Array.from({ length: elementCount(root.node.shape) }, (_, row) => {
        const seed = new Float64Array(elementCount(root.node.shape));
        seed[row] = 1;
        const found =
          root.step === null
            ? new Map<Step, Value>()
            : backward({
                op: "gradcheck",
                roots: [root],
                gradients: [valueWith(root.node.shape, seed)],
                wanted: sources,
                createGraph: false,
                retainGraph: true,
              });
        // All are computed together. One by one, the memory of each would be donated to the next, since no tensor stands for it.
        const gradients = sources.map((source) => found.get(source.step as Step) ?? zerosOf(source));
        computeValues(gradients, optionsOf("gradcheck", undefined));
        return new Map(gradients.map((gradient, at) => [places[at]!, numbersOf(gradient)]));
      }),
    );
  });
}

const valueWith = (shape: readonly number[], elements: Float64Array): Value =>
  stored("float64", shape, new Storage("float64", elements));

const like = ({ shape }: AnyTensor, elements: Float64Array): AnyTensor =>
  new Tensor(valueWith(shape, elements.slice()));

function numbersOf(value: Value): Float64Array {
  computeValues([value], optionsOf("gradcheck", undefined));
  return Float64Array.from(value.storage!.array as Float64Array);
}
