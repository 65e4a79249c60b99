/**
 * A loop that writes into its state and reads nothing would record without end. What it has written is computed from time to time, all
 * of it together, so that what the writes share is computed once. Elements are the same whenever they are computed.
 */
import { computeValues } from "../execute/compute.ts";
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

/** Written again since they were computed. */
const waiting = new Set<Cell>();

/**
 * To be called before each write: what a step of a loop wrote is whole when the next one begins to write, so that nothing of it is
 * computed twice.
 */
export function beforeWrite(cell: Cell): void {
  if (cell.value.storage !== null || cell.value.inputs.length === 0) {
    cell.waiting = 0;
    return;
  }
  if (++cell.waiting === 1) {
    cell.since = Value.recorded;
    if (waiting.size === MOST_CELLS) waiting.clear();
    waiting.add(cell);
  }
  const isMuch = cell.waiting >= SOME_WRITES && Value.recorded - cell.since >= MUCH;
  // What a jitted or mapped function records must stay as it was recorded.
  if ((isMuch || cell.waiting >= MANY_WRITES) && tracing === null && !hasStandIns()) flush();
}

function flush(): void {
  const cells = [...waiting];
  waiting.clear();
  for (const cell of cells) cell.waiting = 0;
  const values = cells.map(({ value }) => value).filter(({ storage }) => storage === null);
  try {
    computeValues(values, optionsOf("compute", undefined));
  } catch {
    // Whoever reads a value that cannot be computed is told so then, and of one that can be nothing is lost.
  }
}
