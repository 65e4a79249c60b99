/** Backward passes as users start them: checks arguments, calls hooks, and adds up gradients. */
import { ShapeError, sameNumbers, showShape } from "@fuseau/ir";
import { notePending } from "../execute/pending/written.ts";
import { torchName } from "../ops/operand.ts";
import { filled } from "../tape/constants.ts";
import { GradientError } from "../tape/errors.ts";
import { noteOutput } from "../tape/pending.ts";
import type { Step } from "../tape/step.ts";
import { unwrap } from "../tensor/handle.ts";
import type { AnyTensor } from "../tensor/types.ts";
import type { Value } from "../value.ts";
import { backward, retains } from "./backward.ts";
import { accumulate } from "./leaf.ts";

interface Options {
  readonly retainGraph?: boolean;
  readonly createGraph?: boolean;
  readonly inputs?: AnyTensor | readonly AnyTensor[];
}

/** Adds gradients to all leaves, or to the tensors in `inputs`. */
export function backwardFrom(
  op: string,
  outputs: readonly AnyTensor[],
  given: readonly (AnyTensor | null)[],
  { createGraph = false, retainGraph = createGraph, inputs }: Options,
): void {
  const roots = rootsOf(op, outputs);
  const wanted = inputs === undefined ? null : valuesOf(op, "inputs", [inputs].flat());
  const gradients = gradientsOf(op, roots, given);
  const found = backward({ op, roots, gradients, wanted, createGraph, retainGraph });
  for (const [step, gradient] of found) accumulate(step, gradient, createGraph);
  for (const root of roots) {
    noteOutput(root);
    notePending({ value: root, isOutput: true });
  }
}

/** The gradients of `inputs`; null for an input that the outputs do not depend on. */
export function gradientsFor(
  op: string,
  outputs: readonly AnyTensor[],
  inputs: readonly AnyTensor[],
  given: readonly (AnyTensor | null)[],
  { createGraph = false, retainGraph = createGraph }: Options,
): (Value | null)[] {
  const roots = rootsOf(op, outputs);
  const wanted = valuesOf(op, "inputs", inputs);
  const gradients = gradientsOf(op, roots, given);
  const found = backward({ op, roots, gradients, wanted, createGraph, retainGraph });
  // What is asked for is given, and added to nothing.
  const asked = new Set(wanted.map(({ step }) => step));
  for (const [step, gradient] of found)
    if (retains(step) && !asked.has(step)) accumulate(step, gradient, createGraph);
  return wanted.map((value) => found.get(value.step as Step) ?? null);
}

function rootsOf(op: string, outputs: readonly AnyTensor[]): Value[] {
  return outputs.map((output, k) => {
    const value = unwrap(output);
    if (value.step === null)
      throw new GradientError(
        `${op}: element ${k} of tensors does not require grad and does not have a grad_fn (it was made of no tensor that requires a gradient, or inside noGrad; x.requiresGrad_() asks for one)`,
      );
    return value;
  });
}

function valuesOf(op: string, name: string, tensors: readonly AnyTensor[]): Value[] {
  return tensors.map((tensor, k) => {
    const value = unwrap(tensor);
    if (value.step === null)
      throw new GradientError(
        `${op}: One of the differentiated Tensors does not require grad (${name}[${k}])`,
      );
    return value;
  });
}

function gradientsOf(op: string, roots: readonly Value[], given: readonly (AnyTensor | null)[]): Value[] {
  if (given.length !== roots.length)
    throw new GradientError(
      `${op}: got ${roots.length} tensors and ${given.length} gradients (one for each, null for a scalar's 1)`,
    );
  return roots.map((root, k) => {
    const { dtype, shape } = root.node;
    const gradient = given[k] ?? null;
    if (gradient === null) {
      if (shape.every((size) => size === 1)) return filled(dtype, shape, 1);
      throw new GradientError(
        `${op}: grad can be implicitly created only for scalar outputs (this one has shape ${showShape(shape)}; give a gradient of that shape, or reduce it first, e.g. .sum())`,
      );
    }
    const value = unwrap(gradient);
    if (!sameNumbers(value.node.shape, shape))
      throw new ShapeError(
        `${op}: Mismatch in shape: grad_output[${k}] has a shape of ${showShape(value.node.shape)} and output[${k}] has a shape of ${showShape(shape)}.`,
      );
    if (value.node.dtype !== dtype)
      throw new GradientError(
        `${op}: expected a gradient of dtype ${torchName[dtype]}, that of the output, but got ${torchName[value.node.dtype]}`,
      );
    return value;
  });
}
