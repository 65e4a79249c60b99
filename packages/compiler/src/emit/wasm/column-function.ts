/**
 * A module with a single float function, on columns and on single elements: how closures and text compute the bits of
 * WebAssembly.
 */
import { InternalError, type PointwiseOp } from "@fuseau/ir";
import type { Held } from "../shared/bits-of-lanes.ts";
import { ModuleBuilder } from "./encode/module.ts";
import type { Operation } from "./encode/operations.ts";
import { StraightCode } from "./lanes/code.ts";
import { emitConstants, emitStraight, Placement } from "./lanes/emit-straight.ts";
import type { Register } from "./lanes/straight.ts";
import { relaxedKinds } from "./matmul/kinds.ts";
import { applyOp } from "./pointwise/apply.ts";
import { extractLane } from "./values/each-lane.ts";
import { type LaneValue, laneTypeOf, registersFor, widthOf } from "./values/value.ts";

/** The most elements of a column. */
export const COLUMN = 256;

/** Bytes between columns. The operands are the first three columns in memory, the result is the fourth. */
export const COLUMN_BYTES: number = COLUMN * 8;

const VECTOR = 16;
/** Elements that are computed at once. */
const STEP = 4;

/**
 * The module exports `run(n)`, which computes the first n elements, rounded up to a whole step, and `at(a, b, c)`, which computes one.
 * Without columns it has `at` alone and imports no memory.
 */
export function compileColumnFunction(
  op: PointwiseOp,
  from: Held,
  to: Held,
  arity: number,
  hasColumns = true,
): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder(
    hasColumns ? { module: "env", name: "memory", shared: false, initial: 1 } : null,
  );
  if (hasColumns) addColumns(module, op, from, to, arity);
  addElement(module, op, from, to, arity);
  return module.toBytes();
}

function addColumns(module: ModuleBuilder, op: PointwiseOp, from: Held, to: Held, arity: number): void {
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
  const operands = Array.from({ length: arity }, (_, k) => operand(k));
  const result = applyOp({ code, count: STEP, refuse: refuses(op) }, op, from, to, operands);
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
}

function addElement(module: ModuleBuilder, op: PointwiseOp, from: Held, to: Held, arity: number): void {
  const width = widthOf[from];
  addSingle(module, from, to, arity, (code, values) => {
    const operands = values.map(
      (register): LaneValue => ({ dtype: from, width, uniform: true, registers: [register] }),
    );
    return applyOp({ code, count: 1, refuse: refuses(op) }, op, from, to, operands).registers[0]!;
  });
}

const refuses = (op: PointwiseOp) => (): never => {
  throw new InternalError(`${op} of floats refuses elements`);
};

/** The module exports `at(a, b, c)`: a·b + c, as products are added where the host has relaxed SIMD. */
export function compileMultiplyAdd(dtype: Held): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder(null);
  const { multiplyAdd } = relaxedKinds[dtype];
  addSingle(module, dtype, dtype, 3, (code, values) => code.op(multiplyAdd as Operation, ...values));
  return module.toBytes();
}

/** Exports a function of one element of each operand. `make` gives the result's register from theirs, each with the element in all lanes. */
function addSingle(
  module: ModuleBuilder,
  from: Held,
  to: Held,
  arity: number,
  make: (code: StraightCode, values: readonly Register[]) => Register,
): void {
  const target = module.function("at", new Array<"f32" | "f64">(arity).fill(scalars[from]), [scalars[to]]);
  const code = new StraightCode();
  const given = Array.from({ length: arity }, () => code.input(scalars[from]));
  const result = make(
    code,
    given.map((each) => code.op(`${laneTypeOf[from] as "f32x4" | "f64x2"}.splat`, each)),
  );
  const single = extractLane(code, laneTypeOf[to], result, 0);
  const placement = new Placement(code, target);
  given.forEach((each, parameter) => {
    placement.share(each, parameter);
  });
  emitConstants(placement);
  emitStraight(placement);
  placement.get(single, 0);
  module.exportFunction("at", target.index);
}

const scalars = { float32: "f32", float64: "f64" } as const;
