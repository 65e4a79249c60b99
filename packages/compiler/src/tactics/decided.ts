/** The definitions that depend on an axis, directly or through each other. */
import { type Definition, type Integer, mentionsOf, someInteger } from "@fuseau/ir";

interface Decided {
  has(local: number): boolean;
  /** True when an integer depends on the axis or on those locals. */
  integer(integer: Integer): boolean;
}

/** The definitions are in order, in the loop over the axis. */
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
