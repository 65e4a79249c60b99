/** Loop-carried dependences: whether an iteration of a loop may read what another one stores. */
import { type Integer, isLoop, printInteger, type Statement, someInteger, visitStatements } from "@fuseau/ir";

/**
 * True when a buffer is both stored to and read, unless it is at one place that belongs to the iteration. An example is a row of scratch
 * that every iteration fills anew.
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
