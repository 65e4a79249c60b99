import { letOf } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";

/** By the node that is kept: how many units the walks of its kernel begin with. */
export function stagedRows({ spots, costs }: Audited): Excess {
  const excess = new Excess();
  if (costs.walk === 0) return excess;
  let walks = 0;
  for (const { runs, along } of spots.values()) walks += along === null ? 0 : runs / along.extent;
  for (const item of spots.keys()) {
    if (item.kind !== "store" || item.buffer.role !== "scratch") continue;
    const value = letOf(item.value);
    if (value !== null) excess.set(value.node, walks * costs.walk);
  }
  return excess;
}
