/**
 * The sign of a zero and the bits of a NaN are no part of an element. Such keys are put aside in their order before the sorted ones
 * are written over them. Then they are put back: the zeros behind what is smaller, the NaNs at the end.
 */
import type { DType } from "@fuseau/ir";
import {
  add,
  assign,
  define,
  type Expression,
  mul,
  procedure,
  push,
  sub,
  type Variable,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Operation } from "../encode/operations.ts";
import { record as parts } from "./record.ts";
import { keyBytes } from "./to-elements.ts";

const typeOf = (dtype: DType): "f32" | "f64" => (dtype === "float64" ? "f64" : "f32");

/** put_aside(keys, length, to, record), of at least one. It writes one key more than it keeps. */
export function putAside(module: ModuleBuilder, dtype: DType): FunctionIndex {
  const type = typeOf(dtype);
  const bytes = keyBytes(dtype);
  return procedure(module, `put_aside_${dtype}`, "keys length to record", (target, variables) => {
    const { keys, length, to, record } = variables;
    const end = define(target, add(keys, mul(length, bytes)));
    const negatives = define(target, 0);
    const keep = (op: Operation, other: "zero" | "itself", each: (key: Variable) => void): Variable => {
      const start = define(target, to);
      const at = define(target, keys);
      const key: Variable = { local: target.local(type) };
      target.loop((again) => {
        push(target, at);
        target.op(`${type}.load`).set(key.local);
        push(target, to);
        push(target, { op: `${type === "f32" ? "i32" : "i64"}.load`, args: [at] });
        target.op(`${type === "f32" ? "i32" : "i64"}.store`);
        push(target, to);
        compare(target, type, op, key, other);
        target.i32(bytes).op("i32.mul").op("i32.add").set(to.local);
        each(key);
        assign(target, at, add(at, bytes));
        push(target, { op: "i32.lt_u", args: [at, end] });
        target.brIf(again);
      });
      return define(target, sub(to, start));
    };
    const zeros = keep(`${type}.eq`, "zero", (key) => {
      push(target, negatives);
      compare(target, type, `${type}.lt`, key, "zero");
      target.op("i32.add").set(negatives.local);
    });
    const nans = keep(`${type}.ne`, "itself", () => {});
    for (const [offset, value] of [
      [parts.negatives, mul(negatives, bytes)],
      [parts.zeros, zeros],
      [parts.nans, nans],
    ] as const) {
      push(target, record);
      push(target, value);
      target.op("i32.store", offset);
    }
  });
}

function compare(
  target: FunctionBuilder,
  type: "f32" | "f64",
  op: Operation,
  key: Variable,
  other: "zero" | "itself",
): void {
  push(target, key);
  if (other === "itself") push(target, key);
  else if (type === "f32") target.f32(0);
  else target.f64(0);
  target.op(op);
}

/** put_back(keys, length, from, record): what `putAside` kept. */
export function putBack(module: ModuleBuilder, dtype: DType, descending: boolean): FunctionIndex {
  const name = `put_back_${dtype}${descending ? "_descending" : ""}`;
  return procedure(module, name, "keys length from record", (target, variables) => {
    const { keys, length, from, record } = variables;
    const part = (offset: number): Variable =>
      define(target, { op: "i32.load", args: [add(record, offset)] });
    const [negatives, zeros, nans] = [part(parts.negatives), part(parts.zeros), part(parts.nans)];
    const bytes = define(target, mul(length, keyBytes(dtype)));
    const copy = (at: Expression, source: Expression, size: Expression): void => {
      push(target, add(keys, at));
      push(target, source);
      push(target, size);
      target.op("memory.copy");
    };
    copy(descending ? sub(bytes, add(negatives, zeros)) : negatives, from, zeros);
    copy(descending ? 0 : sub(bytes, nans), add(from, zeros), nans);
  });
}
