/**
 * Strip-mining: splits every axis that is walked in strips into the strip and the place within it. Before this pass, indexes refer to the
 * whole axis, so that no earlier pass depends on strips.
 */

import type { Axis, Index, IndexTable } from "../indexing/index-expression.ts";
import type { Block, Loop } from "../schedule/tree.ts";
import { eachIndex } from "./each-index.ts";

export function stripMine(table: IndexTable, block: Block): void {
  for (const item of block.items) {
    if (item.kind !== "loop") continue;
    stripMine(table, item.body);
    item.axes = item.axes.map((axis) => (axis.strip === null ? axis : cut(table, item, axis)));
  }
}

function cut(table: IndexTable, loop: Loop, whole: Axis): Axis {
  const strip = whole.strip as NonNullable<Axis["strip"]>;
  const within = table.axis(strip.width, strip);
  const place = table.add(table.scale(table.of(strip.axis), strip.width), table.of(within));
  const replace = (axis: Axis): Index | undefined => (axis === whole ? place : undefined);
  eachIndex(loop.body, (index) => (index.axes.includes(whole) ? table.substitute(index, replace) : index));
  return within;
}
