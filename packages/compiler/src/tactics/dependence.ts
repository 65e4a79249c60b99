/** Loop-carried dependences: whether an iteration of a loop may read what another one stores. */
import { type Integer, isLoop, printInteger, type Statement, someInteger, visitStatements } from "@fuseau/ir";

/**
 * True when a buffer is both stored to and read, unless it is at one place that belongs to the iteration. An example is a row of scratch
 * that every iteration fills anew. With `inner`, the axis of the only loop within, it may also be a place that belongs to an iteration of
 * both loops.
 */
export function hasLoopCarriedDependence(
  body: readonly Statement[],
  axis: number,
  inner: number | null = null,
): boolean {
  const stores = new Map<number, Set<string>>();
  const reads: { readonly buffer: number; readonly at: string }[] = [];
  /** By local of the body: how many loops within are around it. */
  const own = new Map<number, number>();
  const isOwn = (integer: Integer, of: number, depth: number): boolean =>
    someInteger(
      integer,
      (leaf) =>
        (leaf.kind === "axis" && leaf.axis === of) ||
        (leaf.kind === "local" && own.get(leaf.local) === depth),
    );
  visitStatements(body, {
    statement: (statement, around) => {
      if (statement.kind === "integer") own.set(statement.local, around.length);
      // Iterations of two loops may look up one place.
      else if (statement.kind === "index" && inner === null) own.set(statement.local, around.length);
      else if (statement.kind === "store") {
        const { at } = statement;
        const places = stores.get(statement.buffer) ?? new Set();
        const isWithin = inner !== null && around.length === 1 && isOwn(at, inner, 1);
        const isAlone = (around.length === 0 || isWithin) && isOwn(at, axis, 0);
        stores.set(statement.buffer, places.add(isAlone ? printInteger(at) : SHARED));
      } else if (statement.kind === "let" && statement.value.kind === "load")
        reads.push({ buffer: statement.value.buffer, at: printInteger(statement.value.at) });
    },
  });
  return reads.some(({ buffer, at }) => [...(stores.get(buffer) ?? [])].some((place) => place !== at));
}

/** A place that may be shared by iterations. */
const SHARED = "shared";

/**
 * True when each buffer is stored to by one statement: lanes are then stored in their order, and vectorising the rest changes nothing.
 * {@link hasLoopCarriedDependence} says whether any buffer is read.
 */
export function isScatter(body: readonly Statement[]): boolean {
  const stored = body.flatMap((each) => (each.kind === "store" ? [each.buffer] : []));
  return new Set(stored).size === stored.length && !body.some(isLoop);
}
