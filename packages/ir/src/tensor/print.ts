/** Prints the tensor graph, one node a line: `%3: float32[5, 3] = add(%1, %2)`. */
import { showShape } from "../errors.ts";
import type { Node, Place } from "./node.ts";

/** Prints nodes in the given order. If `inputs` is given, inputs[k] are the positions of node k's inputs. */
export function printNodes(nodes: readonly Node[], inputs?: readonly (readonly number[])[]): string {
  const positions = new Map(nodes.map((node, position) => [node, position]));
  return nodes
    .map((node, position) => {
      const operands = inputs?.[position] ?? node.inputs.map((input) => positions.get(input) ?? -1);
      const names = operands.map((operand) => (operand < 0 ? "%?" : `%${operand}`));
      return `%${position}: ${printNode(node, names)}`;
    })
    .join("\n");
}

/** Prints one node; its operands have the names given. */
export function printNode(node: Node, names: readonly string[]): string {
  return `${node.dtype}${showShape(node.shape)} = ${opOf(node)}(${[...names, ...detailsOf(node)].join(", ")})`;
}

/** The printed name of the op: that of the function for a pointwise node or a reduction. */
export const opOf = (node: Node): string =>
  node.op === "pointwise" || node.op === "reduce" ? node.attributes.fn : node.op;

const showPlace = ({ slot, factor, count }: Place): string =>
  `${factor === 1 ? "" : `${factor}·`}p${slot} < ${count}`;

function detailsOf(node: Node): string[] {
  switch (node.op) {
    case "constant": {
      const { value } = node.attributes;
      return [Object.is(value, -0) ? "-0" : `${value}`];
    }
    case "reduce":
    case "permute":
      return [`axes ${showShape(node.attributes.axes)}`];
    case "slice":
      return [`starts ${showShape(node.attributes.starts)}`, `steps ${showShape(node.attributes.steps)}`];
    case "shift":
      return node.attributes.places.map(({ axis, ...place }) => `axis ${axis} + ${showPlace(place)}`);
    case "pad":
      return [`before ${showShape(node.attributes.before)}`];
    case "concat":
      return [`axis ${node.attributes.axis}`];
    case "asStrided":
      return [`strides ${showShape(node.attributes.strides)}`, `offset ${node.attributes.offset}`];
    case "update": {
      const { shape, strides, offset } = node.attributes.view;
      const begin = [`${offset}`, ...node.attributes.places.map(showPlace)].join(" + ");
      return [`view ${showShape(shape)}`, `strides ${showShape(strides)}`, `offset ${begin}`];
    }
    case "gather":
      return [`axis ${node.attributes.axis}`];
    case "scatter":
      return [`axis ${node.attributes.axis}`, node.attributes.combine];
    case "scan":
      return [node.attributes.fn, `axis ${node.attributes.axis}`];
    case "argsort":
      return [`axis ${node.attributes.axis}`, node.attributes.descending ? "descending" : "ascending"];
    case "diagonal":
      return [
        `offset ${node.attributes.offset}`,
        `axes [${node.attributes.axis1}, ${node.attributes.axis2}]`,
      ];
    default:
      return [];
  }
}
