/**
 * Matrix products, as phases: one for each right operand that packs it, and one that multiplies blocks of rows and runs the loop
 * IR's own statements on them (docs/wasm.md).
 */

import type { DType, Integer, LoopAxis } from "@fuseau/ir";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import { matchNest, type Nest } from "../../../tactics/products/nest.ts";
import { blockRows, type PlannedProduct, planSteps, type Step } from "../../../tactics/products/plan.ts";
import { windowProduct } from "../../../tactics/products/windows.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { productOf } from "../plan/work.ts";
import { type Context, extentIn, tileRows } from "./context.ts";
import { type Ready, writeMultiply } from "./multiply-phase.ts";
import { writePack } from "./pack-phase.ts";
import { addTable, type LeftTables, type Table, writeTables } from "./tables.ts";
import { writeWindows } from "./window-phases.ts";

/** The phases of a loop nest that is made of matrix products, or null. */
export function writeContraction(
  context: Context,
  planned: PlannedPhase,
  name: string,
): WrittenPhase[] | null {
  const { workspaces, claim } = context;
  const nest = matchNest(planned.statements[0]!, context.numbering);
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
  const tables = tablesOf(context, planned, nest, steps);
  const all = [...tables.values()].flatMap(({ lane, depth }) => [lane, depth]);
  if (all.length > 0) phases.push(writeTables(context, planned, all, `${name}_tables`));
  for (const step of steps) {
    // A single row or column meets the other operand as it stands in memory.
    if (step.kind !== "multiply" || nest.row === null || step.product.column === null) continue;
    const { workspace, written } = writePack(
      context,
      planned,
      nest,
      step.product,
      `${name}_pack${phases.length}`,
    );
    ready.set(step.product, { packed: workspace, tables: tables.get(step.product) ?? null });
    phases.push(written);
  }
  return [...phases, writeMultiply(context, planned, nest, steps, ready, name)];
}

/** The tables that left operands are read by. */
function tablesOf(
  { kinds, workspaces }: Context,
  planned: PlannedPhase,
  { row }: Nest,
  steps: readonly Step[],
): Map<PlannedProduct, LeftTables> {
  const tables = new Map<PlannedProduct, LeftTables>();
  for (const step of steps) {
    if (step.kind !== "multiply" || row === null || !("byLane" in step.product.a)) continue;
    const { a, element, depth } = step.product;
    const table = (axis: LoopAxis, offset: Polynomial): Table =>
      addTable(workspaces, extentIn(planned), axis, offset, kinds[element].elementBytes);
    tables.set(step.product, { lane: table(row, a.byLane), depth: table(depth, a.byDepth) });
  }
  return tables;
}
