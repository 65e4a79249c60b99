/**
 * Splits the recording of a loop that computes nothing until its end. As one graph of all rounds, it would take very long to compile. So
 * this looks for what one round hands to the next: few values through which all later values read earlier ones, at positions that repeat.
 * Some rounds together are a stage, and each stage is computed by itself. From the second stage on its program is cached.
 * The bits are the same, since they do not depend on what is fused. Rounds that fold elements or move them store what they read in any
 * case. But what a stage hands on is stored for longer, so stages have more rounds the larger that is. Rounds that are pointwise are one loop
 * that stores nothing between them, so they stay together unless compiling that takes longer than storing.
 */
import { dtypes, elementCount, hashStructure, mix, type NodeOp } from "@fuseau/ir";
import type { Value } from "../value.ts";

/** Recordings with fewer nodes compile quickly enough as they are; and the least nodes of a stage. */
export const LONG = 256;
const STAGE = 48;
/** Nanoseconds: to compile a node (in the two or three programs of the stages), and to store a byte and load it again. */
const NODE = 1e6;
const BYTE = 3;
/** How often a recording is assumed to be computed: it is compiled once, but stores each time. */
const TIMES = 8;
/** With fewer stages, compiling them takes hardly less than compiling everything at once. */
const FEWEST = 4;
/** The fewest rounds that count as a loop. */
const ROUNDS = 6;
/** The most values that a round may hand to the next, and the most of each round that are read only much later. */
const MOST_HANDED = 4;
const MOST_COLLECTED = 4;
/** A reader that is so many nodes behind a value is not in the next round. So they also limit the length of rounds. */
const windows = [64, 256, 1_024];

/** A place between two rounds. The nodes behind `position` read `handed`. */
interface Seam {
  readonly position: number;
  readonly handed: readonly Value[];
}

/** Places over which alike values are handed, equally far back: their positions, what the first hands on, and how often that is read. */
interface Alike {
  readonly positions: number[];
  readonly bytes: number;
  uses: number;
}

/** The values to compute first, stage by stage; empty if the recording does not repeat itself. */
export function stagesOf(order: readonly Value[], wanted: readonly Value[]): Value[][] {
  const reads = lastReads(order);
  const keys = keysOf(order);
  const free = Uint8Array.from(order, (value) => (isFree(value) ? 1 : 0));
  const roots = new Set(wanted);
  let best: Value[][] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    const rounds = roundsIn(seamsIn(order, reads, keys, free, window), order.length);
    if (rounds.length < ROUNDS) continue;
    const seams = rounds.map(
      (position): Seam => ({ position, handed: handedAt(position, order, reads, free, window) }),
    );
    const isOneLoop = isPointwise(order, seams);
    const stages = stagesAt(
      seams,
      order,
      (value, position, end) =>
        roots.has(value) || (reads[position] as number) > Math.max(end, position + window),
      isOneLoop ? LONG : STAGE,
    );
    const stored = stages.reduce((sum, stage) => sum + stage.length, 0);
    if (stages.length < FEWEST || stored > stages.length * MOST_HANDED + seams.length * MOST_COLLECTED)
      continue;
    if (isOneLoop && isCheaperTogether(order, stages)) continue;
    // Better stages are shorter and store less.
    const cost = (stored * order.length) / stages.length ** 2;
    if (cost >= least) continue;
    best = stages;
    least = cost;
    // Rounds can hand on no less than one value, and if they are short, a wider window shows no others.
    if (stored === stages.length || 2 * gapOf(seams) <= window) break;
  }
  return best;
}

/**
 * Stages of as many rounds as make the time to compile a stage and to store what stages hand on least. Values of which `isCollected` is
 * true are stored in the stage that computes them. A stage has at least so many nodes.
 */
function stagesAt(
  seams: readonly Seam[],
  order: readonly Value[],
  isCollected: (value: Value, position: number, end: number) => boolean,
  least: number,
): Value[][] {
  const gap = gapOf(seams);
  const nodes = Math.sqrt((TIMES * order.length * BYTE * bytesHanded(seams[0] as Seam)) / NODE);
  const rounds = Math.ceil(Math.max(least, nodes) / gap);
  const stages: Value[][] = [];
  let begin = 0;
  for (let k = rounds - 1; k < seams.length; k += rounds) {
    const { position: end, handed } = seams[k] as Seam;
    const stage = new Set(handed);
    for (let position = begin; position <= end; position++) {
      const value = order[position] as Value;
      if (!isFree(value) && isCollected(value, position, end)) stage.add(value);
    }
    stages.push([...stage]);
    begin = end + 1;
  }
  return stages;
}

/** How many nodes a round has. */
const gapOf = (seams: readonly Seam[]): number =>
  ((seams.at(-1) as Seam).position - (seams[0] as Seam).position) / (seams.length - 1);

/** By position: the last position that reads it. */
function lastReads(order: readonly Value[]): Int32Array {
  const reads = new Int32Array(order.length);
  order.forEach((value, position) => {
    if (value.storage === null) for (const input of value.inputs) reads[input.position] = position;
  });
  return reads;
}

/** All places over which few values are handed, grouped by a hash of what these are and how far back. */
function seamsIn(
  order: readonly Value[],
  reads: Int32Array,
  keys: Int32Array,
  free: Uint8Array,
  window: number,
): Iterable<Alike> {
  const seams = new Map<number, Alike>();
  /** Positions of what is handed on, ascending. */
  const handed = new Set<number>();
  /** By position: the last position of what is read there for the last time, and by that one the position before it. */
  const ends = new Int32Array(order.length).fill(-1);
  const others = new Int32Array(order.length).fill(-1);
  for (let position = 0; position < order.length; position++) {
    for (let read = ends[position] as number; read >= 0; read = others[read] as number) handed.delete(read);
    const end = reads[position] as number;
    if (free[position] === 0 && end > position && end <= position + window) {
      handed.add(position);
      others[position] = ends[end] as number;
      ends[end] = position;
    }
    if (handed.size === 0 || handed.size > MOST_HANDED) continue;
    let key = handed.size;
    for (const each of handed) key = mix(mix(key, position - each), keys[each] as number);
    const alike = seams.get(key);
    const values = (): Value[] => [...handed].map((each) => order[each] as Value);
    if (alike === undefined) seams.set(key, { positions: [position], bytes: bytesOf(values()), uses: 0 });
    else if (alike.positions.push(position) === 2)
      alike.uses = values().reduce((sum, { met }) => sum + met, 0);
  }
  return seams.values();
}

/** The values before the position that are read behind it, and not much later. */
function handedAt(
  position: number,
  order: readonly Value[],
  reads: Int32Array,
  free: Uint8Array,
  window: number,
): Value[] {
  const handed: Value[] = [];
  for (let k = Math.max(0, position - window + 1); k <= position; k++) {
    const end = reads[k] as number;
    if (free[k] === 0 && end > position && end <= k + window) handed.push(order[k] as Value);
  }
  return handed;
}

/** By position: a hash of the value's structure and that of its inputs, equal in each round. */
function keysOf(order: readonly Value[]): Int32Array {
  const keys = new Int32Array(order.length);
  const hashes = new Int32Array(order.length);
  for (let k = 0; k < order.length; k++) {
    const { node, inputs } = order[k] as Value;
    let key = hashStructure(node);
    hashes[k] = key;
    for (let i = 0; i < inputs.length; i++) key = mix(key, hashes[(inputs[i] as Value).position] as number);
    keys[k] = key;
  }
  return keys;
}

/**
 * The group of places that occurs almost everywhere and hands on the fewest bytes. Among equals it is the one whose values are read most
 * often.
 */
function roundsIn(seams: Iterable<Alike>, length: number): readonly number[] {
  let best: readonly number[] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const { positions, bytes, uses } of seams) {
    if (positions.length < ROUNDS || (positions.at(-1) as number) - (positions[0] as number) < length / 2)
      continue;
    if (bytes > least || (bytes === least && uses <= most)) continue;
    best = positions;
    least = bytes;
    most = uses;
  }
  return best;
}

const bytesHanded = ({ handed }: Seam): number => bytesOf(handed);

const bytesOf = (values: readonly Value[]): number =>
  values.reduce((sum, { node: { shape, dtype } }) => sum + elementCount(shape) * dtypes[dtype].bytes, 0);

/** True if compiling one loop for all rounds takes less than storing what stages hand on, which that loop keeps to itself. */
function isCheaperTogether({ length }: readonly Value[], stages: readonly (readonly Value[])[]): boolean {
  const bytes = stages.reduce((sum, stage) => sum + bytesOf(stage), 0);
  return length * NODE < TIMES * BYTE * bytes;
}

/** True if the round in the middle neither folds nor moves what it computes. */
function isPointwise(order: readonly Value[], seams: readonly Seam[]): boolean {
  const middle = seams.length >> 1;
  const from = (seams[middle - 1] as Seam).position + 1;
  return order
    .slice(from, (seams[middle] as Seam).position + 1)
    .every((value) => isFree(value) || staysInPlace[value.node.op]);
}

/** Ops that read each element at its own place. */
const staysInPlace: { readonly [Op in NodeOp]: boolean } = {
  input: true,
  constant: true,
  scalar: true,
  iota: true,
  pointwise: true,
  reshape: true,
  expand: true,
  permute: false,
  slice: false,
  shift: false,
  diagonal: false,
  asStrided: false,
  pad: false,
  concat: false,
  update: false,
  reduce: false,
  contract: false,
  gather: false,
  scatter: false,
  scan: false,
  argsort: false,
};

/** True for values that need not be stored: given ones, and views of those. */
function isFree({ node, inputs, storage }: Value): boolean {
  if (storage !== null || inputs.length === 0) return true;
  return (
    isView[node.op] === true && inputs.every(({ storage, inputs }) => storage !== null || inputs.length === 0)
  );
}

const isView: { readonly [Op in NodeOp]?: boolean } = {
  reshape: true,
  permute: true,
  expand: true,
  slice: true,
  shift: true,
  diagonal: true,
  asStrided: true,
};
