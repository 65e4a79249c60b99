/** Which definitions an axis decides, by themselves or through each other. */
import { type Definition, type Integer, mentionsOf, someInteger } from "@fuseau/ir";

export interface Decided {
  has(local: number): boolean;
  /** Whether an integer in terms of the axis and those locals changes with it. */
  integer(integer: Integer): boolean;
}

/** The definitions stand in their order, in the loop over the axis. */
export function decidedBy(axis: number, definitions: readonly Definition[]): Decided {
  const locals = new Set<number>();
  for (const definition of definitions) {
    const mentions = mentionsOf([definition]);
    if (mentions.axes.has(axis) || [...mentions.locals].some((each) => locals.has(each)))
      locals.add(definition.local);
  }
  return {
    has: (local) => locals.has(local),
    integer: (integer) =>
      someInteger(
        integer,
        (leaf) =>
          (leaf.kind === "axis" && leaf.axis === axis) || (leaf.kind === "local" && locals.has(leaf.local)),
      ),
  };
}
