/**
 * Computes what tensors hold that are written in place separately from what reads it. A training step written by hand leaves its update to
 * be computed with the next forward pass. That would be one program over two batches, and each pair of batch sizes would need a program of
 * its own.
 */
import { elementCount, hashShape, mix, type Node } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Value } from "../../value.ts";
import type { Extraction } from "./extract.ts";
import { hashOfValue } from "./structure.ts";

const OF_HELD = 1;
const OF_REST = 2;

/**
 * By the structure of a request: a hash of its last sizes. After a collision something else is computed separately, which is correct too.
 */
const latest = new LruCache<number, { sizes: number }>();
latest.setLimits(4_096, 2 ** 20);

export const clearHeldValues = (): void => latest.clear();

/**
 * Each part must take at least so many additions of elements. A smaller part might run on another backend than both together, and last bits
 * would depend on which batches came before.
 */
const LEAST_WORK = 16_384;

/**
 * Values that cells hold, or held when they were read, beneath the first `asked` of `wanted`. They are returned only if the sizes of what
 * reads them have changed since the last request of this structure, and if nothing else here reads what they are made of, so that nothing
 * is computed twice. Otherwise the list is empty.
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
    // Held values hash like stored ones: at the first step they were in memory.
    if (part === OF_REST) {
      structure = mix(structure, isGiven || wasHeld ? -1 : hashOfValue(value));
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
  // In the order in which they would be met by a walk from them: the same program finds them next time.
  return held.reverse();
}

/** With fewer nodes beside the writes, what is wanted is a view of what was written. */
const LEAST_REST = 2;

/**
 * The writes through small windows beneath what is wanted, if nothing else here reads what they are made of. A replay buffer gets a row in
 * each step, made in one of several ways, and the training step reads other rows; a cell is flipped, and its neighbours are read next. As
 * one program that would be one for each way, and for each set of places that are equal.
 */
export function heldWindows({ order, wanted }: Extraction): readonly Value[] {
  if (!order.some(isHeldWindow)) return none;
  const parts = new Uint8Array(order.length);
  for (const { position } of wanted) parts[position] = OF_REST;
  const held = new Set(wanted.filter(isHeldWindow));
  let rest = 0;
  for (let k = order.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    const { inputs, storage } = value;
    if (storage !== null || inputs.length === 0) continue;
    let part = parts[k] as number;
    if (held.has(value) || (part === OF_REST && isHeldWindow(value))) {
      held.add(value);
      part = OF_HELD;
    }
    if (part === (OF_HELD | OF_REST)) return none;
    if (part === OF_REST) rest++;
    for (const { position } of inputs) parts[position] = (parts[position] as number) | part;
  }
  return rest < LEAST_REST ? none : [...held];
}

/** At most this part of the elements is a small window: a write through it that copies the rest copies more than it computes. */
const SMALL = 1 / 4;

export const isSmallWindow = (node: Node): boolean => isWindow(node, SMALL);

const isHeldWindow = ({ node, storage, wasHeld }: Value): boolean =>
  storage === null && wasHeld && isSmallWindow(node);

/** True of a write through a window of at most this part of the elements. */
export const isWindow = (node: Node, part: number): boolean =>
  node.op === "update" && elementCount(node.attributes.view.shape) <= part * elementCount(node.shape);

/** A lower bound of an op's work, in additions of elements. */
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
