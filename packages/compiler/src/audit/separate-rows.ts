/**
 * Short rows that an operand keeps from being walked as one: it is the same in all of them, or for all elements of each. With accumulators
 * in memory, the rows are in lanes then, so that no two lanes are neighbours; closures walk each row by itself. Beside expensive ops, what
 * those take is copied to private memory that is one row, and another result is computed once more in the rows as they are.
 */
import { dtypes } from "@fuseau/ir";
import type { Axis } from "../indexing/index-expression.ts";
import { isExpensiveRow, readsColumn, SHORT_ROW } from "../schedule/rows.ts";
import { type Block, type Item, type Let, letOf, letsOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { strideAlong } from "./units.ts";

/**
 * Units that each byte of an element takes longer in a scan, in a fold, and where a function folds; of a result beside expensive ops; and
 * where an operand is transposed, squares of which are transposed in registers in rows that are one.
 */
const [SCANNED, FOLDED, CALLED, BESIDE, TURNED] = [1.25, 3, 10, 1.75, 1.5];

/** Elements of a step of such a function. */
const STEP = 8;

/** By node: the units lost, in a kernel for the node `made`. */
export function separateRows({ graph, made, spots, costs, behindScan }: Audited): Excess {
  const excess = new Excess();
  // Without lanes, and without walks that begin anew, an element takes as long in any row.
  if (costs.step === 1 && costs.walk === 0) return excess;
  const bytesOf = (node: number): number => dtypes[graph.nodes[node]!.dtype].bytes;
  for (const [item, spot] of spots) {
    const { along, lanes } = spot;
    if (along === null) continue;
    if (item.kind === "store" && costs.step > 1 && isBesideExpensive(item, along)) {
      const node = letOf(item.value)?.node;
      if (node !== undefined && node !== made) excess.add(node, spot.runs * bytesOf(node) * BESIDE);
    }
    if (item.kind !== "let" || item.definition.kind !== "pointwise") continue;
    const isTurned = lanes !== null && costs.step > 1 && letsOf(item).some(isAcross([along, lanes]));
    const units = Math.max(unitsInRows(item.block), isTurned ? TURNED : 0);
    if (units === 0) continue;
    // Where a function folds, the last elements of any row take as long as whole steps.
    const isAnyRow =
      costs.step === 1 || (units === CALLED && along.extent <= SHORT_ROW && along.extent % STEP !== 0);
    const rows = lanes ?? (isAnyRow ? rowsAround(item.block, along) : null);
    if (rows === null || !letsOf(item).some((read) => isSeparating(read, along, rows))) continue;
    const node = behindScan.get(item) ?? item.node;
    // Without lanes it is the statements that begin anew in each row. Those of stored values walk several rows at once.
    const begun = (costs.walk * item.block.items.length) / along.extent;
    excess.add(node, spot.runs * (costs.step === 1 ? begun : bytesOf(node) * units));
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

/** The axis of such rows where they are not in lanes. */
function rowsAround({ loop }: Block, along: Axis): Axis | null {
  const around = loop?.block.loop ?? null;
  return loop?.axes.at(-1) === along && around?.role === "parallel" ? around.axes.at(-1)! : null;
}

/** True of an operand whose rows do not lie one behind the other. */
function isSeparating({ definition }: Let, along: Axis, rows: Axis): boolean {
  if (definition.kind !== "load") return false;
  return strideAlong(definition.at, rows) !== along.extent * strideAlong(definition.at, along);
}

/** True of an operand whose neighbours in memory lie along neither axis, though it depends on both. */
const isAcross =
  (axes: readonly Axis[]) =>
  ({ definition }: Let): boolean =>
    definition.kind === "load" && axes.every((axis) => Math.abs(strideAlong(definition.at, axis)) > 2);

function isBesideExpensive({ block: { loop } }: Item, along: Axis): boolean {
  // Where axes were merged, the loop goes along another one.
  if (loop === null || loop.axes.at(-1) !== along || !isExpensiveRow(loop)) return false;
  return loop.block.loop !== null && readsColumn(loop.block.loop);
}
