/** Which products are made several sums at a time: rows of one walk, or rows of accumulators. */
import type { LoopKernel, Statement } from "@fuseau/ir";
import { jamPlainly } from "../../tactics/columns.ts";
import { foldedRows } from "./patterns.ts";

/** The accumulators of those; any other product waits for each of its multiplications. */
export function productsSideBySide({ body }: LoopKernel): ReadonlyMap<number, "plain"> {
  const found = new Map<number, "plain">();
  collect(body, found);
  return found;
}

function collect(statements: readonly Statement[], found: Map<number, "plain">): void {
  for (const statement of statements) {
    if (statement.kind !== "for" && statement.kind !== "reduce") continue;
    const reduce = statement.kind === "for" ? foldedRows(statement)?.reduce : jamPlainly(statement);
    for (const { accumulator, fn } of reduce?.accumulators ?? [])
      if (fn === "dot") found.set(accumulator, "plain");
    collect(statement.body, found);
  }
}
