/** Straight-line bodies: short loops in them are unrolled. */
import type { ForStatement, ReduceStatement } from "@fuseau/ir";
import type { StraightBody } from "../../../tactics/straight.ts";
import { UnrolledFold } from "../folds/unrolled-fold.ts";
import type { Site } from "../sites/site.ts";
import { writeStatement } from "../sites/statements.ts";
import { TransposedStores } from "../sites/transposed-stores.ts";
import { writeShortRows } from "./short-rows.ts";

export function writeStraight(site: Site, body: StraightBody): void {
  for (const statement of body) {
    if (statement.kind === "for") unrollFor(site, statement);
    else if (statement.kind === "reduce") unrollReduce(site, statement);
    else writeStatement(site, statement);
  }
}

function unrollFor(site: Site, { axis: { axis, extent }, body }: ForStatement): void {
  const count = (extent as { value: number }).value;
  const stores = new TransposedStores(site, axis, count, body as StraightBody);
  for (let value = 0; value < count; value++) {
    site.bind(axis, { kind: "literal", value });
    for (const each of body as StraightBody)
      if (each.kind !== "store" || !stores.take(each, value)) writeStraight(site, [each]);
  }
  site.unbind(axis);
}

function unrollReduce(site: Site, statement: ReduceStatement): void {
  const { accumulators, axes, run, row, body } = statement;
  if (run?.kind === "unrolled" && run.transposed && site.walk !== null && site.count % 4 === 0) {
    writeShortRows(site, statement);
    return;
  }
  for (const accumulator of accumulators)
    site.accumulators.set(accumulator.accumulator, new UnrolledFold(accumulator, site.fn.kernel.order.chunk));
  const walk = (depth: number): void => {
    const loop = axes[depth];
    if (depth === axes.length - 1) writeStraight(site, row as StraightBody);
    if (loop === undefined) {
      writeStraight(site, body as StraightBody);
      return;
    }
    for (let value = 0; value < (loop.extent as { value: number }).value; value++) {
      site.bind(loop.axis, { kind: "literal", value });
      walk(depth + 1);
    }
    site.unbind(loop.axis);
  };
  walk(0);
}
