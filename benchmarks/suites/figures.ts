/** What is measured of the cases beside their races: memory, cost per element, and the time that scheduling takes. */
import type { FigureCase } from "../figures.ts";
import { inFreshProcess } from "../measure/child.ts";
import type { Figure } from "../measure/report.ts";
import { explainTogether } from "../measure/runtime.ts";
import { quickBudget, sample } from "../measure/sampler.ts";
import type { Scheduling } from "../processes/scheduling.ts";
import { cases } from "./all.ts";
import { bundleSize } from "./bundle-size.ts";
import { closures, closuresCrossover } from "./closures.ts";
import { conversion } from "./conversion.ts";
import { expensive } from "./expensive.ts";
import { latency } from "./latency.ts";
import { latencySizes } from "./latency-sizes.ts";
import { latencyStages } from "./latency-stages.ts";
import { latencyStart } from "./latency-start.ts";
import { type PreparedExpression, scriptVariant } from "./prepared.ts";
import { programs } from "./programs.ts";
import { standardise } from "./standardise.ts";

/** Peak memory over inputs, results and rows of scratch, of every case. */
const peakMemory: FigureCase = {
  name: "peak-memory",
  title: "memory of each benchmark over that of its inputs, results and rows of scratch",
  about: "A row of scratch stays within a kernel. Eager keeps what ops hand to each other.",
  async measure() {
    return cases.map(({ name, prepare }): Figure => {
      const { record } = prepare();
      const [fused, eager] = (["on", "none"] as const).map((fusion) => memoryOf(record, fusion));
      return { name, figure: fused!, unit: "×", note: `eager ${eager!.toFixed(2)} ×` };
    });
  },
};

function memoryOf(record: PreparedExpression["record"], fusion: "on" | "none"): number {
  const { bytes } = explainTogether([record()].flat(), { fusion });
  const rows = Math.max(0, bytes.arena - bytes.intermediate);
  return bytes.peak / (bytes.inputs + bytes.outputs + rows);
}

/** A call of both sizes, in turn. */
const standardiseSizes: FigureCase = {
  name: "standardise-sizes",
  title: "standardising columns in JavaScript, by size",
  about: "Where a size overflows a cache, or rows meet in the same lines of it, an element costs more.",
  async measure() {
    const variants = standardise.map(({ prepare }) => scriptVariant(prepare().record));
    const [small, large] = await sample(variants, quickBudget);
    const perElement = (nanoseconds: number, size: number): number => nanoseconds / size ** 2;
    return [
      { name: "1000×1000, an element", figure: perElement(small!.nanoseconds, 1_000), unit: "ns" },
      { name: "2048×2048, an element", figure: perElement(large!.nanoseconds, 2_048), unit: "ns" },
      {
        name: "2048×2048 over 1000×1000, an element",
        figure: large!.ratio * (1_000 / 2_048) ** 2,
        unit: "×",
      },
    ];
  },
};

const SMALL = 20_000;
const LARGE = 40_000;

const scheduling: FigureCase = {
  name: "scheduling",
  title: "graphs of 20,000 and 40,000 nodes",
  about: "Processor time of the first call in a fresh process: the code that schedules is not warm.",
  async measure() {
    const figures: Figure[] = [];
    for (const kind of ["wide", "layered"]) {
      const [small, large] = [
        await inFreshProcess<Scheduling>("scheduling", [kind, String(SMALL)]),
        await inFreshProcess<Scheduling>("scheduling", [kind, String(LARGE)]),
      ];
      figures.push(
        { name: `${kind}, ${SMALL}: schedule`, figure: small.schedule, unit: "ms" },
        { name: `${kind}, ${SMALL}: every pass`, figure: small.compile, unit: "ms" },
        { name: `${kind}, ${LARGE}: schedule`, figure: large.schedule, unit: "ms" },
        { name: `${kind}, ${LARGE}: every pass`, figure: large.compile, unit: "ms" },
        { name: `${kind}: schedule, twice the nodes`, figure: large.schedule / small.schedule, unit: "×" },
      );
    }
    return figures;
  },
};

export const suiteFigures: readonly FigureCase[] = [
  conversion,
  peakMemory,
  standardiseSizes,
  scheduling,
  closures,
  closuresCrossover,
  ...expensive,
  latency,
  latencySizes,
  latencyStages,
  latencyStart,
  programs,
  bundleSize,
];
