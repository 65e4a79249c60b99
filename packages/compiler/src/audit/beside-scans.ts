/**
 * What a scan's loop costs more than the scan alone: it runs in order and without lanes. What it computes, looks up or folds for others is
 * taken element by element. By itself a scan has a row of running values in its lanes.
 */
import { elementCount, type ScanNode } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import { SHORTEST_ROW } from "../schedule/rows.ts";
import { type Accumulate, letOf } from "../schedule/tree.ts";
import { type Audited, Excess, scanOf } from "./audited.ts";
import { placeUnits } from "./units.ts";

/** Units that an element takes longer which a function folds, where it is one of the only running value, as in front of a sort. */
const CALLED_ALONE = 300;

/** Units that a running value takes longer by itself than in a row of them. */
const IN_LANES = 5;

/** Units of an element that is folded in the loop of a scan, one by one; and of one that is looked up there, or placed. */
const [FOLDED_ALONE, LOOKED_UP] = [5, 20];

/** By scan; or by the fold in its loop, if the kernel is made for the scan. */
export function besideScans(audited: Audited): Excess {
  const { graph, made, spots, costs, units, scans, behindScan } = audited;
  const excess = new Excess();
  const hasLanes = costs.step > 1;
  for (const [item, spot] of spots) {
    const { runs, along, slow } = spot;
    const walked = spot.scan === null ? undefined : scans.get(spot.scan);
    if (item.kind === "lookup") {
      if (walked !== undefined && hasLanes) excess.add(walked, LOOKED_UP * runs);
    } else if (item.kind === "accumulate" && hasLanes) {
      const { node, loop } = item.reduction;
      if (isCalledAlone(item, graph)) excess.add(node, CALLED_ALONE * runs);
      if (spot.scan === null) continue;
      const goes = walked === made ? node : walked;
      if (loop !== spot.scan) {
        if (goes !== undefined) excess.add(goes, FOLDED_ALONE * runs);
        continue;
      }
      // What is scanned across memory order, for a reader that has it in another one.
      if (node !== made)
        for (const read of item.values.map(letOf)) {
          const load = read?.definition.kind === "load" ? placeUnits(read.definition.at, along, costs) : 1;
          if (load > 1) excess.add(node, (load - 1 + IN_LANES) * runs);
        }
    } else if (item.kind === "store") {
      const value = letOf(item.value);
      const scan = value === null ? undefined : behindScan.get(value);
      if (scan !== undefined) excess.add(scan, (placeUnits(item.at, along, costs) - 1) * runs);
    } else if (item.kind === "let") {
      const scan = scanOf(item, audited);
      const own = units.get(item);
      if (scan === undefined || own === undefined) continue;
      // Beside running values, as beside sums in memory, an expensive op has too few registers.
      const beside = slow * (own.stepped > 0 ? costs.beside : 1);
      excess.add(scan, (own.here * beside + own.branches - own.alone) * runs);
    }
  }
  return excess;
}

/** True where such a scan would have a row of running values in a kernel of its own. */
function isCalledAlone({ reduction: { fn, loop, cells, node } }: Accumulate, graph: Graph): boolean {
  if (fn !== "logaddexp" || loop.role !== "scan" || cells > 1) return false;
  const { shape, attributes } = graph.nodes[node] as ScanNode;
  return elementCount(shape.slice(attributes.axis + 1)) >= SHORTEST_ROW;
}
