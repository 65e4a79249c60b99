/**
 * Matrix products, as phases: one for each right operand that packs it, and one that multiplies blocks of rows and runs the loop
 * IR's own statements on them (docs/wasm.md).
 */

import type { LoopAxis } from "@fuseau/ir";
import type { Polynomial } from "../../../tactics/polynomial.ts";
import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { type Context, extentIn } from "./context.ts";
import { matchNest, type Nest } from "./match.ts";
import { blockRows, type Ready, writeMultiply } from "./multiply-phase.ts";
import { writePack } from "./pack-phase.ts";
import { type PlannedProduct, planSteps, type Step } from "./plan.ts";
import { addTable, type LeftTables, type Table, writeTables } from "./tables.ts";
import { windowProduct } from "./window.ts";
import { writeWindows } from "./window-phases.ts";

/** The phases of a loop nest that is made of matrix products, or null. */
export function writeContraction(
  context: Context,
  planned: PlannedPhase,
  name: string,
): WrittenPhase[] | null {
  const { workspaces, kinds, claim } = context;
  const nest = matchNest(planned.statements[0]!, kinds, context.numbering);
  if (nest === null) return null;
  const windows = windowProduct(nest, kinds, workspaces);
  if (windows !== null) return writeWindows(context, planned, nest, windows, name);
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const rows = blockRows(nest, kinds);
  const steps = planSteps({ nest, kinds, workspaces, extent, rows }, nest.body);
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
  { workspaces }: Context,
  planned: PlannedPhase,
  { row }: Nest,
  steps: readonly Step[],
): Map<PlannedProduct, LeftTables> {
  const tables = new Map<PlannedProduct, LeftTables>();
  for (const step of steps) {
    if (step.kind !== "multiply" || row === null || !("byLane" in step.product.a)) continue;
    const { a, kind, depth } = step.product;
    const table = (axis: LoopAxis, offset: Polynomial): Table =>
      addTable(workspaces, extentIn(planned), axis, offset, kind.elementBytes);
    tables.set(step.product, { lane: table(row, a.byLane), depth: table(depth, a.byDepth) });
  }
  return tables;
}
