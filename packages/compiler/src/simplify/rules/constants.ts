/** Ops on constants alone. */
import { isFloat, pointwiseNames, pointwiseOps } from "@fuseau/ir";
import { closurePointwise } from "../../emit/closure/pointwise.ts";
import { of } from "../terms/pattern.ts";
import { type Rule, rule } from "../terms/rule.ts";
import type { Term } from "../terms/term.ts";

const any = { fn: "constant" } as const;

export const constants: readonly Rule[] = [
  rule({
    name: "constant",
    at: pointwiseNames,
    pattern: [of(any), of(any, any), of(any, any, any)],
    // Functions that emitters approximate are not evaluated: the last bits differ between emitters.
    when: (_, { node, dtype }) =>
      node.op === "pointwise" && !(isFloat(dtype) && pointwiseOps[node.attributes.fn].approximated),
    law: "an exact op on constants → the constant it gives, by the same functions that kernels call",
    gives: (_, terms, { node, inputs, dtype }) => {
      if (node.op !== "pointwise") return undefined;
      const [a, b, c] = inputs.map(({ value }) => value) as [
        number | bigint,
        (number | bigint)?,
        (number | bigint)?,
      ];
      const from = (inputs.at(-1) as Term).dtype;
      try {
        return terms.constant(dtype, closurePointwise[node.attributes.fn](from, dtype)(a, b, c));
      } catch {
        // The op throws for these operands, and must throw when it runs.
        return undefined;
      }
    },
  }),
];
