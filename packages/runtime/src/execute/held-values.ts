/**
 * What tensors that are written in place hold, computed apart from what reads it. A training step by hand leaves its update to be
 * computed with the next forward pass: a program of two batches, whose sizes vary freely, would be one for each pair.
 */
import { elementCount, hashShape, mix, type Node } from "@fuseau/ir";
import { LruCache } from "../cache/lru.ts";
import type { Value } from "../value.ts";
import type { Extraction } from "./extract.ts";
import { hashOfNode } from "./structure.ts";

const OF_HELD = 1;
const OF_REST = 2;

/** By the structure of a request: a hash of its last sizes. On a collision something else is computed separately, which is correct too. */
const latest = new LruCache<number, { sizes: number }>();
latest.setLimits(4_096, 2 ** 20);

export const clearParts = (): void => latest.clear();

/**
 * Additions of elements that a part is at least. A small one might run on another backend than both parts together, and the last bits would
 * depend on which batches came before.
 */
const LEAST_WORK = 16_384;

/**
 * The values that cells hold, or held when they were read, beneath the first `asked` of what is wanted, if these had other sizes when they
 * came last, and if what held values are made of is read by nothing else here: to compute them first computes nothing twice. Else
 * nothing.
 */
export function heldValues({ order, wanted }: Extraction, asked: number): readonly Value[] {
  const parts = new Uint8Array(order.length);
  for (let k = 0; k < asked; k++) parts[(wanted[k] as Value).position] = OF_REST;
  const held: Value[] = [];
  let [structure, sizes] = [23, 29];
  const work: [number, number] = [0, 0];
  for (let k = order.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    const { node, inputs, storage, wasHeld } = value;
    let part = parts[k] as number;
    const isGiven = storage !== null;
    if (!isGiven && inputs.length === 0) continue;
    // What waits to be computed was in memory at the first step.
    if (part === OF_REST) {
      structure = mix(structure, isGiven || wasHeld ? -1 : hashOfNode(node));
      sizes = mix(sizes, hashShape(node));
    }
    if (isGiven) continue;
    if (wasHeld && !isAsked(wanted, asked, value)) {
      held.push(value);
      part = OF_HELD;
    }
    if (part === (OF_HELD | OF_REST)) return none;
    work[part === OF_HELD ? 0 : 1] += leastWorkOf(node);
    for (const { position } of inputs) parts[position] = (parts[position] as number) | part;
  }
  const before = latest.find(structure);
  if (before === undefined) latest.add(structure, { sizes }, 64);
  if (before === undefined || before.sizes === sizes) return none;
  before.sizes = sizes;
  if (Math.min(...work) < LEAST_WORK) return none;
  // In the order in which they are met, which is that of the program that computes them by themselves.
  return held.reverse();
}

/** The fewest additions of elements of an op. */
export function leastWorkOf({ op, shape, inputs: [first] }: Node): number {
  if (op === "pointwise") return elementCount(shape);
  if (op === "contract") return elementCount(shape) * (first?.shape.at(-1) ?? 1);
  return op === "reduce" ? elementCount(first?.shape ?? shape) : 0;
}

function isAsked(wanted: readonly Value[], asked: number, value: Value): boolean {
  for (let k = 0; k < asked; k++) if (wanted[k] === value) return true;
  return false;
}

const none: readonly Value[] = [];
