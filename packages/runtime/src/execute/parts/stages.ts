/**
 * Splits the recording of loops that compute nothing until their end. As one graph of all rounds, it would take very long to compile, and
 * with each number of rounds it would be another. So this looks for rounds that repeat (periods.ts), and ends them where one hands least to
 * the next. What is read only much later, as a backward pass reads a forward pass, is stored where it is computed. Some rounds together are a
 * stage, and each stage is computed by itself. From the second stage on its program is cached.
 * The bits are the same, since they do not depend on what is fused. Rounds that fold elements or move them store what they read in any
 * case. But what a stage hands on is stored for longer, so stages have more rounds the larger that is. Rounds that are pointwise are one loop
 * that stores nothing between them, so they stay together unless compiling that takes longer than storing.
 */
import { dtypes, elementCount, hashStructure, mix, type NodeOp, type SliceNode } from "@fuseau/ir";
import { mayBeJoined } from "../../joined.ts";
import type { Value } from "../../value.ts";
import { hashOfValue } from "../extract/structure.ts";
import { phaseOf, type Run, runsIn, type Sequence } from "./periods.ts";

/** Recordings with fewer nodes compile quickly enough as they are; so do pointwise loops. */
export const LONG = 256;
/** The least nodes of a stage, and of one that is computed so until its recording has come often. */
const [STAGE, SHORT_STAGE] = [48, 8];
/** Nanoseconds: to compile a node (in the two or three programs of the stages), and to store a byte and load it again. */
const NODE = 1e6;
const BYTE = 3;
/** How often a recording is assumed to be computed: it is compiled once, but stores each time. */
const TIMES = 8;
/** Stages have as many rounds as when the loop came first, as their program is known, if that is no more than so many times too few or too many. */
const KEPT = 4;
/** The fewest rounds that count as a loop, and the fewest stages: with fewer, compiling them takes hardly less than compiling everything. */
const [ROUNDS, FEWEST] = [4, 3];
/** With fewer rounds, a loop that stores more than they hand on, or is in a recording that is less than half loops, runs faster as one program. */
const MANY = 32;
/** The most rounds of a stage along a sequence that is not long: sequences of other lengths leave so many programs behind the last stage. */
const FEW_ROUNDS = 4;
/** The most nodes of a recording of short loops that becomes one program: compiling so many takes a second or two, in which nothing else runs. */
const MOST_NODES = 2_048;
/** One round in so many may have sizes that are others than those before it let expect. */
const UNEVEN = 4;
/** The most values that a round may hand to the next. */
const MOST_HANDED = 32;
/** So many values of each round may be stored because they are read only much later, whatever they take. */
const FEW_COLLECTED = 4;
/** A concat whose first reader is so many nodes behind it joins what a loop has collected. */
const LATE = 64;

/** The stages of a recording. */
export interface Stages {
  /** The values to compute first, stage by stage; empty if the recording does not repeat itself. */
  readonly stages: readonly (readonly Value[])[];
  /** By stage, and once more for what is behind them: what joins values, which earlier stages may have stored. */
  readonly joins: readonly (readonly Value[])[];
  readonly loops: readonly Loop[];
  /** True if its loops run faster in one program; a recording of these that comes often is one. */
  readonly areShort: boolean;
}

/** A recording: by position, whether a value need not be stored, and its last reader. */
interface Recording {
  readonly order: readonly Value[];
  readonly roots: ReadonlySet<Value>;
  readonly free: Uint8Array;
  readonly last: Int32Array;
  /** The nodes that compute, and where they are. */
  readonly sequence: Sequence;
  readonly positions: readonly number[];
}

/** Rounds one after another. */
interface Rounds {
  /** The last position of each round; before the first, that of what is in front of it. */
  readonly ends: readonly number[];
  /** A hash of what a round computes. */
  readonly round: number;
  /** What a round computes for the next ones, and for readers that come much later; some values are both. */
  readonly handed: readonly Value[];
  readonly late: readonly Value[];
  /** True if a round stores more than it hands on. */
  readonly storesMore: boolean;
  readonly isPointwise: boolean;
  /** True if each round reads another place of something: a step of a sequence, which may have another length the next time. */
  readonly isAlong: boolean;
  /** True if a round reads nothing given that the next one reads, as a layer has parameters of its own. */
  readonly isLayer: boolean;
}

/** A loop: the last position of each of its stages; before the first, that of what is in front of it. */
export interface Loop {
  readonly ends: readonly number[];
  /** The rounds of a stage. */
  readonly each: number;
  /** A hash of what a round computes, and how many rounds there are. */
  readonly round: number;
  readonly count: number;
  /** True if it runs faster in one program. */
  readonly isShort: boolean;
}

/** What is known of a loop from other recordings: how many rounds it and its stages had first, and whether there were ever others. */
export interface KnownLoop {
  readonly count: number;
  readonly each: number;
  varies: boolean;
}

/** `knownOf` is given the hash of a round. */
export function stagesOf(
  order: readonly Value[],
  wanted: readonly Value[],
  knownOf: (round: number) => KnownLoop | undefined,
): Stages {
  const arranged = arrangedIn(order);
  const free = Uint8Array.from(order, (value, k) => (isFree(value) || arranged[k] === 1 ? 1 : 0));
  const last = readersIn(order, arranged);
  const recording: Recording = { order, roots: new Set(wanted), free, last, ...sequenceIn(order, arranged) };
  const all = runsIn(recording.sequence, ROUNDS).flatMap((run) => roundsOf(recording, run));
  const isMost = 2 * all.reduce((sum, rounds) => sum + nodesIn(rounds), 0) >= order.length;
  const loops = all.flatMap((rounds) => loopOf(rounds, isMost, knownOf(rounds.round)));
  const ends = endsOf(loops, order.length);
  if (ends.length === 0) return { stages: [], joins: [], loops, areShort: false };
  const begins = [-1, ...ends];
  const areShort = loops.every(({ count }) => count < MANY) && loops.some(({ isShort }) => isShort);
  return {
    stages: ends.map((end, k) => storedIn(recording, (begins[k] as number) + 1, end)),
    joins: begins.map((begin, k) =>
      order.slice(begin + 1, (ends[k] ?? order.length) + 1).filter(mayBeJoined),
    ),
    loops,
    areShort: areShort && order.length <= MOST_NODES,
  };
}

/** Where stages end. What is in front of a loop and behind it is apart, if it is much. */
function endsOf(loops: readonly Loop[], length: number): readonly number[] {
  const ends: number[] = [];
  for (const [k, loop] of loops.entries()) {
    const [first, ...others] = loop.ends as [number, ...number[]];
    const to = loops[k + 1]?.ends[0] ?? length;
    const isMuch = (from: number, until: number): boolean => until - from > STAGE;
    if (isMuch(ends.at(-1) ?? -1, first)) ends.push(first);
    ends.push(...(isMuch(others.at(-1) as number, to) ? others : others.slice(0, -1)));
  }
  return ends;
}

/** The rounds of a run; none if they are few nodes, or hand on much. */
function roundsOf(recording: Recording, run: Run): readonly Rounds[] {
  const { order, positions, sequence, last } = recording;
  const { first, period, length } = run;
  if (!growEvenly(recording, run)) return [];
  const size = (node: number): number => bytesOf([order[positions[node] as number] as Value]);
  const begin = first + phaseOf(sequence, run, size);
  const count = Math.floor((first + length - begin) / period);
  const ends = Array.from({ length: count + 1 }, (_, k) =>
    begin + k * period === 0 ? -1 : (positions[begin + k * period - 1] as number),
  );
  const endOf = (round: number): number => ends[Math.min(round, count)] as number;
  const middle = count >> 1;
  const [from, to] = [endOf(middle) + 1, endOf(middle + 1)];
  const soon = endOf(middle + 3);
  const read = new Set(
    order.slice(to + 1, soon + 1).flatMap(({ storage, inputs }) => (storage === null ? inputs : [])),
  );
  const stored = storedIn(recording, from, to);
  const handed = stored.filter((value) => read.has(value));
  const own = order.slice(from, to + 1);
  const next = order.slice(to + 1, endOf(middle + 2) + 1);
  const given = givenIn(own);
  const rounds: Rounds = {
    ends,
    round: sequence.labels.slice(begin, begin + period).reduce(mix, period),
    handed,
    late: stored.filter(({ position }) => (last[position] as number) > soon),
    storesMore: stored.length > handed.length + FEW_COLLECTED,
    isPointwise: own.every((value) => isFree(value) || staysInPlace[value.node.op]),
    isAlong: areAlong(own, next, endOf(0)),
    isLayer: given.size > 0 && ![...givenIn(next)].some((value) => given.has(value)),
  };
  return (isFew(rounds) && !rounds.isAlong) || handed.length > MOST_HANDED ? [] : [rounds];
}

/**
 * True if sizes are the same in most rounds, or change by the same amount from round to round. Stages of whatever sizes would each be a
 * program of its own.
 */
function growEvenly({ order, positions }: Recording, { first, period, length }: Run): boolean {
  const shapeAt = (node: number): readonly number[] => (order[positions[node] as number] as Value).node.shape;
  const uneven = new Set<number>();
  for (let k = first + 2 * period; k < first + length; k++) {
    const [shape, before, earlier] = [shapeAt(k), shapeAt(k - period), shapeAt(k - 2 * period)];
    if (shape === before && before === earlier) continue;
    const isEven = shape.every(
      (size, axis) =>
        size - (before[axis] as number) === (before[axis] as number) - (earlier[axis] as number),
    );
    if (!isEven) uneven.add(Math.floor((k - first) / period));
  }
  return UNEVEN * uneven.size <= length / period;
}

const nodesIn = ({ ends }: Rounds): number => (ends.at(-1) as number) - (ends[0] as number);

/** True for a loop that compiles quickly with what is in front of it, if it always has as many rounds. */
const isFew = (rounds: Rounds): boolean => 2 * nodesIn(rounds) < LONG;

/**
 * A loop in stages; none if it is computed faster in one program with the rest. `isMost` is true if loops are most of the recording. `known` is
 * the loop in other recordings.
 */
function loopOf(rounds: Rounds, isMost: boolean, known: KnownLoop | undefined): readonly Loop[] {
  const { ends, round, handed, late, storesMore, isPointwise, isAlong, isLayer } = rounds;
  const nodes = nodesIn(rounds);
  const count = ends.length - 1;
  const isShort = count < MANY && (storesMore || !isMost);
  // The layers of a network, and loops that go along nothing, are as many rounds each time.
  if ((isShort && !isAlong) || (count < MANY && isLayer)) return [];
  const least = isPointwise ? LONG : isShort ? SHORT_STAGE : STAGE;
  const wanted = Math.sqrt((TIMES * nodes * BYTE * bytesOf(handed)) / NODE);
  const most = isAlong && !isPointwise && count < 2 * MANY ? FEW_ROUNDS : count;
  const best = Math.min(Math.ceil((Math.max(least, wanted) * count) / nodes), most);
  const isKept = known !== undefined && best <= KEPT * known.each && known.each <= KEPT * best;
  const each = isKept ? Math.min(known.each, count) : best;
  const stages = Math.floor(count / each);
  if (stages < FEWEST) return [];
  const stored = stages * bytesOf(handed.filter((value) => !late.includes(value))) + count * bytesOf(late);
  const isCheaperTogether = nodes * NODE < TIMES * BYTE * stored;
  if (isCheaperTogether && (isPointwise || storesMore)) return [];
  const varies = known !== undefined && (known.varies || known.count !== count);
  const at = varies ? endsOfVarying(count, each) : Array.from(ends.keys()).filter((k) => k % each === 0);
  return [{ ends: at.map((k) => ends[k] as number), each, round, count, isShort }];
}

/**
 * After how many rounds the stages of a loop end that comes with any number of rounds. What is left behind the last whole stage would be another
 * program for each number, so it is split into stages of a quarter of the rounds, and so on; the last round is apart, for what is behind it.
 */
function endsOfVarying(count: number, each: number): readonly number[] {
  const ends = [0];
  let size = each;
  for (let end = 0; end < count - 1; ends.push(end)) {
    while (end + size > count - 1) size = Math.max(1, size >> 2);
    end += size;
  }
  return [...ends, count];
}

/** What a round reads of what is given, numbers left out. */
function givenIn(round: readonly Value[]): ReadonlySet<Value> {
  const given = new Set<Value>();
  for (const { inputs, storage } of round) {
    if (storage !== null) continue;
    for (const input of inputs) {
      let source = input;
      while (source.storage === null && isView[source.node.op] === true) source = source.inputs[0] as Value;
      if (source.storage !== null) given.add(source);
    }
  }
  return given;
}

/** What a round reads of what is computed in front of the loop. */
function readInFront(round: readonly Value[], front: number): ReadonlySet<Value> {
  const read = new Set<Value>();
  for (const { inputs, storage } of round)
    if (storage === null)
      for (const input of inputs) if (input.position <= front && !isFree(input)) read.add(input);
  return read;
}

/**
 * True if the next round reads a slice of what a round reads a slice of, and it begins elsewhere; or if each reads values of its own that
 * were computed in front of the loop, which ends at `front`, as a recurrence reads the products of its steps.
 */
function areAlong(round: readonly Value[], next: readonly Value[], front: number): boolean {
  const read = readInFront(round, front);
  if (read.size > 0 && [...readInFront(next, front)].some((value) => !read.has(value))) return true;
  const begins = new Map<Value, Set<string>>();
  for (const { node, inputs } of round) {
    const [source] = inputs;
    if (node.op !== "slice" || source === undefined) continue;
    const known = begins.get(source) ?? new Set();
    begins.set(source, known.add(node.attributes.starts.join()));
  }
  return next.some(({ node, inputs }) => {
    const known = node.op === "slice" ? begins.get(inputs[0] as Value) : undefined;
    return known !== undefined && !known.has((node as SliceNode).attributes.starts.join());
  });
}

/** What the stage between two positions stores: what is wanted, or read behind it. */
function storedIn({ order, roots, free, last }: Recording, from: number, to: number): Value[] {
  const stored: Value[] = [];
  for (let position = from; position <= to; position++) {
    const value = order[position] as Value;
    if (free[position] === 0 && ((last[position] as number) > to || roots.has(value))) stored.push(value);
  }
  return stored;
}

/**
 * The nodes that compute something, each with what it looks through. Numbers that are bound when a program runs are alike, such as counters
 * of random words.
 */
function sequenceIn(
  order: readonly Value[],
  arranged: Uint8Array,
): Pick<Recording, "sequence" | "positions"> {
  const positions: number[] = [];
  const labels: number[] = [];
  const reads: number[][] = [];
  const indexOf = new Int32Array(order.length).fill(-1);
  order.forEach((value, position) => {
    if (arranged[position] === 1 || isFree(value) || isView[value.node.op] === true) return;
    let label = hashStructure(value.node);
    const own = value.inputs.map((operand) => {
      let source = operand;
      while (!isFree(source) && isView[source.node.op] === true) {
        label = mix(label, hashStructure(source.node));
        source = source.inputs[0] as Value;
      }
      if (isFree(source)) label = mix(label, hashOfValue(source));
      return isFree(source) ? -1 : (indexOf[source.position] as number);
    });
    indexOf[position] = positions.push(position) - 1;
    labels.push(label);
    reads.push(own);
  });
  return { sequence: { labels: Int32Array.from(labels), reads }, positions };
}

/** By position: the last reader; 0 if there is none. Readers of what is arranged read its operands. */
function readersIn(order: readonly Value[], arranged: Uint8Array): Int32Array {
  const readers = new Int32Array(order.length);
  for (let position = order.length - 1; position >= 0; position--) {
    const { inputs, storage } = order[position] as Value;
    if (storage !== null) continue;
    const reader = arranged[position] === 1 ? (readers[position] as number) : position;
    for (const { position: read } of inputs) if (reader > (readers[read] as number)) readers[read] = reader;
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
    if ((node.op === "concat" && soon - position > LATE) || node.op === "reshape") arranged[position] = 1;
    const reader = arranged[position] === 1 ? soon : position;
    for (const input of inputs) first[input.position] = Math.min(first[input.position] as number, reader);
  }
  return arranged;
}

const bytesOf = (values: readonly Value[]): number =>
  values.reduce((sum, { node: { shape, dtype } }) => sum + elementCount(shape) * dtypes[dtype].bytes, 0);

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
