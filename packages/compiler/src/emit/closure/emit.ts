/**
 * The closure emitter: loop IR to nested functions, for hosts that forbid code from strings, and as the oracle in tests.
 * It follows the same law of summation as the JavaScript text, element by element.
 */
import {
  type AccumulateStatement,
  type Accumulator,
  type DType,
  type Expression,
  type ForStatement,
  type Integer,
  type LoopKernel,
  type Operand,
  type ReduceStatement,
  type Statement,
  type StoreStatement,
  SUM_BLOCK,
  type Test,
  type TypedArray,
} from "@fuseau/ir";
import { accumulatorKind, laneMatters } from "../../lower/accumulators.ts";
import { intrinsics } from "../intrinsics/index.ts";
import type { KernelFunction } from "../kernel-function.ts";
import {
  type Cells,
  finish,
  foldBlock,
  foldLanes,
  foldOf,
  ownCells,
  reset,
  resetTotal,
} from "./accumulate.ts";
import { closureLoad, closurePointwise, closureStore, type Scalar } from "./pointwise.ts";

/** What one call of a kernel works on. */
interface Frame {
  readonly buffers: readonly TypedArray[];
  readonly sizes: readonly number[];
  readonly scalars: readonly (number | bigint)[];
  readonly axes: number[];
  readonly integers: number[];
  readonly values: Scalar[];
  readonly cells: Cells[];
  /** cells[k]'s number of cells side by side. */
  readonly widths: number[];
  /** The low bits of the reduced element's place: its lane. */
  lane: number;
}

type Run = (frame: Frame) => void;
type ReadInteger = (frame: Frame) => number;
type ReadValue = (frame: Frame) => Scalar;

interface Context {
  readonly kernel: LoopKernel;
  readonly reductions: Map<number, { accumulator: Accumulator; blocked: boolean }>;
}

export function compileClosure(kernel: LoopKernel): KernelFunction {
  const run = runAll({ kernel, reductions: new Map() }, kernel.body);
  return (buffers, sizes, scalars) =>
    run({ buffers, sizes, scalars, axes: [], integers: [], values: [], cells: [], widths: [], lane: 0 });
}

function runAll(context: Context, statements: readonly Statement[]): Run {
  const runs = statements.map((statement) => runOne(context, statement));
  return (frame) => {
    for (const run of runs) run(frame);
  };
}

function runOne(context: Context, statement: Statement): Run {
  switch (statement.kind) {
    case "integer": {
      const { local } = statement;
      const read = readInteger(statement.value);
      return (frame) => {
        frame.integers[local] = read(frame);
      };
    }
    case "let": {
      const { local } = statement;
      const read = readExpression(context, statement.value, statement.dtype);
      return (frame) => {
        frame.values[local] = read(frame);
      };
    }
    case "store":
      return runStore(context, statement);
    case "index": {
      const { local, axis } = statement;
      const value = readOperand(statement.value);
      const place = readInteger(statement.place);
      const size = readInteger(statement.size);
      return (frame) => {
        const index = value(frame);
        const bound = size(frame);
        if (!(index >= 0 && index < bound)) intrinsics.outOfBounds(index, bound, axis, place(frame));
        frame.integers[local] = Number(index);
      };
    }
    case "sort": {
      const { keys, order, sorted, descending } = statement;
      const length = readInteger(statement.length);
      const first = readInteger(statement.first ?? statement.length);
      return (frame) => {
        const places = order === null ? null : (frame.buffers[order] as Int32Array);
        const given = frame.buffers[keys] as TypedArray;
        intrinsics.sortKeys(given, places, sorted, length(frame), first(frame), descending);
      };
    }
    case "for":
      return runFor(context, statement);
    case "reduce":
      return runReduce(context, statement);
    case "accumulate":
      return runAccumulate(context, statement);
    default:
      return statement satisfies never;
  }
}

function runStore(context: Context, statement: StoreStatement): Run {
  const { buffer, combine } = statement;
  const { dtype } = context.kernel.buffers[buffer] as { dtype: DType };
  const at = readInteger(statement.at);
  const value = readOperand(statement.value);
  const store = closureStore(dtype);
  if (combine === "set")
    return (frame) => store(frame.buffers[buffer] as TypedArray, at(frame), value(frame));
  const load = closureLoad(dtype);
  const fn = { sum: "add", prod: "mul", max: "maximum", min: "minimum" } as const;
  const join = closurePointwise[fn[combine]](dtype, dtype);
  return (frame) => {
    const array = frame.buffers[buffer] as TypedArray;
    const place = at(frame);
    store(array, place, join(load(array, place), value(frame)));
  };
}

function runFor(context: Context, { axis: { axis, extent }, body }: ForStatement): Run {
  const end = readInteger(extent);
  const run = runAll(context, body);
  return (frame) => {
    const count = end(frame);
    for (let x = 0; x < count; x++) {
      frame.axes[axis] = x;
      run(frame);
    }
  };
}

function runReduce(context: Context, statement: ReduceStatement): Run {
  const { accumulators, blocked } = statement;
  for (const accumulator of accumulators)
    context.reductions.set(accumulator.accumulator, { accumulator, blocked });
  const extents = statement.axes.map(({ extent }) => readInteger(extent));
  const axes = statement.axes.map(({ axis }) => axis);
  const row = runAll(context, statement.row);
  const body = runAll(context, statement.body);
  return (frame) => {
    for (const accumulator of accumulators) begin(accumulator, blocked, frame);
    const sizes = extents.map((extent) => extent(frame));
    const count = sizes.reduce((product, size) => product * size, 1);
    for (let place = 0; place < count; place++) {
      if (blocked && place > 0 && place % SUM_BLOCK === 0) endBlock(accumulators, frame);
      let rest = place;
      for (let k = axes.length - 1; k >= 0; k--) {
        const size = sizes[k] as number;
        frame.axes[axes[k] as number] = rest % size;
        rest = Math.floor(rest / size);
      }
      row(frame);
      const outerLane = frame.lane;
      frame.lane = place & 7;
      body(frame);
      frame.lane = outerLane;
    }
    if (blocked && count > 0) endBlock(accumulators, frame);
  };
}

function begin(accumulator: Accumulator, blocked: boolean, frame: Frame): void {
  const { accumulator: id, row, lanes } = accumulator;
  const at = (slot: number | null): TypedArray | null =>
    slot === null ? null : (frame.buffers[slot] as TypedArray);
  const width = row === null ? 1 : readInteger(row.cells)(frame);
  const cells: Cells =
    row === null
      ? ownCells(accumulator, blocked)
      : {
          partial: at(row.partial) as TypedArray,
          compensation: at(row.compensation),
          total: at(row.total),
          position: at(row.position),
        };
  frame.cells[id] = cells;
  frame.widths[id] = width;
  reset(accumulator, cells, width * lanes);
  if (cells.total !== null) resetTotal(accumulator, cells.total, width);
}

function endBlock(accumulators: readonly Accumulator[], frame: Frame): void {
  for (const accumulator of accumulators) {
    const cells = frame.cells[accumulator.accumulator] as Cells;
    const width = frame.widths[accumulator.accumulator] as number;
    if (cells.total === null) continue;
    for (let cell = 0; cell < width; cell++) {
      foldBlock(accumulator, cells.total, cell, foldLanes(accumulator, cells, cell, width));
    }
    reset(accumulator, cells, width * accumulator.lanes);
  }
}

function runAccumulate(context: Context, statement: AccumulateStatement): Run {
  const { accumulator: id } = statement;
  const { accumulator } = context.reductions.get(id) as { accumulator: Accumulator };
  const cell = readInteger(statement.cell);
  const [x, y] = statement.values.map(readOperand) as [ReadValue, ReadValue | undefined];
  const position = readInteger(statement.position);
  const fold = foldOf(accumulator);
  // Where order cannot matter, one lane will do.
  const useLanes = laneMatters(accumulator);
  return (frame) => {
    const at = cell(frame) + (useLanes ? frame.lane * (frame.widths[id] as number) : 0);
    fold(frame.cells[id] as Cells, at, x(frame), y === undefined ? 0 : y(frame), position(frame));
  };
}

function readExpression(context: Context, expression: Expression, dtype: DType): ReadValue {
  switch (expression.kind) {
    case "pointwise": {
      const [a, b, c] = expression.args.map(readOperand) as [ReadValue, ReadValue?, ReadValue?];
      const f = closurePointwise[expression.fn](expression.from, dtype);
      if (c !== undefined && b !== undefined) return (frame) => f(a(frame), b(frame), c(frame));
      return b === undefined ? (frame) => f(a(frame)) : (frame) => f(a(frame), b(frame));
    }
    case "load": {
      const { buffer } = expression;
      const at = readInteger(expression.at);
      const holds = readTests(expression.tests);
      const load = closureLoad((context.kernel.buffers[buffer] as { dtype: DType }).dtype);
      const zero = dtype === "int64" ? 0n : 0;
      return (frame) => (holds(frame) ? load(frame.buffers[buffer] as TypedArray, at(frame)) : zero);
    }
    case "select": {
      const cases = expression.cases.map(({ tests, value }) => ({
        holds: readTests(tests),
        value: readOperand(value),
      }));
      const otherwise = readOperand(expression.otherwise);
      return (frame) => (cases.find(({ holds }) => holds(frame))?.value ?? otherwise)(frame);
    }
    case "index": {
      const at = readInteger(expression.at);
      const convert = closurePointwise.cast("int32", dtype);
      // As an int32, since a product with a negative step may be −0.
      return (frame) => convert(at(frame) | 0);
    }
    case "result":
      return readResult(context, expression.accumulator, expression.cell);
    default:
      return expression satisfies never;
  }
}

function readResult(context: Context, id: number, cellOf: Integer): ReadValue {
  const { accumulator, blocked } = context.reductions.get(id) as {
    accumulator: Accumulator;
    blocked: boolean;
  };
  const readCell = readInteger(cellOf);
  const isTotal = blocked && accumulatorKind(accumulator.fn, accumulator.from).total !== null;
  return (frame) => {
    const held = frame.cells[id] as Cells;
    const cell = readCell(frame);
    const whole = isTotal
      ? ((held.total as TypedArray)[cell] as Scalar)
      : foldLanes(accumulator, held, cell, frame.widths[id] as number);
    return finish(accumulator, whole, (held.position?.[cell] as number | undefined) ?? 0);
  };
}

function readOperand(operand: Operand): ReadValue {
  switch (operand.kind) {
    case "local": {
      const { local } = operand;
      return (frame) => frame.values[local] as Scalar;
    }
    case "constant": {
      const { value } = operand;
      return () => value;
    }
    case "scalar": {
      const { slot } = operand;
      return (frame) => frame.scalars[slot] as Scalar;
    }
    default:
      return operand satisfies never;
  }
}

function readTests(tests: readonly Test[]): (frame: Frame) => boolean {
  const checks = tests.map(({ at, low, high }) => ({
    at: readInteger(at),
    low: low === null ? null : readInteger(low),
    high: high === null ? null : readInteger(high),
  }));
  return (frame) =>
    checks.every(({ at, low, high }) => {
      const index = at(frame);
      return (low === null || index >= low(frame)) && (high === null || index < high(frame));
    });
}

function readInteger(integer: Integer): ReadInteger {
  switch (integer.kind) {
    case "literal": {
      const { value } = integer;
      return () => value;
    }
    case "size": {
      const { slot } = integer;
      return (frame) => frame.sizes[slot] as number;
    }
    case "axis": {
      const { axis } = integer;
      return (frame) => frame.axes[axis] as number;
    }
    case "local": {
      const { local } = integer;
      return (frame) => frame.integers[local] as number;
    }
    case "add":
    case "mul":
    case "div":
    case "mod":
    case "min": {
      const left = readInteger(integer.left);
      const right = readInteger(integer.right);
      if (integer.kind === "add") return (frame) => left(frame) + right(frame);
      if (integer.kind === "mul") return (frame) => left(frame) * right(frame);
      if (integer.kind === "min") return (frame) => Math.min(left(frame), right(frame));
      if (integer.kind === "div") return (frame) => Math.trunc(left(frame) / right(frame));
      return (frame) => left(frame) % right(frame);
    }
    default:
      return integer satisfies never;
  }
}
