/**
 * A loop that computes nothing until it is over is recorded as one graph of all its rounds, and would be compiled for as long as all of
 * them take together. So what a round hands to the next is looked for: few values, through which all that is recorded later reads what was
 * recorded before, at places that are alike. Some rounds at a time are a stage, and computed by themselves: from the second stage on, by a
 * program that is known.
 *
 * The bits are the same, since they do not depend on what is fused. Where a round folds elements or reads them at other places, what it reads
 * is stored in any case; what a stage hands on is stored for longer, and so stages are the longer the larger that is. Rounds that are
 * pointwise are left together: they are one loop.
 */
import { dtypes, elementCount, hashStructure, mix, type NodeOp } from "@fuseau/ir";
import type { Value } from "../value.ts";

/** Nodes of a recording that is compiled quickly enough as it is, and those of a stage at least. */
export const LONG = 256;
const STAGE = 64;
/** Nanoseconds: to compile a node, in the two or three programs that stages are, and to store a byte and bring it back. */
const NODE = 3e5;
const BYTE = 3;
/** How often a recording is computed, as it were: compiling is for all times, storing for each. */
const TIMES = 8;
/** Fewer stages are hardly less to compile than all at once. */
const FEWEST = 4;
/** Rounds from which on there is a loop. */
const ROUNDS = 6;
/** Values that a round may hand to the next, and others of each round that are read much later only. */
const MOST_HANDED = 4;
const MOST_COLLECTED = 4;
/** Nodes behind a value after which whoever reads it is none of the next round: rounds are that long at most. */
const windows = [64, 256, 1_024];

/** A place between two rounds: behind the node at `position`, `handed` are read. */
interface Seam {
  readonly position: number;
  readonly handed: readonly Value[];
}

/** What is to be computed first, stage by stage; nothing where a recording does not repeat itself. */
export function stagesOf(order: readonly Value[], wanted: readonly Value[]): Value[][] {
  const reads = lastReads(order);
  const keys = keysOf(order);
  const roots = new Set(wanted);
  let best: Value[][] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    const seams = roundsIn(seamsIn(order, reads, keys, window), order.length);
    if (seams.length < ROUNDS || isPointwise(order, seams)) continue;
    const stages = stagesAt(
      seams,
      order,
      (value, position, end) =>
        roots.has(value) || (reads[position] as number) > Math.max(end, position + window),
    );
    const stored = stages.reduce((sum, stage) => sum + stage.length, 0);
    if (stages.length < FEWEST || stored > stages.length * MOST_HANDED + seams.length * MOST_COLLECTED)
      continue;
    // Stages are short, and store little.
    const cost = (stored * order.length) / stages.length ** 2;
    if (cost >= least) continue;
    best = stages;
    least = cost;
  }
  return best;
}

/**
 * So many rounds at a time that compiling a stage and storing what stages hand on take least together. What `isCollected` is stored in the
 * stage that makes it.
 */
function stagesAt(
  seams: readonly Seam[],
  order: readonly Value[],
  isCollected: (value: Value, position: number, end: number) => boolean,
): Value[][] {
  const gap = ((seams.at(-1) as Seam).position - (seams[0] as Seam).position) / (seams.length - 1);
  const nodes = Math.sqrt((TIMES * order.length * BYTE * bytesHanded(seams[0] as Seam)) / NODE);
  const rounds = Math.ceil(Math.max(STAGE, nodes) / gap);
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

/** By position: where it is read last. */
function lastReads(order: readonly Value[]): Int32Array {
  const reads = new Int32Array(order.length);
  order.forEach((value, position) => {
    if (value.storage === null) for (const input of value.inputs) reads[input.position] = position;
  });
  return reads;
}

/** All places over which few values are handed, by what they are and how far back they are. */
function seamsIn(
  order: readonly Value[],
  reads: Int32Array,
  keys: Int32Array,
  window: number,
): ReadonlyMap<number, readonly Seam[]> {
  const seams = new Map<number, Seam[]>();
  const handed = new Set<Value>();
  const ends: Value[][] = [];
  order.forEach((value, position) => {
    for (const read of ends[position] ?? []) handed.delete(read);
    const end = reads[position] as number;
    if (!isFree(value) && end > position && end <= position + window) {
      handed.add(value);
      const others = ends[end];
      if (others === undefined) ends[end] = [value];
      else others.push(value);
    }
    if (handed.size === 0 || handed.size > MOST_HANDED) return;
    let key = handed.size;
    for (const each of handed) key = mix(mix(key, position - each.position), keys[each.position] as number);
    const alike = seams.get(key);
    const seam = { position, handed: [...handed] };
    if (alike === undefined) seams.set(key, [seam]);
    else alike.push(seam);
  });
  return seams;
}

/** By position: of a value and what it reads, alike in each round. */
function keysOf(order: readonly Value[]): Int32Array {
  const hashes = Int32Array.from(order, ({ node }) => hashStructure(node));
  return Int32Array.from(order, ({ inputs }, position) => {
    let key = hashes[position] as number;
    for (const input of inputs) key = mix(key, hashes[input.position] as number);
    return key;
  });
}

/** The places of one kind that occur almost everywhere, and over which the least is handed; of equals, those that are read most often. */
function roundsIn(seams: ReadonlyMap<number, readonly Seam[]>, length: number): readonly Seam[] {
  let best: readonly Seam[] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const alike of seams.values()) {
    const { position } = alike[0] as Seam;
    if (alike.length < ROUNDS || (alike.at(-1) as Seam).position - position < length / 2) continue;
    const bytes = bytesHanded(alike[0] as Seam);
    const uses = (alike[1] as Seam).handed.reduce((sum, { met }) => sum + met, 0);
    if (bytes > least || (bytes === least && uses <= most)) continue;
    best = alike;
    least = bytes;
    most = uses;
  }
  return best;
}

const bytesHanded = ({ handed }: Seam): number =>
  handed.reduce((sum, { node: { shape, dtype } }) => sum + elementCount(shape) * dtypes[dtype].bytes, 0);

/** Whether a round, the one in the middle, neither folds nor moves what it computes. */
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

/** What is there, or is only looked at in another way: whoever reads it can do so again. */
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
