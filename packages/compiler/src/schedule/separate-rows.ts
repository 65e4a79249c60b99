/**
 * Short rows that an operand keeps from being walked as one: it is the same in all of them, or for all elements of each. With accumulators
 * in memory, the rows are in lanes then, so that no two lanes are neighbours. Beside expensive ops, what those take is copied to private
 * memory that is one row, and another result is computed once more in the rows as they are.
 */
import { dtypes } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Axis } from "../indexing/index-expression.ts";
import type { Costs } from "./cost.ts";
import { isExpensiveRow, readsColumn, SHORT_ROW } from "./rows.ts";
import { type Spot, scanReaders } from "./spots.ts";
import { type Block, type Item, type Let, letOf, letsOf } from "./tree.ts";

/** Units that each byte of an element takes longer in a scan, in a fold, and where a function folds; and of a result beside expensive ops. */
const [SCANNED, FOLDED, CALLED, BESIDE] = [1.25, 3, 10, 1.75];

/** Elements of a step of such a function. */
const STEP = 8;

/** By node: the units lost, in a kernel for the node `made`. */
export function separateRows(
  graph: Graph,
  made: number | undefined,
  spots: ReadonlyMap<Item, Spot>,
  costs: Costs,
): Map<number, number> {
  const excess = new Map<number, number>();
  // Without lanes all rows are walked one by one.
  if (costs.step === 1) return excess;
  const add = (node: number, { runs }: Spot, units: number): void => {
    const bytes = dtypes[graph.nodes[node]!.dtype].bytes;
    excess.set(node, (excess.get(node) ?? 0) + runs * bytes * units);
  };
  const behind = scanReaders(spots);
  for (const [item, spot] of spots) {
    const { along, lanes } = spot;
    if (along === null) continue;
    if (item.kind === "store" && isBesideExpensive(item, along)) {
      const node = letOf(item.value)?.node;
      if (node !== undefined && node !== made) add(node, spot, BESIDE);
    }
    if (item.kind !== "let" || item.definition.kind !== "pointwise") continue;
    const units = unitsInRows(item.block);
    // Where a function folds, the last elements of any row take as long as whole steps.
    const rows = lanes ?? (units === CALLED ? rowsAround(item.block, along) : null);
    if (units > 0 && rows !== null && letsOf(item).some((read) => isSeparating(read, along, rows)))
      add(behind.get(item) ?? item.node, spot, units);
  }
  return excess;
}

/** Units that each byte of an element takes longer in such rows; 0 where no accumulators are in memory. */
export const unitsInRows = ({ items }: Block): number =>
  Math.max(
    0,
    ...items.map((item) => {
      if (item.kind !== "accumulate" || item.reduction.cells === 1) return 0;
      const { fn, loop } = item.reduction;
      return fn === "logaddexp" ? CALLED : loop.role === "scan" ? SCANNED : FOLDED;
    }),
  );

/** The axis of such rows, where they are longer, and have no whole steps. */
function rowsAround({ loop }: Block, along: Axis): Axis | null {
  const around = loop?.block.loop ?? null;
  const isUneven = along.extent <= SHORT_ROW && along.extent % STEP !== 0;
  return isUneven && loop?.axes.at(-1) === along && around?.role === "parallel" ? around.axes.at(-1)! : null;
}

/** True of an operand whose rows do not lie one behind the other. */
function isSeparating({ definition }: Let, along: Axis, rows: Axis): boolean {
  if (definition.kind !== "load") return false;
  const stepOf = (axis: Axis): number =>
    definition.at.terms.find(({ atom }) => atom === axis)?.coefficient ?? 0;
  return stepOf(rows) !== along.extent * stepOf(along);
}

function isBesideExpensive({ block: { loop } }: Item, along: Axis): boolean {
  // Where axes were merged, the loop goes along another one.
  if (loop === null || loop.axes.at(-1) !== along || !isExpensiveRow(loop)) return false;
  return loop.block.loop !== null && readsColumn(loop.block.loop);
}
