/** Finds what repeats in a sequence of nodes: the rounds of a loop, one after another. */

/** Nodes in order: what each is, as a number that is equal for nodes that are alike, and which earlier ones it reads. */
export interface Sequence {
  readonly labels: Int32Array;
  /** Indexes; −1 for what is not in the sequence. */
  readonly reads: readonly (readonly number[])[];
}

/** From `first` on, `length` nodes in rounds of `period`; the last may be a part of one. */
export interface Run {
  readonly first: number;
  readonly period: number;
  readonly length: number;
}

/** The most nodes of a period, and how many places are tried as its end: a round of rounds begins at a node that none within has more often. */
const [LONGEST, TRIES] = [1_024, 12];

/** The runs of at least so many rounds, in order. */
export function runsIn(sequence: Sequence, rounds: number): readonly Run[] {
  const next = nextAlike(sequence.labels);
  const runs: Run[] = [];
  for (let first = 0; first < next.length; ) {
    const run = runAt(sequence, next, first, rounds);
    if (run === null) first++;
    else {
      runs.push(run);
      first += run.length;
    }
  }
  return runs;
}

/** Of each node the next that is alike; −1 if there is none. */
function nextAlike(labels: Int32Array): Int32Array {
  const next = new Int32Array(labels.length).fill(-1);
  const last = new Map<number, number>();
  for (let k = labels.length - 1; k >= 0; k--) {
    const label = labels[k] as number;
    next[k] = last.get(label) ?? -1;
    last.set(label, k);
  }
  return next;
}

/** The longest run that begins at a node; null if there is none. */
function runAt(sequence: Sequence, next: Int32Array, first: number, rounds: number): Run | null {
  let best: Run | null = null;
  let other = next[first] as number;
  for (let k = 0; k < TRIES && other !== -1 && other - first <= LONGEST; k++) {
    const period = other - first;
    let same = 0;
    while (isSame(sequence, first + same, period)) same++;
    const length = same + period;
    if (length >= rounds * period && (best === null || length > best.length))
      best = { first, period, length };
    other = next[other] as number;
  }
  return best;
}

/** True if the node a period later is alike, and reads what is alike: what is read within a round, as far back; all else farther. */
function isSame({ labels, reads }: Sequence, k: number, period: number): boolean {
  const other = k + period;
  if (other >= labels.length || labels[k] !== labels[other]) return false;
  const [own, others] = [reads[k] as readonly number[], reads[other] as readonly number[]];
  if (own.length !== others.length) return false;
  for (let operand = 0; operand < own.length; operand++) {
    const [read, later] = [own[operand] as number, others[operand] as number];
    if (read < 0 || later < 0) {
      if (read !== later) return false;
    } else if (later - read !== period && Math.min(k - read, other - later) <= period) return false;
  }
  return true;
}

/**
 * Where in the period a round ends so that the least is handed to the next; among equal places that behind which it is read most often, and
 * the earliest of these. `sizeOf` gives the size of a node.
 */
export function phaseOf(
  { reads }: Sequence,
  { first, period }: Run,
  sizeOf: (node: number) => number,
): number {
  // What is handed on is read within a period. Sizes are added where a node is behind the end, and taken away where its last reader is.
  const begin = first + period;
  const end = Math.min(begin + 2 * period, reads.length);
  const last = new Map<number, number>();
  const [sizes, uses] = [new Float64Array(2 * period + 2), new Float64Array(2 * period + 2)];
  const add = (change: Float64Array, read: number, reader: number, amount: number): void => {
    const from = Math.max(0, read + 1 - begin);
    change[from] = (change[from] as number) + amount;
    change[reader - begin + 1] = (change[reader - begin + 1] as number) - amount;
  };
  for (let k = begin; k < end; k++)
    for (const read of reads[k] as readonly number[]) {
      if (read < first || k - read > period) continue;
      last.set(read, k);
      add(uses, read, k, 1);
    }
  for (const [read, reader] of last) add(sizes, read, reader, sizeOf(read));
  let [size, used, phase, least, most] = [0, 0, 0, Number.POSITIVE_INFINITY, 0];
  for (let k = 0; k < period; k++) {
    size += sizes[k] as number;
    used += uses[k] as number;
    if (size < least || (size === least && used > most)) [phase, least, most] = [k, size, used];
  }
  return phase;
}
