import { closurePointwise } from "../emit/closure/pointwise.ts";
import type { Term, Terms } from "./term.ts";

/** The constant that a pointwise op on constants gives; undefined when there is none to be had (a division by zero). */
export function foldConstant(term: Term, terms: Terms): Term | undefined {
  const { node, inputs, dtype } = term;
  if (node.op !== "pointwise" || inputs.length === 0 || inputs.some(({ value }) => value === undefined))
    return undefined;
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
