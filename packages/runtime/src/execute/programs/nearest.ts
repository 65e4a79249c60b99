/** For those who watch: which of the latest graphs a new one is most like, and where it begins to be another. */
import { type Node, printNode, sameNumbers, sameOperation, sameStructure } from "@fuseau/ir";
import type { Recorded } from "../extract/extract.ts";

/** Graphs that were new while somebody watched, the latest first. */
const latest: Recorded[] = [];
const MOST = 64;
/** A graph that has less than this part of its nodes in common with another is not like it. */
const LIKE = 1 / 2;

export function clearNearest(): void {
  latest.length = 0;
}

/** In what a new graph differs from the one that it is most like; null if it is like none. */
export function differenceFromNearest(own: Recorded): string | null {
  let [nearest, common]: [Recorded | null, number] = [null, own.nodes.length * LIKE];
  for (const known of latest) {
    const found = commonNodes(own, known);
    if (found > common) [nearest, common] = [known, found];
  }
  latest.unshift(own);
  if (latest.length > MOST) latest.pop();
  if (nearest === null) return null;
  const { nodes } = nearest;
  const isStructure = common === own.nodes.length && common === nodes.length;
  const at = own.nodes.findIndex(
    (node, k) => k === common || (isStructure && !sameOperation(node, nodes[k] as Node)),
  );
  if (at < 0) return `the nearest graph has the same ${common} nodes, and other results`;
  const how = isStructure ? "has other sizes" : `has ${common} nodes in common`;
  const was = at < nodes.length ? `was ${shown(nearest, at)}` : "was not there";
  return `the nearest graph ${how}: %${at} ${was}, and is ${shown(own, at)}`;
}

/** How many nodes, from the operands on, are the same but for sizes. */
function commonNodes(a: Recorded, b: Recorded): number {
  const most = Math.min(a.nodes.length, b.nodes.length);
  for (let k = 0; k < most; k++) {
    const isSame =
      sameStructure(a.nodes[k] as Node, b.nodes[k] as Node) &&
      sameNumbers(a.inputs[k] as readonly number[], b.inputs[k] as readonly number[]);
    if (!isSame) return k;
  }
  return most;
}

function shown({ nodes, inputs }: Recorded, at: number): string {
  const names = (inputs[at] as readonly number[]).map((input) => `%${input}`);
  return printNode(nodes[at] as Node, names);
}
