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

/** A number that follows from sizes. */
export type OfSizes = (sizes: readonly number[]) => number;

/** The same for an integer that is asked for at many sizes: what does not depend on them is worked out here. */
export function integerOfSizes(
  integer: Integer,
  numberOf: (name: Name) => number | OfSizes = refuseName,
): OfSizes {
  const known = compiled(integer, numberOf);
  return typeof known === "number" ? () => known : known;
}

function compiled(integer: Integer, numberOf: (name: Name) => number | OfSizes): number | OfSizes {
  switch (integer.kind) {
    case "literal":
      return integer.value;
    case "size": {
      const { slot } = integer;
      return (sizes) => sizes[slot]!;
    }
    case "axis":
    case "local":
      return numberOf(integer);
    default: {
      const left = compiled(integer.left, numberOf);
      const right = compiled(integer.right, numberOf);
      const apply = integerOperators[integer.kind];
      if (typeof left !== "number") {
        if (typeof right !== "number") return (sizes) => apply(left(sizes), right(sizes));
        return (sizes) => apply(left(sizes), right);
      }
      return typeof right === "number" ? apply(left, right) : (sizes) => apply(left, right(sizes));
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
