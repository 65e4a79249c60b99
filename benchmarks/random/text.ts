/** The outcome of many races, for a person. */
import { geometricMean, median } from "../measure/statistics.ts";
import { inputsOf, record, textOf } from "./expression.ts";
import { kernelTimes } from "./kernel-times.ts";
import { explainRace, type Path, type Race } from "./race.ts";

const bounds = [0, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, Number.POSITIVE_INFINITY];
const WIDEST_BAR = 50;

/** How many races fell between which ratios. */
export function distributionText(ratios: readonly number[]): string {
  const counts = bounds
    .slice(1)
    .map((high, k) => ratios.filter((ratio) => ratio >= bounds[k]! && ratio < high).length);
  const most = Math.max(...counts);
  const lines = counts.map((count, k) => {
    const high = bounds[k + 1]!;
    const range = `${bounds[k]!.toFixed(2)} … ${Number.isFinite(high) ? high.toFixed(2) : ""}`;
    const bar = "█".repeat(Math.round((WIDEST_BAR * count) / most));
    return `  ${range.padEnd(12)} ${String(count).padStart(4)} ${bar}`.trimEnd();
  });
  return [
    `time of eager over that of fused, ${ratios.length} expressions`,
    ...lines,
    `  least ${Math.min(...ratios).toFixed(2)}, median ${median(ratios).toFixed(2)}, geometric mean ${geometricMean(ratios).toFixed(2)}, most ${Math.max(...ratios).toFixed(2)}`,
  ].join("\n");
}

type Outcome = Pick<Race, "seed" | "ratio" | "fused" | "eager">;

export const lineText = ({ seed, ratio, fused, eager }: Outcome): string =>
  `seed ${seed}: ${ratio.toFixed(2)} (fused ${milliseconds(fused)}, eager ${milliseconds(eager)})`;

/** In one line, as what fused takes of eager's time. `least`: the ratio below which a race is lost. */
export function summaryText(outcomes: readonly Outcome[], failures: number, least: number): string {
  const lost = outcomes.filter(({ ratio }) => ratio < least).sort((a, b) => a.ratio - b.ratio);
  const times = outcomes.map(({ ratio }) => 1 / ratio);
  const seeds = lost.map(({ seed, ratio }) => `${seed} (${(1 / ratio).toFixed(2)})`);
  return [
    `${outcomes.length} programs`,
    `${lost.length} above ${(1 / least).toFixed(1)} × op by op`,
    `geometric mean ${geometricMean(times).toFixed(2)} ×`,
    `worst ${Math.max(...times).toFixed(2)} ×`,
    `failed ${failures}`,
    `seeds: ${seeds.join(", ") || "none"}`,
  ].join("; ");
}

/** The expression, what either path runs for it and how long that takes, and what was stored, and why. */
export function raceText(race: Race, emitter: Path["emitter"]): string {
  return [
    lineText(race),
    textOf(race.expression).replace(/^/gm, "  "),
    `  fused: ${programText(race, { emitter, fusion: "on" })}`,
    `  eager: ${programText(race, { emitter, fusion: "none" })}`,
    `  not fused: ${notFusedText(race, emitter)}`,
  ].join("\n");
}

function programText(race: Race, path: Path): string {
  const inputs = inputsOf(race.expression);
  const times = kernelTimes(() => record(race.expression, inputs), path);
  const { kernels } = explainRace(race, path);
  const lines = kernels.map(
    ({ ops, phases }, k) => `${milliseconds(times[k]!)}, phases ${phases}: ${ops.join(" ")}`,
  );
  return [`kernels ${kernels.length}`, ...lines].join("\n    ");
}

function notFusedText(race: Race, emitter: Path["emitter"]): string {
  const { notFused } = explainRace(race, { emitter, fusion: "on" });
  const edges = notFused.map(
    ({ op, reason, measured, limit }) => `${op}: ${reason} (${Math.round(measured)}, limit ${limit})`,
  );
  return [...new Set(edges)].join("; ") || "nothing was stored";
}

const milliseconds = (time: number): string => `${time.toFixed(time < 1 ? 3 : 2)} ms`;
