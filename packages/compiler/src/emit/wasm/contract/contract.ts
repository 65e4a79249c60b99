/**
 * Matrix products, as phases: one for each right operand that packs it, and one that multiplies blocks of rows and runs the loop
 * IR's own statements on them (docs/wasm.md).
 */

import type { WrittenPhase } from "../plan/kernel.ts";
import type { PlannedPhase } from "../plan/phases.ts";
import { type Context, extentIn } from "./context.ts";
import { matchNest } from "./match.ts";
import { blockRows, writeMultiply } from "./multiply-phase.ts";
import { writePack } from "./pack-phase.ts";
import { type PlannedProduct, planSteps } from "./plan.ts";
import { writeTables } from "./tables.ts";
import { windowProduct } from "./window.ts";
import { writeWindows } from "./window-phases.ts";

/** The phases of a loop nest that is made of matrix products, or null. */
export function writeContraction(
  context: Context,
  planned: PlannedPhase,
  name: string,
): WrittenPhase[] | null {
  const { workspaces, kinds, claim } = context;
  const nest = matchNest(planned.statements[0]!, kinds);
  if (nest === null) return null;
  const windows = windowProduct(nest, kinds, workspaces);
  if (windows !== null) return writeWindows(context, planned, nest, windows, name);
  const extent = extentIn(planned);
  const own = workspaces.list.length;
  const rows = blockRows(nest, kinds);
  const steps = planSteps({ nest, kinds, workspaces, extent, rows }, nest.body);
  claim(own);
  const packed = new Map<PlannedProduct, number>();
  const phases: WrittenPhase[] = [];
  const tables = steps.flatMap((step) =>
    step.kind === "multiply" && "laneTable" in step.product.a
      ? [step.product.a.laneTable, step.product.a.depthTable]
      : [],
  );
  if (tables.length > 0) phases.push(writeTables(context, planned, tables, `${name}_tables`));
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
    packed.set(step.product, workspace);
    phases.push(written);
  }
  return [...phases, writeMultiply(context, planned, nest, steps, packed, name)];
}
