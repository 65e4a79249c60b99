/** Checks that a graph keeps the contract in node.ts. Tests run it between passes. A failure is a fault of fuseau itself. */
import { isDType } from "../dtype.ts";
import { InternalError, showShape } from "../errors.ts";
import { computeDType, pointwiseOps, resultDType } from "../pointwise/table.ts";
import { broadcastShapes } from "../shape/broadcast.ts";
import { elementCount, type StridedView, sameNumbers } from "../shape/shape.ts";
import * as build from "./build.ts";
import type { Node } from "./node.ts";
import { printNodes } from "./print.ts";

/** @throws InternalError that prints the graph. */
export function verifyGraph(nodes: readonly Node[]): void {
  nodes.forEach((node, position) => {
    const fault = faultOf(node);
    if (fault !== null) throw new InternalError(`node ${position}: ${fault}`, printNodes(nodes));
  });
}

function faultOf(node: Node): string | null {
  if (!isDType(node.dtype)) return `unknown dtype ${String(node.dtype)}`;
  if (!node.shape.every((size) => Number.isInteger(size) && size >= 0))
    return `shape ${showShape(node.shape)}`;
  const [input] = node.inputs;
  const shapeIs = (shape: readonly number[]): string | null =>
    sameNumbers(shape, node.shape) ? null : `shape ${showShape(node.shape)} should be ${showShape(shape)}`;
  switch (node.op) {
    case "input":
      return node.inputs.length === 0 ? null : "has inputs";
    case "constant":
      return (typeof node.attributes.value === "bigint") === (node.dtype === "int64")
        ? shapeIs([])
        : "value of the wrong kind";
    case "scalar":
      return shapeIs([]);
    case "iota":
      return node.shape.length === 1 ? null : "is not one-dimensional";
    case "pointwise":
      return pointwiseFault(node);
    case "reduce": {
      if (input === undefined) return "has no input";
      const { axes, fn } = node.attributes;
      const ascending = axes.every(
        (axis, k) => axis < input.shape.length && axis > (k === 0 ? -1 : (axes[k - 1] as number)),
      );
      if (!ascending) return `axes ${showShape(axes)} are not ascending`;
      if (node.dtype !== build.reducedDType(fn, input.dtype))
        return `dtype ${node.dtype} of ${fn} of ${input.dtype}`;
      return shapeIs(input.shape.filter((_, axis) => !axes.includes(axis)));
    }
    case "reshape":
      return input && elementCount(input.shape) === elementCount(node.shape)
        ? sameDType(node)
        : "changes the number of elements";
    case "permute": {
      const { axes } = node.attributes;
      if (![...axes].sort((a, b) => a - b).every((axis, k) => axis === k)) return `axes ${showShape(axes)}`;
      return shapeIs(axes.map((axis) => input?.shape[axis] as number)) ?? sameDType(node);
    }
    case "expand":
      return input ? (shapeIs(broadcastShapes(node.shape, input.shape)) ?? sameDType(node)) : "has no input";
    case "slice":
      return sliceFault(node, input as Node) ?? sameDType(node);
    case "shift": {
      const { places } = node.attributes;
      const { shape } = input as Node;
      const wellPlaced = places.every(({ axis, count }) => axis < shape.length && count > 0);
      const fits = node.shape.every((size, axis) => size <= (shape[axis] as number));
      return wellPlaced && fits ? sameDType(node) : "a block beyond its input";
    }
    case "pad": {
      const [x, fill] = node.inputs as [Node, Node];
      const { before } = node.attributes;
      const fits = node.shape.every((size, k) => (before[k] as number) + (x.shape[k] as number) <= size);
      if (!fits || before.some((width) => width < 0)) return `${showShape(x.shape)} does not fit`;
      return fill.shape.length === 0 ? sameDType(node) : "fill is not 0-d";
    }
    case "concat":
      if (!node.inputs.every((part) => part.dtype === node.dtype)) return "operands of several dtypes";
      return shapeIs(build.concat(node.inputs, node.attributes.axis).shape);
    case "diagonal": {
      const { offset, axis1, axis2 } = node.attributes;
      return shapeIs(build.diagonal(input as Node, offset, axis1, axis2).shape) ?? sameDType(node);
    }
    case "asStrided":
      return windowFault({ ...node.attributes, shape: node.shape }, input as Node) ?? sameDType(node);
    case "update": {
      const [base, value] = node.inputs as [Node, Node];
      if (value.dtype !== base.dtype) return `${value.dtype} written into ${base.dtype}`;
      if (!sameNumbers(value.shape, node.attributes.view.shape))
        return `value of shape ${showShape(value.shape)}`;
      return windowFault(node.attributes.view, base) ?? shapeIs(base.shape) ?? sameDType(node);
    }
    case "gather": {
      const [x, index] = node.inputs as [Node, Node];
      if (index.shape.length !== x.shape.length) return `index of rank ${index.shape.length}`;
      return shapeIs(index.shape) ?? indexFault(index, x, node.attributes.axis) ?? sameDType(node);
    }
    case "scatter": {
      const [base, index, source] = node.inputs as [Node, Node, Node];
      if (source.dtype !== base.dtype) return `${source.dtype} scattered into ${base.dtype}`;
      return (
        indexFault(index, base, node.attributes.axis) ?? indexFault(index, source, -1) ?? shapeIs(base.shape)
      );
    }
    case "scan":
    case "argsort":
      return node.attributes.axis < node.shape.length
        ? shapeIs((input as Node).shape)
        : `axis ${node.attributes.axis}`;
    case "contract": {
      const [a, b] = node.inputs as [Node, Node];
      if (a.shape.at(-1) !== b.shape.at(-2))
        return `inner sizes of ${showShape(a.shape)} and ${showShape(b.shape)}`;
      return shapeIs([...a.shape.slice(0, -1), b.shape.at(-1) as number]);
    }
    default:
      return node satisfies never;
  }
}

const sameDType = (node: Node): string | null =>
  node.inputs[0]?.dtype === node.dtype ? null : `dtype ${node.dtype} of an input of ${node.inputs[0]?.dtype}`;

function pointwiseFault(node: Extract<Node, { op: "pointwise" }>): string | null {
  const { fn } = node.attributes;
  const { arity, rule } = pointwiseOps[fn];
  if (node.inputs.length !== arity) return `${fn} of ${node.inputs.length} operands`;
  const shape = node.inputs.map((input) => input.shape).reduce((a, b) => broadcastShapes(a, b));
  if (!sameNumbers(shape, node.shape)) return `shape ${showShape(node.shape)} should be ${showShape(shape)}`;
  if (rule === "cast") return null;
  const from = (node.inputs.at(-1) as Node).dtype;
  const operands = rule === "select" ? node.inputs.slice(1) : node.inputs;
  if (operands.some(({ dtype }) => dtype !== from)) return "operands of several dtypes";
  if (rule === "select" && node.inputs[0]?.dtype !== "bool") return "condition is not bool";
  const computed = computeDType(fn, from);
  if (computed !== from) return `${fn} does not compute in ${from}`;
  return node.dtype === resultDType(fn, computed) ? null : `dtype ${node.dtype}`;
}

function sliceFault(node: Extract<Node, { op: "slice" }>, input: Node): string | null {
  const { starts, steps } = node.attributes;
  for (let axis = 0; axis < node.shape.length; axis++) {
    const size = node.shape[axis] as number;
    if (size === 0) continue;
    const first = starts[axis] as number;
    const last = first + (steps[axis] as number) * (size - 1);
    const extent = input.shape[axis] as number;
    if (first < 0 || last < 0 || first >= extent || last >= extent)
      return `axis ${axis} reads ${first}…${last} of ${extent}`;
  }
  return null;
}

function windowFault({ shape, strides, offset }: StridedView, base: Node): string | null {
  if (elementCount(shape) === 0) return null;
  const last = shape.reduce((place, size, axis) => place + (size - 1) * (strides[axis] as number), offset);
  return offset >= 0 && last < elementCount(base.shape)
    ? null
    : `window ends at ${last} of ${elementCount(base.shape)}`;
}

function indexFault(index: Node, x: Node, axis: number): string | null {
  if (index.dtype !== "int64" && index.dtype !== "int32") return `index of ${index.dtype}`;
  const fits = index.shape.every((size, k) => k === axis || size <= (x.shape[k] as number));
  return fits ? null : `index ${showShape(index.shape)} beyond ${showShape(x.shape)}`;
}
