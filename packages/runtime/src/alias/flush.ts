/**
 * A loop that writes into its state and reads nothing would record without end. What it has written is computed from time to time, with
 * all that was written beside it and shares what is still to be computed, so that this is computed once. Elements are the same whenever
 * they are computed.
 */
import { computeValues } from "../execute/compute.ts";
import { noteWrite } from "../execute/written.ts";
import { optionsOf } from "../options.ts";
import type { Cell } from "../tensor/cell.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import { Value } from "../value.ts";

/** So many writes are always computed, and from so few on where much was recorded beside them. */
const MANY_WRITES = 64;
const SOME_WRITES = 4;
/** Values recorded since it was computed. */
const MUCH = 512;
/** Cells that are kept in mind, at most. */
const MOST_CELLS = 1_024;

/** Written onto what is still to be computed, since some were computed. */
const waiting = new Set<Cell>();

/**
 * To be called before each write: what a step of a loop wrote is whole when the next one begins to write, so that nothing of it is
 * computed twice.
 */
export function beforeWrite(cell: Cell): void {
  noteWrite(cell);
  if (!isPending(cell.value)) {
    cell.waiting = 0;
    return;
  }
  // What a step of training wrote waits for the next one, which computes it: no more than that piles up.
  if (hasFewWrites(cell.value)) cell.waiting = 0;
  if (++cell.waiting === 1) cell.since = Value.recorded;
  if (waiting.size === MOST_CELLS) waiting.clear();
  waiting.add(cell);
  const isMuch = cell.waiting >= SOME_WRITES && Value.recorded - cell.since >= MUCH;
  // What a jitted or mapped function records must stay as it was recorded.
  if ((isMuch || cell.waiting >= MANY_WRITES) && tracing === null && !hasStandIns()) flush(cell);
}

/** Whether what a cell holds was made of what it held before fewer than so many writes, and of that the elements are there. */
function hasFewWrites(value: Value): boolean {
  let written = value;
  for (let writes = 1; writes < SOME_WRITES; writes++) {
    const before = written.inputs.find(({ wasHeld, cells }) => wasHeld && cells === 0);
    if (before === undefined) return false;
    if (before.storage !== null) return true;
    written = before;
  }
  return false;
}

/** Computes what was written into the cell and whatever shares with it. Cells that share nothing are left to loops of their own: they wait again from their next write on. */
function flush(cell: Cell): void {
  const cells = beside(cell);
  waiting.clear();
  for (const each of cells) each.waiting = 0;
  try {
    computeValues(
      cells.map(({ value }) => value),
      optionsOf("compute", undefined),
    );
  } catch {
    // Whoever reads a value that cannot be computed is told so then, and of one that can be nothing is lost.
  }
}

/** The waiting cells that share what is to be computed with this one, at once or through others, in the order of their writes. */
function beside(cell: Cell): readonly Cell[] {
  const cells = [...waiting].filter(({ value }) => isPending(value));
  /** Which cell leads to a value, and to which group a cell belongs: the least of its cells. */
  const reached = new Map<Value, number>();
  const groups = cells.map((_, k) => k);
  const groupOf = (k: number): number => {
    let group = k;
    while (groups[group] !== group) group = groups[group] as number;
    return group;
  };
  for (const [k, { value }] of cells.entries()) {
    const stack = [value];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const other = reached.get(top);
      if (other === k) continue;
      if (other === undefined) {
        reached.set(top, k);
        for (const input of top.inputs) if (isPending(input)) stack.push(input);
      } else {
        const [one, two] = [groupOf(k), groupOf(other)];
        groups[Math.max(one, two)] = Math.min(one, two);
      }
    }
  }
  const group = groupOf(cells.indexOf(cell));
  return cells.filter((_, k) => groupOf(k) === group);
}

const isPending = ({ storage, inputs }: Value): boolean => storage === null && inputs.length > 0;
