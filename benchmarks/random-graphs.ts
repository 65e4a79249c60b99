/**
 * Fused against eager on random expressions, so that a loss cannot hide where no benchmark looks. Prints the distribution of
 * the ratios, and the worst ten with their kernels. Fails when fused is slower than eager by more than 10 % on any of them.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts [--graphs 300] [--first 1] [--emitter js] [--report]
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --dear --graphs 1000
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --dear --seed 17
 *
 * `--dear`: products, convolutions, scans, sorts, look-ups and random numbers under reductions, losses and windows. Without an
 * emitter, the runtime's choice. Seeds are 1, 2, 3 …; `--seed` measures one at length. `--report` never fails.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { setThreads } from "fuseau";
import type { Budget } from "./random/processor-time.ts";
import { type Path, type Race, race } from "./random/race.ts";
import { distributionText, raceText } from "./random/text.ts";

/** V8 optimises before it goes on: a thread of its own, on a busy machine, leaves code unoptimised for seconds. */
const AT_ONCE = "--no-concurrent-recompilation";
if (!process.execArgv.includes(AT_ONCE)) {
  const args = [...process.execArgv, AT_ONCE, ...process.argv.slice(1)];
  process.exit(spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1);
}

const { values: asked } = parseArgs({
  options: {
    graphs: { type: "string", default: "300" },
    seed: { type: "string" },
    first: { type: "string", default: "1" },
    dear: { type: "boolean", default: false },
    emitter: { type: "string" },
    report: { type: "boolean", default: false },
  },
});

const BRIEF: Budget = { measure: 20, warm: 15, rounds: 5 };
const LONG: Budget = { measure: 250, warm: 100, rounds: 9 };
/** Slower by 10 %. */
const LEAST_RATIO = 1 / 1.1;
const SHOWN = 10;
/** How often a suspect is raced again. */
const MOST_TIMES = 3;

setThreads(1);
const emitter = asked.emitter as Path["emitter"];
const kind = asked.dear ? "dear" : "plain";
if (asked.seed === undefined) raceAll(Number(asked.graphs), Number(asked.first));
else console.log(raceText(race(Number(asked.seed), kind, emitter, LONG), emitter));

function raceAll(graphs: number, first: number): void {
  const seeds = Array.from({ length: graphs }, (_, k) => first + k);
  const failures: string[] = [];
  const races = seeds
    .flatMap((seed) => {
      try {
        return [raceAgain(race(seed, kind, emitter, BRIEF))];
      } catch (error) {
        failures.push(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
        return [];
      }
    })
    .sort((a, b) => a.ratio - b.ratio);
  for (const worst of races.slice(0, SHOWN)) console.log(`${raceText(worst, emitter)}\n`);
  console.log(distributionText(races));
  const lost = races.filter(({ ratio }) => ratio < LEAST_RATIO);
  if (lost.length === 0) console.log("slower than eager by more than 10 %: none");
  else console.log(`slower than eager by more than 10 %: seeds ${lost.map(({ seed }) => seed).join(", ")}`);
  for (const failure of failures) console.log(failure);
  if (failures.length > 0 || (lost.length > 0 && !asked.report)) process.exitCode = 1;
}

/** Of so many brief measurements some are wrong: what looks like a loss is measured again, at length, until it is none. */
function raceAgain(brief: Race): Race {
  let again = brief;
  for (let times = 0; times < MOST_TIMES && again.ratio < 1 / 1.05; times++)
    again = race(brief.seed, kind, emitter, LONG);
  return again;
}
