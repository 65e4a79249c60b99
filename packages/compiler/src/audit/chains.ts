/**
 * Which nodes cost less stored by themselves, or with all that is computed for them alone. The last of a chain is considered first: what is
 * stored with it is not considered again.
 */
import { elementCount, type Node } from "@fuseau/ir";
import type { Graph } from "../graph.ts";
import type { Comparison } from "../schedule/cost.ts";
import { letOf } from "../schedule/tree.ts";
import type { Audited } from "./audited.ts";
import type { Tally } from "./tally.ts";
import { CACHED_UNIT } from "./units.ts";

/** A kernel is split only for at least this share of the least time that its longest loop takes. */
const NOTABLE = 0.01;

/** A chain on both sides of a fold runs in few loops. It is split only where storing saves this many times as much. */
const FOLDED_TWICE = 12;

/** `unfused` has what was found earlier. */
export function costlierChains(
  audited: Audited,
  tallies: ReadonlyMap<number, Tally>,
  unfused: ReadonlyMap<number, Comparison>,
): Map<number, Comparison> {
  const { graph, spots, costs, prices, writes, made } = audited;
  const found = new Map<number, Comparison>();
  const covered = new Set<number>();
  for (const { node } of writes) if (unfused.has(node)) coverChain(node, covered, audited, tallies);
  // What neighbours recompute is limited by each sweep. Compared for each, steps of a long recording would take a sweep each.
  const hasFolds = [...spots.keys()].some(({ kind }) => kind === "accumulate");
  // What is stored, and what it is computed of element by element in the loop that stores it: stored too, that would have the same loop.
  const inOrder = new Set(writes.map(({ node }) => node));
  let iterations = 0;
  for (const { runs } of spots.values()) iterations = Math.max(iterations, runs);
  const notable = NOTABLE * iterations * costs.unit;
  for (const [node, tally] of [...tallies].reverse()) {
    const isWritten = writes.some((buffer) => buffer.node === node);
    const isTaken = [...tally.readers].some(
      (reader) => inOrder.has(reader) && takesInOrder(graph, reader, node),
    );
    if (isTaken && !isWritten && tally.besideStore && tally.readsApart && tally.again === 0) {
      inOrder.add(node);
      continue;
    }
    if (node === made || covered.has(node) || !isComputed(graph.nodes[node] as Node)) continue;
    const { total, read, folded, inShortRow } = tally;
    const unit = prices.unitOf(node);
    const part = (isWritten ? 0.5 : 1) * (folded && !inShortRow ? FOLDED_TWICE : 1);
    const rough = { fused: (total - read) * unit, stored: prices.storing(node, part) };
    // Stored, it is loaded each time.
    const again = hasFolds ? tally.again * (tally.cached - CACHED_UNIT) : 0;
    const widened = prices.isCached(node) ? tally.widened : 0;
    const units = tally.exact + widened + (folded ? 0 : tally.stepped) + again;
    const exact = { fused: units * unit, stored: prices.keeping(node) };
    const comparison = exact.fused - exact.stored > notable ? exact : rough;
    if (comparison.fused - comparison.stored <= notable) continue;
    found.set(node, comparison);
    cover(node, covered, tallies);
  }
  return found;
}

/** True of a node whose elements another takes one by one, at their places in memory. */
function takesInOrder(graph: Graph, reader: number, node: number): boolean {
  if (graph.nodes[node]?.op !== "pointwise") return false;
  const cells = elementCount((graph.nodes[reader] as Node).shape);
  return (graph.inputs[reader] as readonly number[]).some((input) => {
    let source = input;
    while (graph.nodes[source]?.op === "reshape")
      source = (graph.inputs[source] as readonly number[])[0] as number;
    return source === node && elementCount((graph.nodes[node] as Node).shape) === cells;
  });
}

/** What is stored with a reader is not considered by itself. */
function cover(node: number, covered: Set<number>, tallies: ReadonlyMap<number, Tally>): void {
  for (const nodes = [node]; nodes.length > 0; ) {
    const next = nodes.pop() as number;
    if (covered.has(next)) continue;
    covered.add(next);
    nodes.push(...(tallies.get(next)?.inputs ?? []));
  }
}

/**
 * Of a node that was stored for a chain, and whose kernel contains the chain again: storing the next link must pay by itself. What a fold
 * takes too is no link: if it is stored, both have it.
 */
function coverChain(
  from: number,
  covered: Set<number>,
  { spots, prices }: Audited,
  tallies: ReadonlyMap<number, Tally>,
): void {
  const taken = new Set(
    [...spots.keys()].flatMap((item) =>
      item.kind === "accumulate" ? item.values.map((value) => letOf(value)?.node ?? -1) : [],
    ),
  );
  for (const links = [from]; links.length > 0; )
    for (const input of tallies.get(links.pop() as number)?.inputs ?? []) {
      const { readers, excess } = tallies.get(input) as Tally;
      if (covered.has(input) || readers.size !== 1 || taken.has(input)) continue;
      if (excess * prices.unitOf(input) > prices.storing(input)) continue;
      covered.add(input);
      links.push(input);
    }
}

const isComputed = ({ op }: Node): boolean =>
  op === "pointwise" || op === "pad" || op === "concat" || op === "gather";
