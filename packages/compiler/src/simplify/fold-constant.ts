import { isFloat, type PointwiseOp } from "@fuseau/ir";
import { closurePointwise } from "../emit/closure/pointwise.ts";
import type { Term, Terms } from "./term.ts";

/** Functions that emitters approximate, each within the same bound but with bits of its own: those are left to them. */
export const approximated: ReadonlySet<string> = new Set<PointwiseOp>([
  "pow",
  "atan2",
  "hypot",
  "rsqrt",
  "exp",
  "exp2",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "sigmoid",
  "sin",
  "cos",
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "asinh",
  "acosh",
  "atanh",
  "erf",
  "erfc",
  "erfinv",
  "lgamma",
  "digamma",
]);

/** The constant that an exact op on constants gives; undefined when there is none to be had (a division by zero). */
export function foldConstant({ node, inputs, dtype, fn }: Term, terms: Terms): Term | undefined {
  if (node.op !== "pointwise" || inputs.length === 0 || inputs.some(({ value }) => value === undefined))
    return undefined;
  if (isFloat(dtype) && approximated.has(fn)) return undefined;
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
