/**
 * How long it takes to simplify recorded graphs of mixed ops: this checkout alone, or side by side with another.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/simplify.ts [--against ../other-checkout] [--rounds 40]
 */

import { resolve } from "node:path";
import type { Graph } from "@fuseau/compiler";
import { parseGraph } from "@fuseau/ir";
import { dump } from "fuseau";
import { commandLine } from "../scripts/command-line.ts";
import { chain, named } from "./first-call/programs.ts";

type Simplify = (graph: Graph) => Graph;

const { values: asked } = commandLine(import.meta.url, {
  options: { against: { type: "string" }, rounds: { type: "string", default: "40" } },
});

const CHAINS = 300;
const programs = [...named(), ...Array.from({ length: CHAINS }, (_, seed) => chain(seed))];
const graphs = programs.map(({ record }): Graph => {
  const lines = dump(record(), { inputs: "seeds" }).split("\n");
  return parseGraph(lines.filter((line) => /^(%|return )/.test(line)).join("\n"));
});
const nodes = graphs.reduce((sum, graph) => sum + graph.nodes.length, 0);

async function simplifierOf(checkout: string): Promise<Simplify> {
  const { simplify }: { simplify: Simplify } = await import(
    resolve(checkout, "packages/compiler/src/simplify/simplify.ts")
  );
  return simplify;
}

/** Every graph's least time of all rounds, in microseconds for one node; the contestants take turns at each graph. */
function measured(contestants: readonly Simplify[], rounds: number): number[] {
  const least = contestants.map(() => graphs.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round < rounds; round++) {
    graphs.forEach((graph, k) => {
      contestants.forEach((_, turn) => {
        const contestant = (turn + round) % contestants.length;
        const start = performance.now();
        contestants[contestant]!(graph);
        const own = least[contestant]!;
        own[k] = Math.min(own[k]!, performance.now() - start);
      });
    });
  }
  return least.map((times) => (times.reduce((sum, time) => sum + time, 0) * 1e3) / nodes);
}

const checkouts = [
  resolve(import.meta.dirname, ".."),
  ...(asked.against === undefined ? [] : [asked.against]),
];
const times = measured(await Promise.all(checkouts.map(simplifierOf)), Number(asked.rounds));
console.log(`${graphs.length} graphs, ${nodes} nodes`);
checkouts.forEach((checkout, k) => {
  console.log(`${checkout}: ${times[k]!.toFixed(2)} µs a node`);
});
if (times.length === 2) console.log(`ratio ${(times[0]! / times[1]!).toFixed(3)}`);
