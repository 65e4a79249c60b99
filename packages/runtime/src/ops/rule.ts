/** Pointwise compositions with derivatives of their own: where that of their parts overflows, or is not PyTorch's at a corner. */
import * as record from "../record.ts";
import { GradientError } from "../tape/errors.ts";
import { withRule } from "../tape/rule.ts";
import type { Value } from "../value.ts";
import { sumToSize } from "./reduction.ts";

/** The gradient of one operand from that of the result, in the broadcast shape. */
type Share = (g: Value, result: Value) => Value;

/**
 * The result of `compute` for operands that broadcast. `shares` returns the gradient of each, before it is summed to the operand's sizes.
 */
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

/** What PyTorch's NotImplementedError is here, of an op whose first operand no derivative flows through. */
export const underivedFirst = (op: string): GradientError =>
  new GradientError(
    `the derivative for 'self', the first operand of ${op}, is not implemented (x.detach() takes what no derivative flows through)`,
  );
