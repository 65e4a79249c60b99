/** Whether the iterations of a loop, worked on side by side, would meet in memory. */
import { type Integer, printInteger, type Statement } from "@fuseau/ir";

/**
 * True when something is stored and read that is not at one and the same place of each iteration's own, as in a row of
 * scratch that every iteration fills anew.
 */
export function carries(body: readonly Statement[], axis: number): boolean {
  const stores = new Map<number, Set<string>>();
  const reads: { readonly buffer: number; readonly at: string }[] = [];
  const own = new Set<number>();
  const isOwn = (integer: Integer): boolean => {
    switch (integer.kind) {
      case "literal":
      case "size":
        return false;
      case "axis":
        return integer.axis === axis;
      case "local":
        return own.has(integer.local);
      default:
        return isOwn(integer.left) || isOwn(integer.right);
    }
  };
  const visit = (statements: readonly Statement[], depth: number): void => {
    for (const statement of statements) {
      if (statement.kind === "integer" || statement.kind === "index") own.add(statement.local);
      else if (statement.kind === "for") visit(statement.body, depth + 1);
      else if (statement.kind === "reduce") visit([...statement.row, ...statement.body], depth + 1);
      else if (statement.kind === "store") {
        const places = stores.get(statement.buffer) ?? new Set();
        stores.set(
          statement.buffer,
          places.add(depth === 0 && isOwn(statement.at) ? printInteger(statement.at) : SHARED),
        );
      } else if (statement.kind === "let" && statement.value.kind === "load")
        reads.push({ buffer: statement.value.buffer, at: printInteger(statement.value.at) });
    }
  };
  visit(body, 0);
  return reads.some(({ buffer, at }) => [...(stores.get(buffer) ?? [])].some((place) => place !== at));
}

/** A place that is not known to be one iteration's own. */
const SHARED = "shared";
