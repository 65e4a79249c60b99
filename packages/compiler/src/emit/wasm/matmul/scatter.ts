/** Copies contiguous sums to where the result has them. */
import { equal, quotient, type Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";

/**
 * scatter(from, before, to, toBytes, count, accumulate): stores to elements at a stride of `toBytes`. With `accumulate`, the
 * elements of `before`, at the same stride, are added.
 */
export function scatter(module: ModuleBuilder, kind: Kind): FunctionIndex {
  return module.procedure(
    `scatter_${kind.name}`,
    "from before to toBytes count accumulate",
    (target, parameters) => {
      target.when(
        parameters.accumulate,
        () => scatterBy(target, kind, parameters, true),
        () => scatterBy(target, kind, parameters, false),
      );
    },
  );
}

function scatterBy(
  target: FunctionBuilder,
  kind: Kind,
  {
    from,
    before,
    to,
    toBytes,
    count,
  }: Readonly<Record<"from" | "before" | "to" | "toBytes" | "count", Variable>>,
  accumulated: boolean,
): void {
  const { unitBytes } = kind;
  const left = target.define(count);
  target.when(equal(toBytes, unitBytes), () => {
    target.forEach(0, quotient(count, vectorLanes(kind)), 1, () => {
      target.get(to.local).get(from.local).op("v128.load");
      if (accumulated) target.get(before.local).op("v128.load").op(kind.add);
      target.op("v128.store");
      target.advance(from, 16);
      target.advance(to, 16);
      if (accumulated) target.advance(before, 16);
      target.advance(left, -vectorLanes(kind));
    });
  });
  const scalar = kind.addScalar.slice(0, 3) as "i32" | "f32" | "f64";
  target.forEach(0, left, 1, () => {
    target.get(to.local).get(from.local).op(`${scalar}.load`);
    if (accumulated) target.get(before.local).op(`${scalar}.load`).op(kind.addScalar);
    target.op(`${scalar}.store`);
    target.advance(from, unitBytes);
    target.advance(to, toBytes);
    if (accumulated) target.advance(before, toBytes);
  });
}
