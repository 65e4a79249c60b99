/** Sums that were made in a buffer side by side, brought to where the result has them. */
import {
  advance,
  define,
  equal,
  forEach,
  procedure,
  quotient,
  type Variable,
  when,
} from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import type { FunctionIndex } from "../encode/instruction.ts";
import type { ModuleBuilder } from "../encode/module.ts";
import { type Kind, vectorLanes } from "./kinds.ts";

/**
 * scatter(from, before, to, toBytes, count, accumulate): stores to elements that are `toBytes` apart. Where they accumulate, those
 * of `before`, which are as far apart, are added to them first.
 */
export function scatter(module: ModuleBuilder, kind: Kind): FunctionIndex {
  return procedure(
    module,
    `scatter_${kind.name}`,
    "from before to toBytes count accumulate",
    (target, parameters) => {
      when(
        target,
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
  const left = define(target, count);
  when(target, equal(toBytes, unitBytes), () => {
    forEach(target, 0, quotient(count, vectorLanes(kind)), 1, () => {
      target.get(to.local).get(from.local).op("v128.load");
      if (accumulated) target.get(before.local).op("v128.load").op(kind.add);
      target.op("v128.store");
      advance(target, from, 16);
      advance(target, to, 16);
      if (accumulated) advance(target, before, 16);
      advance(target, left, -vectorLanes(kind));
    });
  });
  const scalar = kind.addScalar.slice(0, 3) as "i32" | "f32" | "f64";
  forEach(target, 0, left, 1, () => {
    target.get(to.local).get(from.local).op(`${scalar}.load`);
    if (accumulated) target.get(before.local).op(`${scalar}.load`).op(kind.addScalar);
    target.op(`${scalar}.store`);
    advance(target, from, unitBytes);
    advance(target, to, toBytes);
    if (accumulated) advance(target, before, toBytes);
  });
}
