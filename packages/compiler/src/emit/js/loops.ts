/** Statements as JavaScript text: loops with several iterations interleaved, and folds in the accumulation order. */
import {
  type DType,
  type ForStatement,
  type IndexStatement,
  type LoopKernel,
  localsDefinedIn,
  type ReduceStatement,
  type Statement,
} from "@fuseau/ir";
import { laneMatters } from "../../lower/accumulators.ts";
import { Folds, folds } from "./folds.ts";
import {
  COPIES,
  copyCount,
  type FoldedRows,
  foldedRows,
  isStraight,
  type Straight,
  type TileableNest,
  tileable,
} from "./patterns.ts";
import { jsCombine, jsStore } from "./pointwise.ts";
import {
  type Copy,
  copiesOf,
  elementText,
  expressionText,
  integerName,
  integerText,
  operandText,
  single,
  valueName,
} from "./text.ts";
import { tileCopies } from "./tiles.ts";
import { conditionText, type Uses, usesIn } from "./uses.ts";
import type { Writer } from "./writer.ts";

/** Rows that are folded in one walk along them. */
const FOLDED_ROWS = 4;

/**
 * A tile of a nest: rows that share what does not change with them, times neighbouring columns. Two rows. More of them meet in the
 * same cache sets where rows are a multiple of 4 KiB apart: 4 × 2 ran 6 % faster at 1000 columns and 24 % slower at 1024.
 */
const TILE_ROWS = 2;
const TILE_COLUMNS = 4;

export class LoopWriter {
  readonly #kernel: LoopKernel;
  readonly #writer: Writer;
  readonly #folds: Folds;

  readonly #uses: Uses;

  constructor(kernel: LoopKernel, writer: Writer) {
    this.#uses = usesIn(kernel);
    this.#kernel = kernel;
    this.#writer = writer;
    this.#folds = new Folds(writer);
  }

  /** The other ways in which the kernel sees its buffers, in front of everything. */
  views(): void {
    for (const buffer of new Set([...this.#uses.words.values()].map((words) => words.buffer))) {
      this.#writer.line(`const w${buffer} = wordsOf(b${buffer});`);
    }
  }

  body(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (statement.kind === "for") this.#for(statement);
      else if (statement.kind === "reduce") this.#reduce(statement);
      else this.#straight(statement, single);
    }
  }

  /** A statement without a loop. Folding into registers is the reduce loop's own business. */
  #straight(statement: Straight, copy: Copy): void {
    switch (statement.kind) {
      case "integer":
        this.#writer.line(
          `const ${integerName(statement.local, copy)} = ${integerText(statement.value, copy)};`,
        );
        break;
      case "let": {
        // It is read where it is an index.
        if (this.#uses.words.has(statement.local)) break;
        const condition = this.#uses.conditions.has(statement.local)
          ? conditionText(statement.value, copy)
          : undefined;
        if (condition !== undefined) {
          this.#writer.line(`const ${valueName(statement.local, copy)} = ${condition};`);
          break;
        }
        const text = expressionText(
          statement.value,
          statement.dtype,
          this.#kernel,
          copy,
          (accumulator, cell) => this.#folds.result(accumulator, cell, copy),
        );
        this.#writer.line(`const ${valueName(statement.local, copy)} = ${text};`);
        break;
      }
      case "store": {
        const { dtype } = this.#kernel.buffers[statement.buffer] as { dtype: DType };
        const element = elementText(statement.buffer, statement.at, copy);
        const value = operandText(statement.value, copy);
        this.#writer.line(`${jsStore(dtype, element, jsCombine(statement.combine, dtype, element, value))};`);
        break;
      }
      case "index":
        this.#index(statement, copy);
        break;
      case "sort": {
        const { keys, order, sorted, length, first, descending } = statement;
        const places = order === null ? "null" : `b${order}`;
        const counts = [length, first ?? length].map((count) => integerText(count, single)).join(", ");
        this.#writer.line(`sortKeys(b${keys}, ${places}, ${sorted}, ${counts}, ${descending});`);
        break;
      }
      case "accumulate":
        this.#folds.accumulate(statement, [copy], null);
        break;
      default:
        statement satisfies never;
    }
  }

  /** An index read from data; what is wrong with one is found out where it is. */
  #index({ local, value, dtype, size, axis, place }: IndexStatement, copy: Copy): void {
    const name = integerName(local, copy);
    const bound = integerText(size, copy);
    const fail = (index: string): string =>
      `outOfBounds(${index}, ${bound}, ${axis}, ${integerText(place, copy)});`;
    const words = value.kind === "local" ? this.#uses.words.get(value.local) : undefined;
    if (words !== undefined) {
      const low = `imul(2, ${integerText(words.at, copy)})`;
      this.#writer.line(`const ${name} = w${words.buffer}[${low}];`);
      const whole = elementText(words.buffer, words.at, copy);
      this.#writer.line(
        `if (w${words.buffer}[${low} + 1 | 0] !== 0 || ${name} < 0 || ${name} >= ${bound}) ${fail(whole)}`,
      );
      return;
    }
    const index = operandText(value, copy);
    this.#writer.line(`const ${name} = ${dtype === "int64" ? `Number(${index})` : index};`);
    this.#writer.line(`if (!(${name} >= 0 && ${name} < ${bound})) ${fail(index)}`);
  }

  #for(statement: ForStatement): void {
    const { axis, extent } = statement.axis;
    const x = `x${axis}`;
    const end = integerText(extent, single);
    const nest = tileable(statement);
    if (nest !== null) {
      this.#tile(statement, nest);
      return;
    }
    const rows = foldedRows(statement);
    if (rows !== null) {
      this.#foldRows(statement, rows);
      return;
    }
    const copies = copyCount(statement.body, axis);
    const short = extent.kind === "literal" && extent.value < 2 * copies;
    if (copies === 1 || short) {
      this.#writer.block(`for (let ${x} = 0; ${x} < ${end}; ${x}++)`, () => this.body(statement.body));
      return;
    }
    this.#writer.line(`let ${x} = 0;`);
    this.#writer.block(`for (; ${x} < ${end} - ${copies - 1}; ${x} += ${copies})`, () =>
      this.#interleaved(statement.body as readonly Straight[], copiesOf(axis, copies, statement.body)),
    );
    this.#writer.block(`for (; ${x} < ${end}; ${x}++)`, () => this.body(statement.body));
  }

  /** Some rows and columns of a nest at once: what the rows share is read and converted once for all of them. */
  #tile(statement: ForStatement, { before, inner, shared }: TileableNest): void {
    const [x, y] = [`x${statement.axis.axis}`, `x${inner.axis.axis}`];
    const [rowEnd, columnEnd] = [
      integerText(statement.axis.extent, single),
      integerText(inner.axis.extent, single),
    ];
    const rows = copiesOf(statement.axis.axis, TILE_ROWS, before);
    this.#writer.line(`let ${x} = 0;`);
    this.#writer.block(`for (; ${x} < ${rowEnd} - ${TILE_ROWS - 1}; ${x} += ${TILE_ROWS})`, () => {
      this.#interleaved(before, rows);
      this.#writer.line(`let ${y} = 0;`);
      const columns = tileCopies(statement, inner, shared, rows, TILE_COLUMNS);
      this.#writer.block(`for (; ${y} < ${columnEnd} - ${TILE_COLUMNS - 1}; ${y} += ${TILE_COLUMNS})`, () =>
        this.#tileBody(inner.body as readonly Straight[], shared, columns),
      );
      this.#writer.block(`for (; ${y} < ${columnEnd}; ${y}++)`, () =>
        this.#tileBody(
          inner.body as readonly Straight[],
          shared,
          tileCopies(statement, inner, shared, rows, 1),
        ),
      );
    });
    this.#writer.block(`for (; ${x} < ${rowEnd}; ${x}++)`, () => this.body(statement.body));
  }

  /** Several rows folded in one walk along them: what they share is read once for all. */
  #foldRows(statement: ForStatement, { before, reduce, after, shared }: FoldedRows): void {
    const { axis, extent } = statement.axis;
    const [x, end] = [`x${axis}`, integerText(extent, single)];
    const column = reduce.axes[0] as ReduceStatement["axes"][number];
    const y = `x${column.axis}`;
    const common = new Set(localsDefinedIn([...shared]));
    const own = localsDefinedIn([...before, ...reduce.body, ...after]).filter((local) => !common.has(local));
    const copies = Array.from({ length: FOLDED_ROWS }, (_, row): Copy => {
      const suffixes = new Map(own.map((local) => [local, `_${row}`]));
      return { shifts: new Map([[axis, row]]), suffixes, registers: `_${row}` };
    });
    this.#writer.line(`let ${x} = 0;`);
    this.#writer.block(`for (; ${x} < ${end} - ${FOLDED_ROWS - 1}; ${x} += ${FOLDED_ROWS})`, () => {
      this.#interleaved(before, copies);
      for (const accumulator of reduce.accumulators) {
        for (const copy of copies) this.#folds.declare(accumulator, false, copy);
      }
      const columns = integerText(column.extent, single);
      this.#writer.block(`for (let ${y} = 0; ${y} < ${columns}; ${y}++)`, () =>
        this.#tileBody(reduce.body as readonly Straight[], shared, [copies]),
      );
      this.#interleaved(after, copies);
    });
    this.#writer.block(`for (; ${x} < ${end}; ${x}++)`, () => this.body(statement.body));
  }

  /** What rows share comes first, so that it is in registers before the rows want it (4 % faster). */
  #tileBody(
    body: readonly Straight[],
    shared: ReadonlySet<Statement>,
    columns: readonly (readonly Copy[])[],
  ): void {
    for (const statement of body) {
      if (shared.has(statement)) for (const [copy] of columns) this.#straight(statement, copy as Copy);
    }
    for (const statement of body) {
      if (!shared.has(statement)) for (const copy of columns.flat()) this.#straight(statement, copy);
    }
  }

  /** Unroll-and-jam: op by op, not copy by copy, so that no copy waits for its own last result. */
  #interleaved(body: readonly Straight[], copies: readonly Copy[]): void {
    for (const statement of body) {
      if (statement.kind === "accumulate") this.#folds.accumulate(statement, copies, null);
      else for (const copy of copies) this.#straight(statement, copy);
    }
  }

  #reduce(statement: ReduceStatement): void {
    const { accumulators, blocked } = statement;
    for (const accumulator of accumulators) {
      this.#folds.declare(accumulator, blocked);
    }
    const count = statement.axes.map(({ extent }) => integerText(extent, single)).join(" * ");
    const id = statement.axes[0]?.axis;
    if (!blocked) {
      for (const accumulator of accumulators) if (accumulator.row !== null) this.#folds.reset(accumulator);
      this.#range(statement, "0", count);
      return;
    }
    this.#writer.line(`const count${id} = ${count};`);
    const { block } = this.#kernel.order;
    this.#writer.block(`for (let s${id} = 0; s${id} < count${id}; s${id} += ${block})`, () => {
      this.#writer.line(`const e${id} = min(s${id} + ${block}, count${id});`);
      for (const accumulator of accumulators) if (folds(accumulator)) this.#folds.reset(accumulator);
      this.#range(statement, `s${id}`, `e${id}`);
      for (const accumulator of accumulators) if (folds(accumulator)) this.#folds.foldBlock(accumulator);
    });
  }

  /** The elements from `start` to `end`, both row-major places among the reduced ones. */
  #range(statement: ReduceStatement, start: string, end: string): void {
    const last = statement.axes.at(-1) as ReduceStatement["axes"][number];
    const x = `x${last.axis}`;
    if (statement.axes.length === 1) {
      this.#writer.line(`let ${x} = ${start};`);
      this.#elements(statement, x, end, x);
      return;
    }
    // Several axes that memory does not walk as one: row by row of the last, each row a run of places.
    const k = `k${last.axis}`;
    const size = integerText(last.extent, single);
    this.#writer.line(`let ${k} = ${start};`);
    this.#writer.block(`while (${k} < ${end})`, () => {
      this.#writer.line(`let ${x} = ${k} % ${size};`);
      this.#outerAxes(statement, `(${k} / ${size} | 0)`);
      this.#writer.line(`const d${last.axis} = ${k} - ${x};`);
      this.#writer.line(`const z${last.axis} = min(${size}, ${end} - d${last.axis});`);
      this.body(statement.row);
      this.#elements(statement, x, `z${last.axis}`, `(${x} + d${last.axis})`);
      this.#writer.line(`${k} = d${last.axis} + z${last.axis};`);
    });
  }

  #outerAxes(statement: ReduceStatement, row: string): void {
    const outer = statement.axes.slice(0, -1);
    const name = `q${statement.axes.at(-1)?.axis}`;
    this.#writer.line(`let ${name} = ${row};`);
    for (let k = outer.length - 1; k >= 0; k--) {
      const { axis, extent } = outer[k] as ReduceStatement["axes"][number];
      if (k === 0) this.#writer.line(`const x${axis} = ${name};`);
      else {
        const size = integerText(extent, single);
        this.#writer.line(`const x${axis} = ${name} % ${size};`);
        this.#writer.line(`${name} = ${name} / ${size} | 0;`);
      }
    }
  }

  /** A run of the last axis from where `x` stands to `end`; `place` is the element's row-major place. */
  #elements(statement: ReduceStatement, x: string, end: string, place: string): void {
    const { accumulators, body, aligned, axes, scan, run } = statement;
    const { axis } = axes.at(-1) as ReduceStatement["axes"][number];
    const one = (): void => this.#oneElement(body, place);
    if (run?.kind === "jam") {
      this.#writer.block(`for (; ${x} < ${end} - ${run.copies - 1}; ${x} += ${run.copies})`, () => {
        const copies = copiesOf(axis, run.copies, body);
        this.#interleaved(body.slice(0, -1) as readonly Straight[], copies);
        this.#jam(body.at(-1) as ForStatement, copies);
      });
      this.#writer.block(`for (; ${x} < ${end}; ${x}++)`, one);
      return;
    }
    if (this.#unrolled(statement)) return;
    const lawful = accumulators.some(laneMatters);
    const copies = !isStraight(body) || scan ? 1 : lawful ? COPIES : copyCount(body, axis);
    if (copies > 1) {
      const startsAligned = axes.length === 1 || aligned;
      if (lawful && !startsAligned) {
        this.#writer.block(`for (; ${x} < ${end} && (${place} & 7) !== 0; ${x}++)`, one);
      }
      this.#writer.block(`for (; ${x} < ${end} - ${copies - 1}; ${x} += ${copies})`, () =>
        this.#interleaved(body as readonly Straight[], copiesOf(axis, copies, body)),
      );
    }
    if (!(aligned && copies === COPIES)) this.#writer.block(`for (; ${x} < ${end}; ${x}++)`, one);
  }

  /** A short fold without its loop: every element is a copy, and knows its lane. */
  #unrolled({ axes, body, scan, blocked }: ReduceStatement): boolean {
    const [{ axis, extent }] = axes as [ReduceStatement["axes"][number]];
    if (axes.length > 1 || extent.kind !== "literal" || scan || blocked || copyCount(body, axis) < COPIES)
      return false;
    const copies = copiesOf(axis, extent.value, body);
    for (let first = 0; first < copies.length; first += COPIES) {
      this.#interleaved(body as readonly Straight[], copies.slice(first, first + COPIES));
    }
    return true;
  }

  #oneElement(body: readonly Statement[], place: string): void {
    for (const statement of body) {
      if (statement.kind === "accumulate") this.#folds.accumulate(statement, [single], place);
      else if (statement.kind === "for") this.#innerFor(statement, place);
      else this.body([statement]);
    }
  }

  /** A loop within a reduce loop, whose folds go to rows; `place` tells their lane. */
  #innerFor(statement: ForStatement, place: string): void {
    const x = `x${statement.axis.axis}`;
    const end = integerText(statement.axis.extent, single);
    this.#writer.block(`for (let ${x} = 0; ${x} < ${end}; ${x}++)`, () =>
      this.#oneElement(statement.body, place),
    );
  }

  /** The inner loop over a row of accumulators, for several rows of elements at once, in their order. */
  #jam(inner: ForStatement, copies: readonly Copy[]): void {
    const x = `x${inner.axis.axis}`;
    const end = integerText(inner.axis.extent, single);
    this.#writer.block(`for (let ${x} = 0; ${x} < ${end}; ${x}++)`, () => {
      for (const statement of inner.body as readonly Straight[]) {
        if (statement.kind === "accumulate") this.#folds.accumulate(statement, copies, null);
        else for (const copy of copies) this.#straight(statement, copy);
      }
    });
  }
}
