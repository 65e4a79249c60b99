/**
 * Matrix products, as phases: one for each right operand, which packs it, and one that multiplies blocks of rows and runs the
 * loop IR's own statements on them (docs/wasm.md).
 */

import type { DType, Integer } from "@fuseau/ir";
import { productOf } from "../../../tactics/of-sizes.ts";
import type { PlannedPhase } from "../../../tactics/phases.ts";
import { withoutPieces } from "../../../tactics/pieces.ts";
import { matchNest } from "../../../tactics/products/nest.ts";
import { blockRows, type PlannedProduct, planSteps } from "../../../tactics/products/plan.ts";
import { windowProduct } from "../../../tactics/products/windows.ts";
import { extentIn } from "../../../tactics/work.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import { type Context, tileRows } from "./context.ts";
import { type Ready, writeMultiply } from "./multiply-phase.ts";
import { writePack } from "./pack-phase.ts";
import { addTables, writeTables } from "./tables.ts";
import { writeWindows } from "./window-phases.ts";

/** The phases of a loop nest that consists of matrix products; null for any other. */
export function writeContraction(
  context: Context,
  planned: PlannedPhase,
  name: string,
): WrittenPhase[] | null {
  const { workspaces, claim } = context;
  // Guards are not cut here: the statements around a product are cut when they are written.
  const nest = matchNest(withoutPieces(planned.statements)[0]!, context.numbering);
  if (nest === null) return null;
  const dtypeOf = (buffer: number): DType => workspaces.dtypeOf(buffer);
  const windows = windowProduct(nest, dtypeOf);
  if (windows !== null) return writeWindows(context, planned, nest, windows, name);
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const addBlock = (dtype: DType, rows: Integer, columns: Integer): number =>
    workspaces.add(dtype, productOf([extent(rows), extent(columns)]));
  const rows = blockRows(nest, tileRows(context));
  const steps = planSteps({ nest, dtypeOf, addBlock, rows }, nest.body);
  claim(own);
  const ready = new Map<PlannedProduct, Ready>();
  const phases: WrittenPhase[] = [];
  for (const step of steps) {
    if (step.kind !== "multiply") continue;
    const { product } = step;
    const { a, b, column, width } = product;
    // With a single row or column, the other operand is not packed.
    if (nest.row === null || column === null) continue;
    const left = "byLane" in a ? addTables(context, planned, nest.row, product, a) : null;
    // A strip of columns has at most as many as there are sums.
    const columns = { ...column, extent: width };
    const right = b !== null && "byLane" in b ? addTables(context, planned, columns, product, b) : null;
    const tables = [left, right].flatMap((both) => (both === null ? [] : Object.values(both)));
    if (tables.length > 0) phases.push(writeTables(context, planned, tables, `${name}_tables`));
    const packName = `${name}_pack${phases.length}`;
    const { workspace, written } = writePack(context, planned, nest, product, right, packName);
    ready.set(product, { packed: workspace, tables: left });
    phases.push(written);
  }
  return [...phases, writeMultiply(context, planned, nest, steps, ready, name)];
}
