/**
 * What is left of an axis behind the last element that a view of it has: its room. Sizes that slices with steps have are no polynomials of the
 * axis's size, since a remainder is left; but the size of the axis is one of them and the room.
 */
import type { Graph } from "@fuseau/compiler";
import { type Node, sizesOf } from "@fuseau/ir";

/** By positions in a list of sizes. */
export interface Room {
  /** The size of what is viewed. */
  readonly whole: number;
  /** Where the view begins; null where that is bound when the program runs. */
  readonly begin: number | null;
  readonly axes: readonly { readonly count: number; readonly step: number }[];
}

/** Rooms count as at least so much: sizes of 0 and 1 are programs of their own. */
const LEAST = 2;

export function roomIn({ whole, begin, axes }: Room, sizes: readonly number[]): number {
  return (sizes[whole] as number) - lastIn(begin, axes, sizes) - 1 + LEAST;
}

/** The size of what is viewed, given the room. */
export const wholeWith = ({ begin, axes }: Room, room: number, sizes: readonly number[]): number =>
  room - LEAST + 1 + lastIn(begin, axes, sizes);

/** Where the last element is. */
function lastIn(begin: Room["begin"], axes: Room["axes"], sizes: readonly number[]): number {
  let last = begin === null ? 0 : (sizes[begin] as number);
  for (const { count, step } of axes) last += ((sizes[count] as number) - 1) * (sizes[step] as number);
  return last;
}

/**
 * True if sizes depend on the room: where the size of what is viewed changes, or the view steps over elements and anything of it changes. Of the
 * same tensor one element after the other, it is as good to say how many are in the view.
 */
export const isNeeded = ({ whole, begin, axes }: Room, lists: readonly (readonly number[])[]): boolean => {
  const changes = (place: number): boolean => lists.some((list) => list[place] !== lists[0]?.[place]);
  const places = [...axes.flatMap(({ count, step }) => [count, step]), ...(begin === null ? [] : [begin])];
  return (
    changes(whole) ||
    (axes.some(({ step }) => lists.some((list) => list[step] !== 1)) && places.some(changes))
  );
};

/** The rooms of a graph, in the order of its nodes. `begins` says whether the list has where the node at a position begins. */
export function roomsOf(
  { nodes, inputs }: Pick<Graph, "nodes" | "inputs">,
  begins: (position: number) => boolean = () => true,
): readonly Room[] {
  const shapes: number[] = [];
  const rooms: Room[] = [];
  let next = 0;
  nodes.forEach((node, position) => {
    const place = next;
    const rank = node.shape.length;
    shapes.push(place);
    const sizes: number[] = [];
    const isThere = begins(position);
    sizesOf(node, sizes, isThere);
    next += sizes.length;
    const source = inputs[position]?.[0];
    if (source === undefined) return;
    const from = shapes[source] as number;
    const { shape } = nodes[source] as Node;
    switch (node.op) {
      case "slice": {
        const steps = place + rank + (isThere ? rank : 0);
        for (let axis = 0; axis < rank; axis++)
          rooms.push({
            whole: from + axis,
            begin: isThere ? place + rank + axis : null,
            axes: [{ count: place + axis, step: steps + axis }],
          });
        break;
      }
      case "asStrided":
      case "update": {
        // Of several axes the view is of elements in their order, whose number is no size.
        if (shape.length !== 1) break;
        const counts = node.op === "update" ? place + rank : place;
        const own = node.op === "update" ? node.attributes.view.shape.length : rank;
        rooms.push({
          whole: from,
          begin: isThere ? counts + 2 * own : null,
          axes: Array.from({ length: own }, (_, axis) => ({
            count: counts + axis,
            step: counts + own + axis,
          })),
        });
        break;
      }
      default:
    }
  });
  return rooms;
}
