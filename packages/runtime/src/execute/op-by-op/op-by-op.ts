/**
 * Runs a recording op by op, as PyTorch does: by loops over columns (by-columns.ts), or by programs of single ops, which are in memory or
 * quickly compiled, whatever recording they came in. Most programs run once or a few times, and to compile one as a whole takes longer than
 * all of these runs. The bits are the same, since they do not depend on what is fused. docs/backends.md, "The first run".
 */
import { dtypes, elementCount, sameNumbers } from "@fuseau/ir";
import { LruCache } from "../../cache/lru.ts";
import type { Options } from "../../options.ts";
import type { Storage } from "../../storage.ts";
import type { Value } from "../../value.ts";
import { type Extraction, matches, walkFrom } from "../extract/extract.ts";
import { executableAt, sourceOf } from "../late/bound.ts";
import { instanceOf, memberOf, noteSingle } from "../late/families.ts";
import { isMovement } from "../places/writes.ts";
import { NODE_COMPILED } from "../programs/costs.ts";
import {
  compiledFor,
  compileOptions,
  type Executable,
  kernelsOf,
  opComesAgain,
  unsaved,
} from "../programs/executable.ts";
import { purposeOf } from "../programs/purpose.ts";
import { boundTo, countOps, runOp } from "../programs/run.ts";
import { byColumns, type Loops, mayRunByColumns, presentLoops, workOf } from "./by-columns.ts";

/** The most nodes of a recording that runs op by op, and the most movements that ops look through, for each of its nodes. */
const [MOST_NODES, MOST_MOVEMENTS] = [2 ** 17, 16];
/** Nanoseconds that an element loses that is computed by itself. */
const ELEMENT = 4;
/** A run loses at most this part of what compiling the whole takes. */
const MOST_LOST = 1 / 4;
/** The most bytes of what is stored between ops at a time. */
const MOST_BYTES = 2 ** 26;

const ops = new LruCache<number, Executable>();
ops.setLimits(8_192, 2 ** 24);

export const clearOps = (): void => ops.clear();

/** True if each op stores its elements. Movements are looked through, and numbers are used in place. */
function isOp({ node, storage }: Value): boolean {
  if (storage !== null || isMovement(node)) return false;
  switch (node.op) {
    case "input":
    case "constant":
    case "scalar":
      return false;
    default:
      return true;
  }
}

/** How a recording runs op by op. */
export interface Plan {
  /** In order. */
  readonly ops: readonly Value[];
  /** Pointwise ops that are computed with the one that reads them, element by element. */
  readonly within: ReadonlySet<Value>;
  /** What is read for the last time by each of `ops`. */
  readonly ends: readonly (readonly Value[])[];
  /** Elements that are computed, or read by what gives fewer. */
  readonly elements: number;
}

/** The most pointwise ops that are computed together: each takes a column. */
const MOST_TOGETHER = 16;

/** How to run the recording op by op; null where that loses too much, or it has a single op. */
export function planOf({ order, wanted }: Extraction): Plan | null {
  if (!isQuickOpByOp(order)) return null;
  const isWanted = new Set(wanted);
  const within = pointwiseWithin(order, isWanted);
  const ops = order.filter(
    (value) => !within.has(value) && (isOp(value) || (value.storage === null && isWanted.has(value))),
  );
  // A number that is wanted, and for which an equal one stands.
  for (const value of isWanted)
    if (value.storage === null && order[value.position] !== value) ops.push(value);
  if (ops.length + within.size < 2) return null;
  let elements = 0;
  for (const value of [...ops, ...within]) elements += workOf(value.node);
  const ends = endsOf(ops, within);
  let [live, most] = [0, 0];
  ops.forEach((value, k) => {
    if (!isWanted.has(value)) live += bytesOf(value);
    most = Math.max(most, live);
    const ended = (ends[k] as readonly Value[]).filter((each) => !isWanted.has(each));
    for (const each of ended) live -= bytesOf(each);
    ends[k] = ended;
  });
  return most > MOST_BYTES ? null : { ops, within, ends, elements };
}

/** True unless one run op by op loses too much of what compiling the whole takes. */
export function isQuickOpByOp(order: readonly Value[]): boolean {
  if (order.length > MOST_NODES || movementsIn(order) > MOST_MOVEMENTS * order.length) return false;
  let [count, elements] = [0, 0];
  for (const value of order) {
    if (!isOp(value)) continue;
    count++;
    elements += workOf(value.node);
  }
  return elements * ELEMENT <= count * NODE_COMPILED * MOST_LOST;
}

/** How many movements all values look through together: the square of their number, where each is a view of the one before. */
function movementsIn(order: readonly Value[]): number {
  const depths = new Uint32Array(order.length);
  let sum = 0;
  for (let k = 0; k < order.length; k++) {
    const { node, storage, inputs } = order[k] as Value;
    if (storage !== null) continue;
    for (const { position } of inputs) sum += depths[position] as number;
    if (isMovement(node)) depths[k] = 1 + (depths[(inputs[0] as Value).position] as number);
  }
  return sum;
}

/** Pointwise ops that a single pointwise op of the same shape reads. */
function pointwiseWithin(order: readonly Value[], isWanted: ReadonlySet<Value>): ReadonlySet<Value> {
  const readers = new Uint32Array(order.length);
  for (const { storage, inputs } of order)
    if (storage === null)
      for (const { position } of inputs) readers[position] = (readers[position] as number) + 1;
  const within = new Set<Value>();
  /** By position: how many ops are computed with it. */
  const together = new Uint32Array(order.length);
  order.forEach((value, k) => {
    if (!isMap(value)) return;
    together[k] = 1;
    for (const input of value.inputs) {
      const { position } = input;
      if (readers[position] !== 1 || order[position] !== input || !isMap(input) || isWanted.has(input))
        continue;
      if (!sameNumbers(input.node.shape, value.node.shape)) continue;
      const sum: number = (together[k] as number) + (together[position] as number);
      if (sum > MOST_TOGETHER) continue;
      together[k] = sum;
      within.add(input);
    }
  });
  return within;
}

const isMap = ({ node, storage }: Value): boolean =>
  storage === null && node.op === "pointwise" && mayRunByColumns(node);

/** What each op reads for the last time, beneath movements and what is computed with it. */
function endsOf(ops: readonly Value[], within: ReadonlySet<Value>): (readonly Value[])[] {
  const last = new Map<Value, number>();
  const ends: Value[][] = ops.map(() => []);
  ops.forEach((op, k) => {
    const beneath = [...op.inputs];
    for (let value = beneath.pop(); value !== undefined; value = beneath.pop()) {
      if (value.storage !== null) continue;
      if (within.has(value) || isMovement(value.node)) beneath.push(...value.inputs);
      else if (isOp(value)) last.set(value, k);
    }
  });
  for (const [value, k] of last) (ends[k] as Value[]).push(value);
  return ends;
}

const bytesOf = ({ node }: Value): number => elementCount(node.shape) * dtypes[node.dtype].bytes;

/**
 * The storage of each of the wanted values. Each op has a walk of its own. Afterwards the extraction is the one that it was.
 * @throws RangeError of an element that the recording as a whole may not look at.
 */
export function runOpByOp(
  extraction: Extraction,
  asked: number,
  { ops, within, ends }: Plan,
  options: Options,
): readonly Storage[] {
  const [wanted, outputs, donated] = [
    [...extraction.wanted],
    [...extraction.outputs],
    [...extraction.donated],
  ];
  const { hash } = extraction;
  const single = { ...options, fusion: "none" as const };
  const loops = presentLoops();
  let results: readonly Storage[] = [];
  try {
    ops.forEach((value, k) => {
      value.storage = resultOf(value, within, loops, single);
      for (const ended of ends[k] as Value[]) {
        (ended.storage as Storage).release();
        ended.storage = null;
      }
    });
    results = wanted.map(({ storage }) => storage as Storage);
    countOps(ops.length + within.size);
  } finally {
    // Until they are settled, values are recorded as they were.
    const given = new Set(results);
    for (const value of ops) {
      if (value.storage !== null && !given.has(value.storage)) value.storage.release();
      value.storage = null;
    }
    walkFrom(wanted.slice(0, asked));
    for (const [list, saved] of [
      [extraction.wanted, wanted],
      [extraction.outputs, outputs],
      [extraction.donated, donated],
    ] as [unknown[], unknown[]][])
      list.splice(0, list.length, ...saved);
    extraction.hash = hash;
  }
  return results;
}

function resultOf(value: Value, within: ReadonlySet<Value>, loops: Loops, options: Options): Storage {
  const storage = byColumns(value, within, loops);
  if (storage !== null) return storage;
  const extraction = walkFrom([value]);
  extraction.hash = extraction.recorded;
  return runOp(executableOf(extraction, options), boundTo(extraction));
}

/** The program of an op: one of these sizes, or one of many. */
function executableOf(extraction: Extraction, options: Options): Executable {
  const known = ops.find(extraction.hash, ({ recorded }) => matches(extraction, recorded));
  if (known !== undefined) {
    if (known.finishing !== null) opComesAgain(known);
    return known;
  }
  const purpose = { ...purposeOf(extraction, options), isOfOp: true as const };
  const member = memberOf(extraction, purpose);
  const instance = instanceOf(
    member,
    () => compileOptions(options, purpose),
    (program) => kernelsOf(program, undefined),
    sourceOf,
  );
  if (instance !== null) return executableAt(instance.late, instance.point);
  const { made, bytes } = compiledFor(extraction, options, unsaved(extraction), true);
  noteSingle(member, made.recorded, purpose);
  const executable = made as Executable;
  ops.add(extraction.hash, executable, bytes);
  return executable;
}
