/** vmap: records what was recorded for one example again for a batch of examples. The batch axis is the first. */
import { build, elementCount, type Node } from "@fuseau/ir";
import { where } from "../ops/pointwise.ts";
import { type Mapping, withMapping } from "../random/mapping.ts";
import * as record from "../record.ts";
import { filled } from "../tape/constants.ts";
import { dependents } from "../tape/dependents.ts";
import { type Rule, recording, Step, withRecording } from "../tape/step.ts";
import { Value } from "../value.ts";

/** What `recordExample` records of a mapping's stand-ins, for all examples at once, with the batch axis in front. */
const mapExamples = (mapping: Mapping, recordExample: () => readonly Value[]): Value[] =>
  batch(withMapping(mapping, recordExample), mapping);

/** `outputs`, which were recorded from the stand-ins, for all examples at once, with the batch axis in front. */
export function batch(outputs: readonly Value[], mapping: Mapping): Value[] {
  const { standIns, batches, size } = mapping;
  const made = new Map<Value, Value>();
  standIns.forEach((standIn, k) => {
    made.set(standIn, batches[k] as Value);
  });
  for (const value of dependents(outputs, made)) {
    const rule = value.step?.rule ?? null;
    // A composition with a derivative of its own records none for its parts.
    const isTracked = recording.isOn && value.step !== null && rule === null;
    const result = withRecording(isTracked, () =>
      batchedNode(value, (input) => made.get(input) ?? null, size),
    );
    if (value.origin !== null) result.origin = { ...value.origin, batchAxes: value.origin.batchAxes + 1 };
    made.set(value, result);
    if (recording.isActive && rule !== null) setRule(result, value, rule, made, mapping);
  }
  return outputs.map((output) => made.get(output) ?? repeated(output, size));
}

/** If a step's derivative is not the primitive's own, that of a batch is the derivative of one example, batched itself. */
function setRule(
  result: Value,
  example: Value,
  rule: Rule,
  made: ReadonlyMap<Value, Value>,
  mapping: Mapping,
): void {
  const { inputs, backward: backwardOf } = rule.alone ?? {
    inputs: (example.step as Step).inputs,
    backward: rule.backward,
  };
  const own = inputs.map((input) => made.get(input) ?? input);
  const backward = (gradient: Value, wanted: readonly boolean[]): (Value | null)[] => {
    const { dtype, shape } = example.node;
    const standIn = new Value(build.input(dtype, shape), [], null);
    if (gradient.step !== null) standIn.setStep(new Step(standIn.node, [], null, null));
    const standIns = [...made.keys(), standIn];
    const batches = [...made.values(), gradient];
    let shares: readonly (Value | null)[] = [];
    let present: readonly Value[] = [];
    const batched = mapExamples({ ...mapping, standIns, batches }, () => {
      shares = backwardOf(standIn, wanted);
      present = shares.filter((share) => share !== null);
      return present;
    });
    return shares.map((share, k) => {
      if (share === null) return null;
      const whole = batched[present.indexOf(share)] as Value;
      return made.has(inputs[k] as Value) ? whole : record.reduce("sum", whole, [0]);
    });
  };
  result.setStep(new Step(result.node, own, { name: rule.name, backward }, null));
}

const repeated = (x: Value, size: number): Value =>
  record.expand(record.reshape(x, [1, ...x.node.shape]), [size, ...x.node.shape]);

function batchedNode({ node, inputs }: Value, batchOf: (input: Value) => Value | null, size: number): Value {
  const whole = (k: number): Value => {
    const input = inputs[k] as Value;
    return batchOf(input) ?? repeated(input, size);
  };
  const shape = [size, ...node.shape];
  const attributed = (attributes: Node["attributes"], operands: readonly Value[]): Value =>
    new Value(
      { ...node, shape, attributes, inputs: operands.map((operand) => operand.node) } as Node,
      operands,
      null,
    );
  const all = (): Value[] => inputs.map((_, k) => whole(k));
  switch (node.op) {
    case "pointwise": {
      const operands = inputs.map((input) => {
        const own = batchOf(input);
        if (own === null) return input;
        const missing = node.shape.length - input.node.shape.length;
        return missing === 0
          ? own
          : record.reshape(own, [size, ...new Array<number>(missing).fill(1), ...input.node.shape]);
      });
      return attributed(node.attributes, operands);
    }
    case "reduce":
      return attributed(
        { fn: node.attributes.fn, axes: node.attributes.axes.map((axis) => axis + 1) },
        all(),
      );
    case "reshape":
      return record.reshape(whole(0), shape);
    case "permute":
      return record.permute(whole(0), [0, ...node.attributes.axes.map((axis) => axis + 1)]);
    case "expand": {
      const x = whole(0);
      const missing = node.shape.length - (x.node.shape.length - 1);
      const aligned = [size, ...new Array<number>(missing).fill(1), ...x.node.shape.slice(1)];
      return record.expand(missing === 0 ? x : record.reshape(x, aligned), shape);
    }
    case "slice": {
      const { starts, steps } = node.attributes;
      return record.slice(whole(0), [0, ...starts], [1, ...steps], shape);
    }
    case "pad":
      return padded(node, inputs, whole(0), batchOf(inputs[1] as Value));
    case "concat":
      return attributed({ axis: node.attributes.axis + 1 }, all());
    case "diagonal": {
      const { offset, axis1, axis2 } = node.attributes;
      return record.diagonal(whole(0), offset, axis1 + 1, axis2 + 1);
    }
    case "asStrided": {
      const x = whole(0);
      const stride = elementCount(x.node.shape.slice(1));
      const { strides, offset } = node.attributes;
      return record.asStrided(x, { shape, strides: [stride, ...strides], offset });
    }
    case "update": {
      const base = whole(0);
      const { view } = node.attributes;
      const strides = [elementCount(base.node.shape.slice(1)), ...view.strides];
      return record.update(base, { shape: [size, ...view.shape], strides, offset: view.offset }, whole(1));
    }
    case "gather":
    case "scatter":
      return attributed({ ...node.attributes, axis: node.attributes.axis + 1 }, all());
    case "scan":
      return record.scan(node.attributes.fn, whole(0), node.attributes.axis + 1);
    case "argsort":
      return record.argsort(whole(0), node.attributes.axis + 1, node.attributes.descending);
    case "contract":
      return record.contract(whole(0), whole(1));
    case "input":
    case "constant":
    case "scalar":
    case "iota":
    case "shift":
      return repeated(inputs[0] as Value, size);
    default:
      return node satisfies never;
  }
}

/** The fill of a pad may differ between examples. */
function padded(
  node: Extract<Node, { op: "pad" }>,
  inputs: readonly Value[],
  x: Value,
  fill: Value | null,
): Value {
  const { before } = node.attributes;
  const own = (inputs[0] as Value).node.shape;
  const after = node.shape.map((size, axis) => size - (before[axis] as number) - (own[axis] as number));
  const around = (value: Value, edge: Value): Value => record.pad(value, [0, ...before], [0, ...after], edge);
  if (fill === null) return around(x, inputs[1] as Value);
  const inside = around(filled("bool", x.node.shape, 1), filled("bool", [], 0));
  const edges = record.reshape(fill, [x.node.shape[0] as number, ...node.shape.map(() => 1)]);
  return where(inside, around(x, filled(x.node.dtype, [], 0)), edges);
}
