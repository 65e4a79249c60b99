/**
 * Splits every axis that is walked in panels into the panel and the place within it: until here indexes speak of the axis
 * as a whole, so that nobody above has to know of panels.
 */

import type { Axis, Index, IndexTable } from "../indexing/index-expression.ts";
import type { Block, Loop } from "../schedule/tree.ts";
import { eachIndex } from "./each-index.ts";

export function cutPanels(table: IndexTable, block: Block): void {
  for (const item of block.items) {
    if (item.kind !== "loop") continue;
    cutPanels(table, item.body);
    item.axes = item.axes.map((axis) => (axis.panel === null ? axis : cut(table, item, axis)));
  }
}

function cut(table: IndexTable, loop: Loop, whole: Axis): Axis {
  const panel = whole.panel as NonNullable<Axis["panel"]>;
  const within = table.axis(panel.width, panel);
  const place = table.add(table.scale(table.of(panel.axis), panel.width), table.of(within));
  const replace = (axis: Axis): Index | undefined => (axis === whole ? place : undefined);
  eachIndex(loop.body, (index) => (index.axes.includes(whole) ? table.substitute(index, replace) : index));
  return within;
}
