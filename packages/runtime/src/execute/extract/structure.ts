/** An extraction as a structure and its sizes. Loops over batches of different sizes have one structure. */
import type { Graph } from "@fuseau/compiler";
import { hashStructure, mix, type Node, sameNumbers, sameStructure, sizesOf } from "@fuseau/ir";
import type { Value } from "../../value.ts";
import { type Begin, begins } from "../places/places.ts";
import { isScalar } from "../places/scalars.ts";
import { counts } from "../places/slots.ts";
import type { Extraction, Recorded } from "./extract.ts";

/** Equal for extractions that differ in sizes alone. */
export function hashOfStructure({ order, outputs, donated }: Extraction): number {
  let hash = hashOfOrder(order);
  for (const output of outputs) hash = mix(hash, output);
  for (const index of donated) hash = mix(hash, index);
  return hash;
}

/** The same for the walked values, whatever of them is wanted. */
export function hashOfOrder(order: readonly Value[]): number {
  let hash = 19;
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    const { inputs, storage } = value;
    hash = mix(hash, storage !== null ? -1 : hashOfValue(value));
    if (storage !== null) continue;
    for (let i = 0; i < inputs.length; i++) hash = mix(hash, (inputs[i] as Value).position);
  }
  return hash;
}

/** The same for one value, whatever it reads. */
export const hashOfValue = (value: Value): number => (isScalar(value) ? -2 : hashStructure(value.node));

/** All sizes of an extraction: those of each node, then the factors and counts of the numbers that are bound when it runs. */
export function sizesOfExtraction({ order }: Extraction): number[] {
  const sizes: number[] = [];
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    const { node, storage } = value;
    if (storage !== null) for (const size of node.shape) sizes.push(size);
    else if (!isScalar(value)) sizesOf(node, sizes, begins[k] === undefined);
  }
  for (let k = 0; k < order.length; k++) for (const { factor } of begins[k] ?? none) sizes.push(factor);
  for (const count of counts) sizes.push(count);
  return sizes;
}

/** Where the shape of each value begins in `sizesOfExtraction`. */
export function shapePlacesOf(order: readonly Value[]): readonly number[] {
  const sizes: number[] = [];
  return order.map((value, k) => {
    const { node, storage } = value;
    const place = sizes.length;
    if (storage !== null) sizes.push(...node.shape);
    else if (!isScalar(value)) sizesOf(node, sizes, begins[k] === undefined);
    return place;
  });
}

/** True when the extraction differs from the recorded graph in sizes alone. */
export function isAlike({ order, outputs }: Extraction, recorded: Recorded): boolean {
  const { nodes, inputs } = recorded;
  if (order.length !== nodes.length || counts.length !== recorded.counts.length) return false;
  if (!sameNumbers(outputs, recorded.outputs)) return false;
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    const node = nodes[k] as Node;
    const own = value.node;
    if (value.storage !== null) {
      if (node.op !== "input" || node.dtype !== own.dtype || node.shape.length !== own.shape.length)
        return false;
      continue;
    }
    if (node.op === "scalar") {
      if (!isScalar(value) || own.dtype !== node.dtype) return false;
      continue;
    }
    const [places, known] = [begins[k], recorded.begins[k]];
    if ((places === undefined) !== (known === undefined)) return false;
    if (places !== undefined && !sameSlots(places, known ?? none)) return false;
    if (isScalar(value) || !sameStructure(node, own)) return false;
    const from = inputs[k] as readonly number[];
    if (value.inputs.length !== from.length) return false;
    for (let i = 0; i < from.length; i++) if ((value.inputs[i] as Value).position !== from[i]) return false;
  }
  return true;
}

/**
 * True when the two differ in sizes alone, or also in which numbers are bound: rules may depend on a count of 2 or 3, so such a number is a
 * constant.
 */
export const isSameStructure = (a: Recorded, b: Recorded, isBoundAlike: boolean): boolean =>
  a.nodes.length === b.nodes.length &&
  sameNumbers(a.outputs, b.outputs) &&
  a.nodes.every((node, k) => {
    const [places, known] = [a.begins[k], b.begins[k]];
    const other = b.nodes[k] as Node;
    const isSame =
      sameStructure(node, other) ||
      (!isBoundAlike && isNumber(node) && isNumber(other) && node.dtype === other.dtype);
    return (
      isSame &&
      sameNumbers(a.inputs[k] as readonly number[], b.inputs[k] as readonly number[]) &&
      (places === undefined) === (known === undefined) &&
      sameSlots(places ?? none, known ?? none)
    );
  });

const isNumber = ({ op }: Node): boolean => op === "scalar" || op === "constant";

const none: readonly Begin[] = [];

const sameSlots = (a: readonly Begin[], b: readonly Begin[]): boolean =>
  a.length === b.length && a.every(({ slot, axis }, k) => slot === b[k]?.slot && axis === b[k]?.axis);

/** The recorded graph with other sizes, in the order of `sizesOfExtraction`. */
export function recordedWith(
  recorded: Recorded,
  sizes: readonly number[],
  nodesWith: (graph: Graph, take: () => number, begins: (position: number) => boolean) => Node[],
): Recorded {
  let next = 0;
  const take = (): number => sizes[next++] as number;
  const nodes = nodesWith(recorded, take, (position) => recorded.begins[position] === undefined);
  const placed = recorded.begins.map((places) => places?.map((place) => ({ ...place, factor: take() })));
  return { ...recorded, nodes, begins: placed, counts: recorded.counts.map(take) };
}
