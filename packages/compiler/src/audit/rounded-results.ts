/**
 * Columns folded in front of all loops, whose results every row then uses: `x.sub(x.sum(0)).layerNorm([n])`. Their sums are in float64, and
 * each row rounds all of them again. Stored, they are rounded once. So they are within a loop (tactics/results.ts), and where they
 * are repeated for many rows (tactics/repeated-rows.ts).
 */
import { isFloat } from "@fuseau/ir";
import { areRepeated } from "../schedule/rows.ts";
import { type Audited, Excess } from "./audited.ts";

/** Units of a result that is rounded: half as many are loaded at once. */
const ROUNDED = 1;

/** By the node of the folds: the units lost. */
export function roundedResults({ spots }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs }] of spots) {
    if (item.kind !== "let" || item.definition.kind !== "result") continue;
    const { node, fn, to, cells, loop } = item.definition.reduction;
    const rows = item.block.loop?.block.loop ?? null;
    const isRounded = (fn === "sum" || fn === "prod") && isFloat(to) && to !== "float64";
    if (cells === 1 || loop.block.loop !== null || !isRounded) continue;
    if (rows === null || areRepeated(rows)) continue;
    excess.add(node, runs * ROUNDED);
  }
  return excess;
}
