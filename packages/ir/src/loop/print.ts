/** Prints the loop IR. Kernels are equal if their texts are: caches use the text as their key. */
import type { DType } from "../dtype.ts";
import {
  type AccumulationOrder,
  type Accumulator,
  type BufferParameter,
  type Cut,
  defaultOrder,
  type Expression,
  type Integer,
  type LoopAxis,
  type LoopKernel,
  type Operand,
  type Run,
  type Statement,
  type Test,
} from "./node.ts";
import { binarySymbols, combineSymbols } from "./symbols.ts";

export function printLoopKernel(kernel: LoopKernel): string {
  const buffers = kernel.buffers.map((buffer, slot) => `b${slot}: ${printBuffer(buffer)}`).join(", ");
  const scalars = kernel.scalars.map((dtype, slot) => `c${slot}: ${dtype}`).join(", ");
  const lines = [`kernel(${buffers}; sizes ${kernel.sizes}; ${scalars}${printOrder(kernel.order)})`];
  printBody(kernel.body, "  ", lines);
  return lines.join("\n");
}

const printBuffer = (buffer: BufferParameter): string =>
  `${buffer.access} ${buffer.dtype}${buffer.access === "private" ? ` x ${printInteger(buffer.cells)}` : ""}`;

/** Nothing where it is the usual one. */
const printOrder = ({ block, chunk }: AccumulationOrder): string =>
  block === defaultOrder.block && chunk === defaultOrder.chunk
    ? ""
    : `; blocks of ${block}, chunks of ${chunk}`;

function printBody(body: readonly Statement[], indent: string, lines: string[]): void {
  for (const statement of body) {
    switch (statement.kind) {
      case "integer":
        lines.push(`${indent}i${statement.local} = ${printInteger(statement.value)}`);
        break;
      case "let":
        lines.push(`${indent}v${statement.local}: ${statement.dtype} = ${printExpression(statement.value)}`);
        break;
      case "store": {
        const place = `b${statement.buffer}[${printInteger(statement.at)}]`;
        lines.push(`${indent}${place} ${combineSymbols[statement.combine]} ${printOperand(statement.value)}`);
        break;
      }
      case "index": {
        const value = `index.${statement.dtype} ${printOperand(statement.value)}`;
        const bound = `${printInteger(statement.size)} of axis ${statement.axis} @ ${printInteger(statement.place)}`;
        lines.push(`${indent}i${statement.local} = ${value} < ${bound}`);
        break;
      }
      case "sort": {
        const { keys, order, sorted, length, first, descending } = statement;
        const some = first === null ? "" : `first ${printInteger(first)} of `;
        const places = order === null ? "" : `b${order} = ${some}order of `;
        const kept = sorted ? "sorted " : "";
        lines.push(
          `${indent}${places}${kept}b${keys} < ${printInteger(length)}${descending ? " descending" : ""}`,
        );
        break;
      }
      case "for":
        lines.push(
          `${indent}for ${printAxis(statement.axis)}${statement.ordered ? " in order" : ""}${printRun(statement.run)}`,
        );
        printBody(statement.body, `${indent}  `, lines);
        break;
      case "reduce": {
        const flags = `${statement.blocked ? " blocked" : ""}${statement.aligned ? " aligned" : ""}`;
        lines.push(
          `${indent}${statement.scan ? "scan" : "reduce"} ${statement.axes.map(printAxis).join(", ")}${flags}${printRun(statement.run)}`,
        );
        for (const accumulator of statement.accumulators)
          lines.push(`${indent}  ${printAccumulator(accumulator)}`);
        if (statement.row.length > 0) {
          lines.push(`${indent}  row`);
          printBody(statement.row, `${indent}    `, lines);
        }
        printBody(statement.body, `${indent}  `, lines);
        break;
      }
      case "accumulate": {
        const values = statement.values.map(printOperand).join(", ");
        const cell = printInteger(statement.cell);
        lines.push(
          `${indent}a${statement.accumulator}[${cell}] <- ${values} @ ${printInteger(statement.position)}`,
        );
        break;
      }
      default:
        statement satisfies never;
    }
  }
}

function printRun(run: Run | undefined): string {
  if (run === undefined) return "";
  switch (run.kind) {
    case "vector": {
      const copies = run.copies === 1 ? "" : ` x ${run.copies}`;
      const masked = run.masked === undefined ? "" : ` masked ${run.masked}`;
      const spilled = run.spilled === true ? " spilled" : "";
      return ` vector ${run.lanes}${copies}${masked}${spilled}${run.cut === undefined ? "" : printCut(run.cut)}`;
    }
    case "jam":
      return ` jam ${run.copies}`;
    case "unrolled":
      return run.transposed ? " unrolled transposed" : " unrolled";
    default:
      return ` ${run.kind}`;
  }
}

const printCut = ({ first, at }: Cut): string => ` cut x${first} at ${at.map(printInteger).join(", ")}`;

const printAxis = ({ axis, extent, short }: LoopAxis): string =>
  `x${axis} < ${printInteger(extent)}${short ? " short" : ""}`;

function printAccumulator({ accumulator, fn, from, to, lanes, row }: Accumulator): string {
  const where =
    row === null
      ? ""
      : ` row ${printInteger(row.cells)} in ${[row.partial, row.compensation, row.total, row.position]
          .map((slot) => (slot === null ? "-" : `b${slot}`))
          .join(" ")}`;
  return `a${accumulator} = ${fn} ${from} -> ${to} lanes ${lanes}${where}`;
}

function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "pointwise":
      return `${expression.fn}.${expression.from}(${expression.args.map(printOperand).join(", ")})`;
    case "load":
      return `b${expression.buffer}[${printInteger(expression.at)}]${printTests(expression.tests)}`;
    case "select": {
      const cases = expression.cases.map(({ tests, value }) => `${printOperand(value)}${printTests(tests)}`);
      return `select ${[...cases, printOperand(expression.otherwise)].join(", else ")}`;
    }
    case "index":
      return `index ${printInteger(expression.at)}`;
    case "result":
      return `result a${expression.accumulator}[${printInteger(expression.cell)}]`;
    default:
      return expression satisfies never;
  }
}

function printTests(tests: readonly Test[]): string {
  const texts = tests.map(({ at, low, high }) => {
    const above = low === null ? "" : `${printInteger(low)} <= `;
    return `${above}${printInteger(at)}${high === null ? "" : ` < ${printInteger(high)}`}`;
  });
  return texts.length === 0 ? "" : ` if ${texts.join(" and ")}`;
}

export function printOperand(operand: Operand): string {
  switch (operand.kind) {
    case "local":
      return `v${operand.local}`;
    case "scalar":
      return `c${operand.slot}`;
    case "constant":
      return `${showConstant(operand.value)}:${operand.dtype satisfies DType}`;
    default:
      return operand satisfies never;
  }
}

const showConstant = (value: number | bigint): string => (Object.is(value, -0) ? "-0" : `${value}`);

export function printInteger(integer: Integer): string {
  switch (integer.kind) {
    case "literal":
      return `${integer.value}`;
    case "size":
      return `n${integer.slot}`;
    case "axis":
      return `x${integer.axis}`;
    case "local":
      return `i${integer.local}`;
    case "add":
    case "mul":
    case "div":
    case "mod":
    case "min":
      return `(${printInteger(integer.left)} ${binarySymbols[integer.kind]} ${printInteger(integer.right)})`;
    default:
      return integer satisfies never;
  }
}
