/** Makes the graph to compile from a recorded one: slices and windows begin at numbers that are bound when the program runs. */
import type { Graph } from "@fuseau/compiler";
import { type AxisPlace, build, elementCount, type Node } from "@fuseau/ir";
import { wholeWindow } from "../../window/window.ts";
import { type Begin, reachOf } from "./places.ts";

/** `begins` are by position in the recorded graph, `counts` by slot. */
export function withPlaces(
  recorded: Graph,
  begins: readonly (readonly Begin[] | undefined)[],
  counts: readonly number[],
): Graph {
  if (counts.length === 0) return recorded;
  const nodes: Node[] = [];
  const inputs: (readonly number[])[] = [];
  const add = (node: Node, from: readonly number[]): number => {
    inputs.push(from);
    return nodes.push(node) - 1;
  };
  const moved: number[] = [];
  recorded.nodes.forEach((node, position) => {
    const from = (recorded.inputs[position] as readonly number[]).map((input) => moved[input] as number);
    const places = begins[position]?.map((begin) => ({ ...begin, count: counts[begin.slot] as number }));
    moved.push(places === undefined ? add(node, from) : addLifted(node, from, places, nodes, add));
  });
  return { nodes, inputs, outputs: recorded.outputs.map((output) => moved[output] as number) };
}

function addLifted(
  node: Node,
  from: readonly number[],
  places: readonly AxisPlace[],
  nodes: readonly Node[],
  add: (node: Node, from: readonly number[]) => number,
): number {
  const [x] = from as [number];
  const source = nodes[x] as Node;
  switch (node.op) {
    case "update": {
      const [, value] = from as [number, number];
      const view = { ...node.attributes.view, offset: 0 };
      const flat = places.map(({ slot, count, factor }) => ({ slot, count, factor }));
      return add(build.update(source, view, nodes[value] as Node, flat), from);
    }
    case "asStrided": {
      const { strides } = node.attributes;
      const last = node.shape.reduce(
        (place, size, axis) => place + (size - 1) * (strides[axis] as number),
        0,
      );
      const flat = add(build.reshape(source, [elementCount(source.shape)]), from);
      const block = add(build.shift(nodes[flat] as Node, places, [last + 1]), [flat]);
      return add(build.asStrided(nodes[block] as Node, { shape: node.shape, strides, offset: 0 }), [block]);
    }
    case "slice":
    case "diagonal": {
      const isMoved = source.shape.map((_, axis) => places.some((place) => place.axis === axis));
      const shape = source.shape.map((size, axis) => (isMoved[axis] ? reachOf(node, axis) : size));
      const block = add(build.shift(source, places, shape), from);
      const again = nodes[block] as Node;
      if (node.op === "diagonal")
        return add(build.diagonal(again, 0, node.attributes.axis1, node.attributes.axis2), [block]);
      const begin = node.shape.map(() => 0);
      return add(build.slice(again, begin, node.attributes.steps, node.shape), [block]);
    }
    case "pad": {
      // A window of what it is filled with.
      const [, fill] = from as [number, number];
      const once = add(
        build.reshape(
          nodes[fill] as Node,
          node.shape.map(() => 1),
        ),
        [fill],
      );
      const filled = add(build.expand(nodes[once] as Node, node.shape), [once]);
      const view = { shape: source.shape, strides: wholeWindow(node.shape).strides, offset: 0 };
      const flat = places.map(({ slot, count, factor }) => ({ slot, count, factor }));
      return add(build.update(nodes[filled] as Node, view, source, flat), [filled, x]);
    }
    default:
      return add(node, from);
  }
}
