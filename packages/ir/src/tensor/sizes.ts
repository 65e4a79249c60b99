/**
 * A node as a structure and its sizes: what stays and what changes with the length of an axis. The op, its axes and its constants are
 * structure. Shapes, strides, and where slices begin are sizes.
 */
import { type AxisPlace, type Node, type Place, sameOperation } from "./node.ts";

/** Gives the node's next size. */
export type Take = () => number;

/** Appends the node's sizes. If `begin` is false, where slices and windows begin is left out: it is bound when the program runs. */
export function sizesOf(node: Node, into: number[], begin = true): void {
  for (const size of node.shape) into.push(size);
  switch (node.op) {
    case "slice":
      if (begin) into.push(...node.attributes.starts);
      into.push(...node.attributes.steps);
      break;
    case "shift":
      for (const { count, factor } of node.attributes.places) into.push(count, factor);
      break;
    case "pad":
      if (begin) into.push(...node.attributes.before);
      break;
    case "diagonal":
      if (begin) into.push(node.attributes.offset);
      break;
    case "asStrided":
      into.push(...node.attributes.strides);
      if (begin) into.push(node.attributes.offset);
      break;
    case "update": {
      const { view, places } = node.attributes;
      into.push(...view.shape, ...view.strides);
      if (begin) into.push(view.offset);
      for (const { count, factor } of places) into.push(count, factor);
      break;
    }
    default:
  }
}

/** The node with other sizes, taken in the order of `sizesOf`. */
export const withSizes = (node: Node, take: Take, inputs: readonly Node[], begin = true): Node =>
  ({ ...copied(node, begin, take), inputs }) as Node;

/** True when the nodes differ in sizes alone; their inputs are not compared. */
export function sameStructure(a: Node, b: Node): boolean {
  if (a.op !== b.op || a.dtype !== b.dtype || a.shape.length !== b.shape.length) return false;
  switch (a.op) {
    case "input":
    case "scalar":
    case "iota":
    case "reshape":
    case "expand":
    case "contract":
      return true;
    case "constant":
      return Object.is(a.attributes.value, (b as typeof a).attributes.value);
    case "pointwise":
      return a.attributes.fn === (b as typeof a).attributes.fn;
    case "reduce":
    case "permute":
    case "concat":
    case "gather":
    case "scatter":
    case "scan":
    case "argsort":
      return sameOperation({ ...a, shape: b.shape } as Node, b);
    case "slice":
    case "pad":
      return true;
    case "diagonal": {
      const { axis1, axis2 } = (b as typeof a).attributes;
      return a.attributes.axis1 === axis1 && a.attributes.axis2 === axis2;
    }
    case "asStrided":
      return a.attributes.strides.length === (b as typeof a).attributes.strides.length;
    case "shift":
      return areAlike(a.attributes.places, (b as typeof a).attributes.places);
    case "update": {
      const { view, places } = (b as typeof a).attributes;
      return view.shape.length === a.attributes.view.shape.length && areAlike(a.attributes.places, places);
    }
    default:
      return a satisfies never;
  }
}

const areAlike = (a: readonly Partial<AxisPlace>[], b: readonly Partial<AxisPlace>[]): boolean =>
  a.length === b.length && a.every(({ slot, axis }, k) => slot === b[k]?.slot && axis === b[k]?.axis);

/** The node with each size replaced by what `change` gives for it, in the order of `sizesOf`. */
function copied(node: Node, begin: boolean, change: (size: number) => number): Node {
  const all = (sizes: readonly number[]): number[] => sizes.map(change);
  const beginning = <Start extends number | readonly number[]>(start: Start): Start =>
    !begin ? start : ((typeof start === "number" ? change(start) : all(start)) as Start);
  const placed = <P extends Place | AxisPlace>(places: readonly P[]): readonly P[] =>
    places.map((place) => ({ ...place, count: change(place.count), factor: change(place.factor) }));
  const shape = all(node.shape);
  switch (node.op) {
    case "input":
    case "constant":
    case "scalar":
    case "iota":
    case "pointwise":
    case "reduce":
    case "reshape":
    case "permute":
    case "expand":
    case "concat":
    case "gather":
    case "scatter":
    case "scan":
    case "argsort":
    case "contract":
      return { ...node, shape } as Node;
    case "slice": {
      const { starts, steps } = node.attributes;
      return { ...node, shape, attributes: { starts: beginning(starts), steps: all(steps) } };
    }
    case "shift":
      return { ...node, shape, attributes: { places: placed(node.attributes.places) } };
    case "pad":
      return { ...node, shape, attributes: { before: beginning(node.attributes.before) } };
    case "diagonal": {
      const { attributes } = node;
      return { ...node, shape, attributes: { ...attributes, offset: beginning(attributes.offset) } };
    }
    case "asStrided": {
      const { strides, offset } = node.attributes;
      return { ...node, shape, attributes: { strides: all(strides), offset: beginning(offset) } };
    }
    case "update": {
      const { view, places } = node.attributes;
      const window = {
        shape: all(view.shape),
        strides: all(view.strides),
        offset: beginning(view.offset),
      };
      return { ...node, shape, attributes: { view: window, places: placed(places) } };
    }
    default:
      return node satisfies never;
  }
}
