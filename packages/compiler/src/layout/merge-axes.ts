/**
 * Merges neighbouring axes that every index walks as one: if all accesses have `c·(n·i + j)`, then i and j are a single axis of extent
 * m·n. A contiguous nest of any rank becomes one loop.
 */

import type { Axis, Index, IndexTable, Strip } from "../indexing/index-expression.ts";
import { onlyLoop } from "../schedule/rows.ts";
import type { Block, Loop } from "../schedule/tree.ts";
import { eachIndex } from "./each-index.ts";

export function mergeAxes(table: IndexTable, block: Block): void {
  for (const item of block.items) {
    if (item.kind !== "loop") continue;
    mergeAxes(table, item.body);
    if (item.role === "parallel") mergeWithInner(table, item);
    else mergeWithin(table, item);
  }
}

/** Makes one loop of a parallel loop and the only one in it, where every index walks both as one. */
function mergeWithInner(table: IndexTable, outer: Loop): void {
  const inner = onlyLoop(outer.body);
  if (inner === undefined) return;
  const [first] = outer.axes as [Axis];
  const [second] = inner.axes as [Axis];
  if (first.strips !== null) {
    dropStrips(table, outer, inner);
    return;
  }
  const merged = mergePair(table, inner.body, first, second);
  if (merged === undefined) return;
  outer.axes = [merged];
  outer.body = inner.body;
}

/** Strips within which nothing is kept are walked once: their loops may be merged. */
function dropStrips(table: IndexTable, outer: Loop, inner: Loop): void {
  const [strips] = outer.axes as [Axis];
  let loop: Loop | undefined = inner;
  while (loop !== undefined && loop.axes[0]?.strip?.axis !== strips) loop = onlyLoop(loop.body);
  if (loop === undefined || hasStripLoop(loop.body, strips)) return;
  let counted = false;
  eachIndex(inner.body, (index) => {
    counted ||= uses(index, strips);
    return index;
  });
  if (counted) return;
  const [along] = loop.axes as [Axis];
  const all = table.axis(along.extent, null, [along, ...along.merged]);
  loop.axes = [all];
  const place = table.of(all);
  const replace = (axis: Axis): Index | undefined => (axis === along ? place : undefined);
  eachIndex(loop.body, (index) => (uses(index, along) ? table.substitute(index, replace) : index));
  outer.axes = inner.axes;
  outer.body = inner.body;
  mergeWithInner(table, outer);
}

function hasStripLoop(block: Block, strips: Axis): boolean {
  return block.items.some(
    (item) =>
      item.kind === "loop" &&
      (item.axes.some((axis) => axis.strip?.axis === strips) || hasStripLoop(item.body, strips)),
  );
}

/** Neighbouring axes of one reduce loop. */
function mergeWithin(table: IndexTable, loop: Loop): void {
  for (let k = loop.axes.length - 2; k >= 0; k--) {
    const merged = mergePair(table, loop.body, loop.axes[k] as Axis, loop.axes[k + 1] as Axis);
    if (merged !== undefined) loop.axes = [...loop.axes.slice(0, k), merged, ...loop.axes.slice(k + 2)];
  }
}

function mergePair(table: IndexTable, body: Block, first: Axis, second: Axis): Axis | undefined {
  // Strips of the outer axis are as many strips of both, each as much wider; a strip of the inner one is no part of both.
  let mergeable = first.strips === null && second.strip === null && second.strips === null;
  eachIndex(body, (index) => {
    mergeable &&= walksAsOne(index, first, second);
    return index;
  });
  if (!mergeable) return undefined;
  const parts = [first, second].flatMap((axis) => [axis, ...axis.merged]);
  const merged = table.axis(first.extent * second.extent, widened(first.strip, second.extent), parts);
  const zero = table.constant(0);
  const one = table.of(merged);
  const replace = (axis: Axis): Index | undefined =>
    axis === first ? zero : axis === second ? one : undefined;
  eachIndex(body, (index) => (uses(index, second) ? table.substitute(index, replace) : index));
  return merged;
}

const widened = (strip: Strip | null, by: number): Strip | null =>
  strip && { axis: strip.axis, width: strip.width * by, size: strip.size * by };

const uses = (index: Index, axis: Axis): boolean => index.axes.includes(axis);

function walksAsOne(index: Index, first: Axis, second: Axis): boolean {
  if (!uses(index, first) && !uses(index, second)) return true;
  let outer = 0;
  let inner = 0;
  for (const { atom, coefficient } of index.terms) {
    if (atom === first) outer = coefficient;
    else if (atom === second) inner = coefficient;
    // What is read from data depends on axes through the lookup's own indexes, which are checked too.
    else if ((atom.kind === "div" || atom.kind === "mod") && !walksAsOne(atom.of, first, second))
      return false;
  }
  return outer === inner * second.extent;
}
