/**
 * An outline is what recorded values are compared with, from the results down, to recognise an expected program. For a program of many
 * sizes it has their surface. For a program whose slices begin at bound numbers, it has their digits (places.ts).
 */
import { type Point, termsAt } from "@fuseau/compiler";
import {
  hasMoreSizes,
  type Node,
  sameNumbers,
  sameOperation,
  samePlaces,
  sameStructure,
  sizesOf,
} from "@fuseau/ir";
import { type Bare, bareOf, type Value } from "../../value.ts";
import { isMetAlone, isWrittenByCopy, mayBeDonated, noteCopied } from "../extract/donors.ts";
import { type Extraction, nextWalk, type Recorded, sameShape } from "../extract/extract.ts";
import { isFound, isState, mayBeRead } from "../extract/keep.ts";
import { type Known, knownOf, lessonsOf } from "../extract/lessons.ts";
import { isTracedAtOnce } from "../extract/traced.ts";
import { markChoice } from "../places/choices.ts";
import { empty } from "../places/empty.ts";
import { type Begin, begins, placedIn, placesOf, resetPlaces } from "../places/places.ts";
import { isLifted, isScalar } from "../places/scalars.ts";
import { counts } from "../places/slots.ts";
import { noteWriteTo, type Write, writesIn } from "../places/writes.ts";
import type { Surface } from "../sizes/surfaces.ts";
import type { Executable } from "./executable.ts";

/** All lists are by position, except those that are by output. */
export interface Outline {
  readonly outputs: readonly number[];
  /** By output: the part of its node that a value keeps when it is computed; null if its size changes. */
  readonly bare: readonly (Bare | null)[];
  /** By output: whether writes of the tensor that holds it have had to copy. What is computed besides depends on that. */
  readonly areCopied: readonly boolean[];
  /** How many of the outputs are asked for. The others are kept. */
  readonly asked: number;
  readonly nodes: readonly Node[];
  readonly inputs: readonly (readonly number[])[];
  readonly roles: Uint8Array;
  readonly givens: number;
  readonly scalars: number;
  readonly known: Known;
  /** How much had been learned when it was decided what to keep. */
  readonly lessons: number;
  /** Null for a program of one size. */
  readonly sizes: Sizes | null;
  /** Null if the program is bound to no number. */
  readonly places: Places | null;
}

/** The sizes of a program with late sizes, in the order of `sizesOfExtraction`: polynomials of those that are free. */
interface Sizes {
  readonly origin: Point;
  /** What the polynomials are at the origin, and the free sizes by which some are multiplied. */
  readonly first: Float64Array;
  readonly times: ReadonlyMap<number, readonly number[]>;
  /** By term of the polynomials. */
  readonly factors: readonly Float64Array[];
  readonly isVarying: Uint8Array;
  /** By position: 1 if none of its sizes changes. */
  readonly isFixed: Uint8Array;
  /** By position: where its sizes begin in the list. */
  readonly starts: Int32Array;
  /** The positions with a size that changes, and where the factors and counts of digits begin in the list. */
  readonly varying: readonly number[];
  readonly digits: number;
  /** The free sizes: the position of each, and which of the node's sizes it is. */
  readonly free: readonly { readonly position: number; readonly size: number }[];
}

interface Places {
  /** The positions that digits depend on, ascending. */
  readonly positions: readonly number[];
  readonly writes: readonly Write[];
  readonly begins: readonly (readonly Begin[] | undefined)[];
  readonly counts: readonly number[];
}

/** Roles of values, which influence what is kept and donated. */
const PLAIN = 0;
/** Something else that was recorded reads it, or a tensor that was written in place holds it. */
const READ = 1;
/** A tensor that was written in place holds it as its state (`isState`). */
const HELD = 2;
/** It is given, and writes of the tensor that holds it have had to copy (`isWrittenByCopy`). */
const COPIED = 2;
const KEPT = 4;
const ASKED = 8;
/** It is given, and is donated. */
const DONATED = 16;
/** It is given, and would be donated if nothing that may be computed later needed it. */
const NEEDED = 32;
/** It is computed, and no tensor can ask for it later. */
const ALONE = 64;
/** It was inside an earlier program (`isTracedAtOnce`). */
const TRACED = 128;
const SEED = READ | HELD;

/**
 * Null if a recording may be growing or a value was partly computed before. Null for a program of many sizes if one was computed before. How
 * large a part of a value is read may differ between sizes: what is kept for the first of them is kept for all, as where they are looked up.
 */
export function outlineOf(extraction: Extraction, asked: number, executable: Executable): Outline | null {
  const { order, outputs, donated, given, scalars, numbers } = extraction;
  const { late } = executable;
  if (late !== null && order.some(isTraced)) return null;
  if (!order.every((value) => value.storage !== null || isTracedAtOnce(value))) return null;
  // Sizes that do not change on the surface are those of the surface, which need not be those of the family's first graph.
  const recorded = late === null ? executable.recorded : late.of.sized.recorded;
  const sizes = late === null ? null : sizesOn(late.of.sized.surface, recorded);
  if (late !== null && sizes === null) return null;
  const { nodes, inputs } = recorded;
  const roles = new Uint8Array(order.length);
  order.forEach((value, k) => {
    if (value.storage !== null)
      roles[k] = mayBeDonated(value) ? NEEDED : isWrittenByCopy(value) ? COPIED : PLAIN;
    else
      roles[k] =
        seedOf(value) | (isMetAlone(value) ? ALONE : PLAIN) | (value.trace === null ? PLAIN : TRACED);
  });
  outputs.forEach((position, k) => {
    roles[position] = (k < asked ? ASKED : KEPT) | (roles[position] as number);
  });
  for (const index of donated) roles[(given[index] as Value).position] = DONATED;
  const known = knownOf(extraction);
  const isFixed = (position: number): boolean => sizes === null || sizes.isFixed[position] === 1;
  return {
    outputs: [...outputs],
    bare: outputs.map((position) =>
      isFixed(position) && (inputs[position] as readonly number[]).every(isFixed)
        ? bareOf(nodes[position] as Node)
        : null,
    ),
    areCopied: outputs.map((position) => isWrittenByCopy(order[position] as Value)),
    asked,
    nodes,
    inputs,
    roles,
    givens: given.length,
    scalars: scalars.length,
    known,
    lessons: lessonsOf(known),
    sizes,
    places:
      numbers.length === 0
        ? null
        : {
            positions: placedIn(order),
            writes: writesIn(),
            begins: recorded.begins,
            counts: recorded.counts,
          },
  };
}

/** Null if a free size is a factor or a count of a digit, and no size of a node. */
function sizesOn({ places, sizes, varying: changing }: Surface, { nodes, begins }: Recorded): Sizes | null {
  const { origin, first, varying: polynomials } = sizes;
  const starts = new Int32Array(nodes.length + 1);
  const own: number[] = [];
  nodes.forEach((node, k) => {
    starts[k] = own.length;
    if (node.op === "input") own.push(...node.shape);
    else if (node.op !== "scalar") sizesOf(node, own, begins[k] === undefined);
  });
  starts[nodes.length] = own.length;
  if (places.some((place) => place >= own.length)) return null;
  const base = Float64Array.from(first);
  for (const one of polynomials) base[one.place] = one.base;
  const times = new Map(polynomials.flatMap((one) => (one.times.length > 0 ? [[one.place, one.times]] : [])));
  const factors = termsAt(origin, origin).map((_, term) => {
    const column = new Float64Array(first.length);
    for (const one of polynomials) column[one.place] = one.factors[term] as number;
    return column;
  });
  const isVarying = new Uint8Array(first.length);
  for (const size of changing) isVarying[size] = 1;
  const isFixed = Uint8Array.from(nodes, (_, k) =>
    isVarying.subarray(starts[k], starts[k + 1]).includes(1) ? 0 : 1,
  );
  const free = places.map((place) => {
    let position = 0;
    while ((starts[position + 1] as number) <= place) position++;
    return { position, size: place - (starts[position] as number) };
  });
  return {
    origin,
    first: base,
    times,
    factors,
    isVarying,
    starts,
    isFixed,
    varying: [...nodes.keys()].filter((k) => isFixed[k] === 0),
    digits: own.length,
    free,
  };
}

const isTraced = ({ storage, trace }: Value): boolean => storage === null && trace !== null;

function seedOf(value: Value): number {
  if (value.storage !== null || value.inputs.length === 0) return PLAIN;
  if (isFound(value)) return HELD;
  return mayBeRead(value) ? (isState(value) ? HELD : READ) : PLAIN;
}

/**
 * The recorded values by position if they match the outline; otherwise null. They match if a walk of `wanted` would find this program, and
 * would decide the same about what is kept and donated. Sizes that change are checked by `pointIn`, and where slices begin by `arePlaced`.
 * The list is new each time: if it were old, V8 would have to note each young object that is put into it.
 */
export function outlinedBy(outline: Outline, wanted: readonly Value[]): readonly Value[] | null {
  const { outputs, areCopied, asked, nodes, inputs, roles, known, lessons, sizes, places } = outline;
  if (wanted.length !== asked || lessonsOf(known) !== lessons) return null;
  const order = new Array<Value | undefined>(nodes.length);
  const walk = nextWalk();
  for (let k = 0; k < asked; k++) {
    const root = wanted[k] as Value;
    root.want();
    if (!isAt(order, outputs[k] as number, root, walk)) return null;
  }
  let isAsAlone = true;
  let mayDonate = false;
  empty(copied);
  // Readers come after what they read, so they are compared first.
  for (let k = nodes.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    const node = nodes[k] as Node;
    const own = value.node;
    const role = roles[k] as number;
    const isOfSize = sizes === null || sizes.isFixed[k] === 1;
    if (node.op === "input") {
      if (value.storage === null || node.dtype !== own.dtype) return null;
      if (isOfSize ? !sameShape(node, own) : node.shape.length !== own.shape.length) return null;
      const isDonatable = mayBeDonated(value);
      if (isDonatable !== role >= DONATED) return null;
      const isCopied = isWrittenByCopy(value);
      if (isCopied !== (role === COPIED)) return null;
      if (isCopied) copied.push(value);
      mayDonate ||= role !== PLAIN;
      if (role === PLAIN) noteCopied(value, wanted);
      continue;
    }
    if (value.storage !== null) return null;
    if (isTraced(value) !== ((role & TRACED) !== 0) || !isTracedAtOnce(value)) return null;
    if (node.op === "scalar") {
      if (!isScalar(value) || own.dtype !== node.dtype) return null;
      continue;
    }
    // A number that stays in this program may have become one that is bound, since the host chooses such numbers.
    if (isScalar(value)) return null;
    if (isOfSize ? !isSame(node, own, places?.begins[k] === undefined) : !sameStructure(node, own))
      return null;
    const from = inputs[k] as readonly number[];
    const given = value.inputs;
    if (given.length !== from.length) return null;
    for (let i = 0; i < from.length; i++) {
      const input = given[i] as Value;
      if (input.node.op === "constant") markChoice(input, value);
      if (!isAt(order, from[i] as number, input, walk)) return null;
      if (!value.isWeak) input.met++;
    }
    if ((role & ASKED) !== 0) continue;
    if (seedOf(value) !== (role & SEED)) return null;
    if ((role & KEPT) === 0 && isMetAlone(value) !== ((role & ALONE) !== 0)) isAsAlone = false;
  }
  for (let k = 0; k < outputs.length; k++)
    if (isWrittenByCopy(order[outputs[k] as number] as Value) !== areCopied[k]) return null;
  // What is donated depends on what may be computed later, from what is given.
  if (!isAsAlone && mayDonate) return null;
  for (const value of copied) value.keepsReaders--;
  return order as readonly Value[];
}

/** What `outlinedBy` has met of states whose writes had to copy. Reused by the next call. */
const copied: Value[] = [];

/** Pointwise nodes of one op and dtype share their attributes, so identity is tested first. */
function isSame(node: Node, own: Node, begin: boolean): boolean {
  if (node.op !== "pointwise" || node.attributes !== own.attributes) return sameOperation(node, own, begin);
  return node.dtype === own.dtype && sameShape(node, own);
}

/** Puts the value at its position. False if another value is there, or if it is elsewhere already. Equal constants share a position. */
function isAt(order: (Value | undefined)[], position: number, value: Value, walk: number): boolean {
  const there = order[position];
  if (there === value) return true;
  if (there !== undefined)
    return (
      isLifted(there) &&
      isLifted(value) &&
      !there.isChoice &&
      !value.isChoice &&
      there.node.dtype === value.node.dtype &&
      there.node.attributes.value === value.node.attributes.value
    );
  if (value.walk === walk) return false;
  value.walk = walk;
  value.met = 0;
  value.position = position;
  order[position] = value;
  return true;
}

const listed: number[] = [];

/** The node's sizes, in their order; for most nodes that is the shape. Valid until the next call. */
function sizesAt({ node, storage }: Value, begin: boolean): readonly number[] {
  if (storage !== null || !hasMoreSizes(node)) return node.shape;
  empty(listed);
  sizesOf(node, listed, begin);
  return listed;
}

/** The free sizes that give all others; null if those are not on the surface, or if one that changes is 0 or 1. */
export function pointIn({ sizes, places }: Outline, order: readonly Value[]): Point | null {
  const { origin, isVarying, starts, varying, free } = sizes as Sizes;
  const point = free.map(
    ({ position, size }) =>
      sizesAt(order[position] as Value, places?.begins[position] === undefined)[size] as number,
  );
  const terms = termsAt(origin, point);
  for (let k = 0; k < varying.length; k++) {
    const position = varying[k] as number;
    const own = sizesAt(order[position] as Value, places?.begins[position] === undefined);
    const start = starts[position] as number;
    if (own.length !== (starts[position + 1] as number) - start) return null;
    for (let i = 0; i < own.length; i++) {
      const at = start + i;
      const value = valueAt(sizes as Sizes, at, terms, point);
      if (own[i] !== value || (value < 2 && isVarying[at] === 1)) return null;
    }
  }
  return point;
}

function valueAt(
  { first, factors, times }: Sizes,
  place: number,
  terms: readonly number[],
  point: Point,
): number {
  let value = first[place] as number;
  for (let k = 0; k < terms.length; k++)
    value += ((factors[k] as Float64Array)[place] as number) * (terms[k] as number);
  const products = times.size === 0 ? undefined : times.get(place);
  if (products !== undefined) for (const axis of products) value *= point[axis] as number;
  return value;
}

/** True if slices and windows begin at the same digits as in the program. Then `numbers` of slots.ts has what to bind. */
export function arePlaced({ sizes, places }: Outline, order: readonly Value[], point: Point): boolean {
  if (places === null) return true;
  resetPlaces();
  for (const { whole, from } of places.writes) noteWriteTo(order[whole] as Value, from);
  const { positions } = places;
  for (let k = 0; k < positions.length; k++) placesOf(order[positions[k] as number] as Value);
  if (sizes === null) {
    if (!sameNumbers(counts, places.counts)) return false;
    for (let k = 0; k < positions.length; k++) {
      const position = positions[k] as number;
      const [own, known] = [begins[position], places.begins[position]];
      if (own !== known && !samePlaces(own ?? none, known ?? none)) return false;
    }
    return true;
  }
  if (counts.length !== places.counts.length) return false;
  const terms = termsAt(sizes.origin, point);
  let next = sizes.digits;
  const isNext = (own: number): boolean => {
    const value = valueAt(sizes, next, terms, point);
    const isVarying = sizes.isVarying[next++] === 1;
    return own === value && (value >= 2 || !isVarying);
  };
  for (let k = 0; k < positions.length; k++) {
    const position = positions[k] as number;
    const [own, known] = [begins[position] ?? none, places.begins[position] ?? none];
    if (own.length !== known.length) return false;
    for (let i = 0; i < own.length; i++) {
      const [a, b] = [own[i] as Begin, known[i] as Begin];
      if (a.slot !== b.slot || a.axis !== b.axis || !isNext(a.factor)) return false;
    }
  }
  return counts.every(isNext);
}

const none: readonly Begin[] = [];
