/**
 * Cells: what aliases share. A tensor is a handle. Until a view is made of it or it is written to, it stands alone and has no cell. A write
 * gives the cell a new value (values never change), and from then on every alias reads its window of that. What was recorded before the
 * write keeps the old value.
 */
import type { StridedView } from "@fuseau/ir";
import { isMadeOfFailed } from "../tape/failed.ts";
import type { Step } from "../tape/step.ts";
import { carryStep, moveRetained } from "../tape/written.ts";
import { READINGS, Value } from "../value.ts";
import type { Part } from "../window/part.ts";

export interface Cell {
  /** The value of the base: its elements are row-major, whatever its shape. */
  value: Value;
  /** Incremented by every write. */
  version: number;
  /** Writes to a value that was not computed, since the cell was last computed. */
  waiting: number;
  /** How many values had been recorded at the first of those writes. */
  since: number;
  /** The values before the writes that are not computed yet, oldest first: what is restored if a write fails. */
  readonly earlier: Value[];
  /** How many values had failed when it was last looked for writes that have. */
  failures: number;
  /** How many functions were being mapped or differentiated when the tensor was made that the cell was made for. */
  readonly depth: number;
}

/** A tensor's window of a cell, and the version of the cell at which its own value was read. */
export interface Alias {
  readonly cell: Cell;
  readonly window: StridedView;
  /** True for the tensor that the cell was made for; its views are false. */
  readonly isBase: boolean;
  /** True if no derivative flows through it from its cell, though one may flow through that. */
  readonly isDetached: boolean;
  /** Not null for a view whose derivatives are not those of its cell, and for the views of it. Then it is detached from its cell. */
  readonly root: ViewRoot | null;
  /** Null for the tensor that the cell was made for. */
  readonly part: Part | null;
  version: number;
}

/**
 * A view that is a leaf since its gradient was asked for, or that `detach()` gave, as it is seen by itself and by its own views. It shares
 * elements with its cell, and no derivatives.
 */
export interface ViewRoot {
  /** What its elements are made of: a leaf's step, or what recorded writes through it and its views have made; null if none has. */
  readonly own: { step: Step | null };
  /** The root's window of the cell. */
  readonly window: StridedView;
  /** The alias's window of the root's elements, which are row-major; null for the root itself. */
  readonly within: StridedView | null;
}

/** A cell with that value, for a tensor that was made while `depth` functions were being mapped or differentiated. */
export function newCell(value: Value, depth: number): Cell {
  value.fill();
  return { value, version: 0, waiting: 0, since: 0, earlier: [], failures: Value.failures, depth };
}

/** Gives a cell its new value, which no tensor of another cell stands for. */
export function setCell(cell: Cell, value: Value, isDetached = false): void {
  carryStep(cell.value, value, isDetached);
  restoreCell(cell, value);
}

/** Undoes the writes since the first that was made of something that has failed. To be called when values have failed. */
export function undoFailed(cell: Cell): void {
  cell.failures = Value.failures;
  const { earlier } = cell;
  // A cell without earlier values has nothing to go back to, and need not be walked.
  if (earlier.length === 0 || !isMadeOfFailed(cell.value)) return;
  let last = earlier.length - 1;
  while (last >= 0 && isMadeOfFailed(earlier[last] as Value)) last--;
  if (last < 0) return;
  const value = earlier[last] as Value;
  moveRetained(cell.value.step, value.step);
  restoreCell(cell, value);
  cell.version++;
  earlier.length = last;
}

/** Gives a cell a value that it had before, with the step of that. */
export function restoreCell(cell: Cell, value: Value): void {
  cell.value.cells--;
  cell.value.isReplaced = true;
  value.isReplaced = false;
  value.isWritten = true;
  if (cell.value.keepsReaders > 0) value.keepsReaders = READINGS;
  value.fill();
  cell.value = value;
}
