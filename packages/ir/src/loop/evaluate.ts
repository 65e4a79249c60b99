/** Integers of the loop IR as numbers, where sizes are all they depend on. */
import { InternalError } from "../errors.ts";
import type { Integer } from "./node.ts";
import { printInteger } from "./print.ts";
import type { Name } from "./walk.ts";

export function evaluateInteger(
  integer: Integer,
  sizes: readonly number[],
  numberOf: (name: Name) => number = refuseName,
): number {
  switch (integer.kind) {
    case "literal":
      return integer.value;
    case "size":
      return sizes[integer.slot]!;
    case "axis":
    case "local":
      return numberOf(integer);
    default: {
      const left = evaluateInteger(integer.left, sizes, numberOf);
      const right = evaluateInteger(integer.right, sizes, numberOf);
      return integerOperators[integer.kind](left, right);
    }
  }
}

function refuseName(name: Name): never {
  throw new InternalError(`${printInteger(name)} does not follow from sizes alone`);
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
