/** Loop-carried dependences: whether one iteration of a loop may read what another stores. */
import { type Integer, isLoop, printInteger, type Statement, someInteger, visitStatements } from "@fuseau/ir";

/**
 * True when something is stored and read, and not at one place that is each iteration's own. An example is a row of
 * scratch that every iteration fills anew.
 */
export function hasLoopCarriedDependence(body: readonly Statement[], axis: number): boolean {
  const stores = new Map<number, Set<string>>();
  const reads: { readonly buffer: number; readonly at: string }[] = [];
  const own = new Set<number>();
  const isOwn = (integer: Integer): boolean =>
    someInteger(
      integer,
      (leaf) =>
        (leaf.kind === "axis" && leaf.axis === axis) || (leaf.kind === "local" && own.has(leaf.local)),
    );
  visitStatements(body, {
    statement: (statement, around) => {
      if (statement.kind === "integer" || statement.kind === "index") own.add(statement.local);
      else if (statement.kind === "store") {
        const places = stores.get(statement.buffer) ?? new Set();
        const isAlone = around.length === 0 && isOwn(statement.at);
        stores.set(statement.buffer, places.add(isAlone ? printInteger(statement.at) : SHARED));
      } else if (statement.kind === "let" && statement.value.kind === "load")
        reads.push({ buffer: statement.value.buffer, at: printInteger(statement.value.at) });
    },
  });
  return reads.some(({ buffer, at }) => [...(stores.get(buffer) ?? [])].some((place) => place !== at));
}

/** A place that is not known to be one iteration's own. */
const SHARED = "shared";

/**
 * True when each buffer is stored to by one statement: its elements are then handed over in the order of the lanes, whatever is
 * computed side by side. {@link hasLoopCarriedDependence} says whether any of it is read.
 */
export function isScatter(body: readonly Statement[]): boolean {
  const stored = body.flatMap((each) => (each.kind === "store" ? [each.buffer] : []));
  return new Set(stored).size === stored.length && !body.some(isLoop);
}
