/** Straight-line code over addresses, for loops over vectors. */
import type { Variable } from "../encode/expression.ts";
import type { FunctionBuilder } from "../encode/function.ts";
import { StraightCode } from "../lanes/code.ts";
import { emitConstants, emitStraight, Placement } from "../lanes/emit-straight.ts";
import type { Register } from "../lanes/straight.ts";

/**
 * Encodes the constants of some code, and returns a function that encodes the code itself. `held` are v128 locals that the code
 * reads and then sets to the registers that `build` returns.
 */
export function prepared(
  target: FunctionBuilder,
  addresses: readonly Variable[],
  held: readonly Variable[],
  build: (
    code: StraightCode,
    addresses: readonly Register[],
    held: readonly Register[],
  ) => readonly Register[],
): () => void {
  const code = new StraightCode();
  const placement = new Placement(code, target);
  const inputs = (variables: readonly Variable[], type: "i32" | "v128"): Register[] =>
    variables.map(({ local }) => {
      const register = code.input(type);
      placement.share(register, local);
      return register;
    });
  const results = build(code, inputs(addresses, "i32"), inputs(held, "v128"));
  emitConstants(placement);
  return () => {
    emitStraight(placement);
    results.forEach((result, k) => {
      target.get(placement.local(result, 0)).set(held[k]!.local);
    });
  };
}
