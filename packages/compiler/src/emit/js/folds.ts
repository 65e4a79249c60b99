/** The folds of a kernel as JavaScript text: variables and rows of accumulators, from their initial values to their results. */
import type { AccumulateStatement, Accumulator, Integer, Row } from "@fuseau/ir";
import { accumulatorKind, laneMatters } from "../../lower/accumulators.ts";
import {
  blockText,
  foldText,
  identityText,
  lanesText,
  type Registers,
  resultText,
  totalIdentityText,
} from "./accumulate.ts";
import { chunkTexts, type Gathering, gatheringOf, type LaneCalls, productText } from "./lanes.ts";
import { type Copy, integerText, operandText, single } from "./text.ts";
import type { Writer } from "./writer.ts";

interface Reduction {
  readonly accumulator: Accumulator;
  readonly blocked: boolean;
  /** True if lanes are added to two running sums at the end of each chunk. */
  readonly inChunks: boolean;
}

export class Folds {
  readonly #writer: Writer;
  readonly #calls: LaneCalls | null;
  readonly #reductions = new Map<number, Reduction>();

  constructor(writer: Writer, calls: LaneCalls | null) {
    this.#writer = writer;
    this.#calls = calls;
  }

  #gatheringOf(accumulator: Accumulator): Gathering {
    return this.#calls === null ? null : gatheringOf(accumulator);
  }

  /** Declares an accumulator's variables, or initialises the totals of its row, before its loop. */
  declare(accumulator: Accumulator, blocked: boolean, copy: Copy = single, chunked = false): void {
    const inChunks = chunked && this.#gatheringOf(accumulator) === "singles";
    this.#reductions.set(accumulator.accumulator, { accumulator, blocked, inChunks });
    const { accumulator: id, row, fn, from } = accumulator;
    if (row !== null) {
      if (row.total !== null)
        this.#fill(row.total, totalIdentityText(accumulator), integerText(row.cells, single));
      if (blocked && !folds(accumulator)) this.reset(accumulator);
      return;
    }
    const kind = accumulatorKind(fn, from);
    const names = registers(accumulator, copy);
    this.#writer.line(
      `let ${names.map(({ value }) => `${value} = ${identityText(accumulator)}`).join(", ")};`,
    );
    if (kind.compensated)
      this.#writer.line(`let ${names.map(({ compensation }) => `${compensation} = 0`).join(", ")};`);
    if (kind.positioned) this.#writer.line(`let ${names[0]?.position} = 0;`);
    if (inChunks)
      this.#writer.line(
        `let ${runningSums(id)
          .map((sum) => `${sum} = 0`)
          .join(", ")};`,
      );
    if (blocked && kind.total !== null) this.#writer.line(`let t${id} = ${totalIdentityText(accumulator)};`);
  }

  /** Initialises the lanes at the start of a block. */
  reset(accumulator: Accumulator): void {
    const { row, lanes, fn, from } = accumulator;
    const kind = accumulatorKind(fn, from);
    if (row === null) {
      if (kind.total === null) return;
      for (const { value, compensation } of registers(accumulator)) {
        this.#writer.line(
          `${value} = ${identityText(accumulator)};${kind.compensated ? ` ${compensation} = 0;` : ""}`,
        );
      }
      const { accumulator: id } = accumulator;
      if (this.#reductions.get(id)?.inChunks) this.#writer.line(`${runningSums(id).join(" = ")} = 0;`);
      return;
    }
    const length =
      lanes === 1 ? integerText(row.cells, single) : `${integerText(row.cells, single)} * ${lanes}`;
    this.#fill(row.partial, identityText(accumulator), length);
    if (row.compensation !== null) this.#fill(row.compensation, "0", length);
    if (row.position !== null) this.#fill(row.position, "0", length);
  }

  #fill(slot: number, value: string, length: string): void {
    this.#writer.line(`b${slot}.fill(${value}, 0, ${length});`);
  }

  /** Rotates the lanes: lane k gets the value of lane k + 1. */
  rotate(accumulators: readonly Accumulator[]): void {
    for (const accumulator of accumulators.filter(laneMatters)) {
      const lanes = registers(accumulator);
      const { compensated } = accumulatorKind(accumulator.fn, accumulator.from);
      const parts = compensated ? (["value", "compensation"] as const) : (["value"] as const);
      for (const part of parts) {
        const moves = lanes.slice(1).map((lane, k) => `${lanes[k]?.[part]} = ${lane[part]};`);
        const [first, last] = [lanes[0]?.[part], lanes.at(-1)?.[part]];
        this.#writer.line(`{ const t = ${first}; ${moves.join(" ")} ${last} = t; }`);
      }
    }
  }

  /** Undoes the rotations after the elements from `start` to `end`. */
  rotateBack(accumulators: readonly Accumulator[], start: string, end: string): void {
    const lanes = lanesOf(accumulators);
    this.#writer.block(`for (let h = ${start} - ${end} & ${lanes - 1}; h > 0; h--)`, () =>
      this.rotate(accumulators),
    );
  }

  /** Adds the lanes of a finished chunk to the running sums of its block. */
  foldChunk(accumulator: Accumulator): void {
    const { accumulator: id } = accumulator;
    if (!this.#reductions.get(id)?.inChunks) return;
    const lanes = registers(accumulator).map(({ value }) => value);
    const [first, second] = runningSums(id);
    const [toFirst, toSecond] = chunkTexts(lanes);
    this.#writer.line(`${first} += ${toFirst}; ${second} += ${toSecond};`);
    this.#writer.line(`${lanes.join(" = ")} = 0;`);
  }

  /** The joined lanes of a block. */
  #joined(accumulator: Accumulator, lanes: readonly Registers[]): string {
    if (this.#gatheringOf(accumulator) !== "singles") return lanesText(accumulator, lanes);
    const { accumulator: id } = accumulator;
    if (this.#reductions.get(id)?.inChunks) return `(${runningSums(id).join(" + ")})`;
    return `(${chunkTexts(lanes.map(({ value }) => value)).join(" + ")})`;
  }

  #foldText(accumulator: Accumulator, lane: Registers, values: readonly string[], position: string): string {
    const [x, y] = values as [string, string];
    switch (this.#gatheringOf(accumulator)) {
      case "singles":
        return `${lane.value} = fround(${lane.value} + ${x});`;
      case "products":
        return productText(accumulator.from, lane.value, x, y, this.#calls as LaneCalls);
      default:
        return foldText(accumulator, lane, values, position);
    }
  }

  /** Adds a finished block to the total. */
  foldBlock(accumulator: Accumulator): void {
    const { accumulator: id, row, lanes } = accumulator;
    if (row === null) {
      this.#writer.line(blockText(accumulator, `t${id}`, this.#joined(accumulator, registers(accumulator))));
      return;
    }
    const cells = integerText(row.cells, single);
    this.#writer.block(`for (let j = 0; j < ${cells}; j++)`, () => {
      const block = lanesText(accumulator, rowRegisters(row, "j", cells, lanes));
      this.#writer.line(blockText(accumulator, `b${row.total}[j]`, block));
    });
  }

  /**
   * Folds one element of each copy. Without a `place`, copy k belongs to lane k modulo their number, or has an accumulator of its own;
   * with one, the lane is `place` modulo their number.
   */
  accumulate(statement: AccumulateStatement, copies: readonly Copy[], place: string | null): void {
    const { accumulator } = this.#reductions.get(statement.accumulator) as Reduction;
    const fold = (registers: Registers, copy: Copy): string => {
      const values = statement.values.map((value) => operandText(value, copy));
      return this.#foldText(accumulator, registers, values, integerText(statement.position, copy));
    };
    if (accumulator.row !== null) {
      this.#accumulateRow(
        accumulator,
        accumulator.row,
        integerText(statement.cell, copies[0] as Copy),
        copies,
        place,
        fold,
      );
      return;
    }
    if (place !== null && laneMatters(accumulator)) {
      this.#writer.block(`switch (${place} & ${accumulator.lanes - 1})`, () => {
        for (const [k, lane] of registers(accumulator).entries()) {
          this.#writer.line(`case ${k}: ${fold(lane, copies[0] as Copy)} break;`);
        }
      });
      return;
    }
    for (const [k, copy] of copies.entries()) {
      const lanes = registers(accumulator, copy);
      this.#writer.line(fold(lanes[k % lanes.length] as Registers, copy));
    }
  }

  #accumulateRow(
    accumulator: Accumulator,
    row: Row,
    cell: string,
    copies: readonly Copy[],
    place: string | null,
    fold: (registers: Registers, copy: Copy) => string,
  ): void {
    const lane =
      accumulator.lanes > 1 && place !== null
        ? `(${place} & ${accumulator.lanes - 1}) * ${integerText(row.cells, single)} + `
        : "";
    if (copies.length === 1) {
      this.#writer.line(fold(rowElement(row, `${lane}${cell}`), copies[0] as Copy));
      return;
    }
    // The cell is loaded and stored once for all copies. They fold in the order of the rows.
    const id = accumulator.accumulator;
    const held: Registers = { value: `a${id}`, compensation: `r${id}`, position: `p${id}` };
    const stored = rowElement(row, cell);
    this.#writer.line(`let ${held.value} = ${stored.value};`);
    if (row.compensation !== null) this.#writer.line(`let ${held.compensation} = ${stored.compensation};`);
    if (row.position !== null) this.#writer.line(`let ${held.position} = ${stored.position};`);
    for (const copy of copies) this.#writer.line(fold(held, copy));
    this.#writer.line(`${stored.value} = ${held.value};`);
    if (row.compensation !== null) this.#writer.line(`${stored.compensation} = ${held.compensation};`);
    if (row.position !== null) this.#writer.line(`${stored.position} = ${held.position};`);
  }

  /** The value of the accumulator after its loop, in the result's dtype. */
  result(id: number, cell: Integer, copy: Copy): string {
    const { accumulator, blocked } = this.#reductions.get(id) as Reduction;
    const { row, lanes } = accumulator;
    const isTotal = blocked && folds(accumulator);
    if (row === null) {
      const lanes = registers(accumulator, copy);
      const whole = isTotal ? `t${id}` : this.#joined(accumulator, lanes);
      return resultText(accumulator, whole, lanes[0]?.position as string, isTotal);
    }
    const at = integerText(cell, copy);
    const cells = rowRegisters(row, at, integerText(row.cells, single), lanes);
    const whole = isTotal ? `b${row.total}[${at}]` : lanesText(accumulator, cells);
    return resultText(accumulator, whole, cells[0]?.position as string, isTotal);
  }
}

/** True when the accumulator's lanes are folded into a total at the end of a block. */
export const folds = ({ fn, from }: Accumulator): boolean => accumulatorKind(fn, from).total !== null;

/** The lanes that elements of a loop go to, of all its folds; 1 if the order assigns none. */
export const lanesOf = (accumulators: readonly Accumulator[]): number =>
  Math.max(1, ...accumulators.filter(laneMatters).map(({ lanes }) => lanes));

function registers({ accumulator: id, lanes }: Accumulator, { registers: mark }: Copy = single): Registers[] {
  if (mark !== undefined)
    return [{ value: `a${id}${mark}`, compensation: `r${id}${mark}`, position: `p${id}${mark}` }];
  return Array.from({ length: lanes }, (_, lane) => ({
    value: `a${id}_${lane}`,
    compensation: `r${id}_${lane}`,
    position: `p${id}`,
  }));
}

/** The two that the lanes of chunks are added to. */
const runningSums = (id: number): readonly [string, string] => [`u${id}_0`, `u${id}_1`];

const rowElement = (row: Row, at: string): Registers => ({
  value: `b${row.partial}[${at}]`,
  compensation: `b${row.compensation}[${at}]`,
  position: `b${row.position}[${at}]`,
});

const rowRegisters = (row: Row, cell: string, cells: string, lanes: number): Registers[] =>
  Array.from({ length: lanes }, (_, lane) =>
    rowElement(row, lane === 0 ? cell : `${cell} + ${cells} * ${lane}`),
  );
