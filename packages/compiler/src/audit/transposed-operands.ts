/**
 * What is computed of an operand in memory order and of a transposed one, in the loop of a fold or a scan, or beside one, or in rows that are
 * looked up. Alone, it is a nest whose transposed operand is read in blocks, squares of which are transposed in registers. In such rows each
 * element is loaded by itself, from a cache line of its own. And where squares are transposed in front of expensive ops, narrow rows of
 * those are not walked as one.
 */
import { dtypes, elementCount } from "@fuseau/ir";
import type { Axis } from "../indexing/index-expression.ts";
import { isExpensiveRow, isInRows } from "../schedule/rows.ts";
import { type Block, type Let, type Lookup, letsOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { placeUnits } from "./units.ts";

/** Units that each byte of such an element takes longer. */
const LOADED_ALONE = 1.25;

/** By node: the units lost. */
export function transposedOperands({ graph, made, spots, costs, scans }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs, along, lanes, scan }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "pointwise" || along === null) continue;
    const { dtype, shape } = graph.nodes[item.node]!;
    const elements = elementCount(shape);
    const units = letsOf(item).flatMap(({ definition }) =>
      definition.kind === "load" && definition.buffer.cells === elements
        ? [placeUnits(definition.at, along, costs)]
        : [],
    );
    const found = gatherAround(item.block);
    const isRow = lanes === null && (isInRows(item.block) || scan !== null || found !== null);
    const isInRow = isRow && (units.includes(1) || units.includes(costs.scattered) || scan !== null);
    const isInNarrow = item.node !== made && isNarrowExpensive(item, along);
    if (!units.includes(costs.strided) || !(isInRow || isInNarrow)) continue;
    // What the kernel is made for stays in it: then what it has come along with goes.
    const node = item.node === made ? ((scan === null ? found : scans.get(scan)) ?? made) : item.node;
    excess.add(node, runs * dtypes[dtype].bytes * LOADED_ALONE);
  }
  return excess;
}

/** The gather whose places are looked up here, or in front of the loop along a row, as those of whole rows are. Such loops are not blocked. */
function gatherAround({ loop, items }: Block): number | null {
  const lookup = [...items, ...(loop?.block.items ?? [])].find(
    (item): item is Lookup => item.kind === "lookup",
  );
  return lookup?.gather ?? null;
}

/** Three whole steps of an expensive op. */
const NARROW = 48;

const isNarrowExpensive = ({ block: { loop } }: Let, along: Axis): boolean =>
  loop !== null && along.extent <= NARROW && isExpensiveRow(loop);
