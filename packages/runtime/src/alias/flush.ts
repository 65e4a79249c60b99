/**
 * Bounds the recording of a loop that writes into its state and reads nothing. From time to time what it has written is computed, together
 * with other writes that share uncomputed values with it, so that these are computed once. The elements are the same whenever they are
 * computed.
 */
import { computesAll } from "../execute/compute.ts";
import { isWindow } from "../execute/extract/held-values.ts";
import { isPending } from "../execute/extract/lately.ts";
import { programCounters } from "../execute/find-program.ts";
import { beginRequest } from "../execute/late/families.ts";
import { leaveMade, takeMade, watchMade } from "../execute/pending/made-meanwhile.ts";
import { notePending } from "../execute/pending/written.ts";
import { optionsOf } from "../options.ts";
import type { Cell } from "../tensor/cell.ts";
import { hasStandIns, tracing } from "../tracing.ts";
import { Value } from "../value.ts";

/** After MANY_WRITES a cell is always computed; after SOME_WRITES if MUCH was recorded since the first of them. */
const MANY_WRITES = 64;
const SOME_WRITES = 4;
/** In recorded values. */
const MUCH = 512;
/**
 * After a write through a window of at most this part of the elements, LITTLE recorded since the first write is enough. Loops over cells and
 * borders gain nothing from what their rounds would share, and some rounds together are another program for each set of cells. Larger
 * windows are often the parts of one step, such as the channels of an image or the directions of a flow.
 */
const TINY = 1 / 32;
const LITTLE = 12;
/**
 * So many recorded values do not count for a result that is not computed yet: what is written first to it belongs to the step that made it,
 * such as its borders.
 */
const AT_FIRST = 48;
/**
 * In a loop that reads nothing each step makes such a result, and none would be computed. So all are when this much was recorded since the
 * oldest write that waits, which is a few steps.
 */
const SOME_STEPS = 256;
/** The most cells that are remembered. */
const MOST_CELLS = 1_024;
/**
 * After so many flushes in a row that had to be compiled, half as many writes may wait; and so soon once they are fewer. A loop whose rounds make
 * so many writes compiles as many: each flush ends at another of them.
 */
const [COMPILED, SOON] = [24, 4];

/** Cells with writes that are not computed yet. */
const waiting = new Set<Cell>();

interface Writes {
  /** How many flushes in a row had to be compiled. */
  compiled: number;
  /** How many writes may wait. */
  most: number;
}

/**
 * Cells that are written in parts. Each write may have a size of its own (the leaves of a tree, groups of any length). Together they are a
 * program for each combination of sizes, and alone one program of many sizes.
 */
const writes = new WeakMap<Cell, Writes>();

/**
 * To be called before each write. What one step of a loop wrote is complete when the next step begins to write, so nothing is computed
 * twice.
 */
export function beforeWrite(cell: Cell): void {
  notePending(cell);
  if (mustFlush(cell)) flush(cell);
  watchMade();
}

function mustFlush(cell: Cell): boolean {
  if (!isPending(cell.value)) {
    cell.waiting = 0;
    return false;
  }
  // The next training step computes what the last one wrote, so such writes do not accumulate.
  if (hasFewWrites(cell.value)) cell.waiting = 0;
  if (++cell.waiting === 1) cell.since = Value.recorded + (cell.value.isWritten ? 0 : AT_FIRST);
  if (waiting.size === MOST_CELLS) waiting.clear();
  waiting.add(cell);
  const recorded = Value.recorded - cell.since;
  const isMuch =
    (cell.waiting >= SOME_WRITES && recorded >= MUCH) ||
    ((recorded >= LITTLE || Value.recorded - oldestWaiting(cell).since >= SOME_STEPS) &&
      isWindow(cell.value.node, TINY));
  // What `jit` or `vmap` records must stay as it was recorded.
  return (
    (isMuch || cell.waiting >= (writes.get(cell)?.most ?? MANY_WRITES)) && tracing === null && !hasStandIns()
  );
}

/** The cell with the oldest write that waits, `own` if no other one does. Those that were computed since no longer wait. */
function oldestWaiting(own: Cell): Cell {
  for (const cell of waiting) {
    if (isPending(cell.value)) return cell;
    waiting.delete(cell);
  }
  return own;
}

/** True if the value was made by fewer than SOME_WRITES writes from a value that is stored. */
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

/**
 * Computes the cell's value with those of cells that share uncomputed values with it, and with what else was made of these and nothing has
 * read: to compute it later, all of them would have to be kept. Other cells are left to their own loops: from their next write on they wait
 * again.
 */
function flush(cell: Cell): void {
  const cells = [...waiting].filter(({ value }) => isPending(value));
  const written = cells.map(({ value }) => value);
  const { node } = cell.value;
  const unread = takeMade();
  const values = new Set(beside(cell.value, written, unread));
  const options = optionsOf("compute", undefined);
  waiting.clear();
  for (const each of cells) if (values.has(each.value)) each.waiting = 0;
  const before = programCounters().misses;
  beginRequest();
  try {
    // What nobody has read may fail. The writes do not wait for it.
    if (!computesAll([...values], options))
      computesAll(
        written.filter((value) => values.has(value)),
        options,
      );
  } catch {
    // A value that cannot be computed throws when it is read. If it can, nothing is lost.
  }
  leaveMade(unread);
  if (node.op === "update" || node.op === "scatter") noteFlush(cell, programCounters().misses > before);
}

function noteFlush(cell: Cell, isCompiled: boolean): void {
  const known = writes.get(cell) ?? { compiled: 0, most: MANY_WRITES };
  known.compiled = isCompiled ? known.compiled + 1 : 0;
  if (known.compiled > (known.most === MANY_WRITES ? COMPILED : SOON) && known.most > 1) {
    known.compiled = 0;
    known.most /= 2;
  }
  writes.set(cell, known);
}

/** What nobody has read and has more uncomputed values beneath it than this grows by itself; it is computed when it is long (`unread.ts`). */
const MOST_BENEATH = 4_096;

/** Those of the values that share uncomputed values with this one, directly or through others, in the same order. */
function beside(own: Value, written: readonly Value[], unread: readonly Value[]): readonly Value[] {
  const values = [...written, ...unread];
  /** By value, the first one that it was reached from. `groups` joins those that share a value; a group is named by its least one. */
  const reached = new Map<Value, number>();
  const groups = values.map((_, k) => k);
  const groupOf = (k: number): number => {
    let group = k;
    while (groups[group] !== group) group = groups[group] as number;
    return group;
  };
  for (const [k, value] of values.entries()) {
    const stack = [value];
    let left = k < written.length ? Number.POSITIVE_INFINITY : MOST_BENEATH;
    for (let top = stack.pop(); top !== undefined && left-- > 0; top = stack.pop()) {
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
  const group = groupOf(values.indexOf(own));
  return values.filter((_, k) => groupOf(k) === group);
}
