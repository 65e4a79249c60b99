/** Derivatives of pointwise compositions: for where that of what they are made of overflows, or is not PyTorch's at a corner. */
import * as record from "../record.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { sumToSize } from "./reduction.ts";

/** The gradient of one operand, in the broadcast shape, from that of the result. */
type Share = (g: Value, result: Value) => Value;

/** What `compute` makes of operands that broadcast: `shares` gives the gradient of each, before it is summed to the operand's sizes. */
export const pointwiseRule = (
  name: string,
  inputs: readonly Value[],
  compute: () => Value,
  shares: readonly Share[],
): Value =>
  withRule(name, inputs, compute, (result, g, wanted) =>
    inputs.map((input, k) => {
      const share = shares[k];
      if (share === undefined || wanted[k] !== true) return null;
      const { dtype, shape } = input.node;
      return record.cast(sumToSize(share(g, result), shape), dtype);
    }),
  );
