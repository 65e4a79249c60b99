/**
 * Merges neighbouring axes that every index walks as one: `c·(n·i + j)` for all accesses means that i and j are a single axis
 * of extent m·n. A contiguous chain of any rank becomes one loop.
 */
import type { Accumulate, Block, Guard, Let, Loop, Store } from "../schedule/tree.ts";
import type { Axis, Index, IndexTable } from "./index-expression.ts";

export function mergeAxes(table: IndexTable, block: Block): void {
  for (const item of block.items) {
    if (item.kind !== "loop") continue;
    mergeAxes(table, item.body);
    if (item.role === "parallel") mergeWithInner(table, item);
    else mergeWithin(table, item);
  }
}

/** A parallel loop whose body is just another one. */
function mergeWithInner(table: IndexTable, outer: Loop): void {
  const [inner] = outer.body.items;
  if (outer.body.items.length !== 1 || inner?.kind !== "loop" || inner.role !== "parallel") return;
  const [first] = outer.axes as [Axis];
  const [second] = inner.axes as [Axis];
  const merged = mergePair(table, inner.body, first, second);
  if (merged === undefined) return;
  outer.axes = [merged];
  outer.body = inner.body;
}

/** Neighbouring axes of one reduce loop. */
function mergeWithin(table: IndexTable, loop: Loop): void {
  for (let k = loop.axes.length - 2; k >= 0; k--) {
    const merged = mergePair(table, loop.body, loop.axes[k] as Axis, loop.axes[k + 1] as Axis);
    if (merged !== undefined) loop.axes = [...loop.axes.slice(0, k), merged, ...loop.axes.slice(k + 2)];
  }
}

function mergePair(table: IndexTable, body: Block, first: Axis, second: Axis): Axis | undefined {
  let mergeable = true;
  eachIndex(body, (index) => {
    mergeable &&= walksAsOne(index, first, second);
    return index;
  });
  if (!mergeable) return undefined;
  const merged = table.axis(first.extent * second.extent);
  const zero = table.constant(0);
  const one = table.of(merged);
  const replace = (axis: Axis): Index | undefined =>
    axis === first ? zero : axis === second ? one : undefined;
  eachIndex(body, (index) => (uses(index, second) ? table.substitute(index, replace) : index));
  return merged;
}

const uses = (index: Index, axis: Axis): boolean => index.axes.includes(axis);

function walksAsOne(index: Index, first: Axis, second: Axis): boolean {
  if (!uses(index, first) && !uses(index, second)) return true;
  let outer = 0;
  let inner = 0;
  for (const { atom, coefficient } of index.terms) {
    if (atom === first) outer = coefficient;
    else if (atom === second) inner = coefficient;
    else if (atom.kind === "indirect") {
      // It was read at these axes: they must stay what they are.
      if (atom.axes.includes(first) || atom.axes.includes(second)) return false;
    } else if (atom.kind !== "axis" && !walksAsOne(atom.of, first, second)) return false;
  }
  return outer === inner * second.extent;
}

/** Replaces every index in the block, and in the loops within, by what `change` gives for it. */
function eachIndex(block: Block, change: (index: Index) => Index): void {
  for (const item of block.items) {
    switch (item.kind) {
      case "loop":
        eachIndex(item.body, change);
        break;
      case "let":
        changeLet(item, change);
        break;
      case "store":
        (item as Store).at = change(item.at);
        break;
      case "accumulate":
        (item as Accumulate).cell = change(item.cell);
        (item as Accumulate).position = change(item.position);
        break;
      case "lookup":
        item.place = change(item.place);
        break;
      case "sort":
        break;
      default:
        item satisfies never;
    }
  }
}

function changeLet(item: Let, change: (index: Index) => Index): void {
  const { definition } = item;
  const guarded = (guards: readonly Guard[]): Guard[] =>
    guards.map((guard) => ({ ...guard, at: change(guard.at) }));
  switch (definition.kind) {
    case "load":
      item.definition = { ...definition, at: change(definition.at), guards: guarded(definition.guards) };
      break;
    case "select": {
      const cases = definition.cases.map(({ guards, value }) => ({ guards: guarded(guards), value }));
      item.definition = { ...definition, cases };
      break;
    }
    case "index":
      item.definition = { ...definition, at: change(definition.at) };
      break;
    case "result":
      item.definition = { ...definition, cell: change(definition.cell) };
      break;
    case "pointwise":
      break;
    default:
      definition satisfies never;
  }
}
