/**
 * Fused against eager on random expressions, so that a loss cannot hide where no benchmark looks. Prints the distribution of
 * the ratios, and the worst ten with their kernels. Fails when fused is slower than eager by more than 10 % on any of them.
 *
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts [--graphs 300] [--emitter js] [--report]
 *     npx tsx --conditions=fuseau:source benchmarks/random-graphs.ts --seed 17
 *
 * Seeds are 1, 2, 3 …; `--seed` measures one at length. `--report` never fails.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import type { Budget } from "./random/processor-time.ts";
import { type Path, race } from "./random/race.ts";
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
    emitter: { type: "string", default: "js" },
    report: { type: "boolean", default: false },
  },
});

const BRIEF: Budget = { measure: 20, warm: 15, rounds: 5 };
const LONG: Budget = { measure: 250, warm: 100, rounds: 9 };
/** Slower by 10 %. */
const LEAST_RATIO = 1 / 1.1;
const SHOWN = 10;

const emitter = asked.emitter as Path["emitter"];
if (asked.seed === undefined) raceAll(Number(asked.graphs));
else console.log(raceText(race(Number(asked.seed), emitter, LONG), emitter));

function raceAll(graphs: number): void {
  const seeds = Array.from({ length: graphs }, (_, k) => k + 1);
  const races = seeds
    .map((seed) => race(seed, emitter, BRIEF))
    // Of so many brief measurements some are wrong: what looks like a loss is measured again, at length.
    .map((brief) => (brief.ratio < 1 ? race(brief.seed, emitter, LONG) : brief))
    .sort((a, b) => a.ratio - b.ratio);
  for (const worst of races.slice(0, SHOWN)) console.log(`${raceText(worst, emitter)}\n`);
  console.log(distributionText(races));
  const lost = races.filter(({ ratio }) => ratio < LEAST_RATIO);
  if (lost.length === 0) console.log("slower than eager by more than 10 %: none");
  else console.log(`slower than eager by more than 10 %: seeds ${lost.map(({ seed }) => seed).join(", ")}`);
  if (lost.length > 0 && !asked.report) process.exitCode = 1;
}
