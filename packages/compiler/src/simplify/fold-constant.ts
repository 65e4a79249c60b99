import { isFloat, pointwiseOps } from "@fuseau/ir";
import { closurePointwise } from "../emit/closure/pointwise.ts";
import type { Term, Terms } from "./term.ts";

/**
 * The constant that an exact op on constants gives; undefined when there is none to be had (a division by zero). What emitters
 * approximate is left to them: each has last bits of its own.
 */
export function foldConstant({ node, inputs, dtype }: Term, terms: Terms): Term | undefined {
  if (node.op !== "pointwise" || inputs.length === 0 || inputs.some(({ value }) => value === undefined))
    return undefined;
  if (isFloat(dtype) && pointwiseOps[node.attributes.fn].approximated) return undefined;
  const [a, b, c] = inputs.map(({ value }) => value) as [
    number | bigint,
    (number | bigint)?,
    (number | bigint)?,
  ];
  const from = (inputs[inputs.length - 1] as Term).dtype;
  try {
    return terms.constant(dtype, closurePointwise[node.attributes.fn](from, dtype)(a, b, c));
  } catch {
    // The op throws for these operands: it is to throw when it runs.
    return undefined;
  }
}
