/** Tiles of a nest: the copies of its body, and what they share. */
import { type ForStatement, localsDefinedIn, type Statement } from "@fuseau/ir";
import type { Copy } from "./text.ts";

/** For each of `count` columns, a copy for each row; locals that rows share differ between columns alone. */
export function tileCopies(
  outer: ForStatement,
  inner: ForStatement,
  shared: ReadonlySet<Statement>,
  rows: readonly Copy[],
  count: number,
): Copy[][] {
  const common = new Set(localsDefinedIn([...shared]));
  const own = localsDefinedIn(inner.body);
  return Array.from({ length: count }, (_, column) =>
    rows.map((row, r) => ({
      shifts: new Map([
        [outer.axis.axis, r],
        [inner.axis.axis, column],
      ]),
      suffixes: new Map([
        ...row.suffixes,
        ...own.map((local): [number, string] => [
          local,
          common.has(local) ? `_c${column}` : `_${r}_${column}`,
        ]),
      ]),
    })),
  );
}
