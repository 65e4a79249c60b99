/**
 * Which program comes next. A loop computes the same programs in the same order, so the one that came after the last one before is
 * compared first, from the results down, with what was recorded: nothing is hashed, looked up, or decided again. What is the very
 * program that a walk would have found is run; of anything else a walk finds out what it is.
 */
import { type Node, sameNumbers, sameOperation } from "@fuseau/ir";
import type { Held } from "../cache/lru.ts";
import { numberOf } from "../record.ts";
import type { Storage } from "../storage.ts";
import { type Bare, bareOf, type Value } from "../value.ts";
import { type Extraction, isMetAlone, mayBeDonated, nextWalk } from "./extract.ts";
import { type Known, knownOf, noteInside } from "./keep.ts";
import type { Executable } from "./programs.ts";
import { run } from "./run.ts";
import { isLifted, isScalar } from "./scalars.ts";

/** What comes after a program. */
export class Expected {
  /** Those that came after it, the last one first. */
  readonly next: Executable[] = [];
  /** The one of many sizes that came after it the last time, and is not expected yet: sizes seldom come in the same order again. */
  sized: Executable | null = null;
  /** What the program itself is known by; null where it is not compared. */
  outline: Outline | null = null;
  /** How often it was computed without being expected, since it last was. */
  found = 0;
  isCached = true;
  /** Its place in the cache. */
  held: Held<number, Executable> | null = null;
}

/** A program as it is compared with what was recorded. Lists are by position but for those of outputs. */
interface Outline {
  readonly outputs: readonly number[];
  /** By output, what is left of its node when it is computed. */
  readonly bare: readonly Bare[];
  /** How many of the outputs are asked for; the others are kept besides. */
  readonly asked: number;
  readonly nodes: readonly Node[];
  readonly inputs: readonly (readonly number[])[];
  readonly roles: Uint8Array;
  /** How often others of the program read it. */
  readonly meets: Uint32Array;
  readonly givens: number;
  readonly scalars: number;
  readonly known: Known;
  /** How much had been learned of it when it was decided what is kept. */
  readonly lessons: number;
}

/** What is true of an inner value, and has a part in what is kept and written over. */
const PLAIN = 0;
/** Something else that was recorded reads it, or a tensor that was written in place holds it. */
const READ = 1;
/** Such a tensor holds it, and it is what was written. */
const HELD = 2;
const KEPT = 4;
const ASKED = 8;
/** It is given, and is written over. */
const DONATED = 16;

/** Programs that are tried after one. */
const MOST_NEXT = 4;
/** Times that a program is computed without having been as expected before it is no longer compared. */
const PATIENCE = 16;

/** Times that one of many sizes was computed before it is: to make its graph takes as long as a walk of it does several times. */
const OFTEN = 8;

/** The program that was computed last. */
let last: Executable | null = null;

let count = 0;

/** How many programs were run as they were expected. */
export const expectedCount = (): number => count;

/** What came after the program that was computed last. */
export const followers = (): readonly Executable[] => (last === null ? none : last.expected.next);

const none: readonly Executable[] = [];

/** It is the k-th of them now. */
export function noteExpected(k: number): void {
  const { next } = (last as Executable).expected;
  const executable = next[k] as Executable;
  if (k > 0) {
    next.splice(k, 1);
    next.unshift(executable);
  }
  last = executable;
}

/** The program is no longer cached: nothing is to be kept for its sake. */
export function noLongerExpected({ expected: own }: Executable): void {
  own.next.length = 0;
  own.outline = own.sized = null;
  own.isCached = false;
}

/** To be called before a program is run that was not expected. */
export function noteUnexpected(extraction: Extraction, asked: number, executable: Executable): void {
  const before = last;
  last = executable;
  const own = executable.expected;
  // At its first time it is not known that it will come again.
  if (own.found++ === 0 || before === null || !own.isCached) return;
  if (executable.late !== null && (own.found < OFTEN || before.expected.sized !== executable)) {
    if (before.expected.isCached) before.expected.sized = executable;
    return;
  }
  own.outline = own.found < PATIENCE ? outlineOf(extraction, asked, executable) : null;
  const { next } = before.expected;
  const at = next.indexOf(executable);
  if (at >= 0) next.splice(at, 1);
  if (own.outline === null || !before.expected.isCached) return;
  next.unshift(executable);
  if (next.length > MOST_NEXT) next.pop();
}

/** Null for a program that is bound to where slices begin, and for one that was computed in part before. */
function outlineOf(
  { order, outputs, donated, given, scalars, numbers, ...walked }: Extraction,
  asked: number,
  { recorded: { nodes, inputs } }: Executable,
): Outline | null {
  if (numbers.length > 0 || order.some(({ trace }) => trace !== null)) return null;
  const roles = new Uint8Array(order.length);
  const meets = new Uint32Array(order.length);
  order.forEach((value, k) => {
    meets[k] = value.met;
    roles[k] = seedOf(value);
  });
  outputs.forEach((position, k) => {
    if (k < asked) roles[position] = ASKED;
    else roles[position] = KEPT | (roles[position] as number);
  });
  for (const index of donated) roles[(given[index] as Value).position] = DONATED;
  const known = knownOf({ order, outputs, ...walked });
  return {
    outputs: [...outputs],
    bare: outputs.map((position) => bareOf(nodes[position] as Node)),
    asked,
    nodes,
    inputs,
    roles,
    meets,
    givens: given.length,
    scalars: scalars.length,
    known,
    lessons: known.lesson.size,
  };
}

function seedOf({ node, inputs, storage, cells, uses, met }: Value): number {
  if (storage !== null || inputs.length === 0) return PLAIN;
  if (cells > 0) return node.op === "update" || node.op === "scatter" ? HELD : READ;
  return uses > met ? READ : PLAIN;
}

/**
 * The values that were recorded, by position, if a walk of what is wanted would find the very program, and decide the same of what is
 * kept and written over; else null. A new list each time: V8 notes each young object that is put into an old one.
 */
export function outlinedBy(outline: Outline, wanted: readonly Value[]): readonly Value[] | null {
  const { outputs, asked, nodes, inputs, roles, meets, known, lessons } = outline;
  if (wanted.length !== asked || known.lesson.size !== lessons) return null;
  const order = new Array<Value | undefined>(nodes.length);
  const walk = nextWalk();
  for (let k = 0; k < asked; k++) {
    const root = wanted[k] as Value;
    root.want();
    if (!isAt(order, outputs[k] as number, root, walk)) return null;
  }
  let isAllAlone = true;
  let isDonating = false;
  // Readers stand behind what they read.
  for (let k = nodes.length - 1; k >= 0; k--) {
    const value = order[k] as Value;
    const node = nodes[k] as Node;
    const own = value.node;
    const role = roles[k] as number;
    value.met = meets[k] as number;
    if (node.op === "input") {
      if (value.storage === null || node.dtype !== own.dtype) return null;
      if (node.shape !== own.shape && !sameNumbers(node.shape, own.shape)) return null;
      const isDonated = mayBeDonated(value);
      if (isDonated !== (role === DONATED)) return null;
      isDonating ||= isDonated;
      continue;
    }
    if (value.storage !== null || value.trace !== null) return null;
    if (node.op === "scalar") {
      if (!isScalar(own) || own.dtype !== node.dtype) return null;
      continue;
    }
    if (!isSame(node, own)) return null;
    const from = inputs[k] as readonly number[];
    const given = value.inputs;
    if (given.length !== from.length) return null;
    for (let i = 0; i < from.length; i++)
      if (!isAt(order, from[i] as number, given[i] as Value, walk)) return null;
    if (role === ASKED) continue;
    if (seedOf(value) !== (role & ~KEPT)) return null;
    if (role < KEPT && !isMetAlone(value)) isAllAlone = false;
  }
  // What is computed again from what was written over would be lost: who decides that looks at more than is looked at here.
  return isAllAlone || !isDonating ? (order as readonly Value[]) : null;
}

/** Runs a program with the values that are `outlinedBy` it, and gives them their elements. */
export function runExpected(executable: Executable, order: readonly Value[]): void {
  const { outputs, bare, givens, scalars: numbers, known } = executable.expected.outline as Outline;
  executable.expected.found = 1;
  count++;
  const given = new Array<Storage>(givens);
  const scalars = numbers === 0 ? nothing : new Array<number | bigint>(numbers);
  let [stored, lifted] = [0, 0];
  for (let k = 0; stored < givens || lifted < numbers; k++) {
    const value = order[k] as Value;
    const { storage, node } = value;
    if (storage !== null) given[stored++] = storage;
    else if (isScalar(node))
      scalars[lifted++] = node.op === "scalar" ? numberOf(value) : node.attributes.value;
  }
  const results = run(executable, { given, scalars, numbers: nowhere });
  noteInside(order, known, () => executable.recorded);
  for (let k = 0; k < outputs.length; k++)
    (order[outputs[k] as number] as Value).settle(results[k] as Storage, bare[k]);
}

const nothing: (number | bigint)[] = [];
const nowhere: readonly number[] = [];

/** Attributes of pointwise ops are shared by all that do the same. */
function isSame(node: Node, own: Node): boolean {
  if (node.op !== "pointwise" || node.attributes !== own.attributes) return sameOperation(node, own);
  return node.dtype === own.dtype && (node.shape === own.shape || sameNumbers(node.shape, own.shape));
}

/** Puts the value at its position; false where another is there, or it is elsewhere. Equal constants are at one position. */
function isAt(order: (Value | undefined)[], position: number, value: Value, walk: number): boolean {
  const there = order[position];
  if (there === value) return true;
  if (there !== undefined)
    return (
      isLifted(there.node) &&
      isLifted(value.node) &&
      there.node.dtype === value.node.dtype &&
      there.node.attributes.value === value.node.attributes.value
    );
  if (value.walk === walk) return false;
  value.walk = walk;
  value.position = position;
  order[position] = value;
  return true;
}
