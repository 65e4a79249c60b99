/** Axes before and after a movement: which are aligned, repeated, or merged. */
import { sameNumbers } from "@fuseau/ir";
import type { Term, Terms } from "./term.ts";

/** The shape with axes of size 1 in front, up to `rank`. */
export const alignedShape = (shape: readonly number[], rank: number): number[] => [
  ...new Array<number>(rank - shape.length).fill(1),
  ...shape,
];

/** The operand of an `expand` with all axes of the result's shape; repeated axes have size 1. */
export const beneathExpand = (x: Term, { length }: readonly number[], terms: Terms): Term =>
  terms.reshape(x, alignedShape(x.node.shape, length));

/** True when `to` is `from` with axes of size 1 in front. */
export const addsLeadingOnes = (from: readonly number[], to: readonly number[]): boolean => {
  const missing = to.length - from.length;
  return missing >= 0 && to.every((size, axis) => size === (axis < missing ? 1 : from[axis - missing]));
};

/** True when two shapes differ in axes of size 1 alone. */
export const sameLongAxes = (a: readonly number[], b: readonly number[]): boolean =>
  sameNumbers(
    a.filter((size) => size !== 1),
    b.filter((size) => size !== 1),
  );

/** Groups of axes of a shape and of its reshaped form that hold the same elements in the same order. */
interface Run {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The smallest groups of axes that a reshape maps onto one another. No size is 0. */
export function runsOf(from: readonly number[], to: readonly number[]): Run[] {
  const runs: Run[] = [];
  let f = 0;
  let t = 0;
  while (f < from.length || t < to.length) {
    const run: { from: number[]; to: number[] } = { from: [], to: [] };
    let [have, want] = [1, 1];
    const takeFrom = (): void => {
      have *= from[f] as number;
      run.from.push(f++);
    };
    const takeTo = (): void => {
      want *= to[t] as number;
      run.to.push(t++);
    };
    if (f < from.length) takeFrom();
    if (t < to.length) takeTo();
    while (have !== want) {
      if (have < want && f < from.length) takeFrom();
      else if (t < to.length) takeTo();
      else takeFrom();
    }
    runs.push(run);
  }
  return runs;
}
