/**
 * Looks for what is slower fused than op by op among chains of a few ops: over many small matrices (points, pixels, boxes, transforms),
 * images and feature maps, integers, graphs and tables, signals, or writes in place.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/chains.ts [--of images] [--chains 1000] [--first 1] [--seed 17] [--gradients]
 *         [--dtype float64] [--threads 2] [--elements 1000000]
 *
 * Families are matrices, images, integers, graphs, signals and writes. With `--gradients` it is the gradient of the sum of squares. What counts is the least time of each kernel, with both variants by turns. With `--seed` it explains that one chain.
 */

import { type AnyTensor, clearCaches, type DType, ready, setThreads, trace } from "fuseau";
import { commandLine } from "../scripts/command-line.ts";
import { geometricMean } from "./measure/statistics.ts";
import { chainOf } from "./random/chain.ts";
import { Choices } from "./random/choices.ts";
import { graphsAndTables } from "./random/graphs.ts";
import { imagesAndMaps } from "./random/images.ts";
import { integers } from "./random/integers.ts";
import { signalsAndSeries } from "./random/signals.ts";
import { smallMatrices } from "./random/small-matrices.ts";
import { writesInPlace } from "./random/writes.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    of: { type: "string", default: "matrices" },
    chains: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    gradients: { type: "boolean", default: false },
    dtype: { type: "string", default: "float32" },
    threads: { type: "string", default: "1" },
    elements: { type: "string", default: "200000" },
  },
});

const families = {
  matrices: smallMatrices,
  images: imagesAndMaps,
  integers,
  graphs: graphsAndTables,
  signals: signalsAndSeries,
  writes: writesInPlace,
};
const family = families[asked.of as keyof typeof families];
if (family === undefined) throw new Error(`--of ${asked.of}: ${Object.keys(families).join(" or ")}`);

/** What is asked of fused programs, as a part of their time op by op. */
const MOST = 1.1;
/** Milliseconds for both variants: at first, and again while a chain is above that. */
const BUDGETS = [40, 400];
/** Below so many milliseconds op by op it is not timed. */
const SHORT = 0.03;

type Fusion = "on" | "none";
const both: readonly Fusion[] = ["on", "none"];

/** The least milliseconds of all kernels, each by itself. */
function measured(make: () => AnyTensor, budget: number): Record<Fusion, number> {
  const least: Record<Fusion, number[]> = { on: [], none: [] };
  const run = (fusion: Fusion): void => {
    let kernel = 0;
    const result = make();
    trace(
      () => result.compute({ fusion }),
      (event) => {
        if (event.kind !== "kernel") return;
        least[fusion][kernel] = Math.min(least[fusion][kernel] ?? Number.POSITIVE_INFINITY, event.ms);
        kernel++;
      },
    );
    result.dispose();
  };
  // A first run has other kernels, of single ops.
  for (const fusion of [...both, ...both]) make().compute({ fusion }).dispose();
  const end = performance.now() + budget;
  for (let round = 0; round < 8 || performance.now() < end; round++)
    for (const fusion of round % 2 === 0 ? both : [...both].reverse()) run(fusion);
  const total = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0);
  return { on: total(least.on), none: total(least.none) };
}

setThreads(Number(asked.threads));
await ready();
const ratios: number[] = [];
const first = Number(asked.seed ?? asked.first);
const count = asked.seed === undefined ? Number(asked.chains) : 1;
for (let seed = first; seed < first + count; seed++) {
  if (seed % 50 === 0) clearCaches();
  const chain = chainOf(new Choices(seed), family, Number(asked.elements), asked.dtype as DType);
  if (chain === null || (asked.gradients && chain.gradient() === null)) continue;
  const make = asked.gradients ? (chain.gradient as typeof chain.make) : chain.make;
  if (asked.seed !== undefined) console.log(String(make().explain()));
  let [times, ratio] = [{ on: 0, none: 0 }, 0];
  for (const budget of BUDGETS) {
    times = measured(make, budget);
    ratio = times.on / times.none;
    if (ratio <= MOST) break;
  }
  if (times.none < SHORT && asked.seed === undefined) continue;
  ratios.push(ratio);
  if (ratio > MOST || asked.seed !== undefined)
    console.log(
      `${ratio.toFixed(2)}  ${chain.name}  (${(1e3 * times.on).toFixed(0)} µs, op by op ${(1e3 * times.none).toFixed(0)} µs; --seed ${seed})`,
    );
}
console.log(
  `${ratios.length} chains; ${ratios.filter((ratio) => ratio > MOST).length} above ${MOST} × op by op; geometric mean ${geometricMean(ratios).toFixed(2)} ×`,
);
process.exit();
