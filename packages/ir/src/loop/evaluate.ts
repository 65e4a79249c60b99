/** Integers of the loop IR as numbers, where sizes are all they depend on. */
import { InternalError } from "../errors.ts";
import type { Integer } from "./node.ts";
import { printInteger } from "./print.ts";

export function evaluateInteger(integer: Integer, sizes: readonly number[]): number {
  switch (integer.kind) {
    case "literal":
      return integer.value;
    case "size":
      return sizes[integer.slot]!;
    case "axis":
    case "local":
      throw new InternalError(`${printInteger(integer)} does not follow from sizes alone`);
    default: {
      const left = evaluateInteger(integer.left, sizes);
      const right = evaluateInteger(integer.right, sizes);
      return integerOperators[integer.kind](left, right);
    }
  }
}

type Binary = Exclude<Integer["kind"], "literal" | "size" | "axis" | "local">;

/** What the operators of the loop IR mean. */
export const integerOperators: { readonly [Kind in Binary]: (left: number, right: number) => number } = {
  add: (left, right) => left + right,
  mul: (left, right) => left * right,
  div: (left, right) => Math.trunc(left / right),
  mod: (left, right) => left % right,
  min: Math.min,
};
