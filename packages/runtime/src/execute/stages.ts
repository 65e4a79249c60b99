/**
 * Splits the recording of loops that compute nothing until their end. As one graph of all rounds, it would take very long to compile. So
 * this looks for what one round hands to the next: few values that are read soon, at positions that repeat. What is read much later, as a
 * backward pass reads a forward pass, is stored where it is computed. Some rounds together are a stage, and each stage is computed by
 * itself. From the second stage on its program is cached.
 * The bits are the same, since they do not depend on what is fused. Rounds that fold elements or move them store what they read in any
 * case. But what a stage hands on is stored for longer, so stages have more rounds the larger that is. Rounds that are pointwise are one loop
 * that stores nothing between them, so they stay together unless compiling that takes longer than storing.
 */
import { dtypes, elementCount, hashStructure, mix, type NodeOp } from "@fuseau/ir";
import type { Value } from "../value.ts";

/** Recordings with fewer nodes compile quickly enough as they are; so do loops. And the least nodes of a stage. */
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
/** The fewest rounds of a loop that stores more than they hand on, or is less than half of the recording. */
const MANY = 32;
/** The most values that a round may hand to the next. */
const MOST_HANDED = 8;
/** So many values of each round may be stored because they are read only much later, whatever they take. */
const FEW_COLLECTED = 4;
/** A reader that is so many nodes behind a value is not in the next round. So they also limit the length of rounds. */
const windows = [64, 256, 1_024];

/** A recording: which of its values need not be stored, and by position the last reader. */
interface Recording {
  readonly order: readonly Value[];
  readonly roots: ReadonlySet<Value>;
  readonly free: Uint8Array;
  readonly keys: Int32Array;
  readonly last: Int32Array;
  /** By window and position: the last reader within the window. */
  readonly near: ReadonlyMap<number, Int32Array>;
}

/** A part of a recording: positions from `from` up to `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A place between two rounds. The nodes behind `position` read `handed` soon. */
interface Seam {
  readonly position: number;
  readonly handed: readonly Value[];
  readonly window: number;
}

/** A loop: its first and last seam, and those that lie between stages. */
interface Loop {
  readonly first: number;
  readonly last: number;
  readonly seams: readonly Seam[];
}

/** Places over which alike values are handed, equally far back: their positions, what the first hands on, and how often that is read. */
interface Alike {
  readonly positions: number[];
  readonly bytes: number;
  uses: number;
}

/** The stages of a recording. */
export interface Stages {
  /** The values to compute first, stage by stage; empty if the recording does not repeat itself. */
  readonly stages: readonly (readonly Value[])[];
  /** By stage, and once more for what is behind them: what joins values, which earlier stages may have stored. */
  readonly joins: readonly (readonly Value[])[];
}

export function stagesOf(order: readonly Value[], wanted: readonly Value[]): Stages {
  const arranged = arrangedIn(order);
  const recording: Recording = {
    order,
    roots: new Set(wanted),
    free: Uint8Array.from(order, (value, k) => (isFree(value) || arranged[k] === 1 ? 1 : 0)),
    keys: keysOf(order),
    last: readersIn(order, arranged, Number.POSITIVE_INFINITY),
    near: new Map(windows.map((window) => [window, readersIn(order, arranged, window)])),
  };
  const loops = loopsIn(recording, { from: 0, to: order.length });
  if (loops.length === 0) return { stages: [], joins: [] };
  const seams = loops.flatMap((loop) => loop.seams);
  const ends = [-1, ...seams.map(({ position }) => position), order.length];
  return {
    stages: stagesBetween(recording, seams),
    joins: ends.slice(1).map((end, k) => {
      const begin = (ends[k] as number) + 1;
      return order.slice(begin, end + 1).filter(({ node }) => node.op === "concat");
    }),
  };
}

/** Loops one after another: a recording of a training step repeats forward rounds, then backward ones. */
function loopsIn(recording: Recording, range: Range): readonly Loop[] {
  if (range.to - range.from < LONG) return [];
  const loop = loopIn(recording, range);
  if (loop === null) return [];
  return [
    ...loopsIn(recording, { from: range.from, to: loop.first + 1 }),
    loop,
    ...loopsIn(recording, { from: loop.last + 1, to: range.to }),
  ];
}

/** The loop that takes most of a range; null if nothing repeats in it, or if it is computed faster together. */
function loopIn(recording: Recording, range: Range): Loop | null {
  const { order } = recording;
  let best: Loop | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const window of windows) {
    const rounds = roundsIn(seamsIn(recording, range, window));
    if (rounds.length < ROUNDS) continue;
    const all = rounds.map((position) => seamAt(recording, position, window));
    const [first, last] = [rounds[0] as number, rounds.at(-1) as number];
    const length = last - first;
    const isOneLoop = isPointwise(order, all);
    const between = seamsBetweenStages(all, length, isOneLoop ? LONG : STAGE);
    if (between.length < FEWEST) continue;
    const seams = withEnds(between, all, range);
    const stages = stagesBetween(recording, seams);
    const stored = stages.reduce((sum, stage) => sum + stage.length, 0);
    const handed = seams.reduce((sum, seam) => sum + seam.handed.length, 0);
    const bytes = stages.reduce((sum, stage) => sum + bytesOf(stage), 0);
    const isCheaperTogether = length * NODE < TIMES * BYTE * bytes;
    const storesMore = stored > handed + all.length * FEW_COLLECTED;
    if (isCheaperTogether && (isOneLoop || storesMore)) continue;
    // The layers of a network that is trained are few rounds, and one program for all of them runs faster.
    if (all.length < MANY && (storesMore || 2 * length < order.length)) continue;
    // Better stages are shorter and store less.
    const cost = (stored * length) / stages.length ** 2;
    if (cost >= least) continue;
    best = { first, last, seams };
    least = cost;
    // Rounds can hand on no less than one value, and if they are short, a wider window shows no others.
    if (stored === stages.length || 2 * gapOf(all) <= window) break;
  }
  return best;
}

/**
 * Every so many of a loop's seams: so that the time to compile a stage and to store what stages hand on is least. A stage has at least so
 * many nodes.
 */
function seamsBetweenStages(seams: readonly Seam[], length: number, least: number): readonly Seam[] {
  const { handed } = seams[seams.length >> 1] as Seam;
  const nodes = Math.sqrt((TIMES * length * BYTE * bytesOf(handed)) / NODE);
  const rounds = Math.ceil(Math.max(least, nodes) / gapOf(seams));
  return seams.filter((_, k) => k % rounds === rounds - 1);
}

/** The same, with a loop's first and last seam where much is before or behind it: that is the same then however many rounds there are. */
function withEnds(between: readonly Seam[], all: readonly Seam[], { from, to }: Range): readonly Seam[] {
  const [first, last] = [all[0] as Seam, all.at(-1) as Seam];
  return all.filter(
    (seam) =>
      between.includes(seam) ||
      (seam === first && first.position - from > STAGE) ||
      (seam === last && to - last.position > STAGE),
  );
}

/** What each stage stores: what it hands to the next, and what is wanted or read only much later. */
function stagesBetween({ order, roots, free, last }: Recording, seams: readonly Seam[]): Value[][] {
  let begin = 0;
  return seams.map(({ position: end, handed, window }) => {
    const stage = new Set(handed);
    for (let position = begin; position <= end; position++) {
      const value = order[position] as Value;
      if (free[position] === 1) continue;
      const isLate = (last[position] as number) > Math.max(end, position + window);
      if (isLate || roots.has(value)) stage.add(value);
    }
    begin = end + 1;
    return [...stage];
  });
}

/** How many nodes a round has. */
const gapOf = (seams: readonly Seam[]): number =>
  ((seams.at(-1) as Seam).position - (seams[0] as Seam).position) / (seams.length - 1);

/** By position: the last reader that is at most so many nodes behind; 0 if there is none. Readers of what is arranged read its operands. */
function readersIn(order: readonly Value[], arranged: Uint8Array, window: number): Int32Array {
  const readers = new Int32Array(order.length);
  for (let position = order.length - 1; position >= 0; position--) {
    const { inputs, storage } = order[position] as Value;
    if (storage !== null) continue;
    const reader = arranged[position] === 1 ? (readers[position] as number) : position;
    for (const { position: read } of inputs)
      if (reader - read <= window && reader > (readers[read] as number)) readers[read] = reader;
  }
  return readers;
}

/**
 * By position: 1 for what only reshapes values, or joins them for a reader that comes much later. Its stage does not store it: whoever reads
 * it computes it. So rounds that add to a list are alike, though values are joined by the dozen.
 */
function arrangedIn(order: readonly Value[]): Uint8Array {
  const arranged = new Uint8Array(order.length);
  const first = new Int32Array(order.length).fill(order.length);
  for (let position = order.length - 1; position >= 0; position--) {
    const { node, inputs, storage } = order[position] as Value;
    if (storage !== null) continue;
    const soon = first[position] as number;
    const isLate = node.op === "concat" && soon - position > (windows[0] as number);
    if (isLate || node.op === "reshape") arranged[position] = 1;
    const reader = arranged[position] === 1 ? soon : position;
    for (const input of inputs) first[input.position] = Math.min(first[input.position] as number, reader);
  }
  return arranged;
}

/** All places in a range over which few values are handed, grouped by a hash of what these are and how far back. */
function seamsIn(
  { order, near, free, keys }: Recording,
  { from, to }: Range,
  window: number,
): Iterable<Alike> {
  const readers = near.get(window) as Int32Array;
  const seams = new Map<number, Alike>();
  /** Positions of what is handed on, ascending. */
  const handed = new Set<number>();
  const begin = Math.max(0, from - window);
  /** By position from `begin` on: the last position of what is read there for the last time, and by that one the position before it. */
  const ends = new Int32Array(to - begin).fill(-1);
  const others = new Int32Array(to - begin).fill(-1);
  for (let position = begin; position < to; position++) {
    for (let read = ends[position - begin] as number; read >= 0; read = others[read - begin] as number)
      handed.delete(read);
    const end = readers[position] as number;
    if (free[position] === 0 && end > position) {
      handed.add(position);
      if (end < to) {
        others[position - begin] = ends[end - begin] as number;
        ends[end - begin] = position;
      }
    }
    if (position < from || handed.size === 0 || handed.size > MOST_HANDED) continue;
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

/** The seam at a position: the values before it that are read behind it, and not much later. */
function seamAt({ order, near, free }: Recording, position: number, window: number): Seam {
  const readers = near.get(window) as Int32Array;
  const handed: Value[] = [];
  for (let k = Math.max(0, position - window + 1); k <= position; k++)
    if (free[k] === 0 && (readers[k] as number) > position) handed.push(order[k] as Value);
  return { position, handed, window };
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
 * Of the groups of places over at least half as many nodes as any other, the one that hands on the fewest bytes. Among equals it is the one
 * whose values are read most often.
 */
function roundsIn(seams: Iterable<Alike>): readonly number[] {
  const spanOf = ({ positions }: Alike): number => (positions.at(-1) as number) - (positions[0] as number);
  const loops = [...seams].filter((alike) => alike.positions.length >= ROUNDS && spanOf(alike) >= LONG);
  const widest = loops.reduce((most, alike) => Math.max(most, spanOf(alike)), 0);
  let best: readonly number[] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const alike of loops) {
    const { positions, bytes, uses } = alike;
    if (2 * spanOf(alike) < widest || bytes > least || (bytes === least && uses <= most)) continue;
    best = positions;
    least = bytes;
    most = uses;
  }
  return best;
}

const bytesOf = (values: readonly Value[]): number =>
  values.reduce((sum, { node: { shape, dtype } }) => sum + elementCount(shape) * dtypes[dtype].bytes, 0);

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
