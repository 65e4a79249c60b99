/** A module with a single float function, on columns: how a program that begins in closures computes the bits of WebAssembly. */
import { InternalError, type PointwiseOp } from "@fuseau/ir";
import { ModuleBuilder } from "./encode/module.ts";
import { StraightCode } from "./lanes/code.ts";
import { emitConstants, emitStraight, importsModule, Placement } from "./lanes/emit-straight.ts";
import type { Register } from "./lanes/straight.ts";
import { applyOp, isCalled } from "./pointwise/apply.ts";
import { type LaneValue, registersFor, widthOf } from "./values/value.ts";

/** The most elements of a column. */
export const COLUMN = 256;

/** Bytes between columns. The operands are the first three columns in memory, the result is the fourth. */
export const COLUMN_BYTES: number = COLUMN * 8;

const VECTOR = 16;
/** Elements that are computed at once. */
const STEP = 4;

/**
 * The module exports `run(n)`, which computes the first n elements, rounded up to a whole step. Null if WebAssembly calls the
 * host's function too.
 */
export function compileColumnFunction(
  op: PointwiseOp,
  from: "float32" | "float64",
  to: "float32" | "float64",
  arity: number,
): Uint8Array<ArrayBuffer> | null {
  if (isCalled(op, from)) return null;
  const module = new ModuleBuilder({ module: importsModule, name: "memory", shared: false, initial: 1 });
  const target = module.function("run", ["i32"]);
  const code = new StraightCode();
  const [read, written] = [code.input("i32"), code.input("i32")];
  const [width, resultWidth] = [widthOf[from], widthOf[to]];
  const operand = (k: number): LaneValue => ({
    dtype: from,
    width,
    uniform: false,
    registers: Array.from({ length: registersFor(STEP, width) }, (_, part) =>
      code.with("v128.load", k * COLUMN_BYTES + part * VECTOR, read),
    ),
  });
  const refuse = (): never => {
    throw new InternalError(`${op} of floats refuses elements`);
  };
  const operands = Array.from({ length: arity }, (_, k) => operand(k));
  const result = applyOp({ code, count: STEP, refuse }, op, from, to, operands);
  result.registers.forEach((register: Register, part) => {
    code.store("v128.store", 3 * COLUMN_BYTES + part * VECTOR, written, register);
  });
  const placement = new Placement(code, target);
  const [at, readAt, writtenAt] = [target.local("i32"), target.local("i32"), target.local("i32")];
  placement.share(read, readAt);
  placement.share(written, writtenAt);
  emitConstants(placement);
  target.forRange(at, 0, STEP, () => {
    target.get(at).i32(width).op("i32.mul").set(readAt);
    target.get(at).i32(resultWidth).op("i32.mul").set(writtenAt);
    emitStraight(placement);
  });
  module.exportFunction("run", target.index);
  return module.toBytes();
}
