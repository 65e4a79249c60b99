/** Sums of products in memory, one for each cell: that of the block at hand, and that of the blocks before it. */
import type { AccumulateStatement, Accumulator, Integer, Statement } from "@fuseau/ir";
import type { LaneFunction } from "../lanes/lane-function.ts";
import type { Register, Straight } from "../lanes/straight.ts";
import type { Kind } from "../matmul/kinds.ts";
import { lanewise } from "../pointwise/apply.ts";
import type { AccumulatorHome } from "../sites/accumulator-home.ts";
import { placeOf } from "../sites/places.ts";
import type { Site } from "../sites/site.ts";
import { load, store } from "../sites/statements.ts";
import { castValue } from "../values/cast.ts";
import { type LaneValue, widthOf } from "../values/value.ts";

/** Writes statements in a row, loops among them. */
export type WriteBlock = (site: Site, statements: readonly Statement[]) => void;

type Single = "float32" | "float64";

export const sumTypeOf = ({ from }: Accumulator): Single => (from === "float64" ? "float64" : "float32");

/** The operands of a product, in the dtype of the sum. */
export const factorsOf = (
  site: Site,
  { values }: AccumulateStatement,
  dtype: Single,
): readonly [LaneValue, LaneValue] => {
  const [x, y] = values.map((value) => castValue(site, site.value(value), dtype));
  return [x!, y!];
};

/** sum + x · y, as tiles of matrix products have it. */
export function addProduct(
  site: Site,
  sum: LaneValue,
  [x, y]: readonly [LaneValue, LaneValue],
  dtype: Single,
): LaneValue {
  const run: LaneFunction = (code, a, b, c) => multiplyAdd(code, site.fn.kinds[dtype], a!, b!, c!);
  return lanewise(site, run, dtype, widthOf[dtype], [x, y, sum]);
}

export function multiplyAdd(
  code: Straight,
  { multiplyAdd: op }: Kind,
  x: Register,
  y: Register,
  sum: Register,
): Register {
  return typeof op === "string" ? code.op(op, x, y, sum) : code.op(op.add, sum, code.op(op.multiply, x, y));
}

export class DotHome implements AccumulatorHome {
  readonly accumulator: Accumulator;
  readonly dtype: Single;
  readonly #cells: Integer;
  readonly #total: number;
  readonly #block: number;

  constructor({ fn: { workspaces } }: Site, accumulator: Accumulator) {
    this.accumulator = accumulator;
    this.dtype = sumTypeOf(accumulator);
    this.#cells = accumulator.row?.cells ?? { kind: "literal", value: 1 };
    this.#total = workspaces.addRows(this.dtype, this.#cells, 1);
    this.#block = workspaces.addRows(this.dtype, this.#cells, 1);
  }

  accumulate(site: Site, statement: AccumulateStatement): void {
    const place = placeOf(site, this.#block, statement.cell);
    const factors = factorsOf(site, statement, this.dtype);
    store(site, this.#block, place, addProduct(site, load(site, this.#block, place), factors, this.dtype));
  }

  result(site: Site, cell: Integer): LaneValue {
    return castValue(site, load(site, this.#total, placeOf(site, this.#total, cell)), this.accumulator.to);
  }

  /** Sets the whole sum of a single cell. */
  set(site: Site, sum: LaneValue): void {
    store(site, this.#total, placeOf(site, this.#total, { kind: "literal", value: 0 }), sum);
  }

  begin(site: Site, writeBlock: WriteBlock): void {
    writeBlock(site, [this.#eachCell(site, (cell) => [this.#zero(this.#total, cell)])]);
  }

  beginBlock(site: Site, writeBlock: WriteBlock): void {
    writeBlock(site, [this.#eachCell(site, (cell) => [this.#zero(this.#block, cell)])]);
  }

  endBlock(site: Site, writeBlock: WriteBlock): void {
    const { dtype } = this;
    const { numbering } = site.fn;
    const [before, block, sum] = [numbering.local(), numbering.local(), numbering.local()];
    const read = (local: number, buffer: number, at: Integer): Statement => ({
      kind: "let",
      local,
      dtype,
      value: { kind: "load", buffer, at, tests: [] },
    });
    writeBlock(site, [
      this.#eachCell(site, (cell) => [
        read(before.local, this.#total, cell),
        read(block.local, this.#block, cell),
        {
          kind: "let",
          local: sum.local,
          dtype,
          value: { kind: "pointwise", fn: "add", from: dtype, args: [before, block] },
        },
        { kind: "store", buffer: this.#total, at: cell, value: sum, combine: "set" },
      ]),
    ]);
  }

  #zero(buffer: number, at: Integer): Statement {
    const value = { kind: "constant", value: 0, dtype: this.dtype } as const;
    return { kind: "store", buffer, at, value, combine: "set" };
  }

  #eachCell({ fn: { numbering } }: Site, bodyAt: (cell: Integer) => readonly Statement[]): Statement {
    const cell = numbering.axis();
    return {
      kind: "for",
      axis: { axis: cell.axis, extent: this.#cells },
      ordered: false,
      body: bodyAt(cell),
    };
  }
}
