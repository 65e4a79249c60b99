/**
 * Expensive ops whose results are scattered, one element after another. Stored first they have lanes in a loop of their own, and threads share
 * it, which a scatter is too ordered for.
 */
import { type Let, letsOf, reachedFrom } from "../schedule/tree.ts";
import { type Audited, Excess } from "./audited.ts";
import { isExpensive } from "./rows-under-folds.ts";

/** Units that such an element takes longer. */
const SCATTERED = 7;

/** By node, the units that it costs more in the loop of a scatter. */
export function scatteredWork({ spots }: Audited): Excess {
  const excess = new Excess();
  for (const [item, { runs }] of spots) {
    const { loop, items } = item.block;
    if (item.kind !== "store" || loop === null || !loop.ordered) continue;
    const work = items.filter((each): each is Let => each.kind === "let" && isExpensive(each));
    // What is stored takes along what it is made of.
    const beneath = reachedFrom(work.flatMap((each) => letsOf(each)));
    for (const each of work) if (!beneath.has(each)) excess.set(each.node, runs * SCATTERED);
  }
  return excess;
}
