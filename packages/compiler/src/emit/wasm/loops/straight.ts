/** Straight-line bodies: short loops in them are unrolled. */
import type { ForStatement, Loop, ReduceStatement } from "@fuseau/ir";
import type { StraightBody } from "../../../tactics/straight.ts";
import { UnrolledFold } from "../folds/unrolled-fold.ts";
import type { Site } from "../sites/site.ts";
import { writeStatement } from "../sites/statements.ts";
import { TransposedStores } from "../sites/transposed-stores.ts";
import { writeShortFold, writeShortRows } from "./short-rows.ts";

export function writeStraight(site: Site, body: StraightBody): void {
  for (const statement of body) {
    if (statement.kind === "for") unrollFor(site, statement);
    else if (statement.kind === "reduce") unrollReduce(site, statement);
    else writeStatement(site, statement);
  }
}

const isTransposed = (site: Site, { run }: Loop): boolean =>
  run?.kind === "unrolled" && run.transposed === true && site.walk !== null && site.count % 4 === 0;

function unrollFor(site: Site, statement: ForStatement): void {
  if (isTransposed(site, statement)) {
    writeShortRows(site, statement);
    return;
  }
  const {
    axis: { axis, extent },
    body,
  } = statement;
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
  if (isTransposed(site, statement)) {
    writeShortFold(site, statement);
    return;
  }
  const { accumulators, axes, row, body } = statement;
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
