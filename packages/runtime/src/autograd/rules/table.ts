/**
 * The derivative of each primitive: the gradients of a node's inputs from that of its result. The table is total, so the type checker asks
 * for a row for every primitive.
 */
import { type Node, sameNumbers } from "@fuseau/ir";
import * as record from "../../record.ts";
import { zerosOf } from "../../tape/constants.ts";
import { GradientError } from "../../tape/errors.ts";
import type { Step } from "../../tape/step.ts";
import type { Value } from "../../value.ts";
import { unextreme, unproduct, unscan } from "./folds.ts";
import {
  unbroadcast,
  unconcatenated,
  undiagonal,
  unpadded,
  unpermuted,
  unreduced,
  unsliced,
  unupdated,
  unwindowed,
} from "./linear.ts";
import { flat, partials } from "./pointwise.ts";
import { ungather, unscatter } from "./scatter.ts";

/** Gradients by input. Null where none flows: none is wanted, or the primitive has no derivative. */
export function backwardOf(
  { node, inputs }: Step,
  result: Value,
  g: Value,
  wanted: readonly boolean[],
): readonly (Value | null)[] {
  const [x, y, z] = inputs as [Value, Value, Value];
  switch (node.op) {
    case "input":
    case "constant":
    case "scalar":
    case "iota":
    case "argsort":
    case "shift":
      return [];
    case "pointwise":
      return partials[node.attributes.fn].map((partial, k) => {
        const operand = inputs[k];
        if (operand === undefined || wanted[k] !== true) return null;
        if (partial === null) throw underived(node.attributes.fn);
        if (partial === flat) return zerosOf(operand);
        const share = unbroadcast(partial(g, result, x, y, z), operand.node.shape);
        return record.cast(share, operand.node.dtype);
      });
    case "reduce":
      switch (node.attributes.fn) {
        case "sum":
          return [unreduced(g, node.attributes.axes, x.node.shape)];
        case "prod":
          return [unproduct(g, node, x)];
        case "max":
        case "min":
          return [unextreme(g, node, x, result)];
        default:
          return [null];
      }
    case "reshape":
      return [record.reshape(g, x.node.shape)];
    case "permute":
      return [unpermuted(g, node.attributes.axes)];
    case "expand":
      return [unbroadcast(g, x.node.shape)];
    case "slice":
      return [unsliced(g, node)];
    case "pad":
      return unpadded(g, node, wanted);
    case "concat":
      return unconcatenated(g, node);
    case "diagonal":
      return [undiagonal(g, node)];
    case "asStrided":
      return [unwindowed(g, node)];
    case "update":
      return unupdated(g, node);
    case "gather":
      return [ungather(g, node, x, y), null];
    case "scatter": {
      const [base, source] = unscatter(g, node, [x, y, z], result);
      return [base, null, source];
    }
    case "scan":
      return [unscan(g, node, x, result)];
    case "contract":
      return [
        wanted[0] === true ? product(x, g, swapped(y)) : null,
        wanted[1] === true ? product(y, swapped(x), g) : null,
      ];
    default:
      return node satisfies never;
  }
}

/**
 * a × b, the gradient of `operand`. If the operand is a transposed weight, it is computed in the weight's own layout, so that an update
 * walks both alike.
 */
function product({ node }: Value, a: Value, b: Value): Value {
  const isSwapped =
    node.op === "permute" && sameNumbers(node.attributes.axes, swappedAxes(node.shape.length));
  return isSwapped ? swapped(record.contract(swapped(b), swapped(a))) : record.contract(a, b);
}

/** PyTorch's NotImplementedError. */
export const underived = (op: string): GradientError =>
  new GradientError(
    `${op}: derivative for ${op} is not implemented (x.detach() takes what no derivative flows through)`,
  );

/** The last two axes swapped. */
const swapped = (x: Value): Value => record.permute(x, swappedAxes(x.node.shape.length));

const swappedAxes = (rank: number): readonly number[] =>
  Array.from({ length: rank }, (_, axis) => (axis < rank - 2 ? axis : 2 * rank - 3 - axis));

/** True for primitives that are linear in all operands except indexes: forward mode applies the primitive itself to tangents. */
export function isLinear(node: Node): boolean {
  switch (node.op) {
    case "reshape":
    case "permute":
    case "expand":
    case "slice":
    case "shift":
    case "pad":
    case "concat":
    case "diagonal":
    case "asStrided":
    case "update":
    case "gather":
      return true;
    case "reduce":
    case "scan":
      return node.attributes.fn === "sum";
    case "scatter":
      return node.attributes.combine === "set" || node.attributes.combine === "sum";
    case "input":
    case "constant":
    case "scalar":
    case "iota":
    case "pointwise":
    case "argsort":
    case "contract":
      return false;
    default:
      return node satisfies never;
  }
}
