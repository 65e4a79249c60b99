/**
 * Cells: what aliases share. A tensor is a handle; until a view is made of it or it is written into, it stands alone and has
 * no cell. A write gives the cell a new value (values never change), and every alias reads its window of that from then on.
 * What was recorded before keeps the value of its time.
 */
import type { StridedView } from "@fuseau/ir";
import { carryStep } from "../tape/written.ts";
import type { Value } from "../value.ts";

export interface Cell {
  /** The base: its elements lie row-major, whatever its shape. */
  value: Value;
  /** Grows with every write. */
  version: number;
  /** Writes onto what had not been computed, since it last was. */
  waiting: number;
  /** How many values had been recorded at the first of them. */
  since: number;
  /** What the writes that are still to be computed were made on, oldest first: what is left when one of them fails. */
  readonly earlier: Value[];
}

/** Which part of a cell a tensor is, and at which version its own value was read. */
export interface Alias {
  readonly cell: Cell;
  readonly window: StridedView;
  /** True for the tensor that the cell was made for; its views are false. */
  readonly isBase: boolean;
  /** No derivative flows through it, though one may through its cell. */
  readonly isDetached: boolean;
  version: number;
}

/** A cell that holds the value. */
export function newCell(value: Value): Cell {
  value.fill();
  return { value, version: 0, waiting: 0, since: 0, earlier: [] };
}

/** Gives a cell its new value. */
export function setCell(cell: Cell, value: Value, isDetached = false): void {
  carryStep(cell.value, value, isDetached);
  cell.value.cells--;
  value.fill();
  cell.value = value;
}
