/**
 * Looks for what is slower fused than op by op among all pairs of something that makes a matrix and something that reads one.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/pairs.ts [--shapes 1000x37,5000x7] [--made NAMES] [--read NAMES] [--all]
 *
 * A pair above 1.1 is measured again, longer. What is left may still be luck: how branches of short rows are predicted depends on where the
 * host puts the code. So look at such a pair alone: with `--before 3` its process compiles a few programs first.
 */

import { type AnyTensor, clearCaches, randn, ShapeError, setThreads } from "fuseau";
import { commandLine } from "../scripts/command-line.ts";
import { letEscape } from "./measure/escape.ts";
import { geometricMean, median } from "./measure/statistics.ts";
import { madeOf, readers } from "./random/pairs.ts";

const { values: asked } = commandLine(import.meta.url, {
  options: {
    shapes: { type: "string", default: "1000x37,5000x7,64x513" },
    made: { type: "string" },
    read: { type: "string" },
    before: { type: "string", default: "0" },
    all: { type: "boolean", default: false },
  },
});

/** What is asked of fused programs, as a part of their time op by op. */
const MOST = 1.1;
/** Milliseconds for both variants: at first, and again and again while a pair is above that. */
const BUDGETS = [12, 80, 300];

interface Measured {
  readonly ratio: number;
  /** Milliseconds. */
  readonly fused: number;
  readonly plain: number;
}

function measured(make: () => AnyTensor, budget: number): Measured {
  const timeOf = (fusion: "on" | "none"): number => {
    const start = performance.now();
    const result = make().compute({ fusion });
    letEscape(result);
    const time = performance.now() - start;
    result.dispose();
    return time;
  };
  for (let k = 0; k < 3; k++) for (const fusion of ["on", "none"] as const) timeOf(fusion);
  const [fused, plain]: [number[], number[]] = [[], []];
  const end = performance.now() + budget;
  while (fused.length < 5 || performance.now() < end) {
    const order = fused.length % 2 === 0 ? (["on", "none"] as const) : (["none", "on"] as const);
    for (const fusion of order) (fusion === "on" ? fused : plain).push(timeOf(fusion));
  }
  const [on, none] = [median(fused), median(plain)];
  return { ratio: Math.min(on / none, Math.min(...fused) / Math.min(...plain)), fused: on, plain: none };
}

/** A window may be longer than what a maker leaves of short rows. */
function isPossible(make: () => AnyTensor): boolean {
  try {
    make().dispose();
    return true;
  } catch (error) {
    if (error instanceof ShapeError) return false;
    throw error;
  }
}

const isAsked = (names: string | undefined, name: string): boolean =>
  names === undefined || names.split(",").includes(name);

const microseconds = (time: number): string => `${(1e3 * time).toFixed(0)} µs`;

setThreads(1);
for (let k = 0; k < Number(asked.before); k++)
  randn([37 + k])
    .add(k)
    .sin()
    .compute();
const ratios: number[] = [];
for (const shape of asked.shapes.split(",")) {
  const [rows, columns] = shape.split("x").map(Number) as [number, number];
  for (const [madeBy, make] of Object.entries(madeOf(rows, columns))) {
    if (!isAsked(asked.made, madeBy)) continue;
    for (const [readBy, read] of Object.entries(readers)) {
      if (!isAsked(asked.read, readBy)) continue;
      if (!isPossible(() => read(make()))) continue;
      let last: Measured | null = null;
      for (const budget of BUDGETS) {
        last = measured(() => read(make()), budget);
        if (last.ratio <= MOST) break;
      }
      const { ratio, fused, plain } = last as Measured;
      ratios.push(ratio);
      if (ratio > MOST || asked.all)
        console.log(
          `${ratio.toFixed(2)}  ${shape}  ${madeBy} → ${readBy}  (${microseconds(fused)}, op by op ${microseconds(plain)})`,
        );
    }
    clearCaches();
  }
}
console.log(
  `${ratios.length} pairs; ${ratios.filter((ratio) => ratio > MOST).length} above ${MOST} × op by op; geometric mean ${geometricMean(ratios).toFixed(2)} ×`,
);
process.exit();
