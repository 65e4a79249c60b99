/** Statements as JavaScript text: loops whose iterations are interleaved, and folds in the accumulation order. */
import {
  axesOfLoop,
  type DType,
  type ForStatement,
  type IndexStatement,
  type Integer,
  isLoop,
  type Loop,
  type LoopKernel,
  type ReduceStatement,
  type Run,
  type Statement,
} from "@fuseau/ir";
import { laneMatters } from "../../lower/accumulators.ts";
import { commonTo, isStraight, type Straight } from "../../tactics/interleaved.ts";
import { Folds, folds, lanesOf } from "./folds.ts";
import { chunkOf, type LaneCalls } from "./lanes.ts";
import { jsCombine, jsStore } from "./pointwise.ts";
import {
  type Copy,
  copiesOf,
  copiesWithin,
  elementText,
  expressionText,
  integerName,
  integerText,
  operandText,
  single,
  valueName,
} from "./text.ts";
import { conditionText, type Uses, usesIn } from "./uses.ts";
import type { Writer } from "./writer.ts";

/** Iterations of an unrolled loop that are interleaved: the lanes of the accumulation order. */
const LANES = 8;

export class LoopWriter {
  readonly #kernel: LoopKernel;
  readonly #writer: Writer;
  readonly #calls: LaneCalls | null;
  readonly #folds: Folds;

  readonly #uses: Uses;

  constructor(kernel: LoopKernel, writer: Writer, calls: LaneCalls | null) {
    this.#uses = usesIn(kernel);
    this.#kernel = kernel;
    this.#writer = writer;
    this.#calls = calls;
    this.#folds = new Folds(writer, calls);
  }

  /** Declares further views of the buffers, at the start of the kernel. */
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

  /** A statement without a loop. Within a reduction, folds are written by {@link Folds}. */
  #straight(statement: Straight, copy: Copy): void {
    switch (statement.kind) {
      case "integer":
        this.#writer.line(
          `const ${integerName(statement.local, copy)} = ${integerText(statement.value, copy)};`,
        );
        break;
      case "let": {
        // It is read where it is used as an index.
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
          this.#calls,
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

  /** An index read from data. It is checked here; `outOfBounds` says what is wrong. */
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

  #for({ axis: { axis, extent }, run, body }: ForStatement): void {
    const [x, end] = [`x${axis}`, integerText(extent, single)];
    if (run?.kind === "unrolled" && isStraight(body)) {
      this.#writer.block("", () => {
        this.#writer.line(`const ${x} = 0;`);
        this.#unrolled(axis, extent, body);
      });
      return;
    }
    const copies = copiesIn(run, body);
    if (copies === 1) {
      this.#writer.block(`for (let ${x} = 0; ${x} < ${end}; ${x}++)`, () => this.body(body));
      return;
    }
    this.#writer.line(`let ${x} = 0;`);
    if (run?.kind !== "jam")
      this.#steps(
        x,
        end,
        copies,
        () => this.#several(body, axis, copies),
        () => this.body(body),
      );
    else
      this.#steps(
        x,
        end,
        copies,
        () => this.#jam(axis, copies, body),
        () => this.body(withCopies(body, copies)),
      );
  }

  /** Steps of `count` iterations from `x` on, then single iterations if any may be left. */
  #steps(x: string, end: string, count: number, several: () => void, single: (() => void) | null): void {
    if (count > 1) this.#writer.block(`for (; ${x} < ${end} - ${count - 1}; ${x} += ${count})`, several);
    if (single !== null) this.#writer.block(`for (; ${x} < ${end}; ${x}++)`, single);
  }

  #several(body: readonly Statement[], axis: number, count: number): void {
    this.#interleaved(body as readonly Straight[], [copiesOf(axis, count, body)]);
  }

  /** All iterations of a short loop, each a copy. So many are interleaved at a time that the first of them belongs to the first lane. */
  #unrolled(axis: number, extent: Integer, body: readonly Straight[], lanes = LANES): void {
    const copies = copiesOf(axis, (extent as { readonly value: number }).value, body);
    for (let first = 0; first < copies.length; first += lanes)
      this.#interleaved(body, [copies.slice(first, first + lanes)]);
  }

  /**
   * Jams iterations of an axis into the body of the inner loop. If the inner loop is a fold, each iteration has an accumulator of
   * its own.
   */
  #jam(axis: number, count: number, body: readonly Statement[]): void {
    const at = body.findIndex(isLoop);
    const inner = body[at] as Loop;
    const before = body.slice(0, at) as readonly Straight[];
    const after = body.slice(at + 1) as readonly Straight[];
    const isFold = inner.kind === "reduce";
    const rows = copiesOf(axis, count, [...before, ...after]).map(
      (copy, row): Copy => (isFold ? { ...copy, registers: `_${row}` } : copy),
    );
    this.#interleaved(before, [rows]);
    if (isFold)
      for (const accumulator of inner.accumulators)
        for (const copy of rows) this.#folds.declare(accumulator, false, copy);
    const column = axesOfLoop(inner)[0]!;
    const [y, end] = [`x${column.axis}`, integerText(column.extent, single)];
    const common = commonTo(axis, before, inner.body);
    const columns = (columns: number) => (): void =>
      this.#interleaved(
        inner.body as readonly Straight[],
        copiesWithin(rows, column.axis, columns, inner.body, common),
        common,
      );
    // A fold into a row declares a variable for its cell, so columns are not interleaved too.
    const copies = inner.body.some(({ kind }) => kind === "accumulate") ? 1 : copiesIn(inner.run, inner.body);
    if (copies === 1) this.#writer.block(`for (let ${y} = 0; ${y} < ${end}; ${y}++)`, columns(1));
    else {
      this.#writer.line(`let ${y} = 0;`);
      this.#steps(y, end, copies, columns(copies), columns(1));
    }
    this.#interleaved(after, [rows]);
  }

  /**
   * Interleaves the copies: op by op, not copy by copy, so that no op waits for the latency of the one before. Statements that
   * the copies of a column have in common come first, so that their values are in registers when they are used (4 % faster).
   */
  #interleaved(
    body: readonly Straight[],
    columns: readonly (readonly Copy[])[],
    common: readonly Statement[] = [],
  ): void {
    for (const each of body)
      if (common.includes(each)) for (const [copy] of columns) this.#straight(each, copy as Copy);
    for (const each of body) {
      if (common.includes(each)) continue;
      for (const copies of columns) {
        if (each.kind === "accumulate") this.#folds.accumulate(each, copies, null);
        else for (const copy of copies) this.#straight(each, copy);
      }
    }
  }

  #reduce(statement: ReduceStatement): void {
    const { accumulators, blocked } = statement;
    const chunk = this.#calls === null ? null : chunkOf(statement, this.#kernel.order.chunk);
    for (const accumulator of accumulators) {
      this.#folds.declare(accumulator, blocked, single, chunk !== null);
    }
    const count = statement.axes.map(({ extent }) => integerText(extent, single)).join(" * ");
    const id = statement.axes[0]?.axis;
    if (!blocked) {
      for (const accumulator of accumulators) if (accumulator.row !== null) this.#folds.reset(accumulator);
      this.#chunks(statement, chunk, "0", count);
      return;
    }
    this.#writer.line(`const count${id} = ${count};`);
    const { block } = this.#kernel.order;
    this.#writer.block(`for (let s${id} = 0; s${id} < count${id}; s${id} += ${block})`, () => {
      this.#writer.line(`const e${id} = min(s${id} + ${block}, count${id});`);
      for (const accumulator of accumulators) if (folds(accumulator)) this.#folds.reset(accumulator);
      this.#chunks(statement, chunk, `s${id}`, `e${id}`);
      for (const accumulator of accumulators) if (folds(accumulator)) this.#folds.foldBlock(accumulator);
    });
  }

  /** Folds the elements from `start` to `end`, of which each `chunk` gathers by itself; all together if it is null. */
  #chunks(statement: ReduceStatement, chunk: number | null, start: string, end: string): void {
    if (chunk === null) {
      this.#range(statement, start, end);
      return;
    }
    const id = statement.axes[0]?.axis;
    const [from, to] = [`g${id}`, `h${id}`];
    this.#writer.line(`const all${id} = ${end};`);
    this.#writer.block(`for (let ${from} = ${start}; ${from} < all${id}; ${from} += ${chunk})`, () => {
      this.#writer.line(`const ${to} = min(${from} + ${chunk}, all${id});`);
      this.#range(statement, from, to);
      for (const accumulator of statement.accumulators) this.#folds.foldChunk(accumulator);
    });
  }

  /** Folds the elements from `start` to `end`, both row-major places among the reduced ones. */
  #range(statement: ReduceStatement, start: string, end: string): void {
    const last = statement.axes.at(-1) as ReduceStatement["axes"][number];
    const x = `x${last.axis}`;
    if (statement.axes.length === 1) {
      this.#writer.line(`let ${x} = ${start};`);
      this.#elements(statement, x, end, x);
      return;
    }
    // Several axes that could not be merged: row by row along the last axis.
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
    if (rotates(statement)) this.#folds.rotateBack(statement.accumulators, start, end);
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

  /** Folds a run of the last axis, from `x` to `end`; `place` is the element's row-major place. */
  #elements(statement: ReduceStatement, x: string, end: string, place: string): void {
    const { accumulators, body, aligned, axes, scan, blocked } = statement;
    const { axis, extent } = axes.at(-1) as ReduceStatement["axes"][number];
    const one = (): void => this.#oneElement(body, place);
    // The results of a scan are read between its elements.
    const run = scan ? undefined : statement.run;
    if (run?.kind === "unrolled" && axes.length === 1 && !blocked && isStraight(body)) {
      // The lane of each element is known.
      this.#unrolled(axis, extent, body, Math.max(LANES, lanesOf(accumulators)));
      return;
    }
    if (run?.kind === "jam") {
      this.#steps(x, end, run.copies, () => this.#jam(axis, run.copies, body), one);
      return;
    }
    const lanes = lanesOf(accumulators);
    const copies = run?.kind === "vector" && lanes > 1 && isStraight(body) ? lanes : copiesIn(run, body);
    const rotated = (): void => {
      this.body(body);
      this.#folds.rotate(accumulators);
    };
    // Rows of an aligned fold are whole steps of this many elements.
    const step = Math.max(LANES, lanes);
    const rest = aligned && copies === step ? null : rotates(statement) ? rotated : one;
    this.#steps(x, end, copies, () => this.#several(body, axis, copies), rest);
  }

  #oneElement(body: readonly Statement[], place: string): void {
    for (const statement of body) {
      if (statement.kind === "accumulate") this.#folds.accumulate(statement, [single], place);
      else if (statement.kind === "for") this.#innerFor(statement, place);
      else this.body([statement]);
    }
  }

  /** A loop within a reduce loop. Its folds go to rows of accumulators; `place` determines their lane. */
  #innerFor(statement: ForStatement, place: string): void {
    const x = `x${statement.axis.axis}`;
    const end = integerText(statement.axis.extent, single);
    this.#writer.block(`for (let ${x} = 0; ${x} < ${end}; ${x}++)`, () =>
      this.#oneElement(statement.body, place),
    );
  }
}

/** How many iterations one body has. 1 if the body has loops that are unrolled or fold. */
function copiesIn(run: Run | undefined, body: readonly Statement[]): number {
  if (run?.kind === "vector") return isStraight(body) ? run.copies : 1;
  return run?.kind === "jam" && body.every((each) => !isLoop(each) || isStraight(each.body)) ? run.copies : 1;
}

/** The body of a jammed loop for the rows that are left over. It interleaves as many elements as the jammed body. */
const withCopies = (body: readonly Statement[], rows: number): readonly Statement[] =>
  body.map((each) =>
    isLoop(each) && each.run?.kind === "vector"
      ? { ...each, run: { ...each.run, copies: each.run.copies * rows } }
      : each,
  );

/**
 * True when rows of a fold may begin in any lane. Then the code does not compute the lane of a single element: it folds into the
 * first lane and rotates the lanes by one, so that the next element belongs to the first lane again. A branch to the code of each
 * lane took twice as long.
 */
const rotates = ({ accumulators, axes, aligned, scan, run, body }: ReduceStatement): boolean =>
  run?.kind === "vector" &&
  !scan &&
  isStraight(body) &&
  axes.length > 1 &&
  !aligned &&
  accumulators.some(laneMatters);
