/**
 * Extracts a program's signature from values: the recorded graph down to values that are stored. It runs at every compute, so it fills
 * plain arrays that are reused, and builds a graph only for a program that is new.
 */
import type { Graph } from "@fuseau/compiler";
import {
  build,
  hashOperation,
  hashShape,
  mix,
  type Node,
  sameNumbers,
  sameOperation,
  samePlaces,
} from "@fuseau/ir";
import { numberOf } from "../../record.ts";
import { GradientError } from "../../tape/errors.ts";
import { type Value, weakenViews } from "../../value.ts";
import { markChoice } from "../places/choices.ts";
import { empty } from "../places/empty.ts";
import { type Begin, begins, placesOf, resetPlaces } from "../places/places.ts";
import { isLifted, isScalar, type Lifted } from "../places/scalars.ts";
import { counts, numbers } from "../places/slots.ts";
import { noteWrite } from "../places/writes.ts";
import { donate, inTheWay, isToBeOverwritten, isWrittenByCopy, noteCopied } from "./donors.ts";
import { kept, noteRun } from "./keep.ts";

export interface Extraction {
  /** Every value beneath the wanted ones, inputs first. Reused by the next walk. */
  readonly order: Value[];
  /** The values that have elements already, in order. */
  readonly given: Value[];
  /** The constants that are lifted out of the program. */
  readonly scalars: (number | bigint)[];
  readonly outputs: number[];
  /** Indexes into `given`: inputs that cannot be read again after this computation, so that the program may overwrite them. */
  readonly donated: number[];
  /** The values to compute, one for each of `outputs`: first those asked for, then those that are kept. */
  readonly wanted: Value[];
  /** The values that `scalars` belong to. */
  readonly lifted: readonly Value[];
  /** Where slices and windows begin, by slot. */
  readonly numbers: readonly number[];
  hash: number;
  /** The hash without what is kept and donated. */
  recorded: number;
}

const lifted: Value[] = [];

const extraction: Extraction = {
  order: [],
  given: [],
  scalars: [],
  lifted,
  outputs: [],
  donated: [],
  wanted: [],
  numbers,
  hash: 0,
  recorded: 0,
};
const nothing: readonly number[] = [];
const stack: Value[] = [];
const progress: number[] = [];
/** The lists that a walk fills. */
const lists: readonly unknown[][] = [
  extraction.order,
  extraction.given,
  extraction.scalars,
  lifted,
  extraction.outputs,
  extraction.donated,
  extraction.wanted,
  stack,
  progress,
];
let walk = 0;

/** The number of the next walk. Each value stores the number of the last walk that met it. */
export const nextWalk = (): number => ++walk;

/**
 * What is computed for `wanted`. The result is valid until the next walk. If `donatable` is given, nobody will ask for other values later:
 * nothing else is kept, and of the inputs only those in `donatable` are donated.
 */
export function extract(wanted: readonly Value[], donatable: ReadonlySet<Value> | null = null): Extraction {
  walkFrom(wanted);
  return decided(donatable);
}

/** Walks everything that `wanted` depends on. Iterative, since chains may be 100,000 long. What is kept and donated is not decided yet. */
export function walkFrom(wanted: readonly Value[]): Extraction {
  const { order, given, scalars, outputs } = extraction;
  // An error in an earlier walk may have left values in the lists.
  forget();
  weakenViews();
  let hash = 17;
  walk++;
  for (let k = 0; k < wanted.length; k++) {
    const root = wanted[k] as Value;
    root.want();
    if (root.walk !== walk) {
      root.walk = walk;
      root.met = 0;
      stack.push(root);
      progress.push(0);
      if (root.node.op === "update" && root.storage === null) noteWrite(root, order.length);
    }
    while (stack.length > 0) {
      const top = stack.length - 1;
      const value = stack[top] as Value;
      const { inputs } = value;
      const next = progress[top] as number;
      if (value.storage === null && next < inputs.length) {
        progress[top] = next + 1;
        const input = inputs[next] as Value;
        if (input.walk !== walk) {
          input.walk = walk;
          input.met = 0;
          stack.push(input);
          progress.push(0);
          if (input.node.op === "update" && input.storage === null) noteWrite(input, order.length);
        }
        // Like `uses`: what a view reads that only aliases stand for is not counted.
        if (!value.isWeak) input.met++;
        continue;
      }
      stack.pop();
      progress.pop();
      if (value.node.op === "constant" && top > 0) markChoice(value, stack[top - 1] as Value);
      if (value.storage === null && isLifted(value) && standsForEqual(value)) continue;
      value.position = order.length;
      order.push(value);
      hash = mix(hash, codeOf(value, placesOf(value)));
      if (value.storage !== null) {
        given.push(value);
      } else if (value.node.op === "input") throw standInRead();
      else if (isScalar(value)) {
        scalars.push(value.node.op === "scalar" ? numberOf(value) : value.node.attributes.value);
        lifted.push(value);
      }
    }
    outputs.push(root.position);
    hash = mix(hash, root.position);
  }
  for (let k = 0; k < wanted.length; k++) extraction.wanted.push(wanted[k] as Value);
  extraction.recorded = hash;
  return extraction;
}

/** The walk with what is kept and donated. */
export function decided(donatable: ReadonlySet<Value> | null = null): Extraction {
  const { order, given, outputs } = extraction;
  let hash = extraction.recorded;
  const besides = donatable === null ? kept(extraction, toGraph) : nothing;
  for (const position of besides) {
    outputs.push(position);
    extraction.wanted.push(order[position] as Value);
    hash = mix(hash, position);
  }
  for (const value of given) noteCopied(value, extraction.wanted);
  if (given.some(isToBeOverwritten) || extraction.wanted.some(isWrittenByCopy)) {
    for (const position of inTheWay(extraction)) {
      outputs.push(position);
      extraction.wanted.push(order[position] as Value);
      hash = mix(hash, position);
    }
    hash = mix(hash, donate(extraction, donatable));
    for (const value of given) if (isWrittenByCopy(value)) value.keepsReaders--;
  }
  extraction.hash = hash;
  return extraction;
}

/** `vmap` calls a function with stand-ins, which have a shape and no elements. */
const standInRead = (): GradientError =>
  new GradientError(
    "vmap: It looks like you're calling .item() on a Tensor (or compute, toArray, printing, or an op whose result's shape depends on elements). We don't support vmap over calling .item() on a Tensor: inside vmap a tensor stands for a whole batch and has no elements of its own (use where(…) to choose by elements, or return the tensor and read it outside)",
  );

/** To be called when the extraction has been computed, before its values are settled. */
export const noteComputed = (): void => noteRun(extraction, toGraph);

const toGraph = (): Graph => record(extraction);

/** A scalar is compared with so many earlier ones. Programs with more are long chains, and to compare all would be quadratic. */
const MOST_COMPARED = 16;

/**
 * Equal constants share one scalar, so that what is computed from them is computed once. If an equal one was met before, the value gets its
 * position.
 */
function standsForEqual(value: Value): boolean {
  if (value.isChoice) return false;
  const { dtype, attributes } = value.node as Lifted;
  const count = Math.min(lifted.length, MOST_COMPARED);
  for (let k = 0; k < count; k++) {
    const known = lifted[k] as Value;
    if (known.node.op !== "constant" || known.node.dtype !== dtype || known.isChoice) continue;
    if (known.node.attributes.value !== attributes.value) continue;
    value.position = known.position;
    return true;
  }
  return false;
}

/** Releases the values: they may hold much memory. */
export function forget(): void {
  for (const list of lists) empty(list);
  resetPlaces();
}

/** A hash of everything in which two values at one position of a walk can differ, except what is bound when the program runs. */
function codeOf(value: Value, places: readonly Begin[] | undefined): number {
  const { node, inputs, storage } = value;
  if (storage !== null) return hashShape(node);
  let code = isScalar(value) ? hashShape(node) : hashOperation(node, places === undefined);
  for (let k = 0; k < inputs.length; k++) code = mix(code, (inputs[k] as Value).position);
  if (places !== undefined) for (const { slot, factor } of places) code = mix(mix(code, slot), factor);
  return code;
}

/** A graph as it was recorded, with what is lifted out of it. */
export interface Recorded extends Graph {
  /** By position: where the node begins, if that is bound when the program runs. */
  readonly begins: readonly (readonly Begin[] | undefined)[];
  /** By slot: how many values the number may have. */
  readonly counts: readonly number[];
}

/** True when the walked values are exactly the program that `recorded` was made of. */
export const matches = (extraction: Extraction, recorded: Recorded): boolean =>
  extraction.outputs.length === recorded.outputs.length && isPartOf(extraction, recorded);

/** {@link matches}, but the program may have more results, behind those of the walk. */
export function isPartOf({ order, outputs }: Extraction, recorded: Recorded): boolean {
  const { nodes, inputs } = recorded;
  if (!sameNumbers(counts, recorded.counts) || order.length !== nodes.length) return false;
  for (let k = 0; k < outputs.length; k++) if (outputs[k] !== recorded.outputs[k]) return false;
  for (let k = 0; k < order.length; k++) {
    const value = order[k] as Value;
    const node = nodes[k] as Node;
    if (value.storage !== null) {
      if (node.op !== "input" || node.dtype !== value.node.dtype || !sameShape(node, value.node))
        return false;
      continue;
    }
    if (node.op === "scalar") {
      if (!isScalar(value) || value.node.dtype !== node.dtype) return false;
      continue;
    }
    if (isScalar(value)) return false;
    const [places, known] = [begins[k], recorded.begins[k]];
    if (places !== known && !samePlaces(places ?? none, known ?? none)) return false;
    if (!sameOperation(node, value.node, places === undefined)) return false;
    const own = value.inputs;
    const from = inputs[k] as readonly number[];
    if (own.length !== from.length) return false;
    for (let i = 0; i < own.length; i++) if ((own[i] as Value).position !== from[i]) return false;
  }
  return true;
}

const none: readonly Begin[] = [];

/** True of equal shapes, which are mostly one object. */
export function sameShape(a: Node, b: Node): boolean {
  if (a.shape === b.shape) return true;
  if (a.shape.length !== b.shape.length) return false;
  for (let axis = 0; axis < a.shape.length; axis++) if (a.shape[axis] !== b.shape[axis]) return false;
  return true;
}

/** The walked values as a graph that keeps none of them alive. */
export function record({ order, outputs }: Extraction): Recorded {
  const nodes: Node[] = [];
  const inputs: number[][] = [];
  for (const value of order) {
    const own = value.storage === null ? value.inputs.map((input) => input.position) : [];
    inputs.push(own);
    nodes.push(
      nodeOf(
        value,
        own.map((position) => nodes[position] as Node),
      ),
    );
  }
  return { nodes, inputs, outputs: [...outputs], begins: [...begins], counts: [...counts] };
}

function nodeOf(value: Value, inputs: readonly Node[]): Node {
  const { node } = value;
  // A new node: values that one program computed share theirs.
  if (value.storage !== null) return build.input(node.dtype, node.shape);
  if (isLifted(value)) return build.scalar(node.dtype);
  return inputs.length === 0 ? node : ({ ...node, inputs } as Node);
}
