/**
 * Splits the recording of loops that compute nothing until their end. As one graph of all rounds, it would take very long to compile, and
 * with each number of rounds it would be another. So this looks for rounds that repeat (periods.ts), and ends them where one hands least to
 * the next. What is read only much later, as a backward pass reads a forward pass, is stored where it is computed. Some rounds together are a
 * stage, and each stage is computed by itself. From the second stage on its program is cached.
 * The bits are the same, since they do not depend on what is fused. Rounds that fold elements or move them store what they read in any
 * case. But what a stage hands on is stored for longer, so stages have more rounds the larger that is. Rounds that are pointwise are one loop
 * that stores nothing between them, so they stay together unless compiling that takes longer than storing.
 */
import { dtypes, elementCount, hashStructure, mix, type NodeOp } from "@fuseau/ir";
import type { Value } from "../value.ts";
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
/** The fewest rounds that count as a loop, and the fewest stages: with fewer, compiling them takes hardly less than compiling everything. */
const [ROUNDS, FEWEST] = [4, 3];
/** With fewer rounds, a loop that stores more than they hand on, or is less than half of the recording, runs faster as one program. */
const MANY = 32;
/** The most values that a round may hand to the next. */
const MOST_HANDED = 8;
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
  /** True if all loops are short: a recording that comes often is better one program. */
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

/** A loop: the last position of each of its stages; before the first, that of what is in front of it. */
interface Loop {
  readonly ends: readonly number[];
  /** True if it runs faster in one program, and compiling that takes longer than stages. */
  readonly isShort: boolean;
}

export function stagesOf(order: readonly Value[], wanted: readonly Value[]): Stages {
  const arranged = arrangedIn(order);
  const free = Uint8Array.from(order, (value, k) => (isFree(value) || arranged[k] === 1 ? 1 : 0));
  const last = readersIn(order, arranged);
  const recording: Recording = { order, roots: new Set(wanted), free, last, ...sequenceIn(order, arranged) };
  const loops = runsIn(recording.sequence, ROUNDS).flatMap((run) => loopOf(recording, run));
  const ends = endsOf(loops, order.length);
  const begins = [-1, ...ends];
  return {
    stages: ends.map((end, k) => storedIn(recording, (begins[k] as number) + 1, end)),
    joins:
      ends.length === 0
        ? []
        : begins.map((begin, k) =>
            order.slice(begin + 1, (ends[k] ?? order.length) + 1).filter(({ node }) => node.op === "concat"),
          ),
    areShort: loops.every(({ isShort }) => isShort),
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

/** The loop of a run; none if it is computed faster together with the rest. */
function loopOf(recording: Recording, run: Run): readonly Loop[] {
  const { order, positions, sequence } = recording;
  const { first, period, length } = run;
  const size = (node: number): number => bytesOf([order[positions[node] as number] as Value]);
  const begin = first + phaseOf(sequence, run, size);
  const rounds = Math.floor((first + length - begin) / period);
  /** The last position of what is in front of a round. */
  const endAt = (round: number): number =>
    begin + round * period === 0 ? -1 : (positions[begin + round * period - 1] as number);
  const nodes = endAt(rounds) - endAt(0);
  if (nodes < LONG / 2) return [];
  const middle = rounds >> 1;
  const [from, to] = [endAt(middle) + 1, endAt(middle + 1)];
  const round = storedIn(recording, from, to);
  const handed = round.filter(
    ({ position }) => (recording.last[position] as number) <= endAt(Math.min(middle + 3, rounds)),
  );
  if (handed.length > MOST_HANDED) return [];
  const isOneLoop = isPointwise(order.slice(from, to + 1));
  const storesMore = round.length > handed.length + FEW_COLLECTED;
  const isShort = rounds < MANY && (storesMore || 2 * nodes < order.length);
  if (isShort && isLayer(givenIn(order, from, to), givenIn(order, to + 1, endAt(middle + 2)))) return [];
  const least = isOneLoop ? LONG : isShort ? SHORT_STAGE : STAGE;
  const wanted = Math.sqrt((TIMES * nodes * BYTE * bytesOf(handed)) / NODE);
  const each = Math.ceil((Math.max(least, wanted) * rounds) / nodes);
  const count = Math.floor(rounds / each);
  if (count < FEWEST) return [];
  const collected = bytesOf(round) - bytesOf(handed);
  const stored = count * bytesOf(handed) + rounds * collected;
  const isCheaperTogether = nodes * NODE < TIMES * BYTE * stored;
  if (isCheaperTogether && (isOneLoop || storesMore)) return [];
  return [{ ends: Array.from({ length: count + 1 }, (_, k) => endAt(k * each)), isShort }];
}

/** True of a round that reads nothing that the next one reads: the layers of a network have parameters of their own, and are as many each time. */
const isLayer = (given: readonly Value[], next: readonly Value[]): boolean =>
  given.length > 0 && !given.some((value) => next.includes(value));

/** What is given and read between two positions, numbers left out. */
function givenIn(order: readonly Value[], from: number, to: number): readonly Value[] {
  const given = new Set<Value>();
  for (const { inputs, storage } of order.slice(from, to + 1)) {
    if (storage !== null) continue;
    for (const input of inputs) {
      let source = input;
      while (source.storage === null && isView[source.node.op] === true) source = source.inputs[0] as Value;
      if (source.storage !== null) given.add(source);
    }
  }
  return [...given];
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

/** The nodes that compute something, each with what it looks through. */
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
      if (isFree(source)) label = mix(label, hashStructure(source.node));
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

/** True if a round neither folds nor moves what it computes. */
const isPointwise = (round: readonly Value[]): boolean =>
  round.every((value) => isFree(value) || staysInPlace[value.node.op]);

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
