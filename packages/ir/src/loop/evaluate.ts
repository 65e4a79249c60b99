/** Evaluates integers of the loop IR that depend on nothing but sizes. */
import { InternalError } from "../errors.ts";
import type { Integer, IntegerOperator } from "./node.ts";
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

/** A number computed from a kernel's sizes. */
export type OfSizes = (sizes: readonly number[]) => number;

/**
 * Makes a function that evaluates an integer at many sizes. Constant parts are computed here, once. Parts that occur more than once are
 * computed once: an integer made of a few nested divisions is a tree of thousands. If no size that it depends on has changed since the last
 * call, the last result is returned.
 */
export function integerOfSizes(integer: Integer, meaningOf: (name: Name) => Integer = refuseName): OfSizes {
  const known = new Map<Integer, number>();
  const values: number[] = [];
  const constant: boolean[] = [];
  const loads: { readonly to: number; readonly slot: number }[] = [];
  const steps: {
    readonly to: number;
    readonly apply: (left: number, right: number) => number;
    readonly left: number;
    readonly right: number;
  }[] = [];
  const add = (value: number, isConstant: boolean): number => {
    constant.push(isConstant);
    return values.push(value) - 1;
  };
  const made = (own: Integer): number => {
    switch (own.kind) {
      case "literal":
        return add(own.value, true);
      case "size": {
        // No size is −1, so the first call computes everything.
        const to = add(-1, false);
        loads.push({ to, slot: own.slot });
        return to;
      }
      case "axis":
      case "local":
        return placeOf(meaningOf(own));
      default: {
        const [left, right] = [placeOf(own.left), placeOf(own.right)];
        const apply = integerOperators[own.kind];
        if (constant[left] && constant[right]) return add(apply(values[left]!, values[right]!), true);
        const to = add(0, false);
        steps.push({ to, apply, left, right });
        return to;
      }
    }
  };
  const placeOf = (own: Integer): number => {
    const place = known.get(own) ?? made(own);
    known.set(own, place);
    return place;
  };
  const result = placeOf(integer);
  const value = values[result]!;
  if (constant[result]) return () => value;
  const [only] = loads;
  if (steps.length === 0 && only !== undefined) return (sizes) => sizes[only.slot]!;
  return (sizes) => {
    let isSame = true;
    for (const { to, slot } of loads) {
      const size = sizes[slot]!;
      if (values[to] === size) continue;
      values[to] = size;
      isSame = false;
    }
    if (isSame) return values[result]!;
    for (const { to, apply, left, right } of steps) values[to] = apply(values[left]!, values[right]!);
    return values[result]!;
  };
}

function refuseName(name: Name): never {
  throw new InternalError(`${printInteger(name)} does not follow from sizes alone`);
}

/** The functions that the loop IR's operators stand for. */
export const integerOperators: {
  readonly [Kind in IntegerOperator]: (left: number, right: number) => number;
} = {
  add: (left, right) => left + right,
  mul: (left, right) => left * right,
  div: (left, right) => Math.trunc(left / right),
  mod: (left, right) => left % right,
  min: Math.min,
};
