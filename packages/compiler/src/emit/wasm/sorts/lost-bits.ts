/**
 * Elements do not keep the sign of a zero or the bits of a NaN. Such keys are copied aside, in their order, before sorted keys
 * overwrite them. Then they are copied back: the zeros behind the smaller keys, the NaNs to the end.
 */
import type { DType } from "@fuseau/ir";
import { add, below, type Expression, mul, sub, type Variable, wordAt } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import type { Operation } from "../encode/operations.ts";
import { record as parts } from "./record.ts";
import { keyBytes } from "./to-elements.ts";

const typeOf = (dtype: DType): "f32" | "f64" => (dtype === "float64" ? "f64" : "f32");

/** put_aside(keys, length, to, record), for at least one key. It writes one key more than it keeps. */
export function putAside(module: ModuleBuilder, dtype: DType): FunctionIndex {
  const type = typeOf(dtype);
  const bits = type === "f32" ? "i32" : "i64";
  const bytes = keyBytes(dtype);
  return module.procedure(`put_aside_${dtype}`, "keys length to record", (target, variables) => {
    const { keys, length, to, record } = variables;
    const end = target.define(add(keys, mul(length, bytes)));
    const negatives = target.define(0);
    const keep = (op: Operation, other: "zero" | "itself", each: (key: Variable) => void): Variable => {
      const start = target.define(to);
      const at = target.define(keys);
      const key: Variable = { local: target.local(type) };
      target.repeat(() => {
        target.assign(key, { op: `${type}.load`, args: [at] });
        target.store(`${bits}.store`, to, { op: `${bits}.load`, args: [at] }).push(to);
        compare(target, type, op, key, other);
        target.i32(bytes).op("i32.mul").op("i32.add").set(to.local);
        each(key);
        target.advance(at, bytes);
        return below(at, end);
      });
      return target.define(sub(to, start));
    };
    const zeros = keep(`${type}.eq`, "zero", (key) => {
      target.push(negatives);
      compare(target, type, `${type}.lt`, key, "zero");
      target.op("i32.add").set(negatives.local);
    });
    const nans = keep(`${type}.ne`, "itself", () => {});
    for (const [offset, value] of [
      [parts.negatives, mul(negatives, bytes)],
      [parts.zeros, zeros],
      [parts.nans, nans],
    ] as const)
      target.store("i32.store", record, value, offset);
  });
}

function compare(
  target: FunctionBuilder,
  type: "f32" | "f64",
  op: Operation,
  key: Variable,
  other: "zero" | "itself",
): void {
  target.push(key);
  if (other === "itself") target.push(key);
  else if (type === "f32") target.f32(0);
  else target.f64(0);
  target.op(op);
}

/** put_back(keys, length, from, record): copies back what `putAside` kept. */
export function putBack(module: ModuleBuilder, dtype: DType, descending: boolean): FunctionIndex {
  const name = `put_back_${dtype}${descending ? "_descending" : ""}`;
  return module.procedure(name, "keys length from record", (target, variables) => {
    const { keys, length, from, record } = variables;
    const part = (offset: number): Variable => target.define(wordAt(add(record, offset)));
    const [negatives, zeros, nans] = [part(parts.negatives), part(parts.zeros), part(parts.nans)];
    const bytes = target.define(mul(length, keyBytes(dtype)));
    const copy = (at: Expression, source: Expression, size: Expression): void => {
      target.push(add(keys, at)).push(source).push(size).op("memory.copy");
    };
    copy(descending ? sub(bytes, add(negatives, zeros)) : negatives, from, zeros);
    copy(descending ? 0 : sub(bytes, nans), add(from, zeros), nans);
  });
}
