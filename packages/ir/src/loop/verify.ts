/** Checks that a kernel keeps the contract in node.ts. Tests run it after lowering. A failure is a fault of fuseau itself. */
import { InternalError } from "../errors.ts";
import { pointwiseOps } from "../pointwise/table.ts";
import type { Expression, Integer, LoopAxis, LoopKernel, Operand, Statement, Test } from "./node.ts";
import { printLoopKernel } from "./print.ts";
import { verifyRuns } from "./verify-runs.ts";
import { cutOf, type Loop } from "./walk.ts";

/** What is defined at one point of the kernel. */
interface Scope {
  readonly integers: Set<number>;
  readonly values: Set<number>;
  readonly axes: Set<number>;
  /** Accumulators whose loop is open: they may take elements. */
  readonly open: Set<number>;
  /** Accumulators whose loop has ended: they may be read. */
  readonly closed: Set<number>;
}

const copyOf = (scope: Scope): Scope => ({
  integers: new Set(scope.integers),
  values: new Set(scope.values),
  axes: new Set(scope.axes),
  open: new Set(scope.open),
  closed: new Set(scope.closed),
});

/** @throws InternalError that prints the kernel. */
export function verifyLoopKernel(kernel: LoopKernel): void {
  const defined = new Set<number>();
  const fail = (message: string): never => {
    throw new InternalError(message, printLoopKernel(kernel));
  };
  const need = (holds: boolean, message: string): void => {
    if (!holds) fail(message);
  };

  const integer = (value: Integer, scope: Scope): void => {
    switch (value.kind) {
      case "literal":
        need(Number.isInteger(value.value), `literal ${value.value}`);
        break;
      case "size":
        need(value.slot >= 0 && value.slot < kernel.sizes, `size slot n${value.slot}`);
        break;
      case "axis":
        need(scope.axes.has(value.axis), `axis x${value.axis} is not known here`);
        break;
      case "local":
        need(scope.integers.has(value.local), `integer i${value.local} is not known here`);
        break;
      default:
        integer(value.left, scope);
        integer(value.right, scope);
    }
  };
  const operand = (value: Operand, scope: Scope): void => {
    if (value.kind === "local")
      need(scope.values.has(value.local), `value v${value.local} is not known here`);
    if (value.kind === "scalar") need(value.slot < kernel.scalars.length, `scalar c${value.slot}`);
  };
  const tests = (list: readonly Test[], scope: Scope): void => {
    for (const { at, low, high } of list)
      for (const part of [at, low, high]) if (part !== null) integer(part, scope);
  };
  const buffer = (slot: number): void => need(slot < kernel.buffers.length, `buffer b${slot}`);
  const scratch = (slot: number): void =>
    need(kernel.buffers[slot]?.access === "scratch", `b${slot} is no scratch`);

  const expression = (value: Expression, scope: Scope): void => {
    switch (value.kind) {
      case "pointwise":
        need(
          value.args.length === pointwiseOps[value.fn].arity,
          `${value.fn} of ${value.args.length} operands`,
        );
        for (const arg of value.args) operand(arg, scope);
        return;
      case "load":
        buffer(value.buffer);
        integer(value.at, scope);
        tests(value.tests, scope);
        break;
      case "select":
        for (const choice of value.cases) {
          tests(choice.tests, scope);
          operand(choice.value, scope);
        }
        operand(value.otherwise, scope);
        break;
      case "index":
        integer(value.at, scope);
        break;
      case "result":
        need(
          scope.closed.has(value.accumulator),
          `accumulator a${value.accumulator} is read before its loop ends`,
        );
        integer(value.cell, scope);
        break;
      default:
        value satisfies never;
    }
  };
  const define = (local: number, names: Set<number>): void => {
    need(!defined.has(local), `local ${local} is defined twice`);
    defined.add(local);
    names.add(local);
  };
  const open = ({ axis, extent }: LoopAxis, outside: Scope, inside: Scope): void => {
    integer(extent, outside);
    need(!outside.axes.has(axis), `axis x${axis} is open already`);
    inside.axes.add(axis);
  };

  const openPieces = ({ run }: Loop, inside: Scope): void => {
    const cut = cutOf(run);
    if (cut === null) return;
    for (const at of cut.at) integer(at, inside);
    need(!inside.axes.has(cut.first), `axis x${cut.first} is open already`);
    inside.axes.add(cut.first);
  };

  const walk = (body: readonly Statement[], scope: Scope): void => {
    for (const statement of body) {
      switch (statement.kind) {
        case "integer":
          integer(statement.value, scope);
          define(statement.local, scope.integers);
          break;
        case "let":
          expression(statement.value, scope);
          define(statement.local, scope.values);
          break;
        case "store":
          buffer(statement.buffer);
          need(kernel.buffers[statement.buffer]?.access !== "read", `b${statement.buffer} is only read`);
          integer(statement.at, scope);
          operand(statement.value, scope);
          break;
        case "index":
          operand(statement.value, scope);
          integer(statement.size, scope);
          integer(statement.place, scope);
          define(statement.local, scope.integers);
          break;
        case "sort":
          scratch(statement.keys);
          if (statement.order !== null) {
            scratch(statement.order);
            need(kernel.buffers[statement.order]?.dtype === "int32", `places of b${statement.order}`);
          }
          need(statement.sorted || statement.order !== null, "a sort that gives nothing");
          integer(statement.length, scope);
          if (statement.first !== null) {
            need(!statement.sorted, "a sort of all keys that gives the first places");
            integer(statement.first, scope);
          }
          break;
        case "for": {
          const inside = copyOf(scope);
          open(statement.axis, scope, inside);
          openPieces(statement, inside);
          walk(statement.body, inside);
          break;
        }
        case "reduce": {
          const inside = copyOf(scope);
          for (const axis of statement.axes) open(axis, scope, inside);
          for (const { accumulator } of statement.accumulators) {
            inside.open.add(accumulator);
            if (statement.scan) inside.closed.add(accumulator);
          }
          walk(statement.row, inside);
          openPieces(statement, inside);
          walk(statement.body, inside);
          for (const { accumulator } of statement.accumulators) scope.closed.add(accumulator);
          break;
        }
        case "accumulate":
          need(
            scope.open.has(statement.accumulator),
            `accumulator a${statement.accumulator} has no loop here`,
          );
          integer(statement.cell, scope);
          integer(statement.position, scope);
          for (const value of statement.values) operand(value, scope);
          break;
        default:
          statement satisfies never;
      }
    }
  };
  const { block, chunk } = kernel.order;
  need(Number.isInteger(Math.log2(block)) && block <= 2 ** 22, `blocks of ${block}`);
  need(chunk > 0 && chunk % 16 === 0 && block % chunk === 0, `chunks of ${chunk} in blocks of ${block}`);
  walk(kernel.body, {
    integers: new Set(),
    values: new Set(),
    axes: new Set(),
    open: new Set(),
    closed: new Set(),
  });
  verifyRuns(kernel, need);
}
