/** Forward mode: the directional derivatives of results, from tangents of what they were made of. */
import { type Node, sameNumbers } from "@fuseau/ir";
import { add } from "../ops/pointwise.ts";
import * as record from "../record.ts";
import { zerosOf } from "../tape/constants.ts";
import { GradientError } from "../tape/errors.ts";
import { Step, withRecording } from "../tape/step.ts";
import { Value } from "../value.ts";
import { backward } from "./backward.ts";
import { orderOf } from "./order.ts";
import { flat, partials } from "./rules/pointwise.ts";
import { backwardOf, isLinear, underived } from "./rules/table.ts";

/**
 * The tangents of `outputs`, given those of `sources`; null for outputs that depend on none of them. With `createGraph` the tangents can be
 * differentiated.
 */
export function forward(
  outputs: readonly Value[],
  sources: readonly Value[],
  given: readonly Value[],
  createGraph: boolean,
): (Value | null)[] {
  const tangents = new Map<Value, Value>();
  sources.forEach((source, k) => {
    tangents.set(source, given[k] as Value);
  });
  for (const value of orderOf(outputs, new Set(sources.map(({ step }) => step)))) {
    if (tangents.has(value)) continue;
    const { inputs, rule } = value.step as Step;
    const read = rule?.alone?.inputs ?? inputs;
    const own = read.map((input) => tangents.get(input) ?? null);
    tangents.set(value, tangentOf(value, own, createGraph));
  }
  return outputs.map((output) => tangents.get(output) ?? null);
}

function tangentOf(result: Value, tangents: readonly (Value | null)[], createGraph: boolean): Value {
  const step = result.step as Step;
  const direct =
    step.rule === null ? withRecording(createGraph, () => directly(step, result, tangents)) : null;
  return direct ?? transposedTwice(step, result, tangents, createGraph);
}

/** The tangent of a pointwise op by its partial derivatives, and of a linear op by the op itself; null for any other. */
function directly({ node, inputs }: Step, result: Value, tangents: readonly (Value | null)[]): Value | null {
  const [x, y, z] = inputs as [Value, Value, Value];
  switch (node.op) {
    case "pointwise": {
      let sum: Value | null = null;
      partials[node.attributes.fn].forEach((partial, k) => {
        const t = tangents[k] ?? null;
        if (t === null || partial === flat) return;
        if (partial === null) throw underived(node.attributes.fn);
        const share = partial(t, result, x, y, z);
        sum = sum === null ? share : add(sum, share);
      });
      return sum === null ? zerosOf(result) : fitted(sum, result);
    }
    case "contract": {
      const [a, b] = tangents as [Value | null, Value | null];
      const left = a === null ? null : record.contract(a, y);
      const right = b === null ? null : record.contract(x, b);
      return left === null ? right : right === null ? left : add(left, right);
    }
    default:
      return isLinear(node)
        ? again(
            node,
            inputs.map((input, k) => tangents[k] ?? (isIndex(node, k) ? input : zerosOf(input))),
          )
        : null;
  }
}

/** Positions have no tangent. */
const isIndex = ({ op }: Node, k: number): boolean => (op === "gather" || op === "scatter") && k === 1;

/** The same op with other inputs. */
const again = (node: Node, inputs: readonly Value[]): Value =>
  new Value({ ...node, inputs: inputs.map((input) => input.node) } as Node, inputs, null);

/** The tangent in the result's shape and dtype. */
function fitted(x: Value, { node: { dtype, shape } }: Value): Value {
  const cast = record.cast(x, dtype);
  return sameNumbers(cast.node.shape, shape) ? cast : record.expand(cast, shape);
}

/** True for zeros that are made as such. */
function isZero(value: Value): boolean {
  let made = value;
  while (made.node.op === "expand" || made.node.op === "reshape") made = made.inputs[0] as Value;
  return made.node.op === "constant" && Number(made.node.attributes.value) === 0;
}

/**
 * The general case: backward is linear in the gradient of the result, and its transpose applied to the tangents is the directional
 * derivative. So every op with a backward rule has a forward one.
 */
function transposedTwice(
  step: Step,
  result: Value,
  tangents: readonly (Value | null)[],
  createGraph: boolean,
): Value {
  return withRecording(true, () => {
    const unknown = zerosOf(result);
    unknown.setStep(new Step(unknown.node, [], null, null));
    const wanted = tangents.map((tangent) => tangent !== null);
    const rule = step.rule?.alone ?? step.rule;
    const shares = rule?.backward(unknown, wanted) ?? backwardOf(step, result, unknown, wanted);
    const roots: Value[] = [];
    const gradients: Value[] = [];
    tangents.forEach((tangent, k) => {
      const share = shares[k] ?? null;
      if (step.rule?.alone !== undefined && tangent !== null && share?.step === null && !isZero(share))
        throw new GradientError(
          `jvp: You must implement the jvp function for custom autograd.Function to use it with forward mode AD. (it follows from backward where that records what it makes of its gradient; ${step.rule.name}'s detaches it, reads its elements or runs in noGrad)`,
        );
      if (tangent === null || share === null || share.step === null) return;
      roots.push(share);
      gradients.push(tangent);
    });
    const found = backward({
      op: "jvp",
      roots,
      gradients,
      wanted: [unknown],
      createGraph,
      retainGraph: true,
    });
    return found.get(unknown.step as unknown as Step) ?? zerosOf(result);
  });
}
